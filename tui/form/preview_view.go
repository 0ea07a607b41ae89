package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// View implements screen.Screen.
func (p *Preview) View(w, h int) string {
	st := p.env.Styles
	head := ""
	if len(p.write.Steps) > 0 && h >= 6 {
		head = sheet.Steps(st, w, p.write.Steps, p.write.At)
	}
	foot := ""
	if p.word != nil {
		foot = p.word.View(w)
	}
	return sheet.Page(w, h, head, foot, func(bw, bh int) string {
		return p.scroll.View(st, bw, bh, p.lines(bw, bh))
	})
}

// diff draws what the plan does.
func (p *Preview) diff() sheet.Diff {
	return sheet.Diff{Styles: p.env.Styles, Snap: p.prop.snap, Preview: p.prop.plan.Preview, First: p.first, At: p.prop.at}
}

// lines draws the whole page, however long, as lines of w cells.
func (p *Preview) lines(w, h int) []string {
	if p.request {
		return p.diff().RequestLines(w)
	}
	out := p.bannerLines(w)
	switch {
	case p.stage == planning:
		return append(out, panel.Text(p.env.Styles, w, themes.Faint, " planning ..."))
	case p.prop.err != nil:
		return append(out, p.refusal(w)...)
	case p.prop.plan.Empty():
		return append(out, panel.Text(p.env.Styles, w, themes.Dim, " nothing to change: the cloud is so already"))
	}
	d := p.diff()
	if w < sheet.WideWidth {
		out = append(out, d.Consumers(w)...)
		out = append(out, d.Touched(w)...)
		out = append(out, d.Records(w)...)
		out = append(out, p.checks(w)...)
		return append(out, d.WillSend(w, h-len(out)-1)...)
	}
	left := w * 3 / 5
	right := w - left - 2
	a, b := slices.Concat(d.Consumers(left), d.Touched(left), d.Records(left)), p.checks(right)
	if room := h - len(out) - len(b) - 1; room >= 8 {
		b = append(b, d.SendInFull(right, room)...)
	} else {
		b = append(b, d.WillSend(right, room)...)
	}
	n := max(len(a), len(b))
	both := component.Beside(2, component.Fit(strings.Join(a, "\n"), left, n), component.Fit(strings.Join(b, "\n"), right, n))
	return append(out, strings.Split(both, "\n")...)
}

// bannerLines says what happened, above all else.
func (p *Preview) bannerLines(w int) []string {
	var out []string
	say := func(b sheet.Banner) { out = append(out, b.Draw(p.env.Styles, w)...) }
	switch {
	case p.stage == writing && p.slow:
		say(sheet.Say(style.SeverityInfo, "WRITING", "the store has not answered yet. esc stops waiting"))
	case p.stage == stopping:
		say(sheet.Say(style.SeverityWarn, "STOPPING",
			"whether it was written is not known yet: what was not decided when you pressed esc is not written",
			"esc leaves; the journal then tells"))
	case p.said.Label != "":
		say(p.said)
	}
	if len(p.moved) > 0 && p.stage == planned {
		say(sheet.Say(style.SeverityWarn, "CHANGED", append([]string{"the cloud has changed; enter, when you have looked"}, p.moved...)...))
	}
	if why := p.env.ReadOnly(); why != "" && p.said.Label == "" {
		say(sheet.Say(style.SeverityInfo, "DRY RUN", "nothing can be written: "+why))
	}
	if len(out) > 0 {
		out = append(out, strings.Repeat(" ", w))
	}
	return out
}

// refusal says why the change cannot be made, and what to do.
func (p *Preview) refusal(w int) []string {
	text := screen.State(p.env.Styles, w, 8, style.SeverityCritical, "REFUSED", p.prop.err.Error(), p.advice())
	return strings.Split(strings.TrimRight(text, " \n"), "\n")
}

func (p *Preview) advice() string {
	if at := p.write.At; at > 0 && at < len(p.write.Steps) {
		return fmt.Sprintf("esc goes back to step %d, %s; enter plans again", at, p.write.Steps[at-1])
	}
	return "esc goes back; enter plans again"
}

// checks says what was looked at, and what to think of before saying yes.
func (p *Preview) checks(w int) []string {
	prop := p.prop
	var checks []sheet.Check
	add := func(sev style.Severity, text string) { checks = append(checks, sheet.Check{Severity: sev, Text: text}) }
	add(style.SeverityOK, fmt.Sprintf("tried on a copy of revision %s: no rule refuses it", component.Count(int64(prop.snap.Revision()))))
	add(style.SeverityOK, "guarded by generations: not written over what someone else writes meanwhile")
	checks = append(checks, sheet.ConsequenceChecks(prop.clears, prop.brings)...)
	for _, warning := range prop.plan.Preview.Warnings {
		add(style.SeverityWarn, warning)
	}
	return append([]string{component.Titled(p.env.Styles, w, "CHECKS", "")}, sheet.Checks(p.env.Styles, w, checks...)...)
}
