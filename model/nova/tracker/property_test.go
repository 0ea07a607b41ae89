package tracker_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// story is a small cloud in which instances land, move, go and are lost in every way, and
// each host ticks now and then.
type story struct {
	*region
	rt    *rapid.T
	count byte // of instances and migrations so far
}

func hostNames() []string { return []string{"cmp1", "cmp2", "cmp3"} }

func newStory(rt *rapid.T) *story {
	r := newRegion(rt, flavor("s"), flavor("l", func(f *nova.Flavor) { f.VCPUs, f.MemoryMB, f.SwapMB = 8, 8192, 1 }),
		flavor("g", func(f *nova.Flavor) { f.ExtraSpecs = map[string]string{"resources1:VGPU": "1"} }))
	for n, name := range hostNames() {
		r.put(service(name, 73), host(byte(n+1), func(n *nova.ComputeNode) {
			n.SharedStorage = name != "cmp3"
			n.VCPUs, n.MemoryMB, n.LocalGB = 1000, 1<<20, 10000 // large enough never to be full
			n.GPUs = []nova.GPU{{Address: gpu, Type: "nvidia-35", Total: 64}}
		}))
	}
	r.put(&nova.HostAggregate{UUID: rack, Name: "rack", Hosts: hostNames()[:2]})
	s := &story{region: r, rt: rt}
	s.all()
	return s
}

// pick returns an instance that runs and is not being moved, nil if there is none.
func (s *story) pick() *nova.Instance {
	var all []*nova.Instance
	for i := range s.Nova.Instances() {
		if i.Live() && i.VMState == nova.Active {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return rapid.SampledFrom(all).Draw(s.rt, "instance")
}

func (s *story) mapping(host, flavor string) map[string][]placement.ProviderID {
	if flavor != "g" {
		return nil
	}
	return map[string][]placement.ProviderID{"1": {s.provider(host + "_pci_0000_84_00_0").ID()}}
}

func (s *story) boot() {
	s.count++
	i := instance(1, rapid.SampledFrom(hostNames()).Draw(s.rt, "host"), rapid.SampledFrom([]string{"s", "l", "g"}).Draw(s.rt, "flavor"))
	i.UUID, i.Name = instanceID(s.count), fmt.Sprint("vm", s.count)
	i.BootFromVolume = rapid.Bool().Draw(s.rt, "from a volume")
	i.Mappings = s.mapping(i.Host, i.Flavor)
	s.put(i)
	if !rapid.Bool().Draw(s.rt, "claims") {
		return // the claim is lost: the tick heals it
	}
	ops, err := s.Claim(s.node(i.Host), i, nil)
	if err != nil {
		s.rt.Fatalf("Claim: %v", err)
	}
	s.ops(ops...)
}

func (s *story) terminate() {
	i := s.pick()
	if i == nil {
		return
	}
	s.put(i.Edit(func(i *nova.Instance) { i.VMState = nova.Deleted }))
	if rapid.Bool().Draw(s.rt, "releases") {
		s.ops(s.Release(i.UUID, s.node(i.Host).Provider())...)
	}
}

// move moves an instance to another host up to VERIFY_RESIZE: the migration has its old
// claim, and its new one is on the destination.
func (s *story) move() {
	i := s.pick()
	to := rapid.SampledFrom(hostNames()).Draw(s.rt, "to")
	if i == nil {
		return
	}
	c, held := s.Placement.Consumer(i.UUID)
	if !held {
		return
	}
	s.count++
	m := &nova.Migration{
		UUID: migrationID(s.count), Instance: i.UUID, Type: nova.Resize, Status: nova.Finished,
		Source: i.Host, Dest: to, OldFlavor: i.Flavor, NewFlavor: "s", OldState: i.VMState,
	}
	s.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{
		{Consumer: i.UUID, Generation: placement.Generation(c.Generation())},
		{Consumer: m.UUID, Generation: placement.NewConsumer(), Type: placement.MigrationConsumer, Project: "p", User: "u", Allocations: s.Placement.ConsumerRecord(c).Allocations},
	}})
	moved := i.Edit(func(i *nova.Instance) {
		i.Host, i.Flavor, i.VMState, i.Mappings = to, "s", nova.Resized, nil
	})
	s.put(m)
	if err := s.claim(moved, nil); err != nil {
		s.rt.Fatalf("Claim: %v", err)
	}
}

func (s *story) confirm() {
	for m := range s.Nova.Migrations() {
		if m.Status != nova.Finished {
			continue
		}
		i, _ := s.Nova.Instance(m.Instance)
		s.put(m.Edit(func(m *nova.Migration) { m.Status = nova.Confirmed }), i.Edit(func(i *nova.Instance) { i.VMState = nova.Active }))
		s.ops(s.Release(m.UUID, s.node(m.Source).Provider())...)
		return
	}
}

func (s *story) tickOne() { s.tick(rapid.SampledFrom(hostNames()).Draw(s.rt, "host")) }

func (s *story) linkPool() {
	if _, ok := s.Placement.Provider(nfs); !ok {
		s.region.link()
	}
}

// expected returns the usage of each compute node, with its devices and its disk on the
// pool, according to the flavors of its instances and of the moves in progress.
func (s *story) expected() map[string]amounts {
	out := map[string]amounts{}
	add := func(host, ref string, fromVolume bool) {
		if out[host] == nil {
			out[host] = amounts{}
		}
		f, _ := s.Nova.Flavor(ref)
		out[host]["VCPU"] += f.VCPUs
		out[host]["MEMORY_MB"] += f.MemoryMB
		disk := (f.SwapMB + 1023) / 1024
		if !fromVolume {
			disk += f.RootGB
		}
		if disk > 0 {
			out[host]["DISK_GB"] += disk
		}
		if ref == "g" {
			out[host]["VGPU"]++
		}
	}
	for i := range s.Nova.Instances() {
		if i.Live() {
			add(i.Host, i.Flavor, i.BootFromVolume)
		}
	}
	for m := range s.Nova.Migrations() {
		if i, _ := s.Nova.Instance(m.Instance); m.Status == nova.Finished {
			add(m.Source, m.OldFlavor, i.BootFromVolume)
		}
	}
	return out
}

// used returns the same according to Placement.
func (s *story) used() map[string]amounts {
	out := map[string]amounts{}
	for c := range s.Placement.Consumers() {
		var home string
		for al := range s.Placement.Allocations(c) {
			if root := s.Placement.Root(al.Provider); root.Name() != "nfs" {
				home = root.Name()
			}
		}
		if out[home] == nil {
			out[home] = amounts{}
		}
		for al := range s.Placement.Allocations(c) {
			out[home][s.Placement.ClassName(al.Class)] += al.Used
		}
	}
	return out
}

// Whatever happens, in whatever order: once every host has ticked, Placement's usage is
// the sum of the flavors of the instances on the host and of the moves in progress, and
// the next ticks are quiet.
func TestUsageIsTheSumOfTheFlavors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := newStory(rt)
		steps := []func(*story){
			(*story).boot, (*story).boot, (*story).boot, (*story).terminate, (*story).move, (*story).confirm, (*story).tickOne, (*story).linkPool,
		}
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")](s)
		}
		for _, h := range hostNames() {
			s.settled(h)
		}
		for _, h := range hostNames() {
			s.quiet(h)
		}
		if diff := cmp.Diff(s.expected(), s.used()); diff != "" {
			rt.Fatalf("(-flavors +placement):\n%s", diff)
		}
	})
}
