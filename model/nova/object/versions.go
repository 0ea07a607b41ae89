package object

import (
	"encoding/json"

	"github.com/placetop/placetop/model/versioned"
)

// class is what is known of a kind of object.
type class struct {
	version versioned.Version // the newest one
	make    func() Object     // an object with nothing set
	since   map[uint16]change // by minor version; one that is left out changed methods alone
}

// change is what a minor version changed.
type change struct {
	adds []string // fields that older versions lack
	// pins has, by class, the version of the objects inside objects of this version and
	// newer, for readers of which only that of the whole is known.
	pins map[string]versioned.Version
	// lower rewrites the data of an object for readers of older versions.
	lower func(l lowering, data map[string]any) error
}

// classOf returns what is known of a class: each of its versions, and how it differs from
// the one before.
//
// Source: VERSION and obj_make_compatible of each class in nova/objects.
func classOf(name string) (class, bool) {
	switch name {
	case "ComputeNode":
		return class{minor(1, 19), made[ComputeNode], map[uint16]change{
			3:  added("stats"),
			4:  added("host_ip"),
			5:  added("numa_topology"),
			6:  {adds: []string{"supported_hv_specs"}, pins: pin("HVSpec", 0)},
			7:  added("host"),
			9:  {adds: []string{"pci_device_pools"}, pins: pin("PciDevicePoolList", 0)},
			11: {pins: pin("PciDevicePoolList", 1)},
			12: {pins: pin("HVSpec", 1)},
			13: {lower: lowering.demandServiceID},
			14: added("cpu_allocation_ratio", "ram_allocation_ratio"),
			15: added("uuid"),
			16: added("disk_allocation_ratio"),
			17: added("mapped"),
		}}, true
	case "HVSpec":
		return class{minor(1, 2), made[HVSpec], map[uint16]change{1: {lower: lowering.renameVZ}}}, true
	case "PciDevicePool":
		return class{minor(1, 1), made[PciDevicePool], map[uint16]change{1: added("numa_node")}}, true
	case "PciDevicePoolList":
		return class{minor(1, 1), made[PciDevicePoolList], map[uint16]change{0: {pins: pin("PciDevicePool", 0)}, 1: {pins: pin("PciDevicePool", 1)}}}, true
	case "Flavor":
		return class{minor(1, 2), made[Flavor], map[uint16]change{2: added("description")}}, true
	case "Instance":
		return class{minor(2, 8), made[Instance], map[uint16]change{
			1: added("services"),
			2: added("keypairs"),
			3: added("device_metadata"),
			4: added("trusted_certs"),
			6: added("hidden"),
			7: added("resources"),
			8: added("compute_id"),
		}}, true
	case "Migration":
		return class{minor(1, 8), made[Migration], map[uint16]change{
			2: added("migration_type", "hidden"),
			4: added("memory_total", "memory_processed", "memory_remaining", "disk_total", "disk_processed", "disk_remaining"),
			5: added("uuid"),
			6: added("cross_cell_move"),
			7: added("user_id", "project_id"),
			8: added("dest_compute_id"),
		}}, true
	case "Service":
		return class{minor(1, 22), made[Service], map[uint16]change{
			1:  {pins: pin("ComputeNode", 4)},
			3:  {pins: pin("ComputeNode", 5)},
			5:  {pins: pin("ComputeNode", 6)},
			6:  {pins: pin("ComputeNode", 7)},
			7:  {pins: pin("ComputeNode", 8)},
			8:  {pins: pin("ComputeNode", 9)},
			9:  {pins: pin("ComputeNode", 10)},
			10: {lower: lowering.embedComputeNode},
			12: {pins: pin("ComputeNode", 11)},
			13: added("last_seen_up"),
			14: added("forced_down"),
			15: {pins: pin("ComputeNode", 12)},
			16: added("version"),
			17: {pins: pin("ComputeNode", 13)},
			18: {pins: pin("ComputeNode", 14)},
			21: added("uuid"),
		}}, true
	case "ResourceProvider":
		return class{minor(1, 3), made[ResourceProvider], nil}, true
	case "Inventory":
		return class{minor(1, 2), made[Inventory], map[uint16]change{1: {lower: lowering.refuseClass}}}, true
	case "Allocation":
		return class{minor(1, 2), made[Allocation], map[uint16]change{1: {lower: lowering.refuseClass}}}, true
	default:
		return class{}, false
	}
}

func minor(major, minor uint16) versioned.Version {
	return versioned.Version{Major: major, Minor: minor}
}

func added(fields ...string) change { return change{adds: fields} }

func pin(class string, to uint16) map[string]versioned.Version {
	return map[string]versioned.Version{class: minor(1, to)}
}

// pinned returns the version of the named class in objects of version v.
func (c class) pinned(v versioned.Version, name string) (versioned.Version, bool) {
	for n := int(v.Minor); n >= 0; n-- {
		if to, ok := c.since[uint16(n)].pins[name]; ok {
			return to, true
		}
	}
	return versioned.Version{}, false
}

// noService is the service_id for readers that require one, if there is none: no service
// has it, so that looking it up fails as not found.
const noService = json.Number("-1")

// demandServiceID gives readers before 1.13, to whom service_id is never null, an id.
func (lowering) demandServiceID(data map[string]any) error {
	if data["service_id"] == nil {
		data["service_id"] = noService
	}
	return nil
}

// renameVZ gives readers before 1.1 the former name of the hypervisor vz.
func (lowering) renameVZ(data map[string]any) error {
	if data["hv_type"] == "vz" {
		data["hv_type"] = "parallels"
	}
	return nil
}

// embedComputeNode gives readers before 1.10, which do not load compute_node when they
// need it, the compute node of the host, if there is one.
func (l lowering) embedComputeNode(data map[string]any) error {
	host, ok := data["host"].(string)
	if data["compute_node"] != nil || !ok || l.nova == nil {
		return nil
	}
	for row := range l.nova.ComputeNodesOf(host) {
		node, err := computeNode(l.nova, row)
		if err != nil {
			continue
		}
		p, err := envelopeOf(node)
		if err == nil {
			err = l.inside("Service", p)
		}
		if err != nil {
			return err
		}
		data["compute_node"] = p
		return nil
	}
	return nil
}

// refuseClass refuses an object for readers that have resource classes as an enumeration,
// if its class was not in it yet.
//
// Source: nova/objects/fields.py, ResourceClass.V1_0.
func (l lowering) refuseClass(data map[string]any) error {
	switch data["resource_class"] {
	case nil, "VCPU", "MEMORY_MB", "DISK_GB", "PCI_DEVICE", "SRIOV_NET_VF", "NUMA_SOCKET", "NUMA_CORE", "NUMA_THREAD", "NUMA_MEMORY_MB", "IPV4_ADDRESS":
		return nil
	default:
		return &NotExpressibleError{Field: "resource_class", Value: data["resource_class"], Target: l.to}
	}
}
