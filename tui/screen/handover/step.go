package handover

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/style"
)

// severity returns the state of a step as a severity.
func severity(s ops.HandoverState) style.Severity {
	switch s {
	case ops.HandoverDue:
		return style.SeverityWarn
	case ops.HandoverDone:
		return style.SeverityOK
	default:
		return style.SeverityNone
	}
}

// verb returns what enter does for a step.
func verb(k ops.HandoverKind) string {
	if k == ops.HandoverLeave {
		return "let it leave"
	}
	return k.String()
}

// step is a row: one thing to do for a card.
type step struct {
	ops.HandoverStep
	id    string
	holds string // what the consumer that must leave holds of the card
}

// consumer returns the consumer that must leave; zero for other steps.
func (st *step) consumer() placement.ConsumerID {
	if st.Consumer == nil {
		return placement.ConsumerID{}
	}
	return st.Consumer.ID()
}

func (st *step) token() themes.Token {
	if st.State == ops.HandoverDue {
		return themes.Strong
	}
	return themes.Dim
}

// stepsOf returns the current steps of a handover, none if the card is gone.
func stepsOf(s *cloud.Snapshot, h ops.Handover) []*step {
	steps, err := h.Steps(s)
	p, ok := s.Placement().Provider(h.Provider)
	if err != nil || !ok {
		return nil
	}
	out := make([]*step, len(steps))
	for i, st := range steps {
		out[i] = &step{HandoverStep: st, id: st.Kind.String()}
		if st.Consumer != nil {
			out[i].id, out[i].holds = st.Consumer.ID().String(), panel.Held(s.Placement(), st.Consumer, p)
		}
	}
	return out
}

// top shows the card, its owner, and how full it is.
func top(a list.Area, h ops.Handover) []string {
	pl := a.Snap.Placement()
	p, ok := pl.Provider(h.Provider)
	if !ok {
		return nil
	}
	l := a.Line().Space(1).Add(themes.Strong, strings.Join(panel.Path(pl, p), " > ")).Space(2)
	panel.OwnerBadge(l, pl.Owner(p))
	if pl.Owner(p) != h.To {
		panel.OwnerBadge(l.Add(themes.Dim, " > "), h.To)
	}
	lines := []string{l.String()}
	for _, iu := range p.Inventories() {
		class := pl.ClassName(iu.Class)
		if !class.IsAccelerator() {
			continue
		}
		load := panel.Load(pl, p, iu)
		l := a.Line().Space(1).Column(min(max(a.Width/5, 10), 24), themes.Text, string(class)).Space(1)
		component.Bar(l, min(l.Left()/2, 40), load).Space(1)
		var buf [48]byte
		l.AddBytes(themes.Text, component.AppendUsed(buf[:0], load, panel.Unit(class)))
		if iu.Reserved > 0 {
			l.Add(themes.Dim, fmt.Sprintf("  %d of %d reserved", iu.Reserved, iu.Total))
		}
		lines = append(lines, l.String())
	}
	return lines
}

// detail says what a step is for, and what to consider.
func detail(a list.Area, h ops.Handover, st *step) []string {
	say := func(texts ...string) []string {
		var out []string
		for _, text := range texts {
			out = append(out, component.Paragraph(a.Styles, a.Width, 1, themes.Text, text)...)
		}
		return out
	}
	switch st.Kind {
	case ops.HandoverDrain:
		return say("All of it is reserved, so that nothing new lands on it. Whoever holds some keeps it.")
	case ops.HandoverLeave:
		c, ok := a.Snap.Placement().Consumer(st.consumer())
		if !ok {
			return nil
		}
		lines := panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-2, 1))
		return append(lines, say(fmt.Sprintf("Move it to another card of the same owner, or resize it to a flavor that asks %s.", h.To))...)
	default:
		stage, err := h.Stage(a.Snap)
		if err != nil {
			return nil
		}
		lines := say(fmt.Sprintf("It then has only %s's owner trait, and %s.", h.To, stage.Stays.Words()))
		for _, text := range h.Remarks(a.Snap) {
			lines = append(lines, sheet.Checks(a.Styles, a.Width, sheet.Check{Severity: style.SeverityWarn, Text: text})...)
		}
		return lines
	}
}
