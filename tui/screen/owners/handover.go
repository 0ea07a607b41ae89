package owners

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

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

// OpenCards makes the screen of a place.
//
// Errors: placement.ErrInvalid for what is not a card, and for an owner that is neither
// Nova nor Cyborg; placement.ErrNotFound.
func OpenCards(env screen.Env, at place.Handover) (screen.Screen, error) {
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
		Name: "handover", Crumb: "hand " + panel.ShortName(snap.Placement(), p) + " over to " + h.To.String(), Thing: "step",
		Rows: func(_ context.Context, s *cloud.Snapshot) []*step { return courseOf(env, s, h).steps },
		ID:   func(st *step) string { return st.id },
		Text: func(st *step) string { return st.name + " " + st.leave.text },
		Columns: list.Show("step:24-40+2 holds:7-16 goes=GOES_TO,_OR_BLOCKED_BY:31+4", "holds", list.Cells[*step]{
			"step":  func(l *component.Line, st *step, _ list.At) { l.Add(st.token(), st.name) },
			"holds": list.TextCell(themes.Text, func(st *step, _ list.At) string { return st.holds }),
			"goes":  goes,
		}),
		Severity: func(st *step, _ list.At) style.Severity { return st.severity() },
		Actions: func(here list.Here[*step]) []action.Action {
			return append(actions(env, h, here), flip(h))
		},
		Top:    func(_ []*step, _ int, a list.Area) []string { return top(a, h) },
		Title:  func(st *step, _ list.At) (title, note string) { return st.name, "" },
		Detail: func(st *step, a list.Area) []string { return detail(a, h, st) },
		Side:   true,
		Empty:  []string{"the card is gone"},
	}, env, snap, "")
	list.Seek(steps, func(st *step) bool { return st.State == ops.HandoverDue })
	return steps
}

// actions are the keys of a step: enter does it, or opens the page that does; F mends what
// is in its way, and M moves all that can.
func actions(env screen.Env, h ops.Handover, here list.Here[*step]) []action.Action {
	st := here.Row
	all := st.of
	enter := action.Action{ID: "handover.do", Keys: "enter", Title: verb(st.Kind), Help: "do the step, with a preview; nothing is written before", Priority: 95, Writes: []intent.Op{placement.SetInventory{}, placement.SetTraits{}}}
	if here.Nothing == "" && st.State != ops.HandoverDue {
		enter.Disabled = st.State.String()
	}
	confirm := func(verb string, plan ops.Planner) tea.Msg {
		spec := confirm.Spec{Title: verb + " " + here.Snap.Placement().ProviderName(h.Provider), Verb: verb, Plan: plan}
		if i := slices.IndexFunc(all.steps, func(of *step) bool { return of.id == st.id }); i >= 0 && i+1 < len(all.steps) {
			spec.Makes = all.steps[i+1].id // the cursor goes on with it
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
			return screen.Goto{To: st.leave.to}
		}
	})
	fix := action.Action{ID: "handover.fix", Keys: "F", Title: "fix plan", Help: "repairs for what blocks it, with previews", Priority: 85, To: place.Problems{Rule: st.leave.trouble.Rule, Subject: st.leave.trouble.Subject}}
	if st.leave.trouble.Rule == "" {
		fix.Disabled = "no rule finds what blocks it"
	}
	nothing := here.Nothing
	if nothing == "" && st.Kind != ops.HandoverLeave {
		nothing = "the step has no instance"
	}
	return append([]action.Action{do, moveAll(env, h, here.Snap, all), fix}, panel.Moving("handover", here.Snap, st.consumer(), nothing)...)
}

// moveAll is the key that moves all holders that can be moved, or then confirms those that
// have moved.
func moveAll(env screen.Env, h ops.Handover, snap *cloud.Snapshot, all *course) action.Action {
	key := action.Action{ID: "handover.all", Keys: "M", Title: "move all possible", Help: "move all holders that can be moved, then confirm those that have moved, with a preview", Priority: 94, Writes: []intent.Op{placement.ReplaceAllocations{}}}
	verb, tasks := "move", all.tasks(false)
	if len(tasks) == 0 {
		verb, tasks = "confirm", all.tasks(true)
	}
	if len(tasks) == 0 {
		key.Disabled = "no holder can be moved as things are"
		return key
	}
	if verb == "confirm" {
		key.Title = "confirm all moved"
	}
	title := func(n int) string {
		return verb + " " + component.Plural(n, "holder") + " of " + snap.Placement().ProviderName(h.Provider)
	}
	key.Request = func() tea.Msg {
		return screen.PushMsg{Screen: confirm.New(env, snap, confirm.Spec{
			Title: title(len(tasks)), Verb: verb, Partly: true, Some: title,
			Make: func() confirm.Courses {
				run := make(ops.Each, len(tasks))
				for i, task := range tasks {
					run[i] = task()
				}
				return confirm.Courses{Run: run}
			},
			Word: func(*cloud.Snapshot, ops.Preview) string { return verb },
		})}
	}
	return key
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
