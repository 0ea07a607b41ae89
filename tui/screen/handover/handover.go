package handover

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(Open).Called("cards", "handover").FoundBy("hand over gpu vgpu give take owner").
			For("Whose card is which, to hand one over to its other owner."),
	}
}

// Open makes the screen of a place.
//
// Errors: placement.ErrInvalid for what is not a card, and for an owner that is neither
// Nova nor Cyborg; placement.ErrNotFound.
func Open(env screen.Env, at place.Handover) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	if at.Provider.IsZero() && at.To == placement.OwnedByNone {
		return newCards(env, snap, nil, at.Filter), nil
	}
	p, err := snap.Placement().FindProvider(at.Provider)
	if err != nil {
		return nil, err
	}
	chosen := at.To != placement.OwnedByNone
	if p.IsRoot() && !chosen {
		return newCards(env, snap, p, ""), nil
	}
	h := ops.Handover{Provider: at.Provider, To: at.To}
	if !chosen {
		h.To = other(snap, p)
	}
	if _, err := h.Stage(snap); err != nil {
		return nil, err
	}
	return newSteps(env, snap, h), nil
}

// other returns the new owner of a card: of two owners the one that does not have it; for
// a card of both or none Cyborg if that knows it, else Nova.
func other(s *cloud.Snapshot, p *placement.ResourceProvider) placement.Owner {
	_, known := s.Cyborg().DeployableAt(p.ID())
	switch owner := s.Placement().Owner(p); {
	case owner == placement.OwnedByNova, owner != placement.OwnedByCyborg && known:
		return placement.OwnedByCyborg
	default:
		return placement.OwnedByNova
	}
}

// newSteps returns the list of the remaining steps for a card.
func newSteps(env screen.Env, snap *cloud.Snapshot, h ops.Handover) screen.Screen {
	p, _ := snap.Placement().Provider(h.Provider)
	steps := list.New(list.Spec[*step]{
		Name: "handover", Crumb: "hand " + panel.ShortName(snap.Placement(), p) + " to " + h.To.String(), Thing: "step",
		Rows: func(_ context.Context, s *cloud.Snapshot) []*step { return stepsOf(s, h) },
		ID:   func(st *step) string { return st.id },
		Text: func(st *step) string { return st.Text },
		Columns: list.Show("step:24+4 holds:7-20+1 state:21", "holds", list.Cells[*step]{
			"step": func(l *component.Line, st *step, _ list.At) {
				l.Add(st.token(), st.Text)
			},
			"holds": list.TextCell(themes.Text, func(st *step, _ list.At) string { return st.holds }),
			"state": list.TextCell(themes.Dim, func(st *step, _ list.At) string { return st.State.String() }),
		}),
		Severity: func(st *step, _ list.At) style.Severity { return severity(st.State) },
		Actions: func(here list.Here[*step]) []action.Action {
			return append(actions(env, h, here), flip(h))
		},
		Top:    func(_ []*step, _ int, a list.Area) []string { return top(a, h) },
		Title:  func(st *step, _ list.At) (title, note string) { return st.Kind.String(), "" },
		Detail: func(st *step, a list.Area) []string { return detail(a, h, st) },
		Empty:  []string{"the card is gone"},
	}, env, snap, "")
	list.Seek(steps, func(st *step) bool { return st.State == ops.HandoverDue })
	return steps
}

// actions are the keys of a step: enter does it, or opens the page that does.
func actions(env screen.Env, h ops.Handover, here list.Here[*step]) []action.Action {
	st := here.Row
	enter := action.Action{ID: "handover.do", Keys: "enter", Title: verb(st.Kind), Help: "do the step, with a preview; nothing is written before", Priority: 95, Writes: []intent.Op{placement.SetInventory{}, placement.SetTraits{}}}
	if here.Nothing == "" && st.State != ops.HandoverDue {
		enter.Disabled = st.State.String()
	}
	confirm := func(verb string, plan ops.Planner) tea.Msg {
		name := h.Provider.String()
		if p, ok := here.Snap.Placement().Provider(h.Provider); ok {
			name = p.Name()
		}
		spec := confirm.Spec{Title: verb + " " + name, Verb: verb, Plan: plan}
		all := stepsOf(here.Snap, h)
		if i := slices.IndexFunc(all, func(of *step) bool { return of.id == st.id }); i >= 0 && i+1 < len(all) {
			spec.Makes = all[i+1].id // the cursor goes on with it
		}
		return screen.PushMsg{Screen: confirm.New(env, here.Snap, spec)}
	}
	do := here.About(enter, func(st *step) tea.Msg {
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
		nothing = "the step has no instance"
	}
	return append([]action.Action{do}, panel.Moving("handover", here.Snap, st.consumer(), nothing)...)
}

// leaves goes to where a holder can be made to leave: an instance migrates, a waiting
// move is confirmed or reverted, a stuck device is reported as freed, and allocations
// without an instance are released.
func leaves(s *cloud.Snapshot, h ops.Handover, id placement.ConsumerID) screen.Goto {
	switch failed, stuck := h.Failed(s, id); {
	case stuck:
		return screen.Goto{To: place.Problems{Rule: audit.RuleStuckDevice, Subject: s.Placement().ProviderName(h.Provider)}}
	case failed:
		return screen.Goto{To: place.Release{Consumer: id, From: h.Provider}}
	}
	if _, ok := s.Nova().Migration(id); ok {
		return screen.Goto{To: place.Resize{Instance: id}}
	}
	if i, ok := s.Nova().Instance(id); ok && i.Live() {
		if _, err := ops.Waiting(s, id); err == nil {
			return screen.Goto{To: place.Resize{Instance: id}}
		}
		return screen.Goto{To: place.Migrate{Instance: id}}
	}
	return screen.Goto{To: place.Release{Consumer: id, From: h.Provider}}
}

// flip is the key that reverses the direction.
func flip(h ops.Handover) action.Action {
	to := placement.OwnedByNova
	if h.To == to {
		to = placement.OwnedByCyborg
	}
	return action.Action{ID: "handover.flip", Keys: "t", Title: "to " + to.String(), Help: "the other direction: to Nova, or to Cyborg", Priority: 70, Request: func() tea.Msg {
		return screen.Goto{To: place.Handover{Provider: h.Provider, To: to}, Replace: true}
	}}
}
