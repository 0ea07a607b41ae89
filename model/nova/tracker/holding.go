package tracker

import (
	"maps"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Holdings is what one consumer holds: units by class, by provider.
type Holdings map[placement.ProviderID]map[placement.ResourceClass]int64

// add adds units of a class on a provider.
func (h Holdings) add(p placement.ProviderID, c placement.ResourceClass, n int64) {
	if n == 0 {
		return
	}
	if h[p] == nil {
		h[p] = map[placement.ResourceClass]int64{}
	}
	h[p][c] += n
}

// keep puts all that other has of a provider into h.
func (h Holdings) keep(p placement.ProviderID, other Holdings) { h[p] = maps.Clone(other[p]) }

// equal reports whether two consumers hold the same.
func (h Holdings) equal(other Holdings) bool {
	return maps.EqualFunc(h, other, func(a, b map[placement.ResourceClass]int64) bool { return maps.Equal(a, b) })
}

// nobody is the project and user for an instance without them.
//
// Source: placement/conf/placement.py, incomplete_consumer_project_id.
const nobody = "00000000-0000-0000-0000-000000000000"

// put returns the operation after which an instance holds h and nothing else.
func put(i *nova.Instance, expect placement.Expect, h Holdings) placement.Op {
	c := placement.Claim{Consumer: i.UUID, Generation: expect, Type: placement.InstanceConsumer, Project: i.Project, User: i.User, Allocations: h}
	if c.Project == "" {
		c.Project = nobody
	}
	if c.User == "" {
		c.User = nobody
	}
	return placement.ReplaceAllocations{Consumers: []placement.Claim{c}}
}
