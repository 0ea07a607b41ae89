package whatif

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// NewClaim returns the form for allocations, by provider and class, on the tree
// called name, for a new consumer with a uuid made up for it.
func NewClaim(env screen.Env, snap *cloud.Snapshot, name string, allocations placement.Amounts) *form.Wizard {
	w := form.NewClaimForm(env.Styles, snap, placement.ConsumerID(uuid.New()), env.Owner(), "")
	w.Resources.Text = api.Resources(allocations.Sum())
	w.Fields = form.NewFields(env.Styles, w.Consumer, w.Kind, w.Project, w.User)
	return form.New(env, snap, form.Ask{
		Scope: "claim", Title: "allocate on " + name, Section: "NEW ALLOCATION", Steps: []string{"who", "preview"},
		Note:   func() string { return w.Resources.Text },
		Fields: w.Fields, Key: w.Key, Snap: &w.Snap,
		Below: func(width int) []string {
			return form.GivenLines(list.Area{At: list.At{Snap: w.Snap}, Styles: env.Styles, Width: width}, form.GivenParts(w.Snap.Placement(), placement.ProviderID{}, allocations, nil))
		},
		Write: func() (confirm.Spec, error) {
			wish, err := w.Wish()
			return confirm.Spec{
				Verb: "allocate", Makes: string(wish.Consumer[:]),
				Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanChosen(s, wish, name, allocations) },
				Done: func(w confirm.WriteResult) tea.Cmd {
					return w.Finish(screen.Goto{To: place.Consumer{ID: wish.Consumer}, Replace: true})
				},
			}, err
		},
	})
}

// canAllocate returns why nothing can be allocated here, nil if it can.
func (s *Screen) canAllocate() error { return s.env.Can(placement.ReplaceAllocations{}) }
