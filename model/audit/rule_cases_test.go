package audit_test

import (
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"

	"github.com/placetop/placetop/model/placement"
)

type ruleCase struct {
	name  string
	make  func(*world)
	want  []string // "rule subject"
	fixes []string // of the first finding; "name*" only prepares, "name?" is a choice
}

// ruleCases are clouds with exactly one trouble, or with what only looks like it.
func ruleCases() []ruleCase {
	odd := func(edit func(*placement.Inventory)) placement.Inventory {
		inv := placement.NewInventory(10)
		edit(&inv)
		return inv
	}
	return []ruleCase{
		{
			"a02 a claim moves to the next card of the host", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("c2", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).Inventory("c1", placement.VGPU, placement.NewInventory(1))
			},
			[]string{"a02 c1"},
			[]string{"move?", "raise?", "drain*?"},
		},
		{
			"a02 the only card of the host, and another host has one", func(w *world) {
				w.Node("h").Node("g").Computes().Compute("h", 73).Compute("g", 73).Flavors()
				w.Provider("hc", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("gc", "g", resources{placement.VGPU: 1}, placement.OwnerNova)
				w.Running("gpu").Claim("i", instance, modeltest.Holding("hc")).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Host: "h", Flavor: "gpu", VMState: nova.Active}).
					Claim("j", instance, modeltest.Holding("hc")).Inventory("hc", placement.VGPU, placement.NewInventory(1))
			},
			[]string{"a02 hc"},
			[]string{"migrate*?", "raise?", "drain*?"},
		},
		{
			"a11 the next card is another owner's", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Provider("c2", "h", resources{placement.VGPU: 2}, placement.OwnerCyborg).
					Claim("i", "", modeltest.Holding("c1")).Inventory("c1", placement.VGPU, odd(func(i *placement.Inventory) { i.Total, i.Reserved = 1, 1 }))
			},
			[]string{"a11 c1"},
			[]string{"unreserve?"},
		},
		{
			"a11 a card is drained, and the next one has room", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("c2", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).
					Inventory("c1", placement.VGPU, placement.Inventory{Total: 2, Reserved: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1})
			},
			[]string{"a11 c1"},
			[]string{"move*?", "unreserve?"},
		},
		{
			"a11 most of a card is reserved, and none of it is used twice", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 4}, placement.OwnerNova).Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).
					Inventory("c1", placement.VGPU, placement.Inventory{Total: 4, Reserved: 3, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1})
			},
			[]string{"a11 c1"},
			[]string{"unreserve?"},
		},
		{
			"a11 a host of which all is reserved", func(w *world) {
				w.Node("h").Claim("i", "", on("h")).Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.Reserved = 10 }))
			},
			[]string{"a11 h"},
			[]string{"unreserve?"},
		},
		{
			"a11 a drained card that nobody gave back", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Inventory("c1", placement.VGPU, placement.Inventory{Total: 2, Reserved: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1})
			},
			[]string{"a11 c1"},
			[]string{"unreserve?"},
		},
		{
			"a02 more is used of a drained card than it has", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).
					Inventory("c1", placement.VGPU, odd(func(i *placement.Inventory) { i.Total, i.Reserved = 1, 1 }))
			},
			[]string{"a02 c1"},
			[]string{"raise?"},
		},
		{
			"a02 what a host keeps for itself is used", func(w *world) {
				w.Node("h").Claim("i", "", on("h")).Claim("j", "", on("h")).Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.Reserved = 9 }))
			},
			[]string{"a02 h"},
			[]string{"raise?"},
		},
		{
			"a02 not a device that is disabled in Cyborg", func(w *world) {
				w.Disabled(4)
			},
			nil, nil,
		},
		{
			"a02 a disabled device of which more is used than it has", func(w *world) {
				w.Disabled(3)
			},
			[]string{"a02 c", "d02 c"},
			nil,
		},
		{
			"a05 a card of a flavor without the CPU", func(w *world) {
				w.Node("h").Computes().Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().Running("gpu").
					Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}})
				i, _ := w.Nova().Instance(vm("i"))
				w.Record(i.Edit(func(i *nova.Instance) { i.Mappings = map[string][]placement.ProviderID{"": {rp("c")}} }))
			},
			[]string{"a05 i"},
			[]string{"heal"},
		},
		{
			"a05 of an unknown flavor", func(w *world) {
				w.Node("h").Computes().Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Running("gone").
					Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}})
			},
			[]string{"a05 i"},
			nil,
		},
		{
			"a01 orphan", func(w *world) { w.Node("h").Instance("other", nova.Active).Claim("i", instance, on("h")) },
			[]string{"a01 " + vm("i").String()},
			[]string{"release"},
		},
		{
			"a06 leaked migration", func(w *world) {
				w.Node("h").Instance("i", nova.Active).Migration(nova.Confirmed).Claim("m", migration, on("h"))
			},
			[]string{"a06 " + vm("m").String()},
			[]string{"release"},
		},
		{
			"a01 an orphan with an accelerator", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Deleted).Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"a01 i"},
			[]string{"release"},
		},
		{
			"a01 an orphan of whose accelerators one does not let go", func(w *world) {
				w.Node("h").Card(2, 2).Instance("i", nova.Deleted).Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 2}}).Stuck("i")
			},
			[]string{"a01 i", "d04 c"},
			[]string{"release"},
		},
		{
			"a06 a failed migration, of whose host nobody knows whether it is cleaned", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Migration(nova.Error).Claim("m", migration, modeltest.Holding("c")).Stuck("m")
			},
			[]string{"a06 " + vm("m").String(), "d04 c"},
			[]string{"release?"},
		},
		{
			"a06 a leaked migration, with the request that was kept for a revert", func(w *world) {
				w.Node("h").Node("k").Card(1, 1).Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "k", VMState: nova.Active}).Claim("i", instance, on("k")).
					Migration(nova.Confirmed).Claim("m", migration, modeltest.Holding("c"))
			},
			[]string{"a06 " + vm("m").String()},
			[]string{"release"},
		},
		{
			"a03 too much", func(w *world) {
				w.Node("h").Computes().Flavors().Running("small").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 3, placement.MemoryMB: 1}})
			},
			[]string{"a03 i"},
			[]string{"heal"},
		},
		{
			"a03 a class too few, and one too many", func(w *world) {
				w.Node("h").Computes().Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().Running("small").
					Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 1}})
			},
			[]string{"a03 i"},
			[]string{"heal"},
		},
		{
			"a03 a migration that holds less than the old flavor", func(w *world) {
				w.Node("h").Flavors().Running("small").Claim("i", instance, modeltest.Holding()).
					Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.Migrating, OldFlavor: "gpu"}).
					Claim("m", migration, modeltest.Holding())
			},
			[]string{"a03 " + vm("m").String()},
			nil,
		},
		{
			"a03 not where the new flavor of a resize is held", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().
					Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "h", Flavor: "small", NewFlavor: "gpu", VMState: nova.Active}).
					Claim("i", instance, modeltest.Holding("c"))
			},
			nil, nil,
		},
		{
			"a03 not what ports and aliases give, nor an unknown flavor", func(w *world) {
				w.Node("h").Provider("net", "h", resources{"NET_BW_EGR_KILOBIT_PER_SEC": 9}).
					Provider("dev", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
					Record(&nova.Flavor{Name: "pci", FlavorID: "9", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"pci_passthrough:alias": "t4:1"}}).
					Running("pci").Claim("i", instance, map[string]resources{
					"h": {placement.VCPU: 1, placement.MemoryMB: 1}, "net": {"NET_BW_EGR_KILOBIT_PER_SEC": 3}, "dev": {"CUSTOM_PCI_10DE_1EB8": 1},
				}).Record(&nova.Instance{UUID: vm("j"), Name: "j", Host: "h", Flavor: "gone", VMState: nova.Active}).Claim("j", instance, on("h"))
			},
			nil, nil,
		},
		{
			"a04 an instance that holds nothing", func(w *world) { w.Node("h").Flavors().Running("small") },
			[]string{"a04 i"},
			nil,
		},
		{
			"a04 not one that builds, is offloaded, or is on the move", func(w *world) {
				w.Node("h").Record(
					&nova.Instance{UUID: vm("i"), Name: "i", Host: "h", VMState: nova.Active},
					&nova.Instance{UUID: vm("j"), Name: "j", Host: "h", VMState: nova.Building},
					&nova.Instance{UUID: vm("k"), Name: "k", VMState: nova.ShelvedOffloaded},
				).Migration(nova.PreMigrating).Claim("m", migration, on("h"))
			},
			nil, nil,
		},
		{
			"a07 an evacuated instance", func(w *world) {
				w.Node("h").Node("k").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("k", "a").
					Running("").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "k": {placement.VCPU: 1}})
			},
			[]string{"a07 i"},
			[]string{"keep-h"},
		},
		{
			"a07 an evacuated instance, whose old host is down", func(w *world) { w.Evacuated(true) },
			[]string{"a07 i"},
			[]string{"gone?"},
		},
		{
			"a07 an evacuated instance, whose old host is up again", func(w *world) { w.Evacuated(false) },
			[]string{"a07 i"},
			[]string{"vacate"},
		},
		{
			"a07 an instance that is being evacuated", func(w *world) {
				w.Evacuated(true)
				m, _ := w.Nova().Migration(vm("m"))
				w.Record(m.Edit(func(m *nova.Migration) { m.Status = nova.PreMigrating }))
			},
			[]string{"a07 i"},
			nil,
		},
		{
			"a07 an accelerator of another host", func(w *world) {
				w.Node("h").Node("k").Card(1, 1).Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "k", VMState: nova.Active}).
					Claim("i", instance, map[string]resources{"k": {placement.VCPU: 1}, "h": {placement.VCPU: 1}, "c": {placement.VGPU: 1}})
			},
			[]string{"a07 i"},
			[]string{"keep-k?"},
		},
		{
			"a07 an instance that is on no host", func(w *world) {
				w.Node("h").Node("k").Instance("i", nova.Active).Claim("i", instance, on("h", "k"))
			},
			[]string{"a07 i"},
			[]string{"keep-h?", "keep-k?"},
		},
		{
			"a07 nothing on the host on which it runs", func(w *world) {
				w.Node("h").Node("k").Node("l").Computes().Flavors().Running("small").Claim("i", instance, on("k", "l"))
			},
			[]string{"a07 i", "a10 i"},
			[]string{"heal"},
		},
		{
			"a10 a claim on another host", func(w *world) {
				w.Node("h").Node("k").Computes().Flavors().Running("small").Claim("i", instance, map[string]resources{"k": modeltest.Holding()["h"]})
			},
			[]string{"a10 i"},
			[]string{"heal"},
		},
		{
			"a10 of an unknown flavor", func(w *world) {
				w.Node("h").Node("k").Computes().Running("gone").Claim("i", instance, on("k"))
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 on a host of which there is no compute node", func(w *world) {
				w.Node("h").Node("k").Computes().Flavors().Running("small").Claim("i", instance, modeltest.Holding()).
					EditInstance(func(i *nova.Instance) { i.Host = "elsewhere" })
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 not while it moves, nor where no compute node is known", func(w *world) {
				w.Node("h").Node("k").Running("").Claim("i", instance, on("k")).Migration(nova.Migrating).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Host: "elsewhere", VMState: nova.Active}).Claim("j", instance, on("k"))
			},
			nil, nil,
		},
		{
			"a07 a pool that does not serve the host", func(w *world) {
				w.Node("h").Node("k").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("k", "a").
					Running("").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "pool": {placement.DiskGB: 1}})
			},
			[]string{"a07 i"},
			[]string{"keep-h"},
		},
		{
			"a07 not with the pool of its host", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").Aggregates("h", "a").
					Running("").Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "pool": {placement.DiskGB: 1}})
			},
			nil, nil,
		},
		{
			"a08 resized, and the migration holds nothing", func(w *world) {
				w.Node("h").Instance("i", nova.Resized).Migration(nova.Finished).Claim("i", instance, on("h"))
			},
			[]string{"a08 i"},
			[]string{"confirm?"},
		},
		{
			"a08 resized, and the instance holds nothing", func(w *world) {
				w.Node("h").Instance("i", nova.Resized).Migration(nova.Finished).Claim("m", migration, on("h"))
			},
			[]string{"a08 i"},
			[]string{"put-back", "revert?"},
		},
		{
			"a08 resized without a migration", func(w *world) {
				w.Node("h").Instance("i", nova.Resized).Claim("i", instance, on("h"))
			},
			[]string{"a08 i"},
			nil,
		},
		{
			"a08 a finished migration of an instance that is not resized", func(w *world) {
				w.Node("h").Instance("i", nova.Active).Migration(nova.Finished).Claim("i", instance, on("h")).Claim("m", migration, on("h"))
			},
			[]string{"a08 i"},
			[]string{"confirm?", "revert?"},
		},
		{
			"a09 nobody confirms a resize for a day", func(w *world) { w.Waiting(0).Later(24 * time.Hour) },
			[]string{"a09 i"},
			[]string{"confirm?", "revert?"},
		},
		{"a09 not before a day is over", func(w *world) { w.Waiting(0).Later(24*time.Hour - time.Second) }, nil, nil},
		{"a09 not one that is reverted of itself", func(w *world) { w.Waiting(modeltest.Noon().Add(48 * time.Hour).UnixMilli()).Later(24 * time.Hour) }, nil, nil},
		{
			"d01 a trait that nobody has", func(w *world) {
				w.Node("h").Do(placement.CreateTrait{Name: "CUSTOM_FAST"}).
					Record(&nova.Flavor{Name: "fast", FlavorID: "1", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"trait:CUSTOM_FAST": "required"}})
			},
			[]string{"d01 CUSTOM_FAST"},
			nil,
		},
		{
			"d01 not one that somebody has, is forbidden, or of a deleted flavor", func(w *world) {
				w.Node("h").Provider("k", "", resources{placement.VCPU: 1}, "CUSTOM_FAST").
					Record(&nova.Flavor{Name: "fast", FlavorID: "1", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"trait:CUSTOM_FAST": "required", "trait:CUSTOM_A": "forbidden"}}).
					Record(&nova.Flavor{Name: "old", FlavorID: "2", VCPUs: 1, MemoryMB: 1, Deleted: true, ExtraSpecs: map[string]string{"trait:CUSTOM_B": "required"}})
			},
			nil, nil,
		},
		{
			"d02 a handle in use that no request has", func(w *world) {
				w.Node("h").Card(2, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"d02 c"},
			[]string{"handles"},
		},
		{
			"d02 a bound request without allocation", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding())
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 a disabled device that can be allocated", func(w *world) {
				w.Node("h").Card(0, 0)
				d, _ := w.Cyborg().Device(modeltest.WorldUUID("dev c"))
				w.Devices(d.Edit(func(d *cyborg.Device) { d.Status = cyborg.Maintaining }))
			},
			[]string{"d02 c"},
			[]string{"drain"},
		},
		{
			"d02 more in the inventory than attach handles", func(w *world) {
				w.Node("h").Card(0, 0).Inventory("c", placement.VGPU, placement.NewInventory(15))
			},
			[]string{"d02 c"},
			[]string{"total"},
		},
		{
			"d02 less in the inventory than attach handles, and a handle too many in use", func(w *world) {
				w.Node("h").Card(1, 0).Inventory("c", placement.VGPU, placement.NewInventory(3))
			},
			[]string{"d02 c"},
			[]string{"total*"},
		},
		{
			"d02 not a unit that a failed migration holds: its host is not cleaned", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding("c")).
					Migration(nova.Error).Claim("m", migration, map[string]resources{"c": {placement.VGPU: 1}})
			},
			[]string{"a06 " + vm("m").String()},
			[]string{"release?"},
		},
		{
			"d02 a device that does not let go, of which nobody holds the unit", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Migration(nova.Error).Claim("i", instance, modeltest.Holding()).Stuck("m")
			},
			[]string{"d02 c", "d04 c"},
			[]string{"hold"},
		},
		{
			"d02 one device that does not let go, and one that is bound, of which nobody holds either", func(w *world) {
				w.Node("h").Card(2, 2).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding()).Stuck("i")
			},
			[]string{"d02 c", "d04 c"},
			[]string{"hold*"},
		},
		{
			"d02 two requests with one attach handle: nothing that could be marked", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 2}})
				r, _ := w.Cyborg().ARQ(modeltest.WorldUUID("arq ca"))
				w.Devices(r.Edit(func(r *cyborg.ARQ) { r.UUID = modeltest.WorldUUID("twin") }))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 a unit of one, and the request of another", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding()).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", VMState: nova.Active}).Claim("j", instance, modeltest.Holding("c"))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 not a claim that a migration keeps for the request of its instance", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Resized).Claim("i", instance, modeltest.Holding()).
					Migration(nova.Finished).Claim("m", migration, modeltest.Holding("c"))
			},
			nil, nil,
		},
		{
			"d02 not what an evacuated instance holds until its old host is vacated", func(w *world) {
				w.Node("h").Node("k").Card(0, 0).Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "k", VMState: nova.Active}).
					Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}, "k": {placement.VCPU: 1}}).
					Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Evacuation, Status: nova.Done, Source: "h", Dest: "k"})
			},
			[]string{"a05 i", "a07 i"},
			nil,
		},
		{
			"d04 a request that could not be unbound", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding()).
					Migration(nova.Error).Claim("m", migration, map[string]resources{"c": {placement.VGPU: 1}}).Stuck("i")
			},
			[]string{"d04 c"},
			[]string{"freed?"},
		},
		{
			"d04 an instance that is no more, of which nothing is left but a device that does not let go", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Deleted).Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}}).Stuck("i")
			},
			[]string{"d04 c"},
			[]string{"freed?"},
		},
		{
			"d03 more than the card can make", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
					Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h", GPUs: []nova.GPU{{Address: "0000:84:00.0", Type: "nvidia-35", Total: 1}}}).
					Claim("i", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0")).Claim("j", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0"))
			},
			[]string{"d03 h_pci_0000_84_00_0"},
			[]string{"lower*?"},
		},
		{
			"d03 the next card of the host has room", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("h_pci_0000_85_00_0", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h", GPUs: []nova.GPU{{Address: "0000:84:00.0", Type: "nvidia-35", Total: 1}}}).
					Claim("i", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0")).Claim("j", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0")).
					Inventory("h_pci_0000_84_00_0", placement.VGPU, placement.NewInventory(1))
			},
			[]string{"a02 h_pci_0000_84_00_0", "d03 h_pci_0000_84_00_0"},
			[]string{"move?", "raise?", "drain*?"},
		},
		{
			"v04 the only compute does not report", func(w *world) {
				w.Node("h").Computes().Compute("h", nova.VersionOwnerNova, func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().UnixMilli() })
				w.Later(time.Hour)
			},
			[]string{"v04 nova-compute"},
			nil,
		},
		{
			"v03 a disabled compute that requests find", func(w *world) {
				w.Node("h").Compute("h", 73, func(s *nova.Service) { s.Disabled = true })
			},
			[]string{"v03 h"},
			[]string{"trait"},
		},
		{
			"v03 an enabled compute that no request finds", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode, placement.ComputeStatusDisabled).Compute("h", 73)
			},
			[]string{"v03 h"},
			[]string{"trait"},
		},
		{
			"v03 not a disabled compute that has the trait", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode, placement.ComputeStatusDisabled).
					Compute("h", 73, func(s *nova.Service) { s.Disabled = true })
			},
			nil, nil,
		},
		{
			"o01 both owners of a card that is drained", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg).
					Claim("i", "", modeltest.Holding("h_pci_0000_84_00_0")).
					Inventory("h_pci_0000_84_00_0", placement.VGPU, odd(func(i *placement.Inventory) { i.Total, i.Reserved, i.MaxUnit = 1, 1, 1 }))
			},
			[]string{"o01 h_pci_0000_84_00_0", "a11 h_pci_0000_84_00_0"},
			[]string{"nova?", "cyborg?!"},
		},
		{
			"o01 both owners", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
			},
			[]string{"o01 h_pci_0000_84_00_0"},
			[]string{"nova?", "cyborg?"},
		},
		{
			"o01 both owners, in use", func(w *world) {
				w.Node("h").Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg).Claim("i", "", modeltest.Holding("h_0000:84:00.0"))
			},
			[]string{"o01 h_0000:84:00.0"},
			[]string{"cyborg?!", "nova?", "drain*?"},
		},
		{
			"o02 a card of Cyborg's by its name", func(w *world) { w.Node("h").Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}) },
			[]string{"o02 h_0000:84:00.0"},
			[]string{"cyborg?", "nova?"},
		},
		{
			"o02 a card of Nova's by its name", func(w *world) {
				w.Node("h").Provider("h_0000:AF:00.0", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1})
			},
			[]string{"o02 h_0000:AF:00.0"},
			[]string{"nova?", "cyborg?"},
		},
		{
			"o03 one of them is in use", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
					Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Claim("i", "", modeltest.Holding("h_0000:84:00.0"))
			},
			[]string{"o03 h_0000:84:00.0"},
			[]string{"delete-nova?", "drain-cyborg*?"},
		},
		{
			"o04 with the filter on the root only", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Record(&nova.Config{OwnerFilter: nova.OwnerOnRoot})
			},
			[]string{"o04 h"},
			[]string{"filter?"},
		},
		{
			"o04 with the filter switched off", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Record(&nova.Config{Off: []string{nova.FilterOwner}})
			},
			[]string{"o04 h"},
			[]string{"filter?"},
		},
		{
			"o04 not with the filter on every group", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
			},
			nil, nil,
		},
		{
			"o05 a root of an old compute", func(w *world) {
				w.Node("h").Provider("k", "", resources{placement.VCPU: 1}, placement.ComputeNode)
			},
			[]string{"o05 k"},
			[]string{"add"},
		},
		{
			"o06 Nova's flavor on Cyborg's card", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
					Flavors().Running("gpu").Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"o06 i"},
			[]string{"move?"},
		},
		{
			"o06 a device profile on Nova's card", func(w *world) {
				w.Node("h").Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().Running("dev").Claim("i", instance, modeltest.Holding("n"))
			},
			[]string{"o06 i"},
			nil,
		},
		{
			"o06 the right card of the host is full, and another host has one", func(w *world) {
				card := func(host, name string, owner placement.Trait) {
					w.Provider(name, host, resources{placement.VGPU: 1}, owner)
				}
				w.Node("h").Node("g").Computes().Compute("h", 73).Compute("g", 73).Flavors()
				card("h", "h_0000:af:00.0", placement.OwnerCyborg)
				card("h", "h_pci_0000_84_00_0", placement.OwnerNova)
				card("g", "g_pci_0000_84_00_0", placement.OwnerNova)
				w.Running("gpu").Claim("i", instance, modeltest.Holding("h_0000:af:00.0")).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Host: "h", Flavor: "gpu", VMState: nova.Active}).
					Claim("j", instance, modeltest.Holding("h_pci_0000_84_00_0"))
			},
			[]string{"o06 i"},
			[]string{"migrate?"},
		},
		{
			"o06 on the new half of a split claim", func(w *world) { w.Halves("new") },
			[]string{"o06 i", "a07 i"},
			[]string{"move?"},
		},
		{
			"o06 not on the old half of a split claim", func(w *world) { w.Halves("old") },
			[]string{"a07 i"},
			[]string{"keep-h"},
		},
		{
			"o06 not each on its own", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Flavors().Running("dev").Claim("i", instance, modeltest.Holding("c"))
			},
			nil, nil,
		},
		{
			"o07 VGPU on the root and below", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.VGPU: 4}, placement.ComputeNode, placement.OwnerNova).
					Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerNova)
			},
			[]string{"o07 h"},
			[]string{"remove"},
		},
		{
			"o08 a card of Cyborg's on a host that cannot attach it", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8}, placement.ComputeNode, placement.OwnerNova).
					Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerCyborg)
			},
			[]string{"o08 h"},
			[]string{"add"},
		},
		{
			"s01 a pool with a host aggregate that is not mirrored", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).Aggregates("pool", "a").
					Record(&nova.HostAggregate{UUID: modeltest.AggregateID("a"), Name: "ceph", Hosts: []string{"h"}})
			},
			[]string{"s01 pool", "s03 h"},
			[]string{"link", "unshare?"},
		},
		{
			"s01 a pool that nobody knows a host of", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate)
			},
			[]string{"s01 pool"},
			[]string{"unshare?"},
		},
		{
			"s01 a pool that is in no aggregate, and hosts that may use it", func(w *world) {
				w.Node("h").Provider("pool", "", resources{placement.DiskGB: 9}, placement.SharesViaAggregate).
					Record(&nova.HostAggregate{UUID: modeltest.AggregateID("a"), Name: "rack-1", Hosts: []string{"h"}}).Aggregates("h", "a")
			},
			[]string{"s01 pool"},
			[]string{"link-rack-1?", "unshare?"},
		},
		{
			"s02 a host with the disk of its pool", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.DiskGB: 100}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a").Node("k").Aggregates("k", "a")
			},
			[]string{"s02 h"},
			[]string{"remove?", "unlink?"},
		},
		{
			"s02 not a host with a small disk of its own", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.DiskGB: 20}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a")
			},
			nil, nil,
		},
		{
			"s02 not what is held of a host by an instance that was booted from a volume", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.MemoryMB: 8, placement.DiskGB: 3}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a").
					Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h", LocalGB: 100, SharedStorage: true}).
					Record(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 1, EphemeralGB: 3}).
					Record(&nova.Instance{UUID: modeltest.ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: "f", VMState: nova.Active, BootFromVolume: true}).
					Claim("i", placement.InstanceConsumer, map[string]resources{"h": {placement.VCPU: 1, placement.MemoryMB: 1, placement.DiskGB: 3}})
			},
			nil, nil,
		},
		{
			"s02 a host with more than that", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.DiskGB: 3}).Aggregates("h", "a").
					Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "a").
					Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h", LocalGB: 100, SharedStorage: true}).
					Node("k").Aggregates("k", "a")
			},
			[]string{"s02 h"},
			[]string{"remove?", "unlink?"},
		},
		{
			"s03 a host of an aggregate", func(w *world) {
				w.Node("h").Record(&nova.HostAggregate{UUID: modeltest.AggregateID("a"), Name: "az1", Hosts: []string{"h", "unknown"}})
			},
			[]string{"s03 h"},
			[]string{"mirror"},
		},
		{
			"t01 max_unit below a claim", func(w *world) {
				w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 4}}).
					Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.MaxUnit = 3 }))
			},
			[]string{"t01 h"},
			[]string{"admit"},
		},
		{
			"t01 a step that a claim does not fit", func(w *world) {
				w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 3}}).
					Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.StepSize = 2 }))
			},
			[]string{"t01 h"},
			[]string{"admit"},
		},
		{
			"t01 not several claims that only together are above max_unit", func(w *world) {
				w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 3}}).Claim("j", "", map[string]resources{"h": {placement.VCPU: 3}}).
					Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.MaxUnit = 3 }))
			},
			nil, nil,
		},
		{
			"u01 a rest", func(w *world) {
				w.Node("h").Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.StepSize = 4 }))
			},
			[]string{"u01 h"},
			[]string{"units"},
		},
		{
			"u01 units that nothing fits", func(w *world) {
				w.Node("h").Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.MinUnit, i.MaxUnit, i.StepSize = 5, 9, 10 }))
			},
			[]string{"u01 h"},
			[]string{"units"},
		},
		{
			"u01 max_unit 1 of memory", func(w *world) {
				w.Node("h").Inventory("h", placement.MemoryMB, odd(func(i *placement.Inventory) { i.MaxUnit = 1 }))
			},
			[]string{"u01 h"},
			[]string{"units"},
		},
		{
			"u01 not virtual GPUs one by one", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
					Inventory("c", placement.VGPU, odd(func(i *placement.Inventory) { i.MaxUnit = 1 }))
			},
			nil, nil,
		},
		{"v01 an old compute", func(w *world) { w.Services(70, 73) }, []string{"v01 s0"}, nil},
		{"v01 not where none is upgraded", func(w *world) { w.Services(70, 71) }, nil, nil},
		{
			"v02 a disabled one", func(w *world) {
				w.Services(70, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 70, Disabled: true, LastSeenUp: 1_000_000_000})
			},
			[]string{"v02 s0"},
			[]string{"delete?", "force-down?"},
		},
		{
			"v02 one that is silent", func(w *world) {
				w.Services(70, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 70, LastSeenUp: 1_000_000})
			},
			[]string{"v02 s0"},
			[]string{"delete?", "force-down?"},
		},
		{
			"g03 an upgraded one that is silent", func(w *world) {
				w.Services(73, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 73, LastSeenUp: 1_000_000})
			},
			[]string{"g03 s0"},
			nil,
		},
	}
}
