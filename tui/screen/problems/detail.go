package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// title returns the rule of a row and, for the end of the line, its subject.
func title(r *row, at list.At) (name, where string) {
	where = panel.FindingSubject(at.Snap, r.first().Finding)
	if p, ok := at.Snap.Placement().Provider(r.first().Provider); ok && r.first().Consumer.IsZero() {
		where = strings.Join(panel.Path(at.Snap.Placement(), p), " > ")
	}
	return string(r.rule.ID) + " " + r.rule.Title, where
}

// labelWidth is the column of the text beside a label, in cells; narrowFrom is the width
// from which there is room for the labels.
const (
	labelWidth = 19
	narrowFrom = 56
)

// detail shows what is wrong, what it blocks, and what can be done, as much of it as fits.
func (s *Screen) detail(r *row, a list.Area) []string {
	var parts [][]string
	for _, full := range []bool{true, false} {
		if parts = s.parts(r, a, full); len(slices.Concat(parts...)) <= a.Height {
			break
		}
	}
	lines := slices.Concat(parts...)
	if len(lines)+len(parts) > a.Height {
		return a.Fit(lines)
	}
	lines = parts[0]
	for _, p := range parts[1:] {
		lines = append(append(lines, a.Line().String()), p...)
	}
	return lines
}

// parts returns the texts about a row. With full each fix uses as many lines as it needs, else
// one.
func (s *Screen) parts(r *row, a list.Area, full bool) (out [][]string) {
	f, text := r.first(), a
	if a.Width >= narrowFrom {
		text.Width -= labelWidth
	}
	add := func(label string, lines []string) {
		for i := range lines {
			if label != "" && text.Width < a.Width {
				lines[i] = component.NewLine(a.Styles, labelWidth).Space(1).Add(themes.Title, label).String() + lines[i]
				label = " "
			}
		}
		if len(lines) > 0 {
			out = append(out, lines)
		}
	}
	say := func(t themes.Token, words string) []string {
		return component.Paragraph(a.Styles, text.Width, 0, t, words)
	}
	add("", append(component.Paragraph(a.Styles, a.Width, 1, themes.Strong, f.Text), bars(a, f.Finding)...))
	var notes []string
	for _, note := range noted(a.Now, f) {
		notes = append(notes, say(themes.Info, note)...)
	}
	add("Noted", notes)
	add("What it blocks", say(themes.Text, r.rule.Why))
	d, known := s.fixesOf(r)
	ways, why := r.ways, r.rule.Advice
	if known {
		ways, why = d.ways, cmp.Or(d.none, why)
	}
	var plan []string
	for _, w := range ways {
		plan = append(plan, wayLines(text, w, known, full)...)
	}
	switch {
	case len(ways) > 0:
	case !known && !r.asked:
		plan = say(themes.Faint, "looking for fixes ...")
	default:
		plan = say(themes.Text, why)
	}
	add("Fix plan", plan)
	if n := len(r.found) - 1; n > 0 {
		add("", []string{panel.Text(a.Styles, a.Width, themes.Dim, " and "+component.Plural(n, "other")+": right shows them, F is about all")})
	}
	return out
}

// fixesOf returns the fixes of a row's first finding.
func (s *Screen) fixesOf(r *row) (*findingFixes, bool) {
	d, ok := s.read[r.first().ID()]
	return d, ok && d.pass == r.pass
}

// bars draws the usage of the class that a finding about a provider names, else of its
// accelerators.
func bars(a list.Area, f audit.Finding) []string {
	pl := a.Snap.Placement()
	p, ok := pl.Provider(f.Provider)
	if !ok || !f.Consumer.IsZero() {
		return nil
	}
	var out []string
	for _, iu := range p.Inventories() {
		class := pl.ClassName(iu.Class)
		if f.Class != "" && class != f.Class || f.Class == "" && !class.IsAccelerator() {
			continue
		}
		out = append(out, bar(a, pl, p, iu))
	}
	return out
}

func bar(a list.Area, pl *placement.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage) string {
	load := panel.Load(pl, p, iu)
	numbers := fmt.Sprintf("  used %s of %s", component.Count(load.Used), component.Count(load.Capacity))
	// What makes up the capacity: if the usage did not change, one of these did.
	made := fmt.Sprintf("   total %s reserved %s", component.Count(iu.Total), component.Count(iu.Reserved))
	if iu.AllocationRatio != 1 {
		made += fmt.Sprintf(" ratio %.1f", iu.AllocationRatio)
	}
	class := string(pl.ClassName(iu.Class))
	l := a.Line().Space(1).Column(min(len(class), max(a.Width/3, 8)), themes.Text, class).Space(1)
	if l.Left()-len(numbers)-len(made) < 16 {
		made = ""
	}
	most, tail := 40, themes.Dim
	if a.Width < 100 && !a.Beside { // each cell and each colour is a few more bytes for a slow line
		most, tail = 8, themes.Text
	}
	component.Bar(l, max(min(l.Left()-len(numbers)-len(made)-1, most), 4), load)
	t := themes.Text
	if panel.Over(pl, p, iu) {
		t = themes.Critical
	}
	return l.Add(t, numbers).Add(tail, made).String()
}

// noted says what operators noted about a finding.
func noted(now time.Time, f audit.AnnotatedFinding) []string {
	var out []string
	add := func(what, by, note string, at, until time.Time) {
		text := fmt.Sprintf("%s by %s %s ago", what, by, panel.Age(now, at))
		if !until.IsZero() {
			text += ", until " + until.UTC().Format("2006-01-02 15:04Z")
		}
		if note != "" {
			text += ": " + note
		}
		out = append(out, text)
	}
	if k := f.Acknowledgement; k != nil {
		what := "acknowledged"
		switch f.Lapse {
		case audit.Expired:
			what = "was acknowledged, which ended,"
		case audit.Worse:
			what = "got worse since it was acknowledged"
		case audit.InForce:
		}
		add(what, k.By, k.Note, k.AtTime(), k.UntilTime())
	}
	if m := f.Mute; m != nil {
		add("the rule is muted", m.By, m.Note, m.AtTime(), m.UntilTime())
	}
	return out
}

// wayLines draws a fix with its number: on one line, or in full.
func wayLines(a list.Area, w way, known, full bool) []string {
	note, sev := "", style.SeverityNone
	switch {
	case !known:
	case w.refused != nil:
		note, sev = strings.Join(strings.Fields(w.refused.Error()), " "), style.SeverityCritical
	case w.Prepares:
		note, sev = "dry run, only prepares", style.SeverityOK
	case w.Choice:
		note, sev = "dry run, yours to decide", style.SeverityOK
	default:
		note, sev = "dry run", style.SeverityOK
	}
	number := fmt.Sprint(w.number)
	if !full {
		l := a.Line().Add(themes.Key, number).Space(1).Add(themes.Text, w.Title)
		if least := 2; note != "" && l.Left() > least {
			l.Space(least).Mark(sev)
			if l.Left() > component.Width(a.Styles, note) {
				l.Space(1).Add(themes.Dim, note)
			}
		}
		return []string{l.String()}
	}
	at := len(number) + 1
	out := component.Paragraph(a.Styles, a.Width, at, themes.Text, w.Title, func(l *component.Line) { l.Add(themes.Key, number) })
	return append(out, component.Marked(a.Styles, a.Width, at, sev, themes.Dim, note)...)
}
