package ops

import (
	"iter"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Excluded is a compute host that is none of some Places, and what removed it first.
type Excluded struct {
	Host  string
	Root  placement.ProviderID        // of its compute node
	Words string                      // "has no inventory of VGPU"
	By    *placement.ResourceProvider // whom Words are about; nil where that is the host
}

// Why returns Words, with the name of whom they are about where that is not the host.
func (e Excluded) Why(name func(*placement.ResourceProvider) string) string {
	if e.By == nil {
		return e.Words
	}
	return name(e.By) + ": " + e.Words
}

// Excluded yields the compute hosts of s that are none of its places p, those of Left
// among them, by uuid of their compute nodes.
//
// Errors: those of candidates.Index.Explain.
func (p Places) Excluded(s *cloud.Snapshot, x *candidates.Index) (iter.Seq[Excluded], error) {
	why, err := x.Explain(p.Request.Query, candidates.ExplainOptions{Misses: -1, Ways: -1, Name: QueryNames(s)})
	if err != nil {
		return nil, err
	}
	left, in := map[placement.ProviderID]string{}, map[placement.ProviderID]bool{}
	for _, at := range p.Left {
		left[at.Root] = at.Why
	}
	for _, at := range p.Places {
		in[at.Root] = true
	}
	return func(yield func(Excluded) bool) {
		for node := range s.Nova().ComputeNodes() {
			switch {
			case in[node.UUID]:
			case left[node.UUID] != "":
				if !yield(Excluded{Host: node.Host, Root: node.UUID, Words: left[node.UUID]}) {
					return
				}
			case !yield(excluded(s, why, node)):
				return
			}
		}
	}, nil
}

// excluded says what removed a host that is no candidate.
func excluded(s *cloud.Snapshot, why *candidates.Explanation, node *nova.ComputeNode) Excluded {
	e := Excluded{Host: node.Host, Root: node.UUID, Words: "its compute node has no resource provider"}
	root, ok := s.Placement().Provider(node.UUID)
	if !ok {
		return e
	}
	r, ok := why.Provider(root).First()
	if !ok {
		e.Words = "another part of the request is not met here"
		return e
	}
	e.Words = r.Words()
	if r.Provider != root {
		e.By = r.Provider
	}
	return e
}
