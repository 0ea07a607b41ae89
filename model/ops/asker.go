package ops

import (
	"slices"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// An Asker asks Placement as Nova does, on one Snapshot. Whatever counts candidates, or
// copies with candidates.FitOf, asks through it, so that all counts agree with where an
// instance can boot. It is for one goroutine.
type Asker struct {
	cloud   *cloud.Snapshot
	index   *candidates.Index
	orphans func() []placement.ProviderID
}

// NewAsker returns an Asker on s, whose Placement x is the Index of.
func NewAsker(s *cloud.Snapshot, x *candidates.Index) *Asker {
	return &Asker{cloud: s, index: x, orphans: sync.OnceValue(func() []placement.ProviderID { return NewPhantoms(s).Orphans() })}
}

// Requests are those of RequestsFor, each limited to hosts that have what Placement is not
// asked for: PCI devices that Nova picks on the host and, booted from a volume, a disk of
// their own beside the pool. Their Anchors say how many copies a host takes of that, and
// that a root which Nova has no compute node for takes none.
//
// Errors: those of nova.Snapshot.Ask.
func (a *Asker) Requests(spec nova.RequestSpec, o nova.AskOptions) ([]nova.Request, error) {
	requests, err := RequestsFor(a.cloud, spec, o)
	if err != nil {
		return nil, err
	}
	for i, r := range requests {
		q := onHosts(a.cloud, r, spec.BootFromVolume)
		if orphans := a.orphans(); len(orphans) > 0 {
			q = q.Clone()
			if q.Anchors.Most == nil {
				q.Anchors.Most = map[placement.ProviderID]int{}
			}
			for _, root := range orphans {
				q.Anchors.Most[root] = 0
			}
		}
		requests[i].Query = q
	}
	return requests, nil
}

// Questions puts the Requests for spec.
//
// Errors: those of Requests, and of candidates.Index.Ask.
func (a *Asker) Questions(spec nova.RequestSpec, o nova.AskOptions) ([]*candidates.Question, error) {
	requests, err := a.Requests(spec, o)
	if err != nil {
		return nil, err
	}
	out := make([]*candidates.Question, len(requests))
	for i, r := range requests {
		if out[i], err = a.index.Ask(r.Query); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Flavor puts the Requests for a new instance with flavor f.
//
// Errors: those of Questions, and of RequestSpecOf.
func (a *Asker) Flavor(f *nova.Flavor, o nova.AskOptions) ([]*candidates.Question, error) {
	spec, err := RequestSpecOf(a.cloud, &nova.Instance{}, f)
	if err != nil {
		return nil, err
	}
	return a.Questions(spec, o)
}

// onHosts returns the query of r limited to hosts with the PCI devices that r does not
// request from Placement and, booted from a volume, with room on their own disk, and to as
// many copies as they have of these: what is left of the answer once they have been taken on
// the hosts. It is that of r if there is no such limit.
func onHosts(s *cloud.Snapshot, r nova.Request, bootFromVolume bool) candidates.Query {
	picked := slices.DeleteFunc(slices.Clone(r.PCI), func(d nova.PCIRequest) bool { return asks(r.Query, d) })
	if s.Nova().Config().Live != "" {
		picked = nil // no API reports the devices of a live cloud
	}
	w := worldOf(s)
	disks := map[placement.ProviderID]int{}
	if bootFromVolume {
		disks = onOwnDisk(w, r.Query)
	}
	var needs []string
	origin := "booted from a volume"
	if len(picked) > 0 {
		names := make([]string, len(picked))
		for i, d := range picked {
			names[i] = d.String()
		}
		needs, origin = append(needs, "free PCI devices for "+strings.Join(names, " and ")), "picked on the host"
	}
	if len(disks) > 0 {
		needs = append(needs, "room on its own disk")
	}
	if len(needs) == 0 {
		return r.Query
	}
	q, what := r.Query.Clone(), strings.Join(needs, " and ")
	forced := q.Anchors
	q.Anchors = candidates.AnchorTerm{
		Roots: []placement.ProviderID{}, Most: map[placement.ProviderID]int{},
		Name: "a host with " + what, Origin: origin,
	}
	if !forced.Empty() {
		q.Anchors.Name, q.Anchors.Origin = forced.Name+", if it has "+what, forced.Origin
	}
	for p := range s.Placement().Providers() {
		id := p.ID()
		if !p.IsRoot() || !forced.Empty() && !slices.Contains(forced.Roots, id) {
			continue
		}
		most, limited := disks[id]
		if len(picked) > 0 {
			n := 0
			if node, known := s.Nova().ComputeNode(id); known {
				n = w.Copies(node, picked)
			}
			if !limited || n < most {
				most, limited = n, true
			}
		}
		if limited && most == 0 {
			continue
		}
		q.Anchors.Roots = append(q.Anchors.Roots, id)
		if limited {
			q.Anchors.Most[id] = most
		}
	}
	return q
}

// onOwnDisk returns how many instances with the DISK_GB of q, booted from a volume, each
// host takes whose own disk holds them beside a pool; see localDisk.
func onOwnDisk(w tracker.World, q candidates.Query) map[placement.ProviderID]int {
	out := map[placement.ProviderID]int{}
	gb := int64(0)
	for _, g := range q.Groups {
		for _, r := range g.Resources {
			if g.Suffix == "" && r.Class == placement.DiskGB {
				gb = r.Amount
			}
		}
	}
	if gb == 0 {
		return out
	}
	for node := range w.Nova.ComputeNodes() {
		if root, ok := w.Placement.Provider(node.UUID); ok {
			if _, free, ok := w.OwnDisk(root); ok {
				out[node.UUID] = int(max(free, 0) / gb)
			}
		}
	}
	return out
}
