package form

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/panel"
	"github.com/placetop/placetop/tui/style"
)

// View implements screen.Screen.
func (p *Preview) View(w, h int) string {
	st := p.env.Styles
	head := ""
	if len(p.write.Steps) > 0 && h >= 6 {
		head = drawSteps(st, w, p.write.Steps, p.write.At)
	}
	foot := ""
	if p.word != nil {
		foot = p.word.View(w)
	}
	return page(w, h, head, foot, func(bw, bh int) string {
		lines := p.lines(bw, bh)
		p.rows, p.shown = len(lines), bh
		if p.rows > bh && bh > 1 {
			p.shown = bh - 1
		}
		p.top = max(min(p.top, p.rows-p.shown), 0)
		shown := lines[p.top:min(p.top+p.shown, p.rows)]
		if p.shown < bh {
			shown = append(shown[:len(shown):len(shown)], p.moreLine(bw))
		}
		return strings.Join(shown, "\n")
	})
}

// moreLine says how much of the page is above and below the window.
func (p *Preview) moreLine(w int) string {
	st := p.env.Styles
	l := component.NewLine(st, w).Space(1).Add(themes.Faint, st.Glyphs.More)
	if below := p.rows - p.top - p.shown; below > 0 {
		l.Add(themes.Dim, fmt.Sprintf(" %d more lines", below)).Add(themes.Faint, "   j k scroll")
	} else {
		l.Add(themes.Dim, " end").Add(themes.Faint, "   k scrolls back")
	}
	return l.String()
}

// lines draws the whole page, however long, as lines of w cells.
func (p *Preview) lines(w, h int) []string {
	if p.request {
		return p.requestLines(w)
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
	if w < wideWidth {
		out = append(out, p.consumers(w)...)
		out = append(out, p.touched(w)...)
		out = append(out, p.checks(w)...)
		return append(out, p.willSend(w, h-len(out)-1)...)
	}
	left := w * 3 / 5
	right := w - left - 2
	a, b := append(p.consumers(left), p.touched(left)...), p.checks(right)
	if room := h - len(out) - len(b) - 1; room >= 8 {
		b = append(b, p.sendInFull(right, room)...)
	} else {
		b = append(b, p.willSend(right, room)...)
	}
	n := max(len(a), len(b))
	both := component.Beside(2, component.Fit(strings.Join(a, "\n"), left, n), component.Fit(strings.Join(b, "\n"), right, n))
	return append(out, strings.Split(both, "\n")...)
}

// bannerLines says what happened, above all else.
func (p *Preview) bannerLines(w int) []string {
	var out []string
	say := func(b banner) {
		text := screen.State(p.env.Styles, w, 12, b.severity, b.label, b.lines...)
		for line := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(line) != "" {
				out = append(out, line)
			}
		}
	}
	switch {
	case p.stage == writing && p.slow:
		say(banner{style.SeverityInfo, "WRITING", []string{"the store has not answered yet. esc stops waiting"}})
	case p.stage == stopping:
		say(banner{style.SeverityWarn, "STOPPING", []string{
			"whether it was written is not known yet: what was not decided when you pressed esc is not written",
			"esc leaves; the journal then tells",
		}})
	case p.said.label != "":
		say(p.said)
	}
	if len(p.moved) > 0 && p.stage == planned {
		say(banner{style.SeverityWarn, "CHANGED", append([]string{"the cloud has changed; enter, when you have looked"}, p.moved...)})
	}
	if why := p.env.ReadOnly(); why != "" && p.said.label == "" {
		say(banner{style.SeverityInfo, "DRY RUN", []string{"nothing can be written: " + why}})
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
	if len(p.write.Steps) > 1 {
		return "esc goes back to choose another provider; enter plans again"
	}
	return "esc goes back; enter plans again"
}

// consumers draws what each consumer holds before and after.
func (p *Preview) consumers(w int) []string {
	st, pre := p.env.Styles, p.prop.plan.Preview
	var out []string
	for _, c := range pre.Consumers {
		out = append(out, p.who(c, w))
		if w < compactWidth {
			out = append(out, p.delta(c, w)...)
			continue
		}
		half := w / 2
		out = append(out, component.Rule(st, w,
			component.Label{Text: "BEFORE  " + generation(c.GenerationBefore)},
			component.Label{Text: "AFTER  " + generation(c.GenerationAfter), At: half, Token: themes.Title}))
		before, after := p.holds(c.Before, half), p.holds(c.After, w-half)
		n := max(len(before), len(after))
		both := component.Beside(0, component.Fit(strings.Join(before, "\n"), half, n), component.Fit(strings.Join(after, "\n"), w-half, n))
		out = append(out, strings.Split(both, "\n")...)
	}
	for _, name := range pre.Names {
		out = append(out, panel.Text(st, w, themes.Changed, " "+name))
	}
	return out
}

// who names a consumer.
func (p *Preview) who(c ops.ConsumerDiff, w int) string {
	l := component.NewLine(p.env.Styles, w).Space(1)
	name := panel.ConsumerName(p.prop.snap, c.Consumer)
	l.Add(themes.Strong, name).Add(themes.Dim, "  "+c.Type.String())
	l.Add(themes.Dim, "   project ").Add(themes.Text, c.Project).Add(themes.Dim, "   user ").Add(themes.Text, c.User)
	if name != c.Consumer.String() {
		l.Space(3).Add(themes.Faint, c.Consumer.String())
	}
	return l.String()
}

// holds draws what a consumer holds, by provider.
func (p *Preview) holds(held []ops.Holding, w int) []string {
	st := p.env.Styles
	if len(held) == 0 {
		return []string{panel.Text(st, w, themes.Faint, " nothing")}
	}
	var out []string
	for i := 0; i < len(held); {
		id := held[i].Provider
		out = append(out, p.provider(component.NewLine(st, w).Space(1), id, held[i].Name).String())
		l := component.NewLine(st, w).Space(5)
		for ; i < len(held) && held[i].Provider == id; i++ {
			word := string(held[i].Class) + " " + strconv.FormatInt(held[i].Amount, 10)
			if l.Pos() > 5 && len(word) > l.Left() {
				out = append(out, l.String())
				l.Reset(w).Space(5)
			}
			l.Add(themes.Text, word).Space(3)
		}
		out = append(out, l.String())
	}
	return out
}

// provider draws the owner and the name of a provider.
func (p *Preview) provider(l *component.Line, id placement.ProviderID, name string) *component.Line {
	pl := p.prop.snap.Placement()
	if rp, ok := pl.Provider(id); ok {
		component.OwnerBadge(l, panel.Owner(pl.Owner(rp))).Space(1)
	} else {
		l.Space(4)
	}
	return l.Add(themes.Strong, name)
}

// delta draws what a consumer gets and loses, for narrow terminals.
func (p *Preview) delta(c ops.ConsumerDiff, w int) []string {
	var out []string
	line := func(t themes.Token, sign string, h ops.Holding) {
		l := component.NewLine(p.env.Styles, w).Space(1).Add(t, sign+" ")
		out = append(out, l.Add(themes.Text, fmt.Sprintf("%s %d", h.Class, h.Amount)).Add(themes.Dim, " "+h.Name).String())
	}
	has := func(list []ops.Holding, h ops.Holding) bool {
		for _, x := range list {
			if x == h {
				return true
			}
		}
		return false
	}
	for _, h := range c.Before {
		if !has(c.After, h) {
			line(themes.Removed, "-", h)
		}
	}
	for _, h := range c.After {
		if !has(c.Before, h) {
			line(themes.Added, "+", h)
		}
	}
	return out
}

// generation returns a generation for people.
func generation(n int64) string {
	if n == ops.NoGeneration {
		return "not there"
	}
	return "gen " + strconv.FormatInt(n, 10)
}

// touched draws the providers that change, with their bars now and after.
func (p *Preview) touched(w int) []string {
	st := p.env.Styles
	out := []string{component.Titled(st, w, "PROVIDERS TOUCHED", "now > after")}
	for _, d := range p.prop.plan.Preview.Providers {
		l := p.provider(component.NewLine(st, w).Space(1), d.Provider, d.Name)
		switch {
		case d.Created():
			l.Add(themes.Added, "  new")
		case d.Deleted():
			l.Add(themes.Removed, "  deleted")
		case d.GenerationBefore != d.GenerationAfter:
			l.Add(themes.Dim, fmt.Sprintf("   gen %d > %d", d.GenerationBefore, d.GenerationAfter))
		}
		if d.OldName != "" {
			l.Add(themes.Dim, "   was ").Add(themes.Removed, d.OldName)
		}
		if d.Moved {
			l.Add(themes.Dim, "   now below ").Add(themes.Changed, d.Parent)
		}
		out = append(out, l.String())
		for _, c := range d.Classes {
			out = append(out, p.class(d, c, w)...)
		}
		for _, t := range d.TraitsAdded {
			out = append(out, panel.Text(st, w, themes.Added, "     + "+string(t)))
		}
		for _, t := range d.TraitsRemoved {
			out = append(out, panel.Text(st, w, themes.Removed, "     - "+string(t)))
		}
		for _, a := range d.AggregatesAdded {
			out = append(out, panel.Text(st, w, themes.Added, "     + aggregate "+a.String()))
		}
		for _, a := range d.AggregatesRemoved {
			out = append(out, panel.Text(st, w, themes.Removed, "     - aggregate "+a.String()))
		}
	}
	return out
}

// class draws a class of a provider now and after, and what somebody else has
// used of it since the page was opened.
func (p *Preview) class(d ops.ProviderDiff, c ops.ClassDiff, w int) []string {
	st := p.env.Styles
	indent := 5
	if w < compactWidth {
		indent = 2
	}
	l := component.NewLine(st, w).Space(indent)
	now, after := loadIn(c.Before, c.UsedBefore), loadIn(c.After, c.UsedAfter)
	name, number := min(max(w/5, 10), 24), max(usedWidth(c.Class, now, after), 9)
	l.Cell(name).Add(themes.Text, string(c.Class)).EndCell(component.AlignLeft).Space(1)
	bar := (l.Left() - 2*number - 5 - 8) / 2
	l = drawNowThen(l, min(bar, 20), number, now, after, c.Class)
	if by := c.UsedAfter - c.UsedBefore; by != 0 {
		sign := "+"
		if by < 0 {
			sign, by = "-", -by
		}
		l.Space(1).Add(themes.Changed, sign+component.Amount(by, panel.Unit(c.Class)))
	}
	out := []string{l.String()}
	if c.Before != nil && c.After != nil && c.InventoryChanged() {
		out = append(out, panel.Text(st, w, themes.Changed, strings.Repeat(" ", indent+2)+inventoryChanges(*c.Before, *c.After)))
	}
	if was, ok := p.usedAtFirst(d.Provider, c.Class); ok && was != c.UsedBefore {
		out = append(out, panel.Text(st, w, themes.Changed,
			strings.Repeat(" ", indent+2)+fmt.Sprintf("changed meanwhile: %d were used when this page was opened, %d are now", was, c.UsedBefore)))
	}
	return out
}

// usedAtFirst returns how much of a class was used when the page was opened.
func (p *Preview) usedAtFirst(id placement.ProviderID, class placement.ResourceClass) (int64, bool) {
	if p.first == nil {
		return 0, false
	}
	for _, d := range p.first.Providers {
		if d.Provider != id {
			continue
		}
		for _, c := range d.Classes {
			if c.Class == class {
				return c.UsedBefore, true
			}
		}
	}
	return 0, false
}

// loadIn returns an inventory as a bar shows it; nil is none.
func loadIn(inv *placement.Inventory, used int64) component.Load {
	if inv == nil {
		return component.Load{Used: used}
	}
	return component.Load{Total: inv.Total, Reserved: inv.Reserved, Capacity: inv.Capacity(), Used: used}
}

// inventoryChanges lists the fields of an inventory that differ.
func inventoryChanges(a, b placement.Inventory) string {
	var parts []string
	for _, f := range []struct {
		name    string
		was, is int64
	}{
		{"total", a.Total, b.Total},
		{"reserved", a.Reserved, b.Reserved},
		{"min_unit", a.MinUnit, b.MinUnit},
		{"max_unit", a.MaxUnit, b.MaxUnit},
		{"step_size", a.StepSize, b.StepSize},
	} {
		if f.was != f.is {
			parts = append(parts, fmt.Sprintf("%s %d > %d", f.name, f.was, f.is))
		}
	}
	if a.AllocationRatio != b.AllocationRatio {
		parts = append(parts, fmt.Sprintf("allocation_ratio %g > %g", a.AllocationRatio, b.AllocationRatio))
	}
	return strings.Join(parts, "   ")
}

// checks says what was looked at, and what to think of before saying yes.
func (p *Preview) checks(w int) []string {
	st, prop := p.env.Styles, p.prop
	out := []string{component.Titled(st, w, "CHECKS", "")}
	add := func(sev style.Severity, text string) {
		for i, part := range wrapWords(text, w-3) {
			l := component.NewLine(st, w).Space(1)
			if i == 0 {
				component.SeverityMark(l, sev)
			}
			out = append(out, l.To(3).Add(themes.Text, part).String())
		}
	}
	add(style.SeverityOK, fmt.Sprintf("tried on a copy of revision %s: no rule refuses it", component.Count(int64(prop.snap.Revision()))))
	add(style.SeverityOK, "guarded by generations: not written over what someone else writes meanwhile")
	for _, f := range prop.clears {
		add(style.SeverityOK, fmt.Sprintf("clears %s %s", f.Rule, f.Text))
	}
	for _, f := range prop.brings {
		add(panel.Severity(f.Severity), fmt.Sprintf("brings %s %s", f.Rule, f.Text))
	}
	for _, warning := range prop.plan.Preview.Warnings {
		add(style.SeverityWarn, warning)
	}
	return out
}

// willSend names the requests that the change stands for: a line each, or more
// while room lines are not filled.
func (p *Preview) willSend(w, room int) []string {
	st, requests := p.env.Styles, p.prop.plan.Preview.Requests
	out := []string{component.Titled(st, w, "WILL SEND", "")}
	if len(requests) == 0 {
		return append(out, panel.Text(st, w, themes.Dim, " records of this store: the Placement API has no call for it"))
	}
	const most = 3
	named := min(len(requests), most)
	spare := room - named
	if len(requests) > most {
		spare--
	}
	for _, r := range requests[:named] {
		line := r.Method + " " + r.Path
		if r.Body != "" {
			line += "  " + r.Body
		}
		parts := strings.Split(ansi.Hardwrap(component.Sanitize(st, line), max(w-1, 1), true), "\n")
		lines := min(len(parts), max(spare, 0)+1)
		spare -= lines - 1
		if lines < len(parts) {
			// Too long for its last line, which then ends in the mark of a cut.
			parts[lines-1] = strings.Join(parts[lines-1:], "")
		}
		for i, part := range parts[:lines] {
			l := component.NewLine(st, w).Space(1)
			if rest, ok := strings.CutPrefix(part, r.Method+" "); ok && i == 0 {
				l.Add(themes.Strong, r.Method).Space(1)
				part = rest
			}
			out = append(out, l.Add(themes.Text, part).String())
		}
	}
	if len(requests) > most {
		out = append(out, panel.Text(st, w, themes.Dim, fmt.Sprintf(" and %d more", len(requests)-most)))
	}
	return out
}

// sendInFull is willSend with the requests in full, as far as h lines go.
func (p *Preview) sendInFull(w, h int) []string {
	requests := p.prop.plan.Preview.Requests
	if len(requests) == 0 {
		return p.willSend(w, h)
	}
	body := p.requestBody(w)
	if len(body) > h {
		body = append(body[:h-1], panel.Text(p.env.Styles, w, themes.Dim, " "+p.env.Styles.Glyphs.More+" y shows all"))
	}
	return append([]string{component.Titled(p.env.Styles, w, "WILL SEND", "")}, body...)
}
