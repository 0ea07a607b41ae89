package insight

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Room is how many more of each flavor fit into a cloud. It is immutable.
type Room struct {
	Of      *cloud.Snapshot
	Flavors []FlavorRoom // those that can be requested, by name
}

// FlavorRoom is how many more of a flavor fit, and where.
type FlavorRoom struct {
	Name   string
	Copies int
	Hosts  int        // that have room for one more
	Trees  []TreeRoom // the same, tree by tree, in order; only where RoomOptions.Trees is set
}

// TreeRoom is how many more instances of a flavor fit into a tree.
type TreeRoom struct {
	Root   *placement.ResourceProvider
	Copies int
}

// RoomOptions say how to look for room.
type RoomOptions struct {
	Index *candidates.Index // of the Snapshot
	Trees bool              // fill FlavorRoom.Trees, too
}

// RoomOf counts how many more of each flavor fit into s, with the queries that Nova
// would send for a new instance of it, on hosts that have the PCI devices for it. A flavor
// that cannot be requested, such as one whose device profile does not exist, is left out:
// the rules report it.
func RoomOf(s *cloud.Snapshot, o RoomOptions) *Room {
	out := &Room{Of: s}
	flavors := slices.SortedStableFunc(s.Nova().CurrentFlavors(), func(a, b *nova.Flavor) int { return strings.Compare(a.Name, b.Name) })
	asker := ops.NewAsker(s, o.Index)
	for _, f := range flavors {
		if f.Disabled {
			continue
		}
		asked, err := asker.Flavor(f, nova.AskOptions{})
		if err != nil {
			continue
		}
		fit := candidates.FitOf(asked...)
		room := FlavorRoom{Name: f.Name, Copies: fit.Copies, Hosts: len(fit.Trees)}
		if o.Trees {
			for _, t := range fit.Trees {
				room.Trees = append(room.Trees, TreeRoom{t.Anchor, t.Copies})
			}
		}
		out.Flavors = append(out.Flavors, room)
	}
	return out
}

func (r *Room) flavors() []FlavorRoom {
	if r == nil {
		return nil
	}
	return r.Flavors
}
