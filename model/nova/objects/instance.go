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
	ID                     object.Field[int64]
	UserID                 object.Field[string]
	ProjectID              object.Field[string]
	ImageRef               object.Field[string]
	KernelID               object.Field[string]
	RamdiskID              object.Field[string]
	Hostname               object.Field[string]
	LaunchIndex            object.Field[int64]
	KeyName                object.Field[string]
	KeyData                object.Field[string]
	PowerState             object.Field[int64]
	VMState                object.Field[string]
	TaskState              object.Field[string]
	Services               object.Field[*ServiceList]
	MemoryMB               object.Field[int64] // MiB
	VCPUs                  object.Field[int64]
	RootGB                 object.Field[int64] // GiB
	EphemeralGB            object.Field[int64] // GiB
	EphemeralKeyUUID       object.Field[uuid.UUID]
	Host                   object.Field[string]
	Node                   object.Field[string]
	ComputeID              object.Field[int64]
	InstanceTypeID         object.Field[int64]
	UserData               object.Field[string]
	ReservationID          object.Field[string]
	LaunchedAt             object.Field[time.Time]
	TerminatedAt           object.Field[time.Time]
	AvailabilityZone       object.Field[string]
	DisplayName            object.Field[string]
	DisplayDescription     object.Field[string]
	LaunchedOn             object.Field[string]
	Locked                 object.Field[bool]
	LockedBy               object.Field[string]
	OSType                 object.Field[string]
	Architecture           object.Field[string]
	VMMode                 object.Field[string]
	UUID                   object.Field[uuid.UUID]
	RootDeviceName         object.Field[string]
	DefaultEphemeralDevice object.Field[string]
	DefaultSwapDevice      object.Field[string]
	ConfigDrive            object.Field[string]
	AccessIPv4             object.Field[netip.Addr]
	AccessIPv6             object.Field[netip.Addr]
	AutoDiskConfig         object.Field[bool]
	Progress               object.Field[int64]
	ShutdownTerminate      object.Field[bool]
	DisableTerminate       object.Field[bool]
	CellName               object.Field[string]
	Metadata               object.Field[map[string]string]
	SystemMetadata         object.Field[map[string]*string]
	InfoCache              object.Field[*InstanceInfoCache]
	SecurityGroups         object.Field[*SecurityGroupList]
	Fault                  object.Field[*InstanceFault]
	Cleaned                object.Field[bool]
	PciDevices             object.Field[*PciDeviceList]
	NUMATopology           object.Field[*InstanceNUMATopology]
	PciRequests            object.Field[*InstancePCIRequests]
	DeviceMetadata         object.Field[*InstanceDeviceMetadata]
	Tags                   object.Field[*TagList]
	Flavor                 object.Field[*Flavor]
	OldFlavor              object.Field[*Flavor]
	NewFlavor              object.Field[*Flavor]
	VCPUModel              object.Field[*VirtCPUModel]
	EC2IDs                 object.Field[*EC2Ids]
	MigrationContext       object.Field[*MigrationContext]
	Keypairs               object.Field[*KeyPairList]
	TrustedCerts           object.Field[*TrustedCerts]
	Hidden                 object.Field[bool]
	Resources              object.Field[*ResourceList]
}

// NewInstance returns an Instance with nothing set.
func NewInstance() *Instance {
	i := new(Instance)
	i.Bind("Instance", append(i.Members(i.columns()...), i.parts()...)...)
	return i
}

// columns returns the fields that hold plain values.
func (i *Instance) columns() []object.Member {
	return []object.Member{
		i.ID.As("id", object.Integer{}),
		i.UserID.As("user_id", object.String{}, object.Nullable),
		i.ProjectID.As("project_id", object.String{}, object.Nullable),
		i.ImageRef.As("image_ref", object.String{}, object.Nullable),
		i.KernelID.As("kernel_id", object.String{}, object.Nullable),
		i.RamdiskID.As("ramdisk_id", object.String{}, object.Nullable),
		i.Hostname.As("hostname", object.String{}, object.Nullable),
		i.LaunchIndex.As("launch_index", object.Integer{}, object.Nullable),
		i.KeyName.As("key_name", object.String{}, object.Nullable),
		i.KeyData.As("key_data", object.String{}, object.Nullable),
		i.PowerState.As("power_state", object.Integer{}, object.Nullable),
		i.VMState.As("vm_state", object.String{}, object.Nullable),
		i.TaskState.As("task_state", object.String{}, object.Nullable),
		i.MemoryMB.As("memory_mb", object.Integer{}, object.Nullable),
		i.VCPUs.As("vcpus", object.Integer{}, object.Nullable),
		i.RootGB.As("root_gb", object.Integer{}, object.Nullable),
		i.EphemeralGB.As("ephemeral_gb", object.Integer{}, object.Nullable),
		i.EphemeralKeyUUID.As("ephemeral_key_uuid", object.UUID{}, object.Nullable),
		i.Host.As("host", object.String{}, object.Nullable),
		i.Node.As("node", object.String{}, object.Nullable),
		i.ComputeID.As("compute_id", object.Integer{}, object.Nullable),
		i.InstanceTypeID.As("instance_type_id", object.Integer{}, object.Nullable),
		i.UserData.As("user_data", object.String{}, object.Nullable),
		i.ReservationID.As("reservation_id", object.String{}, object.Nullable),
		i.LaunchedAt.As("launched_at", object.DateTime{}, object.Nullable),
		i.TerminatedAt.As("terminated_at", object.DateTime{}, object.Nullable),
		i.AvailabilityZone.As("availability_zone", object.String{}, object.Nullable),
		i.DisplayName.As("display_name", object.String{}, object.Nullable),
		i.DisplayDescription.As("display_description", object.String{}, object.Nullable),
		i.LaunchedOn.As("launched_on", object.String{}, object.Nullable),
		i.Locked.AsDefault("locked", object.Boolean{}, false),
		i.LockedBy.As("locked_by", object.String{}, object.Nullable),
		i.OSType.As("os_type", object.String{}, object.Nullable),
		i.Architecture.As("architecture", object.String{}, object.Nullable),
		i.VMMode.As("vm_mode", object.String{}, object.Nullable),
		i.UUID.As("uuid", object.UUID{}),
		i.RootDeviceName.As("root_device_name", object.String{}, object.Nullable),
		i.DefaultEphemeralDevice.As("default_ephemeral_device", object.String{}, object.Nullable),
		i.DefaultSwapDevice.As("default_swap_device", object.String{}, object.Nullable),
		i.ConfigDrive.As("config_drive", object.String{}, object.Nullable),
		i.AccessIPv4.As("access_ip_v4", object.IPAddress{Version: 4}, object.Nullable),
		i.AccessIPv6.As("access_ip_v6", object.IPAddress{Version: 6}, object.Nullable),
		i.AutoDiskConfig.AsDefault("auto_disk_config", object.Boolean{}, false),
		i.Progress.As("progress", object.Integer{}, object.Nullable),
		i.ShutdownTerminate.AsDefault("shutdown_terminate", object.Boolean{}, false),
		i.DisableTerminate.AsDefault("disable_terminate", object.Boolean{}, false),
		i.CellName.As("cell_name", object.String{}, object.Nullable),
		i.Metadata.As("metadata", stringDict()),
		i.SystemMetadata.As("system_metadata", nullableDict()),
		i.Cleaned.AsDefault("cleaned", object.Boolean{}, false),
		i.Hidden.AsDefault("hidden", object.Boolean{}, false),
	}
}

// parts returns the fields that hold objects.
func (i *Instance) parts() []object.Member {
	return []object.Member{
		i.Services.As("services", one[*ServiceList]("ServiceList")),
		i.InfoCache.As("info_cache", one[*InstanceInfoCache]("InstanceInfoCache"), object.Nullable),
		i.SecurityGroups.As("security_groups", one[*SecurityGroupList]("SecurityGroupList")),
		i.Fault.As("fault", one[*InstanceFault]("InstanceFault"), object.Nullable),
		i.PciDevices.As("pci_devices", one[*PciDeviceList]("PciDeviceList"), object.Nullable),
		i.NUMATopology.As("numa_topology", one[*InstanceNUMATopology]("InstanceNUMATopology"), object.Nullable),
		i.PciRequests.As("pci_requests", one[*InstancePCIRequests]("InstancePCIRequests"), object.Nullable),
		i.DeviceMetadata.As("device_metadata", one[*InstanceDeviceMetadata]("InstanceDeviceMetadata"), object.Nullable),
		i.Tags.As("tags", one[*TagList]("TagList")),
		i.Flavor.As("flavor", one[*Flavor]("Flavor")),
		i.OldFlavor.As("old_flavor", one[*Flavor]("Flavor"), object.Nullable),
		i.NewFlavor.As("new_flavor", one[*Flavor]("Flavor"), object.Nullable),
		i.VCPUModel.As("vcpu_model", one[*VirtCPUModel]("VirtCPUModel"), object.Nullable),
		i.EC2IDs.As("ec2_ids", one[*EC2Ids]("EC2Ids")),
		i.MigrationContext.As("migration_context", one[*MigrationContext]("MigrationContext"), object.Nullable),
		i.Keypairs.As("keypairs", one[*KeyPairList]("KeyPairList")),
		i.TrustedCerts.As("trusted_certs", one[*TrustedCerts]("TrustedCerts"), object.Nullable),
		i.Resources.As("resources", one[*ResourceList]("ResourceList"), object.Nullable),
	}
}

// InstanceList is a list of instances.
type InstanceList struct{ object.Sequence[*Instance] }

func instanceClasses() []object.Class {
	return []object.Class{
		class(NewInstance, "Instance", 2,
			first(),
			adds("services"),
			adds("keypairs"),
			adds("device_metadata"),
			adds("trusted_certs"),
			why("added hard_delete to destroy"),
			adds("hidden"),
			adds("resources"),
			adds("compute_id"),
		),
		list[*InstanceList]("Instance", 2,
			first(),
			why("added get_uuids_by_host"),
			why("added pages to get_active_by_window_joined"),
			why("added get_count_by_vm_state"),
			why("added get_counts"),
			why("added get_uuids_by_host_and_node"),
			why("added get_uuids_by_hosts"),
		),
	}
}
