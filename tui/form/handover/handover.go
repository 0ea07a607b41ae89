package handover

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/form"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Open makes the screen of kind screen.Handover: arg is the uuid of a card, and after a
// space nova or cyborg, who is to get it; without that, who does not own it gets it. For
// the uuid of a host the screen lists its cards.
//
// Errors: placement.ErrInvalid for what is no uuid, no card and no owner;
// placement.ErrNotFound.
func Open(env screen.Env, arg string) (screen.Screen, error) {
	which, owner, chosen := strings.Cut(arg, " ")
	id, err := placement.ParseProviderID(which)
	if err != nil {
		return nil, err
	}
	snap := env.Cloud.Snapshot()
	p, err := snap.Placement().FindProvider(id)
	if err != nil {
		return nil, err
	}
	if p.IsRoot() && !chosen {
		return newCards(env, snap, p), nil
	}
	h := ops.Handover{Provider: id, To: other(snap, p)}
	if chosen {
		h.To = ownerNamed(owner)
	}
	if _, err := h.Stage(snap); err != nil {
		return nil, err
	}
	return newSteps(env, snap, h), nil
}

// other returns to whom a card goes: of two owners to the one that does not have it;
// one of both or none to Cyborg where that knows it, else to Nova.
func other(s *cloud.Snapshot, p *placement.ResourceProvider) placement.Owner {
	_, known := s.Cyborg().DeployableAt(p.ID())
	switch owner := s.Placement().Owner(p); {
	case owner == placement.OwnedByNova, owner != placement.OwnedByCyborg && known:
		return placement.OwnedByCyborg
	default:
		return placement.OwnedByNova
	}
}

// ownerNamed returns the owner that a word names, none for any other word.
func ownerNamed(word string) placement.Owner {
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg} {
		if o.String() == word {
			return o
		}
	}
	return placement.OwnedByNone
}

// newSteps returns the list of what is left to do for a card.
func newSteps(env screen.Env, snap *cloud.Snapshot, h ops.Handover) screen.Screen {
	p, _ := snap.Placement().Provider(h.Provider)
	return list.New(list.Spec[step]{
		Name: "hand " + panel.ShortName(snap.Placement(), p) + " to " + h.To.String(), Thing: "step",
		Rows: func(_ context.Context, s *cloud.Snapshot) []step { return stepsOf(s, h) },
		ID:   func(st step) string { return st.id },
		Text: func(st step) string { return st.Text },
		Columns: []list.Column[step]{
			{Column: component.Column{Key: "step", Title: "STEP", Min: 24, Flex: 4}, Cell: func(l *component.Line, st step, _ list.At) {
				l.Add(st.token(), st.Text)
			}},
			{Column: component.Column{Key: "holds", Title: "HOLDS", Min: 7, Max: 20, Flex: 1, Priority: 1}, Cell: list.TextCell(themes.Text, func(st step, _ list.At) string { return st.holds })},
			{Column: component.Column{Key: "state", Title: "STATE", Min: 21}, Cell: list.TextCell(themes.Dim, func(st step, _ list.At) string { return st.State.String() })},
		},
		Severity: func(st step, _ list.At) style.Severity { return severity(st.State) },
		Actions: func(here list.Here[step]) []action.Action {
			return append(actions(env, h, here), flip(h))
		},
		Top:    func(_ []step, a list.Area) []string { return top(a, h) },
		Title:  func(st step, _ list.At) (title, note string) { return st.Kind.String(), "" },
		Detail: func(st step, a list.Area) []string { return detail(a, h, st) },
		Empty:  []string{"the card is not there any more"},
	}, env, snap, "")
}

// actions are the keys of a step: enter does it, or opens what does.
func actions(env screen.Env, h ops.Handover, here list.Here[step]) []action.Action {
	st := here.Row
	enter := action.Action{ID: "handover.do", Keys: []string{"enter"}, Title: verb(st.Kind), Help: "do the step, with a preview; nothing is written before", Priority: 95, Writes: true}
	if here.Nothing == "" && st.State != ops.HandoverDue {
		enter.Disabled = st.State.String()
	}
	confirm := func(verb string, plan ops.Planner) tea.Msg {
		name := h.Provider.String()
		if p, ok := here.Snap.Placement().Provider(h.Provider); ok {
			name = p.Name()
		}
		return screen.PushMsg{Screen: form.NewConfirm(env, here.Snap, verb, verb+" "+name, plan, "")}
	}
	do := here.About(enter, func(st step) tea.Msg {
		switch st.Kind {
		case ops.HandoverDrain:
			return confirm("drain", h.PlanDrain)
		case ops.HandoverGive:
			return confirm("give", h.PlanGive)
		default:
			return leaves(here.Snap, h, st.consumer())
		}
	})
	nothing := here.Nothing
	if nothing == "" && st.Kind != ops.HandoverLeave {
		nothing = "the step is about no instance"
	}
	return append([]action.Action{do}, panel.Moving("handover", here.Snap, st.consumer(), nothing)...)
}

// leaves leads to where a holder can be made to leave: an instance migrates, a move
// that waits is confirmed or reverted, a device that does not let go is told to be free,
// and what nothing stands behind is released.
func leaves(s *cloud.Snapshot, h ops.Handover, id placement.ConsumerID) screen.Goto {
	switch failed, stuck := h.Failed(s, id); {
	case stuck:
		return screen.Goto{Kind: screen.Problems, Arg: string(audit.RuleStuckDevice) + " " + s.Placement().ProviderName(h.Provider)}
	case failed:
		return screen.Goto{Kind: screen.Release, Arg: id.String() + "@" + h.Provider.String()}
	}
	if _, ok := s.Nova().Migration(id); ok {
		return screen.Goto{Kind: screen.Resize, Arg: id.String()}
	}
	if i, ok := s.Nova().Instance(id); ok && i.Live() {
		if _, err := ops.Waiting(s, id); err == nil {
			return screen.Goto{Kind: screen.Resize, Arg: id.String()}
		}
		return screen.Goto{Kind: screen.Migrate, Arg: id.String()}
	}
	return screen.Goto{Kind: screen.Release, Arg: id.String() + "@" + h.Provider.String()}
}

// flip is the key that turns the direction round.
func flip(h ops.Handover) action.Action {
	to := placement.OwnedByNova
	if h.To == to {
		to = placement.OwnedByCyborg
	}
	return action.Action{ID: "handover.flip", Keys: []string{"o"}, Title: "to " + to.String(), Help: "the other way: to Nova, or to Cyborg", Priority: 70, Run: func() tea.Cmd {
		return screen.Send(screen.Goto{Kind: screen.Handover, Arg: h.Provider.String() + " " + to.String(), Replace: true})
	}}
}
