package nova

import "github.com/placetop/placetop/model/placement"

// specs say, for each extra spec and image property that Nova knows, what it becomes in a
// request. The code that makes requests, checks flavors and lists what candidates leave
// open uses this table.
//
// Source: nova/scheduler/utils.py, ResourceRequest; nova/scheduler/request_filter.py;
// nova/virt/hardware.py; nova/api/validation/extra_specs; nova/objects/image_meta.py.
//
//nolint:gochecknoglobals // a table that nothing writes
var specs = []Spec{
	// Groups, read key by key.
	{Key: "resources*:*", Becomes: BecomesGroups},
	{Key: "trait*:*", Property: "trait:*", Becomes: BecomesGroups},
	{Key: groupPolicy, Becomes: BecomesGroups},
	{Key: accelProfile, Becomes: BecomesGroups},
	{Key: pciAlias, Becomes: BecomesGroups},

	// CPUs: VCPU, PCPU and HW_CPU_HYPERTHREADING together.
	{Key: cpuPolicy, Property: "hw_cpu_policy", Values: []string{"shared", "dedicated", "mixed"}, Becomes: BecomesCPUs},
	{Key: cpuDedicatedMask, Pattern: cpuMask, Becomes: BecomesCPUs},
	{Key: cpuThreadPolicy, Property: "hw_cpu_thread_policy", Values: []string{"prefer", "isolate", "require"}, Becomes: BecomesCPUs},
	{Key: emulatorThreads, Values: []string{"share", "isolate"}, Becomes: BecomesCPUs},
	{Key: cpuRealtime, Type: typeBool, Becomes: BecomesCPUs},
	{Key: cpuRealtimeMask, Property: "hw_cpu_realtime_mask", Pattern: cpuMask, Becomes: BecomesCPUs},

	// Resources.
	{Key: memEncryption, Property: "hw_mem_encryption", Type: typeBool, Becomes: BecomesResource, Class: "MEM_ENCRYPTION_CONTEXT"},
	{
		Key: memEncryptionModel, Property: "hw_mem_encryption_model", Needs: memEncryption, Default: "amd-sev", Becomes: BecomesTrait,
		Values: []string{"amd-sev", "amd-sev-es", modelSNP, modelTDX}, Prefix: "HW_CPU_X86_",
	},
	{Key: "hw:pmem", Pattern: `([a-zA-Z0-9_]+(,)?)+`, Becomes: BecomesResource, Class: "CUSTOM_PMEM_NAMESPACE_"},

	// Traits in the un-suffixed group.
	{
		Key: tpmVersion, Property: "hw_tpm_version", Becomes: BecomesTrait,
		Values: []string{"1.2", "2.0"}, Prefix: "COMPUTE_SECURITY_TPM_",
	},
	{
		Key: tpmModel, Property: "hw_tpm_model", Needs: tpmVersion, Default: "tpm-tis", Becomes: BecomesTrait,
		Values: []string{"tpm-tis", "tpm-crb"}, Prefix: "COMPUTE_SECURITY_",
	},
	{Key: "hw:maxphysaddr_mode", Property: "hw_maxphysaddr_mode", Becomes: BecomesTrait, Traits: map[string]placement.Trait{
		"passthrough": "COMPUTE_ADDRESS_SPACE_PASSTHROUGH", "emulate": "COMPUTE_ADDRESS_SPACE_EMULATED",
	}},
	{Key: "hw:pci_numa_affinity_policy", Property: "hw_pci_numa_affinity_policy", Becomes: BecomesTrait, Judge: numaFilter, Lenient: "preferred", Traits: map[string]placement.Trait{
		"socket": "COMPUTE_SOCKET_PCI_NUMA_AFFINITY", "required": "", "preferred": "", "legacy": "",
	}},
	{Key: "os:secure_boot", Property: "os_secure_boot", Values: []string{"disabled", "required"}, Becomes: BecomesTrait, Traits: map[string]placement.Trait{
		"required": "COMPUTE_SECURITY_UEFI_SECURE_BOOT", "disabled": "", "optional": "",
	}},
	{Property: firmwareStateless, Type: typeBool, Image: firmwareType, Is: "uefi", Becomes: BecomesTrait, Trait: "COMPUTE_SECURITY_STATELESS_FIRMWARE"},

	// Traits of the root, from pre-filters.
	{Property: DiskFormat, Becomes: BecomesRootTrait, Filter: FilterImageType, Prefix: "COMPUTE_IMAGE_TYPE_"},
	{Property: "hw_cdrom_bus", Values: diskBuses, Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "COMPUTE_STORAGE_BUS_"},
	{Property: "hw_disk_bus", Values: diskBuses, Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "COMPUTE_STORAGE_BUS_"},
	{
		Property: videoModel, Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "COMPUTE_GRAPHICS_MODEL_",
		Values: []string{"bochs", "cirrus", "gop", "none", "qxl", "vga", "virtio", "vmvga", "xen"},
	},
	{
		Property: "hw_vif_model", Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "COMPUTE_NET_VIF_MODEL_",
		Values: []string{"e1000", "e1000e", "igb", "lan9118", "ne2k_pci", "netfront", "pcnet", "rtl8139", "spapr-vlan", "sriov", "virtio", "vmxnet", "vmxnet3"},
		Spelled: map[string]string{
			"virtuale1000": "e1000", "virtuale1000e": "e1000e", "virtualpcnet32": "pcnet",
			"virtualsriovethernetcard": "sriov", "virtualvmxnet": "vmxnet", "virtualvmxnet3": "vmxnet3",
		},
	},
	{
		Property: "hw_architecture", Legacy: "architecture", Values: architectures, Spelled: oldArchitectures,
		Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "HW_ARCH_", Judge: propertiesFilter,
	},
	{
		Property: "hw_emulation_architecture", Values: architectures, Spelled: oldArchitectures,
		Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "COMPUTE_ARCH_",
	},
	// No such trait is in os-traits, whose names have MODEL in them: Nova's pre-filter does
	// nothing for an image with this property.
	{Property: "hw_viommu_model", Values: iommus, Becomes: BecomesRootTrait, Filter: FilterImageMetadata, Prefix: "COMPUTE_VIOMMU_"},
	{
		Key: "hw:virtio_packed_ring", Property: "hw_virtio_packed_ring", Type: typeBool,
		Becomes: BecomesRootTrait, Filter: FilterPackedRing, Trait: "COMPUTE_NET_VIRTIO_PACKED",
	},
	{
		Key: ephemeralEncryption, Property: "hw_ephemeral_encryption", Type: typeBool,
		Becomes: BecomesRootTrait, Filter: FilterEphemeral, Trait: "COMPUTE_EPHEMERAL_ENCRYPTION",
	},
	{
		Key: "hw:ephemeral_encryption_format", Property: "hw_ephemeral_encryption_format", Needs: ephemeralEncryption,
		Becomes: BecomesRootTrait, Filter: FilterEphemeral, Values: []string{"plain", "luks", "luksv2"}, Prefix: "COMPUTE_EPHEMERAL_ENCRYPTION_",
	},
	{Key: "hw:sound_model", Property: "hw_sound_model", Becomes: BecomesRootTrait, Filter: FilterSound, Traits: map[string]placement.Trait{
		"virtio": "COMPUTE_SOUND_MODEL_VIRTIO", "sb16": "", "es1370": "", "pcspk": "", "ac97": "", "ich6": "", "ich9": "", "usb": "",
	}},
	{
		Key: "hw:tpm_secret_security", Needs: tpmVersion, Default: "user", Becomes: BecomesRootTrait, Filter: FilterTPMSecret,
		Values: []string{"user", "host", "deployment"}, Prefix: "COMPUTE_SECURITY_TPM_SECRET_SECURITY_",
	},

	// What a scheduler filter checks on hosts, after Placement's answer.
	{Key: numaNodes, Property: "hw_numa_nodes", Type: typePositive, Judge: numaFilter},
	{Key: numaCPUs + "#", Property: "hw_numa_cpus.#", Pattern: cpuMask, Judge: numaFilter},
	{Key: numaMemory + "#", Property: "hw_numa_mem.#", Type: typePositive, Judge: numaFilter},
	{Key: memPageSize, Property: "hw_mem_page_size", Pattern: `large|small|any|\d+([kKMGT]i?)?(b|bit|B)?`, Judge: numaFilter},
	{Key: "hw:maxphysaddr_bits", Property: "hw_maxphysaddr_bits", Type: typePositive, Judge: capabilitiesFilter},
	{
		Key: "capabilities:{id,uuid,service_id,host,vcpus,memory_mb,local_gb,vcpus_used,memory_mb_used,local_gb_used,hypervisor_type," +
			"hypervisor_version,hypervisor_hostname,free_ram_mb,free_disk_gb,current_workload,running_vms,disk_available_least,host_ip,mapped," +
			"cpu_allocation_ratio,ram_allocation_ratio,disk_allocation_ratio,total_usable_ram_mb,total_usable_disk_gb,disk_mb_used,free_disk_mb," +
			"vcpus_total,num_instances,num_io_ops,failed_builds,aggregates,cell_uuid,updated}",
		Judge: capabilitiesFilter,
	},
	{
		Key:   "capabilities:{cpu_info,metrics,stats,numa_topology,supported_hv_specs,pci_device_pools,nodename,pci_stats,supported_instances,limits,instances}{,:*}",
		Judge: capabilitiesFilter,
	},
	{Key: "aggregate_instance_extra_specs:*", Judge: "AggregateInstanceExtraSpecsFilter"},
	{
		Property: "img_hv_type", Legacy: "hypervisor_type", Judge: propertiesFilter, Spelled: map[string]string{"xapi": "xen"},
		Values: []string{
			"baremetal", "bhyve", "docker", "fake", "hyperv", "ironic", "kqemu", "kvm", "lxc", "lxd", "openvz",
			"parallels", "phyp", "prsm", "qemu", "test", "uml", "vbox", "vmware", "vz", "xen", "zvm",
		},
	},
	{Property: "img_hv_requested_version", Legacy: "hypervisor_version_requires", Type: typeVersions, Judge: propertiesFilter},
	{
		Property: "hw_vm_mode", Legacy: "vm_mode", Judge: propertiesFilter,
		Values: []string{"hvm", "xen", "uml", "exe"}, Spelled: map[string]string{"pv": "xen", "hv": "hvm", "baremetal": "hvm"},
	},

	// What configures the guest, on any host.
	{Key: lockedMemory, Property: "hw_locked_memory", Type: typeBool, Why: "it sets how the guest gets its memory"},
	{Key: "hw:cpu_{sockets,cores,threads}", Property: "hw_cpu_{sockets,cores,threads}", Type: typePositive, Why: guestCPU},
	{Key: "hw:{max_cpu_sockets,max_cpu_cores,max_cpu_threads}", Property: "hw_cpu_max_{sockets,cores,threads}", Type: typePositive, Why: guestCPU},
	{Key: "hw:pmu", Property: "hw_pmu", Type: typeBool, Why: guestCPU},
	{Key: "hw:hide_hypervisor_id", Property: "img_hide_hypervisor_id", Type: typeBool, Why: guestCPU},
	{Key: "hide_hypervisor_id", Type: typeBool, Why: guestCPU},
	{Key: "hw:boot_menu", Property: "hw_boot_menu", Type: typeBool, Why: guestDevice},
	{Key: "hw:vif_multiqueue_enabled", Property: "hw_vif_multiqueue_enabled", Type: typeBool, Why: guestDevice},
	{Key: "hw:serial_port_count", Property: "hw_serial_port_count", Type: typeCount, Why: guestDevice},
	{Key: "hw:watchdog_action", Property: "hw_watchdog_action", Values: []string{"none", "pause", "poweroff", "reset", "disabled"}, Why: guestDevice},
	{Key: "hw:viommu_model", Values: iommus, Why: "the pre-filter only reads the image property"},
	{Key: "hw:usb_model", Property: "hw_usb_model", Why: guestDevice},
	{Key: "hw:redirected_usb_ports", Property: "hw_redirected_usb_ports", Type: typeCount, Why: guestDevice},
	{Key: "hw_rng:allowed", Type: typeBool, Why: guestDevice},
	{Key: "hw_{rng:rate_bytes,rng:rate_period,video:ram_max_mb}", Type: typeCount, Why: guestDevice},
	{Key: "os:monitors", Type: typePositive, Most: 8, Why: guestDevice},
	{Key: "os:vram", Values: []string{"64", "128", "256", "512", "1024"}, Why: guestDevice},
	{Key: "os:resolution", Values: []string{"1024x768", "1280x1024", "1600x1200", "1920x1200", "2560x1600", "3840x2160"}, Why: guestDevice},
	{Key: "quota:cpu_{shares,period}", Type: typeCount, Why: guestQuota},
	{Key: "quota:cpu_quota", Type: typeInt, Why: guestQuota},
	{Key: "quota:{cpu,memory,disk_io,vif}_{limit,shares_share}", Type: typeCount, Why: guestQuota},
	{Key: "quota:{cpu,memory,disk_io,vif}_reservation", Type: typeInt, Why: guestQuota},
	{Key: "quota:{cpu,memory,disk_io,vif}_shares_level", Values: []string{"custom", "high", "normal", "low"}, Why: guestQuota},
	{Key: "quota:disk_{read,write,total}_{bytes,iops}_sec", Type: typeCount, Why: guestQuota},
	{Key: "quota:vif_{inbound,outbound}_{average,peak,burst}", Type: typeCount, Why: guestQuota},
	{Key: "vmware:{hw_version,storage_policy}", Why: "only its driver reads it"},
	{Property: firmwareType, Values: []string{"bios", "uefi"}, Why: "secure boot and memory encryption limit the hosts, the firmware itself does not"},
	{Property: machineType, Why: guestDevice},
	{Property: "hw_auto_disk_config", Legacy: "auto_disk_config", Why: guestDevice},
	{Property: "hw_disk_type", Legacy: "vmware_disktype", Why: guestDevice},
	{Property: "hw_device_id", Legacy: "xenapi_device_id", Type: typeInt, Why: guestDevice},
	{Property: "hw_video_ram", Type: typeInt, Why: guestDevice},
	{Property: "hw_{floppy_bus,rescue_bus}", Values: diskBuses, Why: guestDevice},
	{Property: "hw_rescue_device", Values: []string{"cdrom", "disk", "floppy", "fs", "lun"}, Why: guestDevice},
	{Property: "hw_input_bus", Values: []string{"usb", "virtio"}, Why: guestDevice},
	{Property: "hw_pointer_model", Values: []string{"usbtablet"}, Why: guestDevice},
	{Property: "hw_rng_model", Values: []string{"virtio"}, Why: guestDevice},
	{Property: "hw_scsi_model", Values: controllers, Spelled: oldControllers, Why: guestDevice},
	{Property: "vmware_adaptertype", Values: append([]string{"ide"}, controllers...), Spelled: oldControllers, Why: guestDevice},
	{Property: "hw_{ipxe_boot,qemu_guest_agent,time_hpet}", Legacy: "ipxe_boot", Type: typeBool, Why: guestDevice},
	{Property: "img_config_drive", Values: []string{"optional", "mandatory"}, Why: guestDevice},
	{Property: "img_compression_level", Legacy: "xenapi_image_compression_level", Type: typeInt, Why: imageUse},
	{Property: "img_version", Legacy: "vmware_image_version", Type: typeInt, Why: imageUse},
	{Property: "img_signature_hash_method", Values: []string{"SHA-224", "SHA-256", "SHA-384", "SHA-512"}, Why: imageUse},
	{
		Property: "img_signature_key_type", Why: imageUse,
		Values: []string{"DSA", "ECC_SECP384R1", "ECC_SECP521R1", "ECC_SECT409K1", "ECC_SECT409R1", "ECC_SECT571K1", "ECC_SECT571R1", "RSA-PSS"},
	},
	{Property: "img_*", Why: imageUse},
	{Property: "os_type", Values: []string{"linux", "windows"}, Spelled: map[string]string{}, Why: guestSystem},
	{Property: "os_{admin_user,command_line,distro,require_quiesce,skip_agent_inject_files_at_boot,skip_agent_inject_ssh}", Why: guestSystem},
}

// The keys that code refers to.
const (
	cpuRealtime         = "hw:cpu_realtime"
	cpuRealtimeMask     = "hw:cpu_realtime_mask"
	memEncryption       = "hw:mem_encryption"
	memEncryptionModel  = "hw:mem_encryption_model"
	tpmVersion          = "hw:tpm_version"
	tpmModel            = "hw:tpm_model"
	ephemeralEncryption = "hw:ephemeral_encryption"
	numaNodes           = "hw:numa_nodes"
	numaCPUs            = "hw:numa_cpus."
	numaMemory          = "hw:numa_mem."
	memPageSize         = "hw:mem_page_size"
	lockedMemory        = "hw:locked_memory"
	firmwareType        = "hw_firmware_type"
	firmwareStateless   = "hw_firmware_stateless"
	videoModel          = "hw_video_model"
	machineType         = "hw_machine_type"

	modelSNP = "amd-sev-snp"
	modelTDX = "intel-tdx"

	// DiskFormat is the key of an image's format, along with its properties.
	DiskFormat = "disk_format"
)

// The filters that check more than one key, and the reasons that more than one has.
const (
	numaFilter       = "NUMATopologyFilter"
	propertiesFilter = "ImagePropertiesFilter"

	capabilitiesFilter = "ComputeCapabilitiesFilter"

	guestCPU    = "it changes the CPUs that the guest sees"
	guestDevice = "it changes the guest's devices"
	guestQuota  = "it limits what the guest may use of its host"
	guestSystem = "it describes the guest's operating system"
	imageUse    = "it changes how the image is used"

	cpuMask = `\^?\d+((-\d+)?(,\^?\d+(-\d+)?)?)*`
)

// The values that more than one property may have.
//
// Source: nova/objects/fields.py, DiskBus, VIOMMUModel, SCSIModel and Architecture.
//
//nolint:gochecknoglobals // tables that nothing writes
var (
	diskBuses   = []string{"fdc", "ide", "sata", "scsi", "usb", "virtio", "xen", "lxc", "uml"}
	iommus      = []string{"intel", "smmuv3", "virtio", "auto"}
	controllers = []string{"buslogic", "ibmvscsi", "lsilogic", "lsisas1068", "lsisas1078", "virtio-scsi", "vmpvscsi"}

	oldControllers = map[string]string{"lsilogicsas": "lsisas1068", "paravirtual": "vmpvscsi"}

	architectures = []string{
		"aarch64", "alpha", "armv6", "armv7b", "armv7l", "cris", "i686", "ia64", "lm32", "m68k", "microblaze", "microblazeel",
		"mips", "mips64", "mips64el", "mipsel", "openrisc", "parisc", "parisc64", "ppc", "ppc64", "ppc64le", "ppcemb", "ppcle",
		"riscv64", "s390", "s390x", "sh4", "sh4eb", "sparc", "sparc64", "unicore32", "x86_64", "xtensa", "xtensaeb",
	}
	oldArchitectures = map[string]string{
		"i386": "i686", "i486": "i686", "i586": "i686", "x86_32": "i686", "x86_32p": "i686", "amd64": "x86_64",
	}
)
