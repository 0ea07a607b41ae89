package objects

import (
	"net/netip"

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
	ID                  object.Field[int64]
	UUID                object.Field[uuid.UUID]
	ServiceID           object.Field[int64]
	Host                object.Field[string]
	VCPUs               object.Field[int64]
	MemoryMB            object.Field[int64] // MiB
	LocalGB             object.Field[int64] // GiB
	VCPUsUsed           object.Field[int64]
	MemoryMBUsed        object.Field[int64]
	LocalGBUsed         object.Field[int64]
	HypervisorType      object.Field[string]
	HypervisorVersion   object.Field[int64]
	HypervisorHostname  object.Field[string]
	FreeRAMMB           object.Field[int64]
	FreeDiskGB          object.Field[int64]
	CurrentWorkload     object.Field[int64]
	RunningVMs          object.Field[int64]
	CPUInfo             object.Field[string] // JSON
	DiskAvailableLeast  object.Field[int64]  // GiB
	Metrics             object.Field[string] // JSON
	Stats               object.Field[map[string]*string]
	HostIP              object.Field[netip.Addr]
	NUMATopology        object.Field[string] // JSON
	SupportedHVSpecs    object.Field[[]*HVSpec]
	PciDevicePools      object.Field[*PciDevicePoolList]
	CPUAllocationRatio  object.Field[float64]
	RAMAllocationRatio  object.Field[float64]
	DiskAllocationRatio object.Field[float64]
	Mapped              object.Field[int64]
}

// NewComputeNode returns a ComputeNode with nothing set.
func NewComputeNode() *ComputeNode {
	c := new(ComputeNode)
	c.Bind("ComputeNode", c.Members(
		c.ID.As("id", object.Integer{}, object.ReadOnly),
		c.UUID.As("uuid", object.UUID{}, object.ReadOnly),
		c.ServiceID.As("service_id", object.Integer{}, object.Nullable),
		c.Host.As("host", object.String{}, object.Nullable),
		c.VCPUs.As("vcpus", object.Integer{}),
		c.MemoryMB.As("memory_mb", object.Integer{}),
		c.LocalGB.As("local_gb", object.Integer{}),
		c.VCPUsUsed.As("vcpus_used", object.Integer{}),
		c.MemoryMBUsed.As("memory_mb_used", object.Integer{}),
		c.LocalGBUsed.As("local_gb_used", object.Integer{}),
		c.HypervisorType.As("hypervisor_type", object.String{}),
		c.HypervisorVersion.As("hypervisor_version", object.Integer{}),
		c.HypervisorHostname.As("hypervisor_hostname", object.String{}, object.Nullable),
		c.FreeRAMMB.As("free_ram_mb", object.Integer{}, object.Nullable),
		c.FreeDiskGB.As("free_disk_gb", object.Integer{}, object.Nullable),
		c.CurrentWorkload.As("current_workload", object.Integer{}, object.Nullable),
		c.RunningVMs.As("running_vms", object.Integer{}, object.Nullable),
		c.CPUInfo.As("cpu_info", object.String{}, object.Nullable),
		c.DiskAvailableLeast.As("disk_available_least", object.Integer{}, object.Nullable),
		c.Metrics.As("metrics", object.String{}, object.Nullable),
		c.Stats.As("stats", nullableDict(), object.Nullable),
		c.HostIP.As("host_ip", object.IPAddress{}, object.Nullable),
		c.NUMATopology.As("numa_topology", object.String{}, object.Nullable),
		c.SupportedHVSpecs.As("supported_hv_specs", object.ListOf[*HVSpec]("HVSpec")),
		c.PciDevicePools.As("pci_device_pools", one[*PciDevicePoolList]("PciDevicePoolList"), object.Nullable),
		c.CPUAllocationRatio.As("cpu_allocation_ratio", object.Float{}),
		c.RAMAllocationRatio.As("ram_allocation_ratio", object.Float{}),
		c.DiskAllocationRatio.As("disk_allocation_ratio", object.Float{}),
		c.Mapped.As("mapped", object.Integer{}),
	)...)
	return c
}

// ComputeNodeList is a list of compute nodes.
type ComputeNodeList struct{ object.Sequence[*ComputeNode] }

// RequiredAtCreate returns the fields that a compute node must have to be
// created.
func (c *ComputeNode) RequiredAtCreate() []string {
	return []string{
		"vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used",
		"hypervisor_type", "hypervisor_version",
	}
}

// DeriveUUID returns a uuid for a compute node without one. It is always the
// same for a host and node name, so that two readers of one old row agree.
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

// ReadAs makes c the compute node of a row that was written in the given version of
// the class; "" stands for today's. Errors are those of object.Header.ReadAs.
func (c *ComputeNode) ReadAs(version string) error {
	if version == "" {
		return nil
	}
	return c.Header.ReadAs(computeNodeClass(Source{}), version)
}

// ObjectVersion returns the version of the class in which c is written.
func (c *ComputeNode) ObjectVersion() versioned.Version {
	if v, ok := c.ReadVersion(); ok {
		return v
	}
	return computeNodeClass(Source{}).Version()
}

func computeNodeClass(source Source) object.Class {
	return class(NewComputeNode, "ComputeNode", 1,
		first(),
		why("added get_by_service_id"),
		unicode(),
		adds("stats"),
		adds("host_ip"),
		adds("numa_topology"),
		object.Note{Why: "added fields", Adds: []string{"supported_hv_specs"}, Pins: object.Manifest{"HVSpec": "1.0"}},
		adds("host"),
		why("added get_by_host_and_nodename"),
		object.Note{Why: "added fields", Adds: []string{"pci_device_pools"}, Pins: object.Manifest{"PciDevicePoolList": "1.0"}},
		why("added get_first_node_by_host_for_old_compat"),
		pins("PciDevicePoolList", "1.1"),
		pins("HVSpec", "1.1"),
		object.Note{Why: "service_id may be null", Lower: source.fillServiceID},
		adds("cpu_allocation_ratio", "ram_allocation_ratio"),
		adds("uuid"),
		adds("disk_allocation_ratio"),
		adds("mapped"),
		why("added get_by_uuid"),
		why("added get_by_nodename"),
	)
}

func computeNodeClasses(source Source) []object.Class {
	return []object.Class{
		computeNodeClass(source),
		list[*ComputeNodeList]("ComputeNode", 1,
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
		),
		hvSpecClass(),
	}
}

// noService is the service_id for readers that demand one where there is none:
// no service has it, so that looking it up fails as not found.
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
