package nova

import "github.com/placetop/placetop/model/placement"

// specs say what each extra spec and image property that changes a request becomes in it,
// but for those that name groups, which are read key by key. All others are Nova's or its
// drivers' own matter.
//
// Source: nova/scheduler/utils.py, ResourceRequest; nova/scheduler/request_filter.py;
// nova/virt/hardware.py; nova/api/validation/extra_specs; nova/objects/image_meta.py.
//
//nolint:gochecknoglobals // a table that nothing writes
var specs = []spec{
	// CPUs: VCPU, PCPU and HW_CPU_HYPERTHREADING together.
	{key: cpuPolicy, property: "hw_cpu_policy", values: []string{"shared", "dedicated", "mixed"}, becomes: becomesCPUs},
	{key: cpuDedicatedMask, becomes: becomesCPUs},
	{key: cpuThreadPolicy, property: "hw_cpu_thread_policy", values: []string{"prefer", "isolate", "require"}, becomes: becomesCPUs},
	{key: emulatorThreads, values: []string{"share", "isolate"}, becomes: becomesCPUs},
	{key: cpuRealtime, flag: true, becomes: becomesCPUs},
	{key: cpuRealtimeMask, property: cpuRealtimeProperty, becomes: becomesCPUs},

	// Resources.
	{key: memEncryption, property: "hw_mem_encryption", flag: true, becomes: becomesResource, class: "MEM_ENCRYPTION_CONTEXT"},
	{
		key: "hw:mem_encryption_model", property: "hw_mem_encryption_model", needs: memEncryption, fallback: "amd-sev", becomes: becomesTrait,
		values: []string{"amd-sev", "amd-sev-es", "amd-sev-snp", "intel-tdx"}, prefix: "HW_CPU_X86_",
	},
	{key: "hw:pmem", becomes: becomesResource, class: "CUSTOM_PMEM_NAMESPACE_"},

	// Traits in the un-suffixed group.
	{
		key: tpmVersion, property: "hw_tpm_version", becomes: becomesTrait,
		values: []string{"1.2", "2.0"}, prefix: "COMPUTE_SECURITY_TPM_",
	},
	{
		key: "hw:tpm_model", property: "hw_tpm_model", needs: tpmVersion, fallback: "tpm-tis", becomes: becomesTrait,
		values: []string{"tpm-tis", "tpm-crb"}, prefix: "COMPUTE_SECURITY_",
	},
	{key: "hw:maxphysaddr_mode", property: "hw_maxphysaddr_mode", becomes: becomesTrait, traits: map[string]placement.Trait{
		"passthrough": "COMPUTE_ADDRESS_SPACE_PASSTHROUGH", "emulate": "COMPUTE_ADDRESS_SPACE_EMULATED",
	}},
	{key: "hw:pci_numa_affinity_policy", property: "hw_pci_numa_affinity_policy", becomes: becomesTrait, traits: map[string]placement.Trait{
		"socket": "COMPUTE_SOCKET_PCI_NUMA_AFFINITY", "required": "", "preferred": "", "legacy": "",
	}},
	{key: "os:secure_boot", property: "os_secure_boot", becomes: becomesTrait, traits: map[string]placement.Trait{
		"required": "COMPUTE_SECURITY_UEFI_SECURE_BOOT", "disabled": "", "optional": "",
	}},
	{property: "hw_firmware_stateless", flag: true, uefi: true, becomes: becomesTrait, trait: "COMPUTE_SECURITY_STATELESS_FIRMWARE"},

	// Traits of the root, from pre-filters.
	{property: DiskFormat, becomes: becomesRootTrait, filter: FilterImageType, prefix: "COMPUTE_IMAGE_TYPE_"},
	{property: "hw_cdrom_bus", values: diskBuses, becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "COMPUTE_STORAGE_BUS_"},
	{property: "hw_disk_bus", values: diskBuses, becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "COMPUTE_STORAGE_BUS_"},
	{
		property: "hw_video_model", becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "COMPUTE_GRAPHICS_MODEL_",
		values: []string{"bochs", "cirrus", "gop", "none", "qxl", "vga", "virtio", "vmvga", "xen"},
	},
	{
		property: "hw_vif_model", becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "COMPUTE_NET_VIF_MODEL_",
		values: []string{"e1000", "e1000e", "igb", "lan9118", "ne2k_pci", "netfront", "pcnet", "rtl8139", "spapr-vlan", "sriov", "virtio", "vmxnet", "vmxnet3"},
		spelled: map[string]string{
			"virtuale1000": "e1000", "virtuale1000e": "e1000e", "virtualpcnet32": "pcnet",
			"virtualsriovethernetcard": "sriov", "virtualvmxnet": "vmxnet", "virtualvmxnet3": "vmxnet3",
		},
	},
	{
		property: "hw_architecture", legacy: "architecture", spelled: oldArchitectures,
		becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "HW_ARCH_",
	},
	{
		property: "hw_emulation_architecture", spelled: oldArchitectures,
		becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "COMPUTE_ARCH_",
	},
	// No such trait is in os-traits, whose names have MODEL in them: Nova's pre-filter does
	// nothing for an image with this property.
	{property: "hw_viommu_model", becomes: becomesRootTrait, filter: FilterImageMetadata, prefix: "COMPUTE_VIOMMU_"},
	{
		key: "hw:virtio_packed_ring", property: "hw_virtio_packed_ring", flag: true,
		becomes: becomesRootTrait, filter: FilterPackedRing, trait: "COMPUTE_NET_VIRTIO_PACKED",
	},
	{
		key: ephemeralEncryption, property: "hw_ephemeral_encryption", flag: true,
		becomes: becomesRootTrait, filter: FilterEphemeral, trait: "COMPUTE_EPHEMERAL_ENCRYPTION",
	},
	{
		key: "hw:ephemeral_encryption_format", property: "hw_ephemeral_encryption_format", needs: ephemeralEncryption,
		becomes: becomesRootTrait, filter: FilterEphemeral, values: []string{"plain", "luks", "luksv2"}, prefix: "COMPUTE_EPHEMERAL_ENCRYPTION_",
	},
	{key: "hw:sound_model", property: "hw_sound_model", becomes: becomesRootTrait, filter: FilterSound, traits: map[string]placement.Trait{
		"virtio": "COMPUTE_SOUND_MODEL_VIRTIO", "sb16": "", "es1370": "", "pcspk": "", "ac97": "", "ich6": "", "ich9": "", "usb": "",
	}},
	{
		key: "hw:tpm_secret_security", needs: tpmVersion, fallback: "user", becomes: becomesRootTrait, filter: FilterTPMSecret,
		values: []string{"user", "host", "deployment"}, prefix: "COMPUTE_SECURITY_TPM_SECRET_SECURITY_",
	},
}

// judges are the beginnings of extra specs and image properties that filters of the
// scheduler check on hosts once Placement has answered.
//
// Source: nova/scheduler/filters.
//
//nolint:gochecknoglobals // a table that nothing writes
var judges = map[string][]string{
	"NUMATopologyFilter": {
		"hw:numa_", "hw_numa_", "hw:mem_page_size=", "hw_mem_page_size=", "hw:pci_numa_affinity_policy=required", "hw:pci_numa_affinity_policy=legacy",
		"hw_pci_numa_affinity_policy=required", "hw_pci_numa_affinity_policy=legacy",
	},
	"ComputeCapabilitiesFilter":         {"capabilities:", "hw:maxphysaddr_bits=", "hw_maxphysaddr_bits="},
	"AggregateInstanceExtraSpecsFilter": {"aggregate_instance_extra_specs:"},
	"ImagePropertiesFilter": {
		"hw_architecture=", "architecture=", "img_hv_type=", "hypervisor_type=", "img_hv_requested_version=", "hypervisor_version_requires=", "hw_vm_mode=", "vm_mode=",
	},
}

// The keys that code refers to.
const (
	cpuRealtime         = "hw:cpu_realtime"
	cpuRealtimeMask     = "hw:cpu_realtime_mask"
	memEncryption       = "hw:mem_encryption"
	tpmVersion          = "hw:tpm_version"
	ephemeralEncryption = "hw:ephemeral_encryption"

	// DiskFormat is the key of an image's format, along with its properties.
	DiskFormat = "disk_format"
)

// The values that more than one property may have, and older names of architectures.
//
// Source: nova/objects/fields.py, DiskBus and Architecture.
//
//nolint:gochecknoglobals // tables that nothing writes
var (
	diskBuses        = []string{"fdc", "ide", "sata", "scsi", "usb", "virtio", "xen", "lxc", "uml"}
	oldArchitectures = map[string]string{
		"i386": "i686", "i486": "i686", "i586": "i686", "x86_32": "i686", "x86_32p": "i686", "amd64": "x86_64",
	}
)
