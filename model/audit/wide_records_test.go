package audit_test

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// wideRecords returns the records of one compute node with n cards right below it, in the order
// in which a store keeps kinds: Nova's and Cyborg's by turns, each with one VGPU that an
// instance holds in addition to a VCPU of the root. Of every seventh card the owner is in
// doubt, and of every ninth the instance is gone, so that rules have something to say.
//
// A tree has no such width in a real cloud but for SR-IOV functions in their
// hundreds. It is what shows that nothing walks a tree for each of its members.
func wideRecords(n int) []versioned.Record {
	const host, project, user = "wide", "p", "u"
	root := modeltest.ProviderID(host)
	big := placement.NewInventory(int64(n))
	big.MaxUnit = big.Total
	out := []versioned.Record{&placement.ProviderRecord{UUID: root, Name: host, Inventories: modeltest.Inventories{placement.VCPU: big, placement.MemoryMB: big}}}
	node := &nova.ComputeNode{UUID: root, Host: host, Hostname: host, VCPUs: int64(n), MemoryMB: int64(n)}
	profile := &cyborg.DeviceProfile{UUID: modeltest.WorldUUID("dp"), Name: "dp", Groups: []map[string]string{{"resources:VGPU": "1", "trait:OWNER_CYBORG": "required"}}}
	tags := []versioned.Record{&placement.ProviderTraitsRecord{Provider: root, Traits: []placement.Trait{placement.ComputeAccelerators, placement.ComputeNode, placement.OwnerNova}}}
	ofNova := []*nova.Flavor{
		{Name: "nova", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources1:VGPU": "1"}},
		{Name: "cyborg", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "dp"}},
	}
	var consumers, instances, devices, paths, deployables, handles, arqs []versioned.Record
	for i := range n {
		address := fmt.Sprintf("%04x:%02x:%02x.%d", i>>16, i>>8&0xff, i>>3&0x1f, i&7)
		name := fmt.Sprintf("%s_pci_%04x_%02x_%02x_%d", host, i>>16, i>>8&0xff, i>>3&0x1f, i&7)
		card, vm := modeltest.ProviderID(name), modeltest.ConsumerID(name)
		out = append(out, &placement.ProviderRecord{UUID: card, Name: name, Parent: &root, Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(1)}})
		byNova := i%2 == 0
		owner, flavor, group := placement.OwnerNova, ofNova[0], "1"
		if !byNova {
			owner, flavor, group = placement.OwnerCyborg, ofNova[1], "device_profile_0"
		}
		if i%7 != 0 {
			tags = append(tags, &placement.ProviderTraitsRecord{Provider: card, Traits: []placement.Trait{owner}})
		}
		consumers = append(consumers, &placement.ConsumerRecord{
			UUID: vm, Type: placement.InstanceConsumer, Project: project, User: user, Generation: 1,
			Allocations: placement.Amounts{
				root: {placement.VCPU: 1, placement.MemoryMB: 1}, card: {placement.VGPU: 1},
			},
		})
		if i%9 != 0 {
			instances = append(instances, &nova.Instance{
				UUID: vm, Name: name, Project: project, User: user, Host: host, Flavor: flavor.Ref(), VMState: nova.Active,
				Mappings: map[string][]placement.ProviderID{"": {root}, group: {card}},
			})
		}
		if byNova {
			node.GPUs = append(node.GPUs, nova.GPU{Address: address, Type: "nvidia-35", Total: 1})
			continue
		}
		id := func(what string) uuid.UUID { return modeltest.WorldUUID(what + " " + name) }
		devices = append(devices, &cyborg.Device{UUID: id("device"), Type: cyborg.GPU, Hostname: host, Status: cyborg.Enabled})
		paths = append(paths, &cyborg.ControlPath{UUID: id("path"), Device: id("device"), Type: "PCI", Info: address})
		deployables = append(deployables, &cyborg.Deployable{UUID: id("deployable"), Device: id("device"), Name: name, Accelerators: 1, Provider: card})
		handles = append(handles, &cyborg.AttachHandle{
			UUID: id("handle"), Deployable: id("deployable"), ControlPath: id("path"), Type: cyborg.AttachPCI, Info: "{}", InUse: true,
		})
		arqs = append(arqs, &cyborg.ARQ{
			UUID: id("arq"), State: cyborg.ARQBound, Profile: "dp", Hostname: host, Provider: card, Instance: vm, AttachHandle: id("handle"),
		})
	}
	out = append(append(out, tags...), consumers...)
	out = append(out, &nova.Service{Host: host, Binary: nova.Compute, Version: nova.VersionOwnerNova}, ofNova[0], ofNova[1], node)
	out = append(append(out, instances...), profile)
	for _, kind := range [][]versioned.Record{devices, paths, deployables, handles, arqs} {
		out = append(out, kind...)
	}
	return out
}
