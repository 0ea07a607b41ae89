package ops

import (
	"fmt"
	"iter"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// Excluded is a compute host that is not among some Places, and what ruled it out
// first.
type Excluded struct {
	Host  string
	Root  placement.ProviderID        // of its compute node
	Words string                      // "has no inventory of VGPU"
	By    *placement.ResourceProvider // what Words are about; nil if that is the host
}

// Why returns Words, with the name of what they are about if that is not the host.
func (e Excluded) Why(name func(*placement.ResourceProvider) string) string {
	if e.By == nil {
		return e.Words
	}
	return name(e.By) + ": " + e.Words
}

// Excluded yields the compute hosts of s that are not among p, including those of
// Left, by uuid of their compute nodes.
func (p Places) Excluded(s *cloud.Snapshot) iter.Seq[Excluded] {
	left, in := map[placement.ProviderID]string{}, map[placement.ProviderID]bool{}
	for _, at := range p.Left {
		left[at.Root] = at.Why
	}
	for _, at := range p.Places {
		in[at.Root] = true
	}
	return func(yield func(Excluded) bool) {
		if p.asked == nil { // nothing could be asked
			return
		}
		why := p.asked.Verdicts(QueryNames(s))
		old := map[placement.ProviderID]string{}
		for _, e := range Unreported(s) {
			old[e.Root] = e.Words
		}
		for node := range s.Nova().ComputeNodes() {
			switch {
			case old[node.UUID] != "":
				if !yield(Excluded{Host: node.Host, Root: node.UUID, Words: old[node.UUID]}) {
					return
				}
			case in[node.UUID]:
			case left[node.UUID] != "":
				if !yield(Excluded{Host: node.Host, Root: node.UUID, Words: left[node.UUID]}) {
					return
				}
			case !yield(excluded(s, why, node)):
				return
			}
		}
	}
}

// excluded says why a host is not a candidate.
func excluded(s *cloud.Snapshot, why candidates.Verdicts, node *nova.ComputeNode) Excluded {
	e := Excluded{Host: node.Host, Root: node.UUID, Words: "another part of the request is not met here"}
	root, ok := s.Placement().Provider(node.UUID)
	if !ok {
		e.Words = "Placement has no provider for it"
		if other, taken := s.Placement().ProviderByName(node.Hostname); taken {
			e.Words += fmt.Sprintf(": its name is that of provider %s, which is not its own", other.ID())
		}
		return e
	}
	r, ok := why.Provider(root).First()
	if !ok {
		return e
	}
	e.Words = r.Words()
	if r.Provider != root {
		e.By = r.Provider
	}
	return e
}

// Unreported returns the hosts that cannot be candidates because Placement has no
// inventory of them: no nova-compute has reported them, and their old columns were not
// migrated. Words say what the columns have left.
func Unreported(s *cloud.Snapshot) []Excluded {
	w := worldOf(s)
	var out []Excluded
	for node := range w.Unreported() {
		out = append(out, Excluded{Host: node.Host, Root: node.UUID, Words: unreportedWords(w, node)})
	}
	return out
}

func unreportedWords(w tracker.World, node *nova.ComputeNode) string {
	const words = "not reported to Placement yet"
	n, err := tracker.ReadNode(node)
	if err != nil {
		return words + "; " + err.Error()
	}
	has, err := w.Resources(n)
	if err != nil {
		return words + "; " + err.Error()
	}
	left := ""
	for _, r := range has {
		left += fmt.Sprintf(" %s %d", r.Class, r.Capacity()-r.Used)
	}
	if left == "" {
		return words
	}
	return words + "; its columns leave" + left
}
