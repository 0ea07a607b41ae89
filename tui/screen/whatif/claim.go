package whatif

import (
	"cmp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// claim is an allocation with known amounts by provider, such as an allocation candidate.
type claim struct {
	what        *form.ClaimForm
	tree        string // its name
	allocations map[placement.ProviderID]map[placement.ResourceClass]int64
}

// NewClaim returns the form for allocations, by provider and class, on the tree
// called name, for a new consumer with a uuid made up for it.
func NewClaim(env screen.Env, snap *cloud.Snapshot, name string, allocations map[placement.ProviderID]map[placement.ResourceClass]int64) *form.Wizard {
	w := form.NewClaimForm(env.Styles, snap, placement.ConsumerID(uuid.New()), env.Owner(), "")
	w.Resources.Text = api.Resources(ops.SumOf(allocations))
	w.Fields = form.NewFields(env.Styles, w.Consumer, w.Kind, w.Project, w.User)
	c := claim{what: w, tree: name, allocations: allocations}
	a := form.Ask{
		Scope: "claim", Title: "allocate on " + name, Section: "NEW ALLOCATION", Steps: []string{"who", "preview"},
		Note:   func() string { return w.Resources.Text },
		Fields: w.Fields, Key: w.Key, Snap: &w.Snap,
		Below: func(width int) []string { return c.takes(env.Styles, width) },
	}
	a.Submit = func(snap *cloud.Snapshot) (form.Step, bool) {
		wish, err := w.Wish()
		if err != nil {
			return nil, false // the fields were right, but the cloud has changed since
		}
		return confirm.New(env, snap, confirm.Spec{
			Title: a.Title, Verb: "allocate", Steps: a.Steps, At: 1, Makes: string(wish.Consumer[:]),
			Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanChosen(s, wish, c.tree, c.allocations) },
			Done: func(w confirm.WriteResult) tea.Cmd {
				return w.Finish(screen.Goto{To: place.Consumer{ID: wish.Consumer}, Replace: true})
			},
		}), true
	}
	return form.New(env, snap, a)
}

// takes says what comes from where, a line for each provider, by name.
func (c claim) takes(st *style.Styles, w int) []string {
	type from struct{ name, what string }
	var list []from
	for id, by := range c.allocations {
		name := id.String()
		if p, ok := c.what.Snap.Placement().Provider(id); ok {
			name = p.Name()
		}
		list = append(list, from{name, api.Resources(by)})
	}
	slices.SortStableFunc(list, func(a, b from) int { return cmp.Compare(a.name, b.name) })
	lines := make([]string, len(list))
	for i, f := range list {
		l := component.NewLine(st, w).Space(form.GutterWidth)
		if i == 0 {
			l.Add(themes.Faint, "takes")
		}
		l.To(min(form.GutterWidth+form.LabelWidth, w/4)).Add(themes.Text, f.what).Add(themes.Dim, " of ").Add(themes.Strong, f.name)
		lines[i] = l.String()
	}
	return lines
}

// canAllocate returns why nothing can be allocated here, nil if it can.
func (s *Screen) canAllocate() error { return s.env.Can(placement.ReplaceAllocations{}) }
