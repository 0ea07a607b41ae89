package places

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen/list"
	"github.com/placetop/placetop/tui/screen/panel"
)

// row is a place, or a host that is none.
type row struct {
	id, host string
	number   int        // its turn among the places; 0 for what is none
	place    *ops.Place // nil where the host is no candidate at all
	why      string     // it may not be chosen; "" where it may
}

// fits reports whether the row may be chosen.
func (r row) fits() bool { return r.why == "" }

// rows returns what find finds on snap, then all other hosts.
func rows(ctx context.Context, snap *cloud.Snapshot, spec Spec) []row {
	found, err := spec.Find(snap)
	var none *ops.NoValidHostError
	if err != nil && !errors.As(err, &none) {
		return []row{{id: "error", host: "-", why: err.Error()}}
	}
	out := make([]row, 0, len(found.Places))
	times := map[placement.ProviderID]int{}
	add := func(p ops.Place, number int, why string) {
		times[p.Root]++
		out = append(out, row{id: fmt.Sprintf("%s#%d", p.Root, times[p.Root]), host: p.Host, number: number, place: &p, why: why})
	}
	for i, p := range found.Places {
		add(p, i+1, "")
	}
	for _, p := range found.Left {
		if times[p.Root] == 0 {
			add(p, 0, join(found.LeftWhy, spec.LeftHint))
		}
	}
	others, err := found.Excluded(snap, spec.Indexer.Index(snap.Placement()))
	if err != nil {
		return out
	}
	first := len(out)
	name := func(p *placement.ResourceProvider) string { return panel.ShortName(snap.Placement(), p) }
	for e := range others {
		if ctx.Err() != nil {
			break
		}
		if times[e.Root] == 0 {
			out = append(out, row{id: e.Root.String(), host: e.Host, why: e.Why(name)})
		}
	}
	slices.SortFunc(out[first:], func(a, b row) int { return strings.Compare(a.host, b.host) })
	return out
}

// join returns texts as one, those that are "" left out.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "; ")
}

// part is what one provider would give.
type part struct {
	id      placement.ProviderID
	name    string
	amounts map[placement.ResourceClass]int64
}

// parts returns who would give what, the root first, then by name.
func (r row) parts(pl *placement.Snapshot) []part {
	if r.place == nil {
		return nil
	}
	var out []part
	for id, amounts := range r.place.Allocations {
		p := part{id: id, name: id.String(), amounts: amounts}
		if rp, ok := pl.Provider(id); ok {
			p.name = rp.Name()
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b part) int {
		return cmp.Or(cmp.Compare(rank(r.place.Root, a.id), rank(r.place.Root, b.id)), strings.Compare(a.name, b.name))
	})
	return out
}

func rank(root, id placement.ProviderID) int {
	if root == id {
		return 0
	}
	return 1
}

// gives says who besides the host gives what, or why nobody does: "VGPU 1 of pci_84".
func (r row) gives(at list.At) string {
	if r.why != "" {
		return r.why
	}
	pl := at.Snap.Placement()
	var texts []string
	for _, p := range r.parts(pl) {
		if p.id == r.place.Root {
			continue
		}
		text := panel.Amounts(p.amounts)
		if rp, ok := pl.Provider(p.id); ok {
			text += " of " + panel.ShortName(pl, rp)
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return "all from the host"
	}
	return strings.Join(texts, ", ")
}
