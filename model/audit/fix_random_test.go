package audit_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// breaker breaks a cloud of three hosts, whose instances have cards of both owners.
type breaker struct {
	*world
	rt *rapid.T
}

func pick[T any](b breaker, what string, of ...T) T { return rapid.SampledFrom(of).Draw(b.rt, what) }

func (b breaker) host() string { return pick(b, "host", "compute1", "compute2", "compute3") }
func (b breaker) card() string { return pick(b, "card", "n1", "y1", "y1", "y2", "y3") }

// who draws an instance, its migration, or nobody.
func (b breaker) who() string {
	return pick(b, "who", "i", "j", "k", "i", "j", "k", "move i", "move j", "move k", "ghost")
}

// arq returns a request, or nil if there is none.
func (b breaker) arq() *cyborg.ARQ {
	all := slices.Collect(b.Cyborg().ARQs())
	if len(all) == 0 {
		return nil
	}
	return pick(b, "request", all...)
}

func (b breaker) handle() *cyborg.AttachHandle {
	d, _ := b.Cyborg().DeployableAt(rp(pick(b, "card", "y1", "y2", "y3")))
	return pick(b, "handle", slices.Collect(b.Cyborg().AttachHandlesOf(d.UUID))...)
}

func (b breaker) instance(edit func(*nova.Instance)) {
	if i, ok := b.Nova().Instance(vm(pick(b, "instance", "i", "j", "k"))); ok {
		b.Record(i.Edit(edit))
	}
}

// claim lets a consumer hold something, if there is room.
func (b breaker) claim(who string, holds map[string]resources) {
	all := allocations{}
	for name, amounts := range holds {
		all[rp(name)] = amounts
	}
	kind := instance
	if _, ok := b.Nova().Migration(vm(who)); ok {
		kind = migration
	}
	next, _, err := b.Apply(cloud.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: vm(who), Generation: placement.AnyGeneration(), Type: kind, Project: "p", User: "u", Allocations: all,
	}}}}})
	if err == nil {
		b.Snapshot = next
	}
}

// holds returns what a consumer holds, by name of the provider.
func (b breaker) holds(who string) map[string]resources {
	out := map[string]resources{}
	if c, ok := b.Placement().Consumer(vm(who)); ok {
		for al := range b.Placement().Allocations(c) {
			name := al.Provider.Name()
			if out[name] == nil {
				out[name] = resources{}
			}
			out[name][b.Placement().ClassName(al.Class)] = al.Used
		}
	}
	return out
}

// ways returns the ways in which a cloud can break.
func (b breaker) ways() []func() {
	return []func(){
		func() { // a request has another state, consumer or handle
			if r := b.arq(); r != nil {
				state := pick(b, "state", cyborg.ARQBound, cyborg.ARQUnbindFailed, cyborg.ARQUnbindFailed, cyborg.ARQBindStarted, cyborg.ARQBindFailed, cyborg.ARQUnbound)
				b.Record(r.Edit(func(r *cyborg.ARQ) { r.State = state }))
			}
		},
		func() {
			if r := b.arq(); r != nil {
				b.Record(r.Edit(func(r *cyborg.ARQ) { r.Instance = vm(b.who()) }))
			}
		},
		func() {
			if r := b.arq(); r != nil {
				b.Record(r.Edit(func(r *cyborg.ARQ) { r.AttachHandle = b.handle().UUID }))
			}
		},
		func() {
			if r := b.arq(); r != nil {
				var c cloud.Change
				modeltest.DeleteIn(&c, b, r)
				b.Change(c)
			}
		},
		func() { b.Record(b.handle().Edit(func(h *cyborg.AttachHandle) { h.InUse = !h.InUse })) },
		func() {
			d, _ := b.Cyborg().DeployableAt(rp(pick(b, "card", "y1", "y2")))
			dev, _ := b.Cyborg().Device(d.Device)
			b.Record(dev.Edit(func(d *cyborg.Device) { d.Status = cyborg.Maintaining }))
		},
		func() { b.claim(b.who(), nil) },
		func() { // more of a card
			who := b.who()
			holds := b.holds(who)
			holds[b.card()] = resources{placement.VGPU: rapid.Int64Range(1, 2).Draw(b.rt, "units")}
			b.claim(who, holds)
		},
		func() { // less, or something on another host
			who := b.who()
			holds := b.holds(who)
			delete(holds, b.card())
			if rapid.Bool().Draw(b.rt, "elsewhere") {
				holds[b.host()] = resources{placement.VCPU: 2, placement.MemoryMB: 4096, placement.DiskGB: 20}
			}
			if len(holds) > 0 {
				b.claim(who, holds)
			}
		},
		func() { // the claim goes to the migration
			who := pick(b, "instance", "i", "j", "k")
			holds := b.holds(who)
			b.claim(who, nil)
			if len(holds) > 0 {
				b.claim("move "+who, holds)
			}
		},
		func() {
			b.instance(func(i *nova.Instance) { i.VMState = pick(b, "vm state", nova.Deleted, nova.Resized, nova.Broken) })
		},
		func() { b.instance(func(i *nova.Instance) { i.Host = b.host() }) },
		func() {
			b.instance(func(i *nova.Instance) { i.Flavor = pick(b, "flavor", "nova", "cyborg", "both", "plain") })
		},
		func() { // a move, or an evacuation
			who := pick(b, "instance", "i", "j", "k")
			i, _ := b.Nova().Instance(vm(who))
			b.Record(&nova.Migration{
				UUID: vm("move " + who), Instance: vm(who), Type: pick(b, "type", nova.Resize, nova.Evacuation),
				Status: pick(b, "status", nova.PreMigrating, nova.Finished, nova.Confirming, nova.Confirmed, nova.Reverting, nova.Error, nova.Done),
				Source: b.host(), Dest: i.Host, OldFlavor: i.Flavor, NewFlavor: pick(b, "flavor", "cyborg", "plain"), OldState: nova.Active,
			})
		},
		func() {
			svc, ok := b.Nova().Service(b.host(), nova.Compute)
			if ok {
				b.Record(svc.Edit(func(s *nova.Service) { s.ForcedDown = true }))
			}
		},
		func() { // an inventory
			total := rapid.Int64Range(1, 6).Draw(b.rt, "total")
			inv := placement.NewInventory(total)
			inv.Reserved, inv.MaxUnit = rapid.Int64Range(0, total).Draw(b.rt, "reserved"), rapid.Int64Range(1, total).Draw(b.rt, "max_unit")
			b.Inventory(b.card(), placement.VGPU, inv)
		},
		func() { // owners
			b.Do(placement.SetTraits{Provider: rp(b.card()), Generation: placement.AnyGeneration(), Traits: pick(b, "traits", nil,
				[]placement.Trait{placement.OwnerNova}, []placement.Trait{placement.OwnerCyborg}, []placement.Trait{placement.OwnerNova, placement.OwnerCyborg})})
		},
		func() { // a leftover
			b.claim("ghost", map[string]resources{b.host(): {placement.VCPU: 1}, b.card(): {placement.VGPU: 1}})
		},
	}
}

// broken draws a cloud that is broken in several ways.
func broken(t *testing.T, rt *rapid.T) *world {
	w := modeltest.NewVGPUWorld(t, 3).VGPUInstance("i", "cyborg", 1).VGPUInstance("j", "both", 1).VGPUInstance("k", "cyborg.small", 2)
	b := breaker{w, rt}
	ways := b.ways()
	for range rapid.IntRange(1, 5).Draw(rt, "troubles") {
		ways[rapid.IntRange(0, len(ways)-1).Draw(rt, "way")]()
	}
	return w
}

// Whatever is wrong with a cloud, and whichever fix is applied: the finding is gone
// afterwards, no further card is allocated twice, and the records about every card agree
// at least as well. A fix that cannot be applied says why.
func TestFixesOfBrokenClouds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := broken(t, rt)
		before := audit.Find(w.Snapshot)
		for _, f := range before {
			for _, x := range audit.Fixes(w.Snapshot, f) {
				next, err := fixed(w.Snapshot, x)
				if err != nil {
					if err.Error() == "" {
						rt.Errorf("%s of %s is refused silently", x.Name, f)
					}
					continue
				}
				if err := x.Outcome(next); err != nil {
					rt.Errorf("%s of %s: %v", x.Name, f, err)
				}
				for _, fault := range worse(w.Snapshot, next) {
					rt.Errorf("%s of %s: %s", x.Name, f, fault)
				}
				if x.Name == "nova" || x.Name == "cyborg" {
					continue // the owner of a card is the operator's choice, and the preview shows the effect
				}
				for _, g := range audit.Find(next) {
					if g.Severity == audit.Critical && ofDevices(next, g) && !slices.ContainsFunc(before, func(h audit.Finding) bool { return told(h, g) }) {
						rt.Errorf("%s of %s brings %s", x.Name, f, g)
					}
				}
			}
		}
	})
}

// told reports whether before is the same finding as g, or about the same consumer: one
// trouble of a consumer may hide another.
func told(before, g audit.Finding) bool {
	return g.Same(before) || !g.Consumer.IsZero() && before.Consumer == g.Consumer
}

// ofDevices reports whether a finding is about a card.
func ofDevices(s *cloud.Snapshot, f audit.Finding) bool {
	p, ok := s.Placement().Provider(f.Provider)
	return ok && !p.IsRoot()
}
