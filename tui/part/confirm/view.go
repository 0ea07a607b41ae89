package confirm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// View implements screen.Screen.
func (p *Page) View(w, h int) string {
	st := p.env.Styles
	head, foot := "", ""
	if len(p.spec.Steps) > 0 && h >= 6 {
		head = panel.Steps(st, w, p.spec.Steps, p.step())
	}
	if p.word != nil {
		foot = p.word.View(w)
	}
	return panel.Sheet(w, h, head, foot, func(bw, bh int) string {
		return p.scroll.View(st, bw, bh, p.all(bw, bh))
	})
}

// all draws the whole page as lines of w cells, of which h are visible at once.
func (p *Page) all(w, h int) []string {
	if p.request {
		return p.diff().RequestLines(w)
	}
	out := p.banners(w)
	switch {
	case p.Resumes():
		return append(append(out, p.progress(w)...), p.goingOn(w)...)
	case !p.Before() && !p.one():
		return append(out, p.progress(w)...)
	case p.stage == planning && len(p.prop.steps) == 0:
		return append(out, panel.Text(p.env.Styles, w, themes.Faint, " planning ..."))
	case p.prop.err != nil:
		return append(out, p.refusal(w)...)
	case len(p.prop.steps) == 0 && len(p.leftOut) > 0:
		return append(append(out, p.warnings(w)...), component.Paragraph(p.env.Styles, w, 1, themes.Dim, "nothing else is left to do")...)
	case len(p.prop.steps) == 0:
		return append(out, component.Paragraph(p.env.Styles, w, 1, themes.Dim, "nothing to do: the cloud is already like that")...)
	}
	out = append(append(out, p.sentence(w)...), p.warnings(w)...)
	left, right, wide := w, w, w >= panel.WideWidth
	if wide {
		left = w * 3 / 5
		right = w - left - 2
	}
	d := p.diff()
	held, touched := append(d.Consumers(left), p.both(left)...), d.Touched(left)
	if p.one() { // the steps of a course have its records
		touched = append(touched, d.Records(left)...)
	}
	a, b := slices.Concat(held, touched), p.checks(right)
	if p.reshapes() {
		a = slices.Concat(touched, held)
	}
	if !wide {
		out = slices.Concat(out, a, b)
		return append(out, p.willDo(w, h-len(out)-1, d.WillSend)...)
	}
	send := d.WillSend
	if h-len(out)-len(b)-1 >= roomInFull {
		send = d.SendInFull
	}
	b = append(b, p.willDo(right, h-len(out)-len(b)-1, send)...)
	return append(out, component.Columns(2, left, right, a, b)...)
}

// reshapes reports whether it is about providers, whose inventories move: what is held of
// them only goes along.
func (p *Page) reshapes() bool {
	return slices.ContainsFunc(p.writes(), func(op placement.Op) bool {
		_, yes := op.(placement.Reshape)
		return yes
	})
}

// roomInFull is on how many lines a request is drawn in full.
const roomInFull = 8

// diff draws the total effect.
func (p *Page) diff() panel.Diff {
	return panel.Diff{Styles: p.env.Styles, Snap: p.prop.snap, Preview: p.prop.all, First: p.first, Between: p.prop.between, At: p.prop.at, Asked: p.asked()}
}

// banners says what happened, at the top.
func (p *Page) banners(w int) []string {
	st := p.env.Styles
	var out []string
	say := func(severity style.Severity, label string, lines ...string) {
		out = append(out, panel.Say(severity, label, lines...).Draw(st, w)...)
	}
	switch {
	case p.stage == running && p.slow:
		say(style.SeverityInfo, "WRITING", "the store has not answered yet. esc stops waiting")
	case p.stage == stopping && p.one():
		say(style.SeverityWarn, "STOPPING",
			"whether it was written is not known yet: anything undecided when you stopped it is not written",
			"esc leaves; the journal will say")
	case p.stage == asking && p.asked():
		say(style.SeverityWarn, "STOP?", "y stops following it, and "+p.goesOn()+". n keeps following")
	case p.stage == asking:
		say(style.SeverityWarn, "STOP?", "y stops after the step that is under way; it can be finished or undone later. n continues")
	case p.stage == stopping && p.asked():
		say(style.SeverityWarn, "STOPPING", "it is no longer followed")
	case p.stage == stopping:
		say(style.SeverityWarn, "STOPPING", "the step under way is the last one")
	default:
		said := p.said
		if p.stage == stopped && len(p.lines) < len(p.prop.steps) { // it is below those taken, of which there may be many
			said.Lines = append(slices.Clip(said.Lines), "next: "+p.prop.steps[len(p.lines)].Title)
		}
		out = append(out, said.Draw(st, w)...)
	}
	if len(p.moved) > 0 && p.stage == planned {
		say(style.SeverityWarn, "CHANGED", append([]string{"the cloud has changed; enter once you have looked"}, p.moved...)...)
	}
	if err := p.cannot(); err != nil && p.said.Label == "" {
		say(style.SeverityInfo, "DRY RUN", err.Error())
	}
	if len(out) > 0 {
		out = append(out, strings.Repeat(" ", w))
	}
	return out
}

// sentence says what will be done.
func (p *Page) sentence(w int) []string {
	says := p.spec.Says
	if says == "" && p.one() {
		says = p.prop.steps[0].Title
	}
	if says == "" {
		says = p.title
	}
	return component.Paragraph(p.env.Styles, w, 1, themes.Strong, says)
}

// refusal says why the course cannot be run, and what to do.
func (p *Page) refusal(w int) []string {
	cause, _ := why(p.prop.err)
	back, again := "esc goes back", "; enter tries again"
	advice := back + again
	if _, several := p.courses.Run.(ops.Each); several {
		advice = back + ", where it can be unmarked" + again
		if len(p.prop.able) > 0 {
			advice = "x leaves out what cannot be done; " + advice
		}
	}
	if at := p.spec.At; at > 0 && at < len(p.spec.Steps) {
		advice = fmt.Sprintf("%s to step %d, %s%s", back, at, p.spec.Steps[at-1], again)
	}
	const most = 8
	text := screen.State(p.env.Styles, w, most, style.SeverityCritical, "REFUSED", cause.Error(), advice)
	out := strings.Split(strings.TrimRight(text, " \n"), "\n")
	if p.spec.InTheWay != nil && p.prop.snap != nil {
		if title, lines := p.spec.InTheWay(p.prop.snap); len(lines) > 0 {
			out = append(out, component.Titled(p.env.Styles, w, title, ""))
			for _, line := range lines {
				out = append(out, panel.Text(p.env.Styles, w, themes.Text, " "+line))
			}
		}
	}
	if len(p.prop.rest) > 1 {
		out = append(out, component.Titled(p.env.Styles, w, "CANNOT BE DONE "+component.Count(len(p.prop.rest)), ""))
		for _, one := range p.prop.rest {
			out = append(out, component.Paragraph(p.env.Styles, w, 1, themes.Text, one.Error())...)
		}
	}
	return append(out, p.checks(w)...)
}

// goingOn says what was checked before continuing a course, and why it would not finish.
func (p *Page) goingOn(w int) []string {
	if p.prop.snap == nil {
		return nil // not rehearsed yet
	}
	out := p.checks(w)
	if p.prop.err == nil {
		return out
	}
	cause, _ := why(p.prop.err)
	if len(out) == 0 {
		out = append(out, component.Titled(p.env.Styles, w, "CHECKS", ""))
	}
	return append(out, panel.Checks(p.env.Styles, w, panel.Check{Severity: style.SeverityCritical, Text: "going on is refused: " + cause.Error()})...)
}

// both says that old and new are held at the same time.
func (p *Page) both(w int) []string {
	if p.prop.between == nil {
		return nil
	}
	for _, c := range p.prop.between.Consumers {
		if c.GenerationBefore == ops.NoGeneration && c.GenerationAfter != ops.NoGeneration {
			l := component.NewLine(p.env.Styles, w).Space(1)
			l.Mark(style.SeverityInfo).Space(1)
			l.Add(themes.Dim, "both are held until it is confirmed, the old one by ")
			if p.asked() {
				l.Add(themes.Dim, "its migration") // Nova names it
			} else {
				l.Add(themes.Dim, "migration ").Add(themes.Text, c.Consumer.String()[:8])
			}
			return []string{l.String()}
		}
	}
	return nil
}

// warnings shows objections at the top.
func (p *Page) warnings(w int) []string {
	var bad []panel.Check
	for _, c := range p.prop.checks {
		if c.Severity >= style.SeverityWarn {
			bad = append(bad, c)
		}
	}
	return panel.Checks(p.env.Styles, w, bad...)
}

// checks shows what was checked; objections are at the top already if there is an effect
// to show.
func (p *Page) checks(w int) []string {
	checks := slices.Clone(p.prop.checks)
	if p.prop.err == nil && !p.Resumes() {
		checks = slices.DeleteFunc(checks, func(c panel.Check) bool { return c.Severity >= style.SeverityWarn })
	}
	if p.prop.err == nil {
		tried := fmt.Sprintf("tried on a copy of revision %s: no rule forbids it", component.Count(p.prop.snap.Revision()))
		if p.one() { // of several it is said above the steps
			tried += "; guarded by generations"
		}
		checks = append(checks, panel.Check{Severity: style.SeverityOK, Text: tried})
	}
	if len(checks) == 0 {
		return nil
	}
	return append([]string{component.Titled(p.env.Styles, w, "CHECKS", "")}, panel.Checks(p.env.Styles, w, checks...)...)
}

// asked reports whether the cloud's Nova is asked, and takes the steps.
func (p *Page) asked() bool {
	return ops.IsNovaTask(p.courses.Run)
}

// goesOn says what becomes of a request to Nova that is not followed.
func (p *Page) goesOn() string {
	if _, several := p.courses.Run.(ops.Each); several {
		return "Nova finishes what it was asked to do, and is asked nothing more"
	}
	return "Nova carries on with it"
}

// stepsAre returns the words for a step to come.
func (p *Page) stepsAre() string {
	if p.asked() {
		return "one request; Nova does the rest by itself"
	}
	return "each is one guarded write"
}

// willDo lists the steps to come with their requests, or what send draws of a single
// write on so many lines.
func (p *Page) willDo(w, room int, send func(w, room int) []string) []string {
	if p.one() {
		return send(w, room)
	}
	return append([]string{component.Titled(p.env.Styles, w, "STEPS", p.stepsAre())}, StepLines(p.env.Styles, w, p.prop.steps)...)
}

// StepLines draws steps to come, on lines of w cells: each with the requests that it would
// send.
func StepLines(st *style.Styles, w int, steps []ops.RehearsedStep) []string {
	var out []string
	for i, s := range steps {
		out = append(out, stepLine(st, w, themes.Text, component.Seg{Token: themes.Dim, Text: fmt.Sprint(i + 1)}, s.Title, "")...)
		out = append(out, requestLines(st, w, s.Preview.Requests())...)
	}
	return out
}

// requestLines draws the requests of a step, below its title.
func requestLines(st *style.Styles, w int, requests []api.Call) []string {
	var out []string
	for _, r := range requests {
		l := component.NewLine(st, w)
		for i, part := range component.Break(st, r.Path, w-titleAt-len(r.Method)-1) {
			method := r.Method
			if i > 0 {
				method = strings.Repeat(" ", len(method))
			}
			out = append(out, l.Reset(w).Space(titleAt).Add(themes.Strong, method).Space(1).Add(themes.Dim, part).String())
		}
	}
	return out
}

// titleAt is the column of the titles of steps.
const titleAt = 4

// stepLine draws a step on as many lines as its title takes: first before, then the
// title, and note at the end of the last line.
func stepLine(st *style.Styles, w int, t themes.Token, before component.Seg, title, note string) []string {
	var out []string
	parts := component.Wrap(st, title, max(w-titleAt-component.Width(st, note)-2, 8))
	for i, part := range parts {
		l := component.NewLine(st, w)
		if i == 0 {
			l.Space(1).Add(before.Token, before.Text)
		}
		l.To(titleAt).Add(t, part)
		if i == len(parts)-1 {
			l.To(w-component.Width(st, note)-1).Add(themes.Dim, note)
		}
		out = append(out, l.String())
	}
	return out
}

// progress draws the steps that were taken, each with its time, and the rehearsed ones to
// come.
func (p *Page) progress(w int) []string {
	st := p.env.Styles
	out := TakenLines(st, w, slices.Concat(p.taken, p.lines), false)
	turned := slices.ContainsFunc(p.lines, func(d ops.StepDone) bool { return d.Cause != nil })
	if turned || p.undoes || !p.underWay() && p.stage != stopped {
		return out
	}
	for _, s := range p.prop.steps[min(len(p.lines), len(p.prop.steps)):] {
		out = append(out, stepLine(st, w, themes.Faint, component.Seg{}, s.Title, "")...)
	}
	return out
}

// TakenLines draws steps that were taken, on lines of w cells: each with when it was
// stored, the revision that it led to, and how long it took; with sent also what it
// sent, or if another session took it, what it wrote.
func TakenLines(st *style.Styles, w int, steps []ops.StepDone, sent bool) []string {
	var out []string
	for _, d := range steps {
		sign, token := style.SeverityOK, themes.Text
		if d.Cause != nil {
			sign, token = style.SeverityCritical, themes.Critical
		}
		var notes []string
		if d.Event.Revision > 0 { // a service that is asked reports no revision
			notes = append(notes, "rev "+component.Count(d.Event.Revision))
		}
		if d.Elapsed > 0 { // unknown for steps of another process
			notes = append(notes, component.Took(d.Elapsed))
		}
		note := strings.Join(notes, "  ")
		if at := d.Event.At; !at.IsZero() && w >= panel.CompactWidth {
			note = at.UTC().Format("15:04:05.000") + "  " + note
		}
		if d.Tries > 1 {
			note = fmt.Sprintf("planned %d times  %s", d.Tries, note)
		}
		out = append(out, stepLine(st, w, token, component.Seg{Token: sign.Token(), Text: st.Glyphs.Severities[sign]}, d.Title, note)...)
		switch {
		case !sent:
		case d.Sent():
			out = append(out, requestLines(st, w, d.Requests())...)
		case len(d.Event.Changes) > 0: // the journal has what was written, not how it was requested
			out = append(out, component.NewLine(st, w).Space(titleAt).Add(themes.Dim, "wrote "+recordWords(d.Event.Changes)).String())
		}
	}
	return out
}

// recordWords names the records that a change wrote: "consumer (2), migration".
func recordWords(changes []versioned.Change) string {
	counts := map[string]int{}
	for _, c := range changes {
		counts[c.Kind().Words()]++
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[kind]; n > 1 {
			kind += " (" + component.Count(n) + ")"
		}
		words = append(words, kind)
	}
	return strings.Join(words, ", ")
}
