package form

import (
	"cmp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// claim is an allocation of which it is settled who gives what, such as an
// allocation candidate.
type claim struct {
	what        *what
	tree        string // its name
	allocations map[placement.ProviderID]map[placement.ResourceClass]int64
}

// NewClaim returns the form for allocations, by provider and class, on the tree
// called name, for a new consumer with a uuid made up for it.
func NewClaim(env screen.Env, snap *cloud.Snapshot, name string, allocations map[placement.ProviderID]map[placement.ResourceClass]int64) *Form {
	w := newWhat(env.Styles, snap, placement.ConsumerID(uuid.New()), env.Actor, "")
	w.resources.text = wire.Resources(sumOf(allocations))
	w.fields = newFields(env.Styles, w.consumer, w.kind, w.project, w.user)
	c := claim{what: w, tree: name, allocations: allocations}
	a := ask{
		scope: "claim", title: "allocate on " + name, section: "NEW ALLOCATION", steps: []string{"who", "preview"},
		note:   func() string { return w.resources.text },
		fields: w.fields, know: w.know, key: w.key, follow: w.follow,
		below: func(width int) []string { return c.takes(env.Styles, width) },
	}
	a.submit = func(snap *cloud.Snapshot) (next, bool) {
		wish, err := w.wish()
		if err != nil {
			return nil, false // the fields were checked; the cloud has changed since
		}
		return NewPreview(env, snap, Write{
			Title: a.title, Verb: "allocate", Steps: a.steps, At: 1,
			Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanChosen(s, wish, c.tree, c.allocations) },
			Done: func(done cloud.Commit) tea.Cmd {
				return finish(done, screen.Goto{Kind: screen.Consumer, Arg: wish.Consumer.String(), Replace: true})
			},
		}), true
	}
	return newForm(env, snap, a)
}

// sumOf returns the units of each class over all providers.
func sumOf(allocations map[placement.ProviderID]map[placement.ResourceClass]int64) map[placement.ResourceClass]int64 {
	sum := map[placement.ResourceClass]int64{}
	for _, by := range allocations {
		for class, n := range by {
			sum[class] += n
		}
	}
	return sum
}

// takes says what comes from whom, a line for each provider, by name.
func (c claim) takes(st *style.Styles, w int) []string {
	type from struct{ name, what string }
	var list []from
	for id, by := range c.allocations {
		name := id.String()
		if p, ok := c.what.snap.Placement().Provider(id); ok {
			name = p.Name()
		}
		list = append(list, from{name, wire.Resources(by)})
	}
	slices.SortFunc(list, func(a, b from) int { return cmp.Compare(a.name, b.name) })
	lines := make([]string, len(list))
	for i, f := range list {
		l := component.NewLine(st, w).Space(gutterWidth)
		if i == 0 {
			l.Add(themes.Faint, "takes")
		}
		l.To(min(gutterWidth+labelWidth, w/4)).Add(themes.Text, f.what).Add(themes.Dim, " of ").Add(themes.Strong, f.name)
		lines[i] = l.String()
	}
	return lines
}
