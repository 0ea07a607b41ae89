package allocations

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// typingGap is how long nobody has typed before room is searched for.
const typingGap = 150 * time.Millisecond

// room says on how many trees what the fields ask for would fit, while they are filled in.
type room struct {
	searches screen.Task[*fits]
	fits
}

// fits is the result of a search for room.
type fits struct {
	known bool
	trees int         // that have room
	owned panel.Owned // those by the owner of the accelerator that each gives
	of    placement.ResourceClass
}

// measured returns a search for room for what the fields ask for, nil if they are not
// right. It begins after a pause.
func (a *Allocate) measured(pause time.Duration) func(context.Context) *fits {
	wish, err := a.what.Wish()
	if err != nil {
		return nil
	}
	snap, indexer := a.snap, a.env.Indexer()
	return func(ctx context.Context) *fits {
		if !wait(ctx, pause) {
			return &fits{}
		}
		return fitsOf(snap, indexer, wish)
	}
}

// measure searches for room for what was just typed.
func (a *Allocate) measure() tea.Cmd {
	search := a.measured(typingGap)
	if search == nil {
		a.room.searches.Drop()
		a.room.fits = fits{}
		return nil
	}
	return a.room.searches.Start(a.env.Context, search)
}

// remeasure searches for room in a newer cloud.
func (a *Allocate) remeasure() tea.Cmd {
	if search := a.measured(0); search != nil {
		return a.room.searches.Follow(a.env.Context, search)
	}
	return a.measure()
}

func fitsOf(snap *cloud.Snapshot, indexer *candidates.Indexer, wish ops.Wish) *fits {
	found, err := find(snap, indexer, wish)
	out := &fits{known: err == nil, trees: found.fitting, of: scarcest(wish)}
	for _, o := range found.options {
		if !o.Fits() {
			continue
		}
		for _, p := range o.Parts {
			if p.Class == out.of {
				out.owned[snap.Placement().Owner(p.Provider)]++
				break
			}
		}
	}
	return out
}

// draw draws the result: "would fit   11 trees   VGPU of ⬢ N 6 ⬡ C 5".
func (r *fits) draw(l *component.Line) {
	switch {
	case !r.known:
	case r.trees == 0:
		l.Add(themes.Warn, "nowhere now").Add(themes.Dim, "; the next step says why not, tree by tree")
	default:
		l.Add(themes.Text, component.Plural(r.trees, "tree"))
		if r.of.IsAccelerator() {
			l.Add(themes.Dim, "   "+string(r.of)+" of ")
			r.owned.Draw(l)
		}
	}
}
