package handover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/screen/list"
	"github.com/placetop/placetop/tui/screen/panel"
	"github.com/placetop/placetop/tui/style"
)

// kind is what a step is.
type kind uint8

const (
	drain kind = iota // nothing new lands on the card
	leave             // somebody who holds some of it leaves
	give              // it gets its owner
)

// String returns the word for k.
func (k kind) String() string { return [...]string{"drain", "leave", "give"}[k] }

// verb returns what enter does.
func (k kind) verb() string { return [...]string{"drain", "let it leave", "give"}[k] }

// state is how a step stands.
type state uint8

const (
	due      state = iota // it can be done now
	waits                 // others come first
	done                  // it is done
	needless              // there is no need of it
)

// String returns the words for s.
func (s state) String() string {
	return [...]string{"to do", "waits for the holders", "done", "no need: none leaves"}[s]
}

func (s state) severity() style.Severity {
	switch s {
	case due:
		return style.SeverityWarn
	case done:
		return style.SeverityOK
	default:
		return style.SeverityNone
	}
}

// step is a row: one thing to do for a card.
type step struct {
	id       string
	kind     kind
	what     string
	state    state
	consumer placement.ConsumerID // who is to leave; zero for the other steps
	holds    string               // what it holds of the card
}

func (st step) token() themes.Token {
	if st.state == due {
		return themes.Strong
	}
	return themes.Dim
}

// stepsOf returns the steps of a handover as the cloud is, none where the card is gone.
func stepsOf(s *cloud.Snapshot, h ops.Handover) []step {
	stage, err := h.Stage(s)
	p, ok := s.Placement().Provider(h.Provider)
	if err != nil || !ok {
		return nil
	}
	var classes []string
	for _, c := range stage.Classes {
		classes = append(classes, string(c))
	}
	first := step{id: "drain", kind: drain, what: "reserve all " + strings.Join(classes, ", ")}
	last := step{id: "give", kind: give, what: fmt.Sprintf("make it %s's alone", h.To)}
	if stage.Drained {
		first.state = done
	}
	if stage.Opens() {
		last.what += " and open it"
	}
	if stage.Given {
		if !stage.Opens() {
			first.state, last.state = needless, done
		}
		return []step{first, last}
	}
	if len(stage.Holders) == 0 && !stage.Drained {
		first.state = needless
	}
	out := []step{first}
	for _, c := range stage.Holders {
		out = append(out, step{
			id: c.ID().String(), kind: leave, what: panel.ConsumerName(s, c.ID()) + " leaves", consumer: c.ID(), holds: panel.Held(s.Placement(), c, p),
		})
		last.state = waits
	}
	slices.SortStableFunc(out[1:], func(a, b step) int { return strings.Compare(a.what, b.what) })
	return append(out, last)
}

// top says which card it is, whose, and how full.
func top(a list.Area, h ops.Handover) []string {
	pl := a.Snap.Placement()
	p, ok := pl.Provider(h.Provider)
	if !ok {
		return nil
	}
	l := a.Line().Space(1).Add(themes.Strong, strings.Join(panel.Path(pl, p), " > ")).Space(2)
	component.OwnerBadge(l, panel.Owner(pl.Owner(p)))
	if pl.Owner(p) != h.To {
		component.OwnerBadge(l.Add(themes.Dim, " > "), panel.Owner(h.To))
	}
	lines := []string{l.String()}
	for _, iu := range p.Inventories() {
		class := pl.ClassName(iu.Class)
		if !class.IsAccelerator() {
			continue
		}
		load := panel.Load(pl, p, iu)
		l := a.Line().Space(1).Cell(min(max(a.Width/5, 10), 24)).Add(themes.Text, string(class)).EndCell(component.AlignLeft).Space(1)
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

// reserved says what of a card is reserved once it is given.
func reserved(stays ops.StaysReserved) string {
	switch stays {
	case ops.StaysOneTime:
		return "it stays reserved: it is for one-time use, and whoever cleans it opens it"
	case ops.StaysDisabled:
		return "it stays reserved: its device is disabled in Cyborg, and is opened by enabling it there"
	default:
		return "nothing of it is reserved any more"
	}
}

// detail says what a step is for, and what to think of.
func detail(a list.Area, h ops.Handover, st step) []string {
	say := func(texts ...string) []string {
		var out []string
		for _, text := range texts {
			for _, part := range component.Wrap(a.Styles, text, a.Width-2) {
				out = append(out, a.Line().Space(1).Add(themes.Text, part).String())
			}
		}
		return out
	}
	switch st.kind {
	case drain:
		return say("All of it is reserved, so that nothing new lands on it. Who holds some of it keeps that.")
	case leave:
		c, ok := a.Snap.Placement().Consumer(st.consumer)
		if !ok {
			return nil
		}
		lines := panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(a.Height-2, 1))
		return append(lines, say(fmt.Sprintf("m takes it to another card of the same owner, r to a flavor that asks %s.", h.To))...)
	default:
		stage, err := h.Stage(a.Snap)
		if err != nil {
			return nil
		}
		lines := say(fmt.Sprintf("It has %s's trait and no other owner's then, and %s.", h.To, reserved(stage.Stays)))
		lines = append(lines, sheet.Checks(a.Styles, a.Width, sheet.Check{
			Severity: style.SeverityWarn,
			Text:     "the service that reports the card now must stop that on its host first, or its next report takes it back; the other one must be told to report it",
		})...)
		if _, ok := a.Snap.Cyborg().DeployableAt(h.Provider); ok && h.To == placement.OwnedByNova {
			lines = append(lines, sheet.Checks(a.Styles, a.Width, sheet.Check{
				Severity: style.SeverityWarn, Text: "Cyborg keeps a deployable for it, until its agent reports it no more",
			})...)
		}
		return lines
	}
}
