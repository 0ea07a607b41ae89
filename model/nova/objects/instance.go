package objects

import (
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// Instance is a server.
//
// Source: nova/objects/instance.py.
type Instance struct {
	object.Header
	object.Persistent
	ID                     object.Field[int64]                   `field:"id"`
	UserID                 object.Field[string]                  `field:"user_id,null"`
	ProjectID              object.Field[string]                  `field:"project_id,null"`
	ImageRef               object.Field[string]                  `field:"image_ref,null"`
	KernelID               object.Field[string]                  `field:"kernel_id,null"`
	RamdiskID              object.Field[string]                  `field:"ramdisk_id,null"`
	Hostname               object.Field[string]                  `field:"hostname,null"`
	LaunchIndex            object.Field[int64]                   `field:"launch_index,null"`
	KeyName                object.Field[string]                  `field:"key_name,null"`
	KeyData                object.Field[string]                  `field:"key_data,null"`
	PowerState             object.Field[int64]                   `field:"power_state,null"`
	VMState                object.Field[string]                  `field:"vm_state,null"`
	TaskState              object.Field[string]                  `field:"task_state,null"`
	Services               object.Field[*ServiceList]            `field:"services"`
	MemoryMB               object.Field[int64]                   `field:"memory_mb,null"` // MiB
	VCPUs                  object.Field[int64]                   `field:"vcpus,null"`
	RootGB                 object.Field[int64]                   `field:"root_gb,null"`      // GiB
	EphemeralGB            object.Field[int64]                   `field:"ephemeral_gb,null"` // GiB
	EphemeralKeyUUID       object.Field[uuid.UUID]               `field:"ephemeral_key_uuid,null"`
	Host                   object.Field[string]                  `field:"host,null"`
	Node                   object.Field[string]                  `field:"node,null"`
	ComputeID              object.Field[int64]                   `field:"compute_id,null"`
	InstanceTypeID         object.Field[int64]                   `field:"instance_type_id,null"`
	UserData               object.Field[string]                  `field:"user_data,null"`
	ReservationID          object.Field[string]                  `field:"reservation_id,null"`
	LaunchedAt             object.Field[time.Time]               `field:"launched_at,null"`
	TerminatedAt           object.Field[time.Time]               `field:"terminated_at,null"`
	AvailabilityZone       object.Field[string]                  `field:"availability_zone,null"`
	DisplayName            object.Field[string]                  `field:"display_name,null"`
	DisplayDescription     object.Field[string]                  `field:"display_description,null"`
	LaunchedOn             object.Field[string]                  `field:"launched_on,null"`
	Locked                 object.Field[bool]                    `field:"locked,default=false"`
	LockedBy               object.Field[string]                  `field:"locked_by,null"`
	OSType                 object.Field[string]                  `field:"os_type,null"`
	Architecture           object.Field[string]                  `field:"architecture,null"`
	VMMode                 object.Field[string]                  `field:"vm_mode,null"`
	UUID                   object.Field[uuid.UUID]               `field:"uuid"`
	RootDeviceName         object.Field[string]                  `field:"root_device_name,null"`
	DefaultEphemeralDevice object.Field[string]                  `field:"default_ephemeral_device,null"`
	DefaultSwapDevice      object.Field[string]                  `field:"default_swap_device,null"`
	ConfigDrive            object.Field[string]                  `field:"config_drive,null"`
	AccessIPv4             object.Field[netip.Addr]              `field:"access_ip_v4,null"`
	AccessIPv6             object.Field[netip.Addr]              `field:"access_ip_v6,null"`
	AutoDiskConfig         object.Field[bool]                    `field:"auto_disk_config,default=false"`
	Progress               object.Field[int64]                   `field:"progress,null"`
	ShutdownTerminate      object.Field[bool]                    `field:"shutdown_terminate,default=false"`
	DisableTerminate       object.Field[bool]                    `field:"disable_terminate,default=false"`
	CellName               object.Field[string]                  `field:"cell_name,null"`
	Metadata               object.Field[map[string]string]       `field:"metadata"`
	SystemMetadata         object.Field[map[string]*string]      `field:"system_metadata"`
	InfoCache              object.Field[*InstanceInfoCache]      `field:"info_cache,null"`
	SecurityGroups         object.Field[*SecurityGroupList]      `field:"security_groups"`
	Fault                  object.Field[*InstanceFault]          `field:"fault,null"`
	Cleaned                object.Field[bool]                    `field:"cleaned,default=false"`
	PciDevices             object.Field[*PciDeviceList]          `field:"pci_devices,null"`
	NUMATopology           object.Field[*InstanceNUMATopology]   `field:"numa_topology,null"`
	PciRequests            object.Field[*InstancePCIRequests]    `field:"pci_requests,null"`
	DeviceMetadata         object.Field[*InstanceDeviceMetadata] `field:"device_metadata,null"`
	Tags                   object.Field[*TagList]                `field:"tags"`
	Flavor                 object.Field[*Flavor]                 `field:"flavor"`
	OldFlavor              object.Field[*Flavor]                 `field:"old_flavor,null"`
	NewFlavor              object.Field[*Flavor]                 `field:"new_flavor,null"`
	VCPUModel              object.Field[*VirtCPUModel]           `field:"vcpu_model,null"`
	EC2IDs                 object.Field[*EC2Ids]                 `field:"ec2_ids"`
	MigrationContext       object.Field[*MigrationContext]       `field:"migration_context,null"`
	Keypairs               object.Field[*KeyPairList]            `field:"keypairs"`
	TrustedCerts           object.Field[*TrustedCerts]           `field:"trusted_certs,null"`
	Hidden                 object.Field[bool]                    `field:"hidden,default=false"`
	Resources              object.Field[*ResourceList]           `field:"resources,null"`
}

// NewInstance returns an Instance with nothing set.
func NewInstance() *Instance {
	i := new(Instance)
	i.AccessIPv4.Of(&object.IPAddress{Version: 4})
	i.AccessIPv6.Of(&object.IPAddress{Version: 6})
	return object.Bind(i, "Instance")
}

// InstanceList is a list of instances.
type InstanceList struct{ object.Sequence[*Instance] }

//nolint:gochecknoglobals // tables that nothing writes
var (
	instanceHistory = []object.Note{
		first(),
		adds("services"),
		adds("keypairs"),
		adds("device_metadata"),
		adds("trusted_certs"),
		why("added hard_delete to destroy"),
		adds("hidden"),
		adds("resources"),
		adds("compute_id"),
	}
	instanceListHistory = []object.Note{
		first(),
		why("added get_uuids_by_host"),
		why("added pages to get_active_by_window_joined"),
		why("added get_count_by_vm_state"),
		why("added get_counts"),
		why("added get_uuids_by_host_and_node"),
		why("added get_uuids_by_hosts"),
	}
)

func instanceClasses() []object.Class {
	return []object.Class{
		class(NewInstance, "Instance", 2, instanceHistory...),
		list[*InstanceList](2, instanceListHistory...),
	}
}
