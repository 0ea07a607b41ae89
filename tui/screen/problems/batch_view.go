package problems

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/style"
)

// The columns of a batch.
const (
	batchSubject = iota
	batchOutcome
	batchText
)

func batchColumns() []component.Column {
	return []component.Column{
		{Key: "subject", Title: "SUBJECT", Min: 16, Max: 44, Flex: 2, NoSort: true},
		{Key: "outcome", Title: "", Min: 9, NoSort: true},
		{Key: "text", Title: "WHAT IS DONE, OR WHY NOT", Min: 14, Flex: 4, NoSort: true},
	}
}

// batchSource is the items of a batch, for a grid.
type batchSource struct {
	items   []item
	ended   bool // the remaining ready ones were not tried
	version uint64
}

var (
	_ component.Source     = batchSource{}
	_ component.Severities = batchSource{}
)

// Len implements component.Source.
func (s batchSource) Len() int { return len(s.items) }

// ID implements component.Source.
func (s batchSource) ID(r int) string { return s.items[r].finding.ID() }

// Version implements component.Source.
func (s batchSource) Version() uint64 { return s.version }

// Severity implements component.Severities.
func (s batchSource) Severity(r int) style.Severity {
	switch s.items[r].outcome {
	case fixed:
		return style.SeverityOK
	case refused, unfixed:
		return style.SeverityCritical
	case gone, ready, waits, prepared:
	}
	return style.SeverityNone
}

// Cell implements component.Source.
func (s batchSource) Cell(l *component.Line, r, col int) {
	it := &s.items[r]
	switch col {
	case batchSubject:
		l.Add(themes.Strong, it.finding.Subject)
	case batchOutcome:
		word := [...]string{"", "ready", "refused", "gone", "fixed", "prepared", "not fixed"}[it.outcome]
		if s.ended && it.outcome == ready {
			word = "not tried"
		}
		l.Add(themes.Dim, word)
	case batchText:
		switch it.outcome {
		case refused, unfixed:
			l.Add(themes.Text, it.why)
		case gone:
			l.Add(themes.Dim, "it no longer exists")
		case fixed, prepared:
			l.Add(themes.Dim, fmt.Sprintf("%s: revision %d", it.note, it.done))
		case ready:
			if it.taken.Number > 0 {
				l.Add(themes.Info, fmt.Sprintf("step %d of %d: %s", it.taken.Number, it.steps, it.taken.Title))
				return
			}
			l.Add(themes.Text, it.note)
			if it.fix.Course() != nil {
				l.Add(themes.Dim, ", in "+component.Plural(it.steps, "step"))
			}
		case waits:
			l.Add(themes.Faint, it.finding.Text)
		}
	}
}

// show puts the items on the grid.
func (b *batch) show() {
	b.version++
	b.grid.SetSource(batchSource{items: slices.Clone(b.items), ended: b.stage == ended, version: b.version})
}

// View implements screen.Screen.
func (b *batch) View(w, h int) string {
	st := b.env.Styles
	head := b.head(w)
	rows := min(len(b.items)+1, max((h-len(head))/2, 3))
	if h < 12 {
		rows = max(h-len(head), 1)
	}
	lines := append(head, strings.Split(b.grid.View(w, rows), "\n")...)
	if r, id := b.grid.Cursor(); id != "" && b.items[r].outcome == ready {
		it := &b.items[r]
		diff := sheet.Diff{Styles: st, Snap: it.base, Preview: it.preview}
		lines = slices.Concat(lines, diff.Consumers(w), diff.Touched(w), diff.Records(w), diff.WillSend(w, 1))
	}
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// head says what the page will do, or has done.
func (b *batch) head(w int) []string {
	st := b.env.Styles
	switch {
	case b.stage == ended && b.failed:
		it := &b.items[slices.IndexFunc(b.items, func(it item) bool { return it.outcome == refused && it.fix.Course() != nil })]
		return sheet.Say(style.SeverityCritical, "STOPPED", b.summary(), it.finding.Subject+": "+it.why).Draw(st, w)
	case b.stage == ended && b.count(unfixed) > 0:
		return sheet.Say(style.SeverityCritical, "NOT FIXED", b.summary()).Draw(st, w)
	case b.stage == ended:
		return sheet.Say(style.SeverityOK, "DONE", b.summary()).Draw(st, w)
	}
	right := "fix: " + b.names[b.name]
	if n := len(b.names); n > 1 {
		right += fmt.Sprintf(" (tab: %d of %d)", b.name+1, n)
	}
	lines := []string{component.Titled(st, w, fmt.Sprintf("%d can be done, %d refused", b.count(ready), b.count(refused)), right)}
	if err := b.env.Can(); err != nil {
		lines = append(lines, sheet.Say(style.SeverityInfo, "DRY RUN", err.Error()).Draw(st, w)...)
	}
	return lines
}
