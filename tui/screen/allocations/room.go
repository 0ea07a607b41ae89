package allocations

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

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
	asked screen.Sequence
	busy  bool // a search is under way
	known bool
	trees int         // that have room
	owned panel.Owned // those by the owner of the accelerator that each gives
	of    placement.ResourceClass
}

// roomMsg brings the result of a search for room.
type roomMsg struct {
	owner *Allocate
	seq   uint64
	found offers
	of    placement.ResourceClass
	err   error
}

// measure searches for room for what the fields ask for, if they are right.
func (a *Allocate) measure() tea.Cmd {
	ctx, seq := a.room.asked.Next(a.env.Context)
	wish, err := a.what.Wish()
	if err != nil {
		a.room.known, a.room.busy = false, false
		return nil
	}
	a.room.busy = true
	snap, indexer := a.snap, a.env.Indexer()
	return func() tea.Msg {
		if !wait(ctx, typingGap) {
			return nil
		}
		found, err := find(snap, indexer, wish)
		return roomMsg{owner: a, seq: seq, found: found, of: scarcest(wish), err: err}
	}
}

// take takes the result of a search.
func (r *room) take(msg roomMsg) {
	if !r.asked.Current(msg.seq) {
		return
	}
	r.busy = false
	r.known, r.trees, r.owned, r.of = msg.err == nil, msg.found.fitting, panel.Owned{}, msg.of
	for _, o := range msg.found.options {
		if !o.Fits() {
			continue
		}
		for _, p := range o.Parts {
			if p.Class == msg.of {
				r.owned[msg.found.snap.Placement().Owner(p.Provider)]++
				break
			}
		}
	}
}

// draw draws the result: "would fit   11 trees   VGPU of ⬢ N 6 ⬡ C 5".
func (r *room) draw(l *component.Line) {
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
