package object

import (
	"encoding/json"
	"net/netip"
	"time"

	"github.com/google/uuid"
)

// Persistent is embedded in the objects that are rows of Nova's database.
//
// Source: nova/objects/base.py, NovaPersistentObject.
type Persistent struct {
	CreatedAt Field[*time.Time] `json:"created_at,omitzero"`
	UpdatedAt Field[*time.Time] `json:"updated_at,omitzero"`
	DeletedAt Field[*time.Time] `json:"deleted_at,omitzero"`
	Deleted   Field[bool]       `json:"deleted,omitzero"`
}

// ComputeNode is a hypervisor as its nova-compute reports it.
//
// Source: nova/objects/compute_node.py.
type ComputeNode struct {
	Persistent
	ID                  Field[int64]                        `json:"id,omitzero"`
	UUID                Field[uuid.UUID]                    `json:"uuid,omitzero"`
	ServiceID           Field[*int64]                       `json:"service_id,omitzero"`
	Host                Field[*string]                      `json:"host,omitzero"`
	VCPUs               Field[int64]                        `json:"vcpus,omitzero"`
	MemoryMB            Field[int64]                        `json:"memory_mb,omitzero"` // MiB
	LocalGB             Field[int64]                        `json:"local_gb,omitzero"`  // GiB
	VCPUsUsed           Field[int64]                        `json:"vcpus_used,omitzero"`
	MemoryMBUsed        Field[int64]                        `json:"memory_mb_used,omitzero"`
	LocalGBUsed         Field[int64]                        `json:"local_gb_used,omitzero"`
	HypervisorType      Field[string]                       `json:"hypervisor_type,omitzero"`
	HypervisorVersion   Field[int64]                        `json:"hypervisor_version,omitzero"`
	HypervisorHostname  Field[*string]                      `json:"hypervisor_hostname,omitzero"`
	FreeRAMMB           Field[*int64]                       `json:"free_ram_mb,omitzero"`
	FreeDiskGB          Field[*int64]                       `json:"free_disk_gb,omitzero"`
	CurrentWorkload     Field[*int64]                       `json:"current_workload,omitzero"`
	RunningVMs          Field[*int64]                       `json:"running_vms,omitzero"`
	CPUInfo             Field[*string]                      `json:"cpu_info,omitzero"`             // JSON
	DiskAvailableLeast  Field[*int64]                       `json:"disk_available_least,omitzero"` // GiB
	Metrics             Field[*string]                      `json:"metrics,omitzero"`              // JSON
	Stats               Field[*map[string]*string]          `json:"stats,omitzero"`
	HostIP              Field[*netip.Addr]                  `json:"host_ip,omitzero"`
	NUMATopology        Field[*string]                      `json:"numa_topology,omitzero"` // JSON
	SupportedHVSpecs    Field[[]Envelope[HVSpec]]           `json:"supported_hv_specs,omitzero"`
	PciDevicePools      Field[*Envelope[PciDevicePoolList]] `json:"pci_device_pools,omitzero"`
	CPUAllocationRatio  Field[float64]                      `json:"cpu_allocation_ratio,omitzero"`
	RAMAllocationRatio  Field[float64]                      `json:"ram_allocation_ratio,omitzero"`
	DiskAllocationRatio Field[float64]                      `json:"disk_allocation_ratio,omitzero"`
	Mapped              Field[int64]                        `json:"mapped,omitzero"`
}

// HVSpec is a combination of processor, hypervisor and mode that a compute node can run.
//
// Source: nova/objects/hv_spec.py.
type HVSpec struct {
	Arch   Field[string] `json:"arch,omitzero"`
	HVType Field[string] `json:"hv_type,omitzero"`
	VMMode Field[string] `json:"vm_mode,omitzero"`
}

// PciDevicePool counts the free PCI devices of a compute node that are alike.
//
// Source: nova/objects/pci_device_pool.py.
type PciDevicePool struct {
	ProductID Field[string]             `json:"product_id,omitzero"` // four hexadecimal digits in lower case
	VendorID  Field[string]             `json:"vendor_id,omitzero"`  // four hexadecimal digits in lower case
	NUMANode  Field[*int64]             `json:"numa_node,omitzero"`
	Tags      Field[map[string]*string] `json:"tags,omitzero"` // dev_type, and what the device spec says
	Count     Field[int64]              `json:"count,omitzero"`
}

// PciDevicePoolList is all pools of a compute node.
type PciDevicePoolList struct {
	Objects Field[[]Envelope[PciDevicePool]] `json:"objects,omitzero"`
}

// Flavor is a size that instances may have.
//
// Source: nova/objects/flavor.py.
type Flavor struct {
	Persistent
	ID          Field[int64]             `json:"id,omitzero"`
	Name        Field[*string]           `json:"name,omitzero"`
	MemoryMB    Field[int64]             `json:"memory_mb,omitzero"` // MiB
	VCPUs       Field[int64]             `json:"vcpus,omitzero"`
	RootGB      Field[int64]             `json:"root_gb,omitzero"`      // GiB
	EphemeralGB Field[int64]             `json:"ephemeral_gb,omitzero"` // GiB
	FlavorID    Field[string]            `json:"flavorid,omitzero"`
	Swap        Field[int64]             `json:"swap,omitzero"` // MiB
	RxTxFactor  Field[*float64]          `json:"rxtx_factor,omitzero"`
	VCPUWeight  Field[*int64]            `json:"vcpu_weight,omitzero"`
	Disabled    Field[bool]              `json:"disabled,omitzero"`
	IsPublic    Field[bool]              `json:"is_public,omitzero"`
	ExtraSpecs  Field[map[string]string] `json:"extra_specs,omitzero"`
	Projects    Field[[]string]          `json:"projects,omitzero"`
	Description Field[*string]           `json:"description,omitzero"`
}

// Instance is a server. Objects of other classes in it are sent on as they came.
//
// Source: nova/objects/instance.py.
type Instance struct {
	Persistent
	ID                     Field[int64]              `json:"id,omitzero"`
	UserID                 Field[*string]            `json:"user_id,omitzero"`
	ProjectID              Field[*string]            `json:"project_id,omitzero"`
	ImageRef               Field[*string]            `json:"image_ref,omitzero"`
	KernelID               Field[*string]            `json:"kernel_id,omitzero"`
	RamdiskID              Field[*string]            `json:"ramdisk_id,omitzero"`
	Hostname               Field[*string]            `json:"hostname,omitzero"`
	LaunchIndex            Field[*int64]             `json:"launch_index,omitzero"`
	KeyName                Field[*string]            `json:"key_name,omitzero"`
	KeyData                Field[*string]            `json:"key_data,omitzero"`
	PowerState             Field[*int64]             `json:"power_state,omitzero"`
	VMState                Field[*string]            `json:"vm_state,omitzero"`
	TaskState              Field[*string]            `json:"task_state,omitzero"`
	Services               Field[json.RawMessage]    `json:"services,omitzero"`
	MemoryMB               Field[*int64]             `json:"memory_mb,omitzero"` // MiB
	VCPUs                  Field[*int64]             `json:"vcpus,omitzero"`
	RootGB                 Field[*int64]             `json:"root_gb,omitzero"`      // GiB
	EphemeralGB            Field[*int64]             `json:"ephemeral_gb,omitzero"` // GiB
	EphemeralKeyUUID       Field[*uuid.UUID]         `json:"ephemeral_key_uuid,omitzero"`
	Host                   Field[*string]            `json:"host,omitzero"`
	Node                   Field[*string]            `json:"node,omitzero"`
	ComputeID              Field[*int64]             `json:"compute_id,omitzero"`
	InstanceTypeID         Field[*int64]             `json:"instance_type_id,omitzero"`
	UserData               Field[*string]            `json:"user_data,omitzero"`
	ReservationID          Field[*string]            `json:"reservation_id,omitzero"`
	LaunchedAt             Field[*time.Time]         `json:"launched_at,omitzero"`
	TerminatedAt           Field[*time.Time]         `json:"terminated_at,omitzero"`
	AvailabilityZone       Field[*string]            `json:"availability_zone,omitzero"`
	DisplayName            Field[*string]            `json:"display_name,omitzero"`
	DisplayDescription     Field[*string]            `json:"display_description,omitzero"`
	LaunchedOn             Field[*string]            `json:"launched_on,omitzero"`
	Locked                 Field[bool]               `json:"locked,omitzero"`
	LockedBy               Field[*string]            `json:"locked_by,omitzero"`
	OSType                 Field[*string]            `json:"os_type,omitzero"`
	Architecture           Field[*string]            `json:"architecture,omitzero"`
	VMMode                 Field[*string]            `json:"vm_mode,omitzero"`
	UUID                   Field[uuid.UUID]          `json:"uuid,omitzero"`
	RootDeviceName         Field[*string]            `json:"root_device_name,omitzero"`
	DefaultEphemeralDevice Field[*string]            `json:"default_ephemeral_device,omitzero"`
	DefaultSwapDevice      Field[*string]            `json:"default_swap_device,omitzero"`
	ConfigDrive            Field[*string]            `json:"config_drive,omitzero"`
	AccessIPv4             Field[*netip.Addr]        `json:"access_ip_v4,omitzero"`
	AccessIPv6             Field[*netip.Addr]        `json:"access_ip_v6,omitzero"`
	AutoDiskConfig         Field[bool]               `json:"auto_disk_config,omitzero"`
	Progress               Field[*int64]             `json:"progress,omitzero"`
	ShutdownTerminate      Field[bool]               `json:"shutdown_terminate,omitzero"`
	DisableTerminate       Field[bool]               `json:"disable_terminate,omitzero"`
	CellName               Field[*string]            `json:"cell_name,omitzero"`
	Metadata               Field[map[string]string]  `json:"metadata,omitzero"`
	SystemMetadata         Field[map[string]*string] `json:"system_metadata,omitzero"`
	InfoCache              Field[json.RawMessage]    `json:"info_cache,omitzero"`
	SecurityGroups         Field[json.RawMessage]    `json:"security_groups,omitzero"`
	Fault                  Field[json.RawMessage]    `json:"fault,omitzero"`
	Cleaned                Field[bool]               `json:"cleaned,omitzero"`
	PciDevices             Field[json.RawMessage]    `json:"pci_devices,omitzero"`
	NUMATopology           Field[json.RawMessage]    `json:"numa_topology,omitzero"`
	PciRequests            Field[json.RawMessage]    `json:"pci_requests,omitzero"`
	DeviceMetadata         Field[json.RawMessage]    `json:"device_metadata,omitzero"`
	Tags                   Field[json.RawMessage]    `json:"tags,omitzero"`
	Flavor                 Field[*Envelope[Flavor]]  `json:"flavor,omitzero"`
	OldFlavor              Field[*Envelope[Flavor]]  `json:"old_flavor,omitzero"`
	NewFlavor              Field[*Envelope[Flavor]]  `json:"new_flavor,omitzero"`
	VCPUModel              Field[json.RawMessage]    `json:"vcpu_model,omitzero"`
	EC2IDs                 Field[json.RawMessage]    `json:"ec2_ids,omitzero"`
	MigrationContext       Field[json.RawMessage]    `json:"migration_context,omitzero"`
	Keypairs               Field[json.RawMessage]    `json:"keypairs,omitzero"`
	TrustedCerts           Field[json.RawMessage]    `json:"trusted_certs,omitzero"`
	Hidden                 Field[bool]               `json:"hidden,omitzero"`
	Resources              Field[json.RawMessage]    `json:"resources,omitzero"`
}

// Migration is a move of an instance from one host to another, or to another flavor.
//
// Source: nova/objects/migration.py.
type Migration struct {
	Persistent
	ID                Field[int64]     `json:"id,omitzero"`
	UUID              Field[uuid.UUID] `json:"uuid,omitzero"`
	SourceCompute     Field[*string]   `json:"source_compute,omitzero"`
	DestCompute       Field[*string]   `json:"dest_compute,omitzero"`
	SourceNode        Field[*string]   `json:"source_node,omitzero"`
	DestNode          Field[*string]   `json:"dest_node,omitzero"`
	DestComputeID     Field[*int64]    `json:"dest_compute_id,omitzero"`
	DestHost          Field[*string]   `json:"dest_host,omitzero"` // address
	OldInstanceTypeID Field[*int64]    `json:"old_instance_type_id,omitzero"`
	NewInstanceTypeID Field[*int64]    `json:"new_instance_type_id,omitzero"`
	InstanceUUID      Field[*string]   `json:"instance_uuid,omitzero"`
	Status            Field[*string]   `json:"status,omitzero"`
	MigrationType     Field[string]    `json:"migration_type,omitzero"`
	Hidden            Field[bool]      `json:"hidden,omitzero"`
	MemoryTotal       Field[*int64]    `json:"memory_total,omitzero"` // bytes, as all six
	MemoryProcessed   Field[*int64]    `json:"memory_processed,omitzero"`
	MemoryRemaining   Field[*int64]    `json:"memory_remaining,omitzero"`
	DiskTotal         Field[*int64]    `json:"disk_total,omitzero"`
	DiskProcessed     Field[*int64]    `json:"disk_processed,omitzero"`
	DiskRemaining     Field[*int64]    `json:"disk_remaining,omitzero"`
	CrossCellMove     Field[bool]      `json:"cross_cell_move,omitzero"`
	UserID            Field[*string]   `json:"user_id,omitzero"`
	ProjectID         Field[*string]   `json:"project_id,omitzero"`
}

// Service is one running Nova process that reports that it is up.
//
// Source: nova/objects/service.py.
type Service struct {
	Persistent
	ID               Field[int64]                 `json:"id,omitzero"`
	UUID             Field[uuid.UUID]             `json:"uuid,omitzero"`
	Host             Field[*string]               `json:"host,omitzero"`
	Binary           Field[*string]               `json:"binary,omitzero"` // such as nova-compute
	Topic            Field[*string]               `json:"topic,omitzero"`
	ReportCount      Field[int64]                 `json:"report_count,omitzero"`
	Disabled         Field[bool]                  `json:"disabled,omitzero"`
	DisabledReason   Field[*string]               `json:"disabled_reason,omitzero"`
	AvailabilityZone Field[*string]               `json:"availability_zone,omitzero"`
	ComputeNode      Field[Envelope[ComputeNode]] `json:"compute_node,omitzero"`
	LastSeenUp       Field[*time.Time]            `json:"last_seen_up,omitzero"`
	ForcedDown       Field[bool]                  `json:"forced_down,omitzero"`
	ServiceVersion   Field[int64]                 `json:"version,omitzero"` // of the release, see the minimum version gate
}

// ResourceProvider is something that provides resources, as Nova knew it while
// Placement was a part of it: by its name and its generation, which lets writers
// notice each other.
//
// Source: nova/objects/resource_provider.py of Ocata, as the two classes below.
type ResourceProvider struct {
	ID         Field[int64]     `json:"id,omitzero"`
	UUID       Field[uuid.UUID] `json:"uuid,omitzero"`
	Name       Field[string]    `json:"name,omitzero"`
	Generation Field[int64]     `json:"generation,omitzero"`
}

// Inventory is how much of one resource class a provider has.
type Inventory struct {
	ID               Field[int64]                      `json:"id,omitzero"`
	ResourceProvider Field[Envelope[ResourceProvider]] `json:"resource_provider,omitzero"`
	ResourceClass    Field[string]                     `json:"resource_class,omitzero"`
	Total            Field[int64]                      `json:"total,omitzero"` // units of the class, as all but the ratio
	Reserved         Field[int64]                      `json:"reserved,omitzero"`
	MinUnit          Field[int64]                      `json:"min_unit,omitzero"`
	MaxUnit          Field[int64]                      `json:"max_unit,omitzero"`
	StepSize         Field[int64]                      `json:"step_size,omitzero"`
	AllocationRatio  Field[float64]                    `json:"allocation_ratio,omitzero"`
}

// Allocation is how much of one resource class of a provider a consumer has.
type Allocation struct {
	ID               Field[int64]                      `json:"id,omitzero"`
	ResourceProvider Field[Envelope[ResourceProvider]] `json:"resource_provider,omitzero"`
	ConsumerID       Field[uuid.UUID]                  `json:"consumer_id,omitzero"`
	ResourceClass    Field[string]                     `json:"resource_class,omitzero"`
	Used             Field[int64]                      `json:"used,omitzero"` // units of the class
}
