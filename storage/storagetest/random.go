package storagetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
)

// Random invents changes. The same seed gives the same changes for the same clouds. It
// must not be shared by goroutines.
type Random struct {
	rng  *rand.Rand
	name string
	n    uint64
}

// NewRandom returns a source of changes whose records are named after name, so that
// sources with different names do not collide.
func NewRandom(name string, seed uint64) *Random {
	r := &Random{rng: rand.New(rand.NewPCG(seed, 1)), name: name}
	for _, c := range name {
		r.n = r.n*31 + uint64(c)
	}
	r.n = (r.n%1000 + seed%1000*1000 + 1) << 32
	return r
}

// Change returns a change to s, which is valid more often than not.
func (r *Random) Change(s *cloud.Snapshot) cloud.Change {
	c := cloud.Change{Actor: r.name, Note: fmt.Sprintf("change %d", r.next())}
	for range 1 + r.rng.IntN(3) {
		switch k := r.rng.IntN(21); {
		case k < 3:
			c.Ops = append(c.Ops, r.newHost()...)
		case k < 10:
			r.claim(s, &c)
		case k < 13:
			r.release(s, &c)
		case k < 15:
			c.Ops = append(c.Ops, r.inventory(s))
		case k < 17:
			c.Ops = append(c.Ops, r.tag(s)...)
		case k < 18:
			c.Ops = append(c.Ops, r.remove(s))
		case k < 19:
			c.Ops = append(c.Ops, r.rename(s))
		case k < 20:
			r.remark(s, &c)
		default:
			modeltest.PutIn(&c, s, &nova.Migration{
				UUID: Consumer(r.next()), Instance: Consumer(r.next()), Type: nova.Resize, Status: nova.Finished, Source: "cmp-1",
			})
		}
	}
	c.Ops = slices.DeleteFunc(c.Ops, func(op placement.Op) bool { return op == nil })
	return c
}

// remark adds a remark about a provider, or removes it.
func (r *Random) remark(s *cloud.Snapshot, c *cloud.Change) {
	for m := range s.Operator().Mutes() {
		modeltest.DeleteIn(c, s, m)
		break
	}
	if p := r.provider(s); p != nil {
		modeltest.PutIn(c, s, &operator.Acknowledgement{Rule: "a02", Subject: "provider=" + p.ID().String(), Note: "known Ωß", By: r.name, At: 1, Name: p.Name(), Size: r.rng.Int64N(9)})
	}
	if r.rng.IntN(2) == 0 {
		modeltest.PutIn(c, s, &operator.Mute{Rule: fmt.Sprintf("u%02d", r.rng.IntN(9)), By: r.name, At: 1})
	}
}

func (r *Random) next() uint64 { r.n++; return r.n }

func (r *Random) newHost() []placement.Op {
	n := r.next()
	r.next()
	ops := Host(n, 8+r.rng.Int64N(64), 1+r.rng.Int64N(16))
	ops[0] = placement.CreateProvider{ID: Provider(n), Name: fmt.Sprintf("%s-%d", r.name, n)}
	ops[1] = placement.CreateProvider{ID: Provider(n + 1), Name: fmt.Sprintf("%s-%d-card", r.name, n), Parent: Provider(n)}
	return ops
}

// provider returns a random provider of s, or nil if there is none.
func (r *Random) provider(s *cloud.Snapshot) *placement.ResourceProvider {
	n := s.Placement().ProviderCount()
	if n == 0 {
		return nil
	}
	skip := r.rng.IntN(n)
	for p := range s.Placement().Providers() {
		if skip == 0 {
			return p
		}
		skip--
	}
	return nil
}

func (r *Random) consumer(s *cloud.Snapshot) *placement.Consumer {
	n := s.Placement().ConsumerCount()
	if n == 0 {
		return nil
	}
	skip := r.rng.IntN(n)
	for c := range s.Placement().Consumers() {
		if skip == 0 {
			return c
		}
		skip--
	}
	return nil
}

func (r *Random) claim(s *cloud.Snapshot, c *cloud.Change) {
	p := r.provider(s)
	if p == nil {
		return
	}
	amounts := Resources{}
	for _, iu := range p.Inventories() {
		amounts[s.Placement().ClassName(iu.Class)] = 1 + r.rng.Int64N(4)
	}
	if len(amounts) == 0 {
		return
	}
	id := r.next()
	vm := Instance(id)
	vm.Name = fmt.Sprintf("vm-%s-%d Ωß", r.name, id)
	modeltest.PutIn(c, s, vm)
	c.Ops = append(c.Ops, Claim(id, p.ID(), amounts).Ops...)
}

func (r *Random) release(s *cloud.Snapshot, change *cloud.Change) {
	c := r.consumer(s)
	if c == nil {
		return
	}
	modeltest.DeleteIn(change, s, &nova.Instance{UUID: c.ID()})
	change.Ops = append(change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: c.ID(), Generation: placement.Generation(c.Generation()), Project: c.Project(), User: c.User(),
	}}})
}

func (r *Random) inventory(s *cloud.Snapshot) placement.Op {
	p := r.provider(s)
	if p == nil {
		return nil
	}
	set := map[placement.ResourceClass]placement.Inventory{}
	for _, iu := range p.Inventories() {
		inv := iu.Inventory
		inv.Total = 1 + r.rng.Int64N(128)
		inv.AllocationRatio = []float64{1, 1.5, 16}[r.rng.IntN(3)]
		set[s.Placement().ClassName(iu.Class)] = inv
	}
	return placement.SetInventories{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Inventories: set}
}

func (r *Random) tag(s *cloud.Snapshot) []placement.Op {
	p := r.provider(s)
	if p == nil {
		return nil
	}
	custom := placement.Trait(fmt.Sprintf("CUSTOM_RACK_%d", r.rng.IntN(8)))
	return []placement.Op{
		placement.CreateTrait{Name: custom},
		placement.CreateClass{Name: placement.ResourceClass(fmt.Sprintf("CUSTOM_SLOT_%d", r.rng.IntN(8))), IfAbsent: true},
		placement.SetTraits{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Traits: []placement.Trait{custom, placement.OwnerCyborg}},
		placement.SetAggregates{
			Provider: p.ID(), Generation: placement.AnyGeneration(),
			Aggregates: []placement.AggregateID{placement.AggregateID(Number(uint64(1 + r.rng.IntN(5))))},
		},
	}
}

func (r *Random) remove(s *cloud.Snapshot) placement.Op {
	if p := r.provider(s); p != nil {
		return placement.DeleteProvider{ID: p.ID()}
	}
	return nil
}

func (r *Random) rename(s *cloud.Snapshot) placement.Op {
	if p := r.provider(s); p != nil {
		return placement.UpdateProvider{ID: p.ID(), Name: fmt.Sprintf("%s-renamed-%d", r.name, r.next())}
	}
	return nil
}
