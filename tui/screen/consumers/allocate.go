package consumers

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// steps returns the names of the steps.
func steps() []string { return []string{"what", "where", "preview"} }

// OpenAllocate makes the screen of a place: the form for a new allocation, of a new consumer
// with a uuid made up for it. It asks who is to hold what, then on which of the providers that
// have room. At a provider, the allocation starts with that.
func OpenAllocate(env screen.Env, at place.Allocate) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	name := ""
	if p, ok := snap.Placement().Provider(at.Provider); ok {
		name = p.Name()
	} else if !at.Provider.IsZero() {
		return nil, &placement.NotFoundError{What: "resource provider", Name: at.Provider.String()}
	}
	indexer, what := env.Indexer(), form.NewClaimForm(env.Styles, snap, placement.ConsumerID(uuid.New()), env.Owner(), name)
	return form.New(env, snap, form.Ask{
		Scope: "allocate", Title: "new allocation", Section: "NEW ALLOCATION", Steps: steps(),
		Fields: what.Fields, Key: what.Key, Snap: &what.Snap, Below: what.Classes,
		Room: func(s *cloud.Snapshot) func() func(int) []string {
			wish, err := what.Wish()
			if err != nil {
				return nil
			}
			return func() func(int) []string { return form.WouldFit(env.Styles, roomFor(s, indexer, wish)) }
		},
		Next: func(s *cloud.Snapshot) (form.Step, error) {
			wish, err := what.Wish()
			return where(env, s, indexer, wish, func(s *cloud.Snapshot, o ops.Option) form.Step { return preview(env, s, at.Provider, wish, o) }), err
		},
	}), nil
}

// preview returns the page of a wish on an option. Written, it goes back to the provider where the
// form was opened, or on to the new consumer.
func preview(env screen.Env, snap *cloud.Snapshot, from placement.ProviderID, wish ops.Wish, o ops.Option) form.Step {
	return confirm.New(env, snap, confirm.Spec{
		Title: "new allocation", Verb: "allocate", Steps: steps(), At: 2, Makes: string(wish.Consumer[:]),
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanClaim(s, wish, o) },
		Done: func(w confirm.WriteResult) tea.Cmd {
			if !from.IsZero() {
				return w.Finish(screen.PopMsg{})
			}
			return w.Finish(screen.Goto{To: place.Consumer{ID: wish.Consumer}, Replace: true})
		},
	})
}
