package problems

import (
	"fmt"
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
// from which there is room for the labels. From tallFrom lines there is room for blank
// lines.
const (
	labelWidth = 19
	narrowFrom = 56
	tallFrom   = 24
)

// detail shows what is wrong, what it blocks, and what can be done: as much of each as fits.
func (s *Screen) detail(r *row, a list.Area) []string {
	tall := a.Height >= tallFrom
	var parts []part
	for _, full := range []bool{true, false} {
		if parts = s.parts(r, a, full); tall || height(parts) <= a.Height {
			break
		}
	}
	room := a.Height
	if tall {
		room -= air(parts)
	}
	share(parts, room)
	var out []string
	for _, p := range parts {
		if tall && len(out) > 0 && p.airy() {
			out = append(out, a.Line().String())
		}
		out = append(out, p.draw(a)...)
	}
	return out
}

// parts returns the texts about a row. With full each fix uses as many lines as it needs, else
// one.
func (s *Screen) parts(r *row, a list.Area, full bool) []part {
	f := r.first()
	d, known := s.fixesOf(r)
	text := a
	if a.Width >= narrowFrom {
		text.Width = a.Width - labelWidth
	}
	parts := []part{
		paragraph(a, "", 2, 1, themes.Strong, f.Text),
		{lines: bars(a, f.Finding), least: 1, close: true},
		notedPart(text, f),
		paragraph(text, "What it blocks", 1, 0, themes.Text, r.rule.Why),
		planPart(text, r, d, known, full),
	}
	if n := len(r.found) - 1; n > 0 {
		parts = append(parts, part{lines: []string{panel.Text(a.Styles, a.Width, themes.Dim, " and "+component.Plural(n, "other")+": right shows them, F is about all")}, least: 1})
	}
	return parts
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

// notedPart shows what operators noted about a finding.
func notedPart(a list.Area, f audit.AnnotatedFinding) part {
	notes := noted(a.Now, f)
	out := part{label: "Noted", least: 1, again: func(n int) []string {
		return wrappedIn(a, n, 0, themes.Info, strings.Join(notes, "; "))
	}}
	for _, note := range notes {
		out.lines = append(out.lines, wrapped(a, 0, themes.Info, note)...)
	}
	return out
}

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

// planPart numbers what can be done, with what prevents it; if nothing can, it says what
// people can do.
func planPart(a list.Area, r *row, d *findingFixes, known, full bool) part {
	out := part{label: "Fix plan", least: 2}
	ways := r.ways
	switch {
	case known:
		ways = d.ways
	case !r.asked:
		return paragraph(a, out.label, 1, 0, themes.Faint, "looking for fixes ...")
	}
	if len(ways) == 0 {
		why := r.rule.Advice
		if known && d.none != "" {
			why = d.none
		}
		return paragraph(a, out.label, out.least, 0, themes.Text, why)
	}
	for _, w := range ways {
		out.lines = append(out.lines, wayLines(a, w, known, full)...)
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
