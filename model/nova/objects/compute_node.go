package objects

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// ComputeNode is a hypervisor as its nova-compute reports it.
//
// Source: nova/objects/compute_node.py.
type ComputeNode struct {
	object.Header
	object.Persistent
	ID                  object.Field[int64]              `field:"id,once"`
	UUID                object.Field[uuid.UUID]          `field:"uuid,once"`
	ServiceID           object.Field[int64]              `field:"service_id,null"`
	Host                object.Field[string]             `field:"host,null"`
	VCPUs               object.Field[int64]              `field:"vcpus"`
	MemoryMB            object.Field[int64]              `field:"memory_mb"` // MiB
	LocalGB             object.Field[int64]              `field:"local_gb"`  // GiB
	VCPUsUsed           object.Field[int64]              `field:"vcpus_used"`
	MemoryMBUsed        object.Field[int64]              `field:"memory_mb_used"`
	LocalGBUsed         object.Field[int64]              `field:"local_gb_used"`
	HypervisorType      object.Field[string]             `field:"hypervisor_type"`
	HypervisorVersion   object.Field[int64]              `field:"hypervisor_version"`
	HypervisorHostname  object.Field[string]             `field:"hypervisor_hostname,null"`
	FreeRAMMB           object.Field[int64]              `field:"free_ram_mb,null"`
	FreeDiskGB          object.Field[int64]              `field:"free_disk_gb,null"`
	CurrentWorkload     object.Field[int64]              `field:"current_workload,null"`
	RunningVMs          object.Field[int64]              `field:"running_vms,null"`
	CPUInfo             object.Field[string]             `field:"cpu_info,null"`             // JSON
	DiskAvailableLeast  object.Field[int64]              `field:"disk_available_least,null"` // GiB
	Metrics             object.Field[string]             `field:"metrics,null"`              // JSON
	Stats               object.Field[map[string]*string] `field:"stats,null"`
	HostIP              object.Field[netip.Addr]         `field:"host_ip,null"`
	NUMATopology        object.Field[string]             `field:"numa_topology,null"` // JSON
	SupportedHVSpecs    object.Field[[]*HVSpec]          `field:"supported_hv_specs"`
	PciDevicePools      object.Field[*PciDevicePoolList] `field:"pci_device_pools,null"`
	CPUAllocationRatio  object.Field[float64]            `field:"cpu_allocation_ratio"`
	RAMAllocationRatio  object.Field[float64]            `field:"ram_allocation_ratio"`
	DiskAllocationRatio object.Field[float64]            `field:"disk_allocation_ratio"`
	Mapped              object.Field[int64]              `field:"mapped"`
}

// NewComputeNode returns a ComputeNode with nothing set.
func NewComputeNode() *ComputeNode { return object.Make[ComputeNode]() }

// ComputeNodeList is a list of compute nodes.
type ComputeNodeList struct{ object.Sequence[*ComputeNode] }

// RequiredAtCreate returns the fields that must be set before a compute node is
// created.
func (c *ComputeNode) RequiredAtCreate() []string {
	return []string{
		"vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used",
		"hypervisor_type", "hypervisor_version",
	}
}

// DeriveUUID returns a uuid for a compute node that has none. It is always the same
// for a host and node name, so that two readers of one old row agree.
func DeriveUUID(host, hypervisorHostname string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte("nova-compute\x00"+host+"\x00"+hypervisorHostname))
}

// HealRatios replaces the allocation ratios that are unset or 0.0, as old rows
// have them, by the configured ones, and reports whether it did.
//
// Source: nova/objects/compute_node.py, _from_db_object.
func (c *ComputeNode) HealRatios(cpu, ram, disk float64) (bool, error) {
	healed := false
	for _, ratio := range []struct {
		field      *object.Field[float64]
		configured float64
	}{{&c.CPUAllocationRatio, cpu}, {&c.RAMAllocationRatio, ram}, {&c.DiskAllocationRatio, disk}} {
		if now, ok := ratio.field.Lookup(); ok && now != 0 {
			continue
		}
		if err := ratio.field.Set(ratio.configured); err != nil {
			return healed, err
		}
		healed = true
	}
	return healed, nil
}

// ReadAs makes c the compute node of a row that was written in the given version of the
// class; "" means the current one. Errors are those of object.Header.ReadAs.
func (c *ComputeNode) ReadAs(version string) error {
	if version == "" {
		return nil
	}
	return c.Header.ReadAs(currentComputeNode(), version)
}

// ObjectVersion returns the version of the class in which c is written.
func (c *ComputeNode) ObjectVersion() versioned.Version {
	if v, ok := c.ReadVersion(); ok {
		return v
	}
	return currentComputeNode().Version()
}

// currentComputeNode returns the class without what it takes to write older versions. Each
// report of a host asks for it several times.
var currentComputeNode = sync.OnceValue(func() object.Class { return computeNodeClass(Source{}) }) //nolint:gochecknoglobals // made once

//nolint:gochecknoglobals // tables that nothing writes
var (
	// Before and after the version whose note asks a Source.
	computeNodeBefore = []object.Note{
		first(),
		why("added get_by_service_id"),
		unicode(),
		adds("stats"),
		adds("host_ip"),
		adds("numa_topology"),
		{Why: "added fields", Adds: []string{"supported_hv_specs"}, Pins: []object.Pin{{Class: "HVSpec", Version: "1.0"}}},
		adds("host"),
		why("added get_by_host_and_nodename"),
		{Why: "added fields", Adds: []string{"pci_device_pools"}, Pins: []object.Pin{{Class: "PciDevicePoolList", Version: "1.0"}}},
		why("added get_first_node_by_host_for_old_compat"),
		pins("PciDevicePoolList", "1.1"),
		pins("HVSpec", "1.1"),
	}
	computeNodeAfter = []object.Note{
		adds("cpu_allocation_ratio", "ram_allocation_ratio"),
		adds("uuid"),
		adds("disk_allocation_ratio"),
		adds("mapped"),
		why("added get_by_uuid"),
		why("added get_by_nodename"),
	}
	computeNodeListHistory = []object.Note{
		pins("ComputeNode", "1.2"),
		pins("ComputeNode", "1.3"),
		why("added get_by_service"),
		pins("ComputeNode", "1.4"),
		pins("ComputeNode", "1.5"),
		why("added use_slave to get_by_service"),
		pins("ComputeNode", "1.6"),
		pins("ComputeNode", "1.7"),
		pins("ComputeNode", "1.8"),
		pins("ComputeNode", "1.9"),
		pins("ComputeNode", "1.10"),
		pins("ComputeNode", "1.11"),
		pins("ComputeNode", "1.12"),
		pins("ComputeNode", "1.13"),
		pins("ComputeNode", "1.14"),
		why("added get_by_pagination"),
		why("added get_all_by_uuids"),
		why("added get_all_by_not_mapped"),
	}
)

func computeNodeClass(source Source) object.Class {
	return class(NewComputeNode, "ComputeNode", 1, slices.Concat(
		computeNodeBefore, []object.Note{{Why: "service_id may be null", Lower: source.fillServiceID}}, computeNodeAfter,
	)...)
}

func computeNodeClasses(source Source) []object.Class {
	return []object.Class{
		computeNodeClass(source),
		list[*ComputeNodeList](1, computeNodeListHistory...),
		hvSpecClass(),
	}
}

// noService is the service_id for readers that require one, if there is none: no service
// has it, so that looking it up fails as not found.
const noService = int64(-1)

// fillServiceID gives readers before 1.13, to whom service_id is never null, the
// id of the host's service.
func (s Source) fillServiceID(data map[string]any, _ object.Lowering) error {
	if data["service_id"] != nil {
		return nil
	}
	data["service_id"] = noService
	host, ok := data["host"].(string)
	if !ok || s.ServiceID == nil {
		return nil
	}
	if id, ok := s.ServiceID(host); ok {
		data["service_id"] = id
	}
	return nil
}
