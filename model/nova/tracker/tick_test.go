package tracker_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

func traits(r *region, name string) []placement.Trait {
	r.t.Helper()
	return r.Placement.TraitsOf(r.provider(name))
}

func TestFirstTick(t *testing.T) {
	t.Parallel()
	r := oneHost(t, func(n *nova.ComputeNode) {
		n.PCPUs, n.ReservedDiskMB, n.Capabilities = 8, 1025, []placement.Trait{"COMPUTE_VOLUME_ATTACH", "HW_CPU_X86_AVX2"}
	})
	root := r.provider("cmp1")
	if root.ID() != nodeID(1) {
		t.Errorf("provider %s, want the uuid of the compute node", root.ID())
	}
	for class, want := range map[placement.ResourceClass]placement.Inventory{
		"VCPU":      {Total: 16, MinUnit: 1, MaxUnit: 16, StepSize: 1, AllocationRatio: 4},
		"PCPU":      {Total: 8, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 1},
		"MEMORY_MB": {Total: 32768, Reserved: 512, MinUnit: 1, MaxUnit: 32768, StepSize: 1, AllocationRatio: 1},
		"DISK_GB":   {Total: 500, Reserved: 2, MinUnit: 1, MaxUnit: 500, StepSize: 1, AllocationRatio: 1},
	} {
		if got, _ := r.inventory("cmp1", class); got.Inventory != want {
			t.Errorf("%s %+v, want %+v", class, got.Inventory, want)
		}
	}
	want := []placement.Trait{"COMPUTE_NODE", "COMPUTE_VOLUME_ATTACH", "HW_CPU_X86_AVX2", "OWNER_NOVA"}
	must.Match(t, want, traits(r, "cmp1"))
	must.Match(t, []placement.Trait{"OWNER_NOVA"}, traits(r, pgpu))
	if inv, _ := r.inventory(pgpu, "VGPU"); inv.Total != 4 || inv.MaxUnit != 4 {
		t.Errorf("VGPU %+v", inv.Inventory)
	}
}

// Nova's traits come back; the operator's stay.
func TestTraitsOfTheRoot(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	root := r.provider("cmp1")
	r.ops(placement.CreateTrait{Name: "CUSTOM_GOLD"},
		placement.SetTraits{Provider: root.ID(), Generation: placement.Generation(root.Generation()), Traits: []placement.Trait{"CUSTOM_GOLD"}})
	r.settled("cmp1")
	must.Match(t, []placement.Trait{"COMPUTE_NODE", "CUSTOM_GOLD", "OWNER_NOVA"}, traits(r, "cmp1"))
	disable := func(off bool) {
		svc, _ := r.Nova.Service("cmp1", nova.Compute)
		r.put(svc.Edit(func(s *nova.Service) { s.Disabled = off }))
		r.settled("cmp1")
		if got := slices.Contains(traits(r, "cmp1"), placement.ComputeStatusDisabled); got != off {
			t.Errorf("disabled %v: COMPUTE_STATUS_DISABLED is there: %v", off, got)
		}
	}
	disable(true)
	disable(false)
}

// A compute of a release before owner traits has none on its providers.
func TestOldServiceOwnsNothing(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 72), host(1, withGPU))
	r.settled("cmp1")
	for _, name := range []string{"cmp1", pgpu} {
		if slices.Contains(traits(r, name), placement.OwnerNova) {
			t.Errorf("%s has OWNER_NOVA", name)
		}
	}
	svc, _ := r.Nova.Service("cmp1", nova.Compute)
	r.put(svc.Edit(func(s *nova.Service) { s.Version = nova.VersionOwnerNova }))
	r.settled("cmp1")
	for _, name := range []string{"cmp1", pgpu} {
		if !slices.Contains(traits(r, name), placement.OwnerNova) {
			t.Errorf("%s has no OWNER_NOVA after the upgrade", name)
		}
	}
}

// An operator's ratio in Placement survives ticks that use the columns.
func TestOperatorsRatioStays(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	inv, _ := r.inventory("cmp1", "VCPU")
	inv.AllocationRatio = 16
	r.ops(placement.SetInventory{Provider: nodeID(1), Generation: placement.Generation(r.provider("cmp1").Generation()), Class: "VCPU", Inventory: inv.Inventory})
	r.settled("cmp1")
	if inv, _ := r.inventory("cmp1", "VCPU"); inv.AllocationRatio != 16 {
		t.Errorf("ratio %g, want 16", inv.AllocationRatio)
	}
}

func TestCardWithoutVGPUsGoes(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("g", func(f *nova.Flavor) { f.ExtraSpecs = map[string]string{"resources1:VGPU": "1"} }))
	i := instance(1, "cmp1", "g", func(i *nova.Instance) {
		i.Mappings = map[string][]placement.ProviderID{"1": {r.provider(pgpu).ID()}}
	})
	must.Succeed(t, r.claim(i, nil))
	row, _ := r.Nova.ComputeNode(nodeID(1))
	r.put(row.Edit(func(n *nova.ComputeNode) { n.GPUs[0].Total, n.GPUs[1].Total = 0, 0 }))
	r.settled("cmp1")
	if _, ok := r.Placement.ProviderByName("cmp1_pci_0000_86_00_0"); ok {
		t.Error("the unused card is still there")
	}
	if inv, ok := r.inventory(pgpu, "VGPU"); !ok || inv.Total != 1 {
		t.Errorf("VGPU %+v, want the 1 that is allocated", inv.Inventory)
	}
	r.put(i.Edit(func(i *nova.Instance) { i.VMState = nova.Deleted }))
	r.settled("cmp1")
	if _, ok := r.Placement.ProviderByName(pgpu); ok {
		t.Error("the card is still there after its last instance went")
	}
}

func TestHeal(t *testing.T) {
	t.Parallel()
	full := held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}}
	move := func(status nova.MigrationStatus) *nova.Migration {
		return &nova.Migration{UUID: migrationID(1), Instance: instanceID(1), Type: nova.Resize, Status: status, Source: "cmp1", Dest: "cmp1", OldFlavor: "f", NewFlavor: "f"}
	}
	for _, c := range []struct {
		name string
		edit func(*nova.Instance)
		move *nova.Migration
		has  amounts
		want held
		rule tracker.Case
	}{
		{"lacks its claim", nil, nil, nil, full, tracker.CaseHealed},
		{"has another claim", nil, nil, amounts{"VCPU": 1}, full, tracker.CaseHealed},
		{"has its claim", nil, nil, full["cmp1"], full, ""},
		{"is being spawned", func(i *nova.Instance) { i.TaskState = nova.Spawning }, nil, nil, held{}, tracker.CaseBusy},
		{"is being resized", func(i *nova.Instance) { i.VMState = nova.Resized }, move(nova.Finished), amounts{"VCPU": 1}, held{"cmp1": {"VCPU": 1}}, ""},
		{"was resized", nil, move(nova.Confirmed), nil, full, tracker.CaseHealed},
		{"is shelved elsewhere", func(i *nova.Instance) { i.VMState = nova.ShelvedOffloaded }, nil, nil, held{}, ""},
		{"has a flavor that nobody knows", func(i *nova.Instance) { i.Flavor = "gone" }, nil, nil, held{}, tracker.CaseRefused},
		{"does not fit", func(i *nova.Instance) { i.Flavor = "huge" }, nil, nil, held{}, tracker.CaseRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := oneHost(t)
			r.put(flavor("f"), flavor("huge", func(f *nova.Flavor) { f.VCPUs = 1000 }))
			i := instance(1, "cmp1", "f")
			if c.edit != nil {
				c.edit(i)
			}
			r.put(i)
			if c.move != nil {
				r.put(c.move)
			}
			if c.has != nil {
				r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
					Consumer: i.UUID, Generation: placement.NewConsumer(), Project: "p", User: "u",
					Allocations: placement.Amounts{nodeID(1): c.has},
				}}})
			}
			out := r.settled("cmp1")
			must.Match(t, c.want, r.holds(i.UUID))
			if f := finding(out, i.UUID); f.Case != c.rule || f.Changed != (c.rule == tracker.CaseHealed) {
				t.Errorf("finding %+v, want rule %q", f, c.rule)
			}
		})
	}
}

// What is released makes room for what is healed in the same tick.
func TestReleaseMakesRoomToHeal(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("all", func(f *nova.Flavor) { f.MemoryMB = 32000 }))
	gone := instance(1, "cmp1", "all")
	must.Succeed(t, r.claim(gone, nil))
	r.put(gone.Edit(func(i *nova.Instance) { i.VMState = nova.Deleted }), instance(2, "cmp1", "all"))
	r.settled("cmp1")
	if r.holds(instanceID(2))["cmp1"]["MEMORY_MB"] != 32000 {
		t.Errorf("holds %v", r.holds(instanceID(2)))
	}
}

func TestOldColumns(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), service("cmp2", 73),
		host(1, func(n *nova.ComputeNode) { n.ReservedCPUs, n.ReservedDiskMB = 1, 2048 }), host(2),
		flavor("f", func(f *nova.Flavor) { f.EphemeralGB, f.SwapMB = 1, 1536 }), flavor("big", func(f *nova.Flavor) { f.VCPUs = 4 }),
		instance(1, "cmp1", "f"),
		instance(2, "cmp1", "f", func(i *nova.Instance) { i.BootFromVolume = true }),
		instance(3, "cmp1", "f", func(i *nova.Instance) { i.VMState = nova.Deleted }),
		// Has moved from cmp1 to cmp2 and waits to be confirmed.
		instance(4, "cmp2", "big", func(i *nova.Instance) { i.VMState = nova.Resized }),
		&nova.Migration{UUID: migrationID(4), Instance: instanceID(4), Type: nova.Resize, Status: nova.Finished, Source: "cmp1", Dest: "cmp2", OldFlavor: "f", NewFlavor: "big"},
		// Is being resized on its host: old and new count.
		instance(5, "cmp2", "f", func(i *nova.Instance) { i.TaskState = nova.ResizePrep }),
		&nova.Migration{UUID: migrationID(5), Instance: instanceID(5), Type: nova.Resize, Status: nova.PreMigrating, Source: "cmp2", Dest: "cmp2", OldFlavor: "f", NewFlavor: "big"},
	)
	r.settled("cmp1")
	r.settled("cmp2")
	type columns struct{ VCPUs, MemoryMB, LocalGB, VMs int64 }
	for id, want := range map[placement.ProviderID]columns{
		nodeID(1): {1 + 2 + 2 + 2, 512 + 3*4096, 2 + 22 + 2 + 22, 2},
		nodeID(2): {4 + 2 + 4, 512 + 3*4096, 20 + 22 + 20, 2},
	} {
		row, _ := r.Nova.ComputeNode(id)
		if got := (columns{row.VCPUsUsed, row.MemoryMBUsed, row.LocalGBUsed, row.RunningVMs}); got != want {
			t.Errorf("%s: %+v, want %+v", row.Hostname, got, want)
		}
		if row.Updated != now.UnixMilli() {
			t.Errorf("%s: updated at %d", row.Hostname, row.Updated)
		}
	}
}

// A tick is pure: it does not change its arguments.
func TestTickLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), host(1, withGPU), flavor("f"), instance(1, "cmp1", "f"))
	n := r.node("cmp1")
	tree := must.Get(tracker.FromColumns(n))(t)
	first := r.planFor(n, tree)
	second := r.planFor(n, tree)
	must.Match(t, texts(first), texts(second))
	if n.VCPUsUsed != 0 || r.Placement.ProviderCount() != 0 {
		t.Error("the tick changed what it was given")
	}
}

func texts(o tracker.Outcome) []string {
	var out []string
	for _, op := range o.Ops {
		out = append(out, op.String())
	}
	for _, f := range o.Remarks {
		out = append(out, f.Text)
	}
	return out
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	r := newRegion(t)
	const every = 5 * time.Minute
	beat := func(version int) []nova.Op { return r.Heartbeat("cmp1", version, every, now) }
	r.write(nil, beat(73))
	svc, _ := r.Nova.Service("cmp1", nova.Compute)
	if svc.Version != 73 || !svc.SeenAt().Equal(now) {
		t.Errorf("service %+v", svc)
	}
	if ops := beat(73); len(ops) > 0 {
		t.Errorf("a fresh service writes %v", ops)
	}
	if !svc.Up(now.Add(2*every+nova.ServiceDownTime)) || svc.Up(now.Add(2*every+nova.ServiceDownTime+1)) {
		t.Errorf("a service that reports every %s is down after %s", every, svc.DownTime())
	}
	r.put(svc.Edit(func(s *nova.Service) { s.LastSeenUp = now.Add(-every).UnixMilli() }))
	if len(beat(73)) == 0 {
		t.Error("a service that was not seen for long writes nothing")
	}
	r.put(svc.Edit(func(s *nova.Service) { s.ReportInterval = 0 }))
	if len(beat(73)) == 0 {
		t.Error("a service that reports at another interval does not say so")
	}
	var old *nova.ServiceTooOldError
	if err := r.Nova.Allows(beat(72)...); !errors.As(err, &old) || !errors.Is(err, placement.ErrState) {
		t.Errorf("error %v, want a ServiceTooOldError", err)
	}
}

func TestNodeOf(t *testing.T) {
	t.Parallel()
	tree := tracker.NewTree(nodeID(1), "test", "cmp1")
	conf := tracker.Conf{Ratios: tracker.Ratios{CPU: 8}, InitialRatios: tracker.Ratios{CPU: 4, RAM: 1, Disk: 1}, ReservedDiskMB: 1024}
	tree.Supply(conf, placement.VCPU, 8, "test")
	tree.CannotTell(placement.DiskGB, "no rights")
	must.Succeed(t, tree.Finish())
	r := newRegion(t, host(1))
	n := must.Get(r.NodeOf("cmp1", tree, conf))(t)
	if n.VCPUs != 8 || n.MemoryMB != 0 || n.LocalGB != 500 || n.CPURatio != 8 || n.Conf.ReservedDiskMB != 1024 {
		t.Errorf("%d CPUs, %d MB, %d GB: want 8, none reported, and the disk as it was", n.VCPUs, n.MemoryMB, n.LocalGB)
	}
	for name, taken := range map[string]*nova.ComputeNode{
		"re-installed":      host(2, func(n *nova.ComputeNode) { n.Host, n.Hostname = "cmp1", "cmp1" }),
		"renamed or cloned": host(1, func(n *nova.ComputeNode) { n.Host, n.Hostname = "cmp7", "cmp7" }),
	} {
		var twin *tracker.IdentityError
		if _, err := newRegion(t, taken).NodeOf("cmp1", tree, conf); !errors.As(err, &twin) || !strings.Contains(err.Error(), "cmp1") {
			t.Errorf("%s: error %v, want an IdentityError", name, err)
		}
	}
}

// An upgraded compute takes over the record that Nova has of its host: one node, under
// the uuid on record, its children with it.
func TestAdopt(t *testing.T) {
	t.Parallel()
	tree := tracker.NewTree(nodeID(1), "/etc/nova/compute_id", "cmp2")
	tree.Supply(tracker.DefaultConf(), placement.VCPU, 8, "test")
	tree.AddPGPU(pci.Address{Bus: 0x84}, "nvidia-35", "", 4, "test")
	must.Succeed(t, tree.Finish())
	for _, c := range []struct {
		name   string
		own    bool
		stored []versioned.Record
		want   byte
		notes  int
	}{
		{"no record", true, nil, 1, 0},
		{"a record of its own", true, []versioned.Record{host(1, func(n *nova.ComputeNode) { n.Host, n.Hostname = "cmp2", "cmp2" })}, 1, 0},
		{"a legacy record", false, []versioned.Record{host(2)}, 2, 0},
		{"a legacy record, and a uuid on the machine", true, []versioned.Record{host(2)}, 2, 1},
		{"a record of another name on the host", false, []versioned.Record{host(3, func(n *nova.ComputeNode) { n.Host = "cmp2" })}, 1, 0},
		{"both have a record", false, []versioned.Record{host(1), host(2)}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRegion(t, c.stored...)
			own := tree
			own.OwnID = c.own
			got := r.Adopt("cmp2", own)
			if got.Root.ID != nodeID(c.want) || len(got.Notes) != c.notes {
				t.Errorf("uuid %s, notes %q, want uuid %s and %d notes", got.Root.ID, got.Notes, nodeID(c.want), c.notes)
			}
			if moved := got.Children[0].ID != tree.Children[0].ID; moved != (c.want != 1) {
				t.Errorf("the child has %s, and had %s", got.Children[0].ID, tree.Children[0].ID)
			}
			if tree.Root.ID != nodeID(1) || len(tree.Notes) != 0 {
				t.Error("the tree of the driver is changed")
			}
		})
	}
}
