package objects_test

import (
	"testing"
)

// fingerprints returns a hash of the fields of each class in its version.
func fingerprints() map[string]string {
	return map[string]string{
		"Allocation":               "1.2-27e676389846f5c5",
		"AllocationList":           "1.2-f465ee5ac0291d72",
		"ComputeNode":              "1.19-2c49be92d3e49f2c",
		"ComputeNodeList":          "1.17-5bb8de8f749ef94c",
		"DeviceBus":                "1.0-e3b0c44298fc1c14",
		"DeviceMetadata":           "1.0-9ad6602741f74922",
		"DiskMetadata":             "1.0-99ca4bcfc942d1d4",
		"EC2Ids":                   "1.0-ec4fa7666d9ea0ea",
		"Flavor":                   "1.2-654e5fe0c4a21658",
		"FlavorList":               "1.1-7ce0a5ea892b89c8",
		"HVSpec":                   "1.2-fea4dd470940db29",
		"IDEDeviceBus":             "1.0-79559f07f8e1ebe7",
		"Instance":                 "2.8-8c186ed02a806775",
		"InstanceDeviceMetadata":   "1.0-606442760551f9cf",
		"InstanceFault":            "1.2-c51cc89614c8e399",
		"InstanceInfoCache":        "1.5-90b5eda9f41d7b77",
		"InstanceList":             "2.6-a23eddcb41cec445",
		"InstanceNUMACell":         "1.6-c45049ef25ba5077",
		"InstanceNUMATopology":     "1.3-e42fe830844a1315",
		"InstancePCIRequest":       "1.4-368f6b4d21ada784",
		"InstancePCIRequests":      "1.1-26b87fe3322b9421",
		"Inventory":                "1.2-06ca4232277f468d",
		"InventoryList":            "1.1-b5be1f13202fccbc",
		"KeyPair":                  "1.4-72cb69c1a7092e80",
		"KeyPairList":              "1.3-277699b2d4e0e20b",
		"LibvirtVPMEMDevice":       "1.0-c82f263a3eb25165",
		"Migration":                "1.8-067a70b169354d33",
		"MigrationContext":         "1.2-7df1dbe2190467d7",
		"MigrationList":            "1.5-ee003ed2f3b37961",
		"NetworkInterfaceMetadata": "1.2-ffcf21739d90e021",
		"PCIDeviceBus":             "1.0-0d24b6d0a36bdee0",
		"PciDevice":                "1.7-65e4825d17824330",
		"PciDeviceList":            "1.3-98ac2c4cdcf761f9",
		"PciDevicePool":            "1.1-e4b85774693db1d4",
		"PciDevicePoolList":        "1.1-7e5b5cee04a444f1",
		"Resource":                 "1.0-e7f4d26cf9f7c8f9",
		"ResourceList":             "1.0-5310aa4336940ec1",
		"ResourceProvider":         "1.3-9423a80153d7e279",
		"ResourceProviderList":     "1.1-b5f0c79d31133282",
		"ResourceMetadata":         "1.0-e3b0c44298fc1c14",
		"SCSIDeviceBus":            "1.0-1d3fdecb6184b2e5",
		"SecurityGroup":            "1.2-715df856173503d4",
		"SecurityGroupList":        "1.1-9f7037b1fe4f29c6",
		"Service":                  "1.22-3bf5470b4ec42a37",
		"ServiceList":              "1.19-9763fe5447e7572f",
		"Tag":                      "1.1-7a1b06bad4e321ff",
		"TagList":                  "1.1-6f8a4873742ae54c",
		"TrustedCerts":             "1.0-b9aad91cead91514",
		"USBDeviceBus":             "1.0-8a219b4c8fc842e6",
		"VirtCPUFeature":           "1.0-99b0eb4e065d55b0",
		"VirtCPUModel":             "1.0-fa04a95f8137aef6",
		"VirtCPUTopology":          "1.0-73a6500ab44d4f80",
		"XenDeviceBus":             "1.0-531b39de9f543f4f",
	}
}

// TestFingerprints fails if the fields of a class change but its version does not, or if
// the version does but the table above does not.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	r := registry()
	for _, name := range r.Names() {
		class, _ := r.Class(name)
		got, want := class.Fingerprint(), fingerprints()[name]
		if got == want {
			continue
		}
		version := class.Version().String() + "-"
		if len(want) > len(version) && want[:len(version)] == version {
			t.Errorf(`the fields of %s changed, and its version %s did not: older readers would not know.
Add a Note to its History, with the new fields in Adds or a Lower for those that changed;
a field that is removed, renamed or retyped needs a new major version. Then put it in the table.`, name, class.Version())
			continue
		}
		t.Errorf("%s is new in this version; put it in the table: %q: %q,", name, name, got)
	}
	if known := len(fingerprints()); known != len(r.Names()) {
		t.Errorf("the table has %d classes, the registry %d", known, len(r.Names()))
	}
}

// TestVersions checks that the versions are those of Nova's newest release.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := registry()
	for name, want := range map[string]string{
		"ComputeNode": "1.19", "Instance": "2.8", "Migration": "1.8", "Flavor": "1.2", "Service": "1.22", "PciDevicePool": "1.1",
		"PciDevice": "1.7", "HVSpec": "1.2", "MigrationContext": "1.2", "InstancePCIRequest": "1.4", "InstancePCIRequests": "1.1",
		"Resource": "1.0", "ComputeNodeList": "1.17", "InstanceList": "2.6", "MigrationList": "1.5", "FlavorList": "1.1",
		"ServiceList": "1.19", "PciDevicePoolList": "1.1", "PciDeviceList": "1.3", "ResourceList": "1.0",
		"InstanceNUMATopology": "1.3", "InstanceNUMACell": "1.6", "KeyPair": "1.4", "KeyPairList": "1.3", "InstanceFault": "1.2",
		"InstanceInfoCache": "1.5", "SecurityGroup": "1.2", "TagList": "1.1", "NetworkInterfaceMetadata": "1.2",
	} {
		if class, ok := r.Class(name); !ok || class.Version().String() != want {
			t.Errorf("%s is of version %s, want %s", name, class.Version(), want)
		}
	}
	want := map[string]string{
		"ComputeNode": "1.19", "HVSpec": "1.2", "PciDevicePoolList": "1.1", "PciDevicePool": "1.1",
	}
	got := r.Manifest("ComputeNode")
	for name, version := range want {
		if got[name] != version {
			t.Errorf("the manifest of ComputeNode names %s %q", name, got[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the manifest of ComputeNode is %v", got)
	}
}
