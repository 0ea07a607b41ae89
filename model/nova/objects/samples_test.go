package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

const (
	aUUID = "8e4b5a7e-02a7-4a4a-a0ee-3d5d9d4a1c11"
	bUUID = "b3c1c4e2-7d5b-4d06-9d5e-6a0f8f1f2c22"
	aTime = "2015-06-30T12:00:00Z"
)

// persistent adds the fields of database rows to values.
func persistent(values object.Values) object.Values {
	values["created_at"], values["updated_at"], values["deleted_at"], values["deleted"] = aTime, aTime, nil, false
	return values
}

// plain returns a value for each field of the classes that hold no objects, except lists.
func plain() map[string]object.Values {
	return map[string]object.Values{
		"HVSpec":  {"arch": "x86_64", "hv_type": "kvm", "vm_mode": "hvm"},
		"EC2Ids":  {"instance_id": "i-1", "ami_id": "ami-1", "kernel_id": nil, "ramdisk_id": nil},
		"Tag":     {"resource_id": aUUID, "tag": "blue"},
		"KeyPair": persistent(object.Values{"id": 1, "name": "k", "user_id": "u", "fingerprint": "aa:bb", "public_key": "ssh-rsa", "type": "ssh"}),
		"SecurityGroup": persistent(object.Values{
			"id": 1, "name": "default", "description": "", "user_id": "u", "project_id": "p", "uuid": aUUID,
		}),
		"TrustedCerts":  {"ids": []string{aUUID}},
		"InstanceFault": persistent(object.Values{"id": 1, "instance_uuid": aUUID, "code": 500, "message": "m", "details": "d", "host": "cmp1"}),
		"InstanceInfoCache": persistent(object.Values{
			"instance_uuid": aUUID, "network_info": "[]",
		}),
		"Flavor": persistent(object.Values{
			"id": 3, "name": "vgpu.small", "memory_mb": 4096, "vcpus": 4, "root_gb": 40, "ephemeral_gb": 0, "flavorid": "42",
			"swap": 0, "rxtx_factor": 1.0, "vcpu_weight": nil, "disabled": false, "is_public": true,
			"extra_specs": map[string]string{"resources:VGPU": "1"}, "projects": []string{"p"}, "description": "one vGPU",
		}),
		"Migration": persistent(object.Values{
			"id": 9, "uuid": aUUID, "source_compute": "cmp1", "dest_compute": "cmp2", "source_node": "cmp1", "dest_node": "cmp2",
			"dest_compute_id": 2, "dest_host": "10.0.0.2", "old_instance_type_id": 1, "new_instance_type_id": 2,
			"instance_uuid": bUUID, "status": "migrating", "migration_type": "resize", "hidden": false, "memory_total": 1,
			"memory_processed": 2, "memory_remaining": 3, "disk_total": 4, "disk_processed": 5, "disk_remaining": 6,
			"cross_cell_move": false, "user_id": "u", "project_id": "p",
		}),
		"PciDevicePool": {
			"product_id": "1eb8", "vendor_id": "10de", "numa_node": 0, "count": 2, "tags": map[string]any{"dev_type": "type-PCI", "note": nil},
		},
		"PciDevice": persistent(object.Values{
			"id": 1, "uuid": aUUID, "compute_node_id": 1, "address": "0000:04:10.0", "vendor_id": "8086", "product_id": "1520",
			"dev_type": "type-VF", "status": "available", "dev_id": "pci_0000_04_10_0", "label": "label_8086_1520",
			"instance_uuid": bUUID, "request_id": aUUID, "extra_info": map[string]string{"key1": "value1"}, "numa_node": 1,
			"parent_addr": "0000:04:00.0",
		}),
		"InstancePCIRequest": {
			"count": 1, "spec": []any{map[string]any{"vendor_id": "8086", "tag": nil}}, "alias_name": "nic", "is_new": false,
			"request_id": aUUID, "requester_id": bUUID, "numa_policy": "legacy",
		},
		"ResourceProvider":   {"id": 1, "uuid": aUUID, "name": "cmp1.example", "generation": 7},
		"ResourceMetadata":   {},
		"LibvirtVPMEMDevice": {"label": "4GB", "name": "ns_0", "size": 4292870144, "devpath": "/dev/dax0.0", "align": 2097152},
		"VirtCPUTopology":    {"sockets": 1, "cores": 2, "threads": 1},
		"VirtCPUFeature":     {"policy": "require", "name": "avx"},
		"DeviceBus":          {},
		"PCIDeviceBus":       {"address": "0000:00:09.0"},
		"USBDeviceBus":       {"address": "0:1"},
		"SCSIDeviceBus":      {"address": "1:0:2:0"},
		"IDEDeviceBus":       {"address": "0:1"},
		"XenDeviceBus":       {"address": "000200"},
	}
}

// sample returns an object of the named class with every field set, down to the
// objects that it holds, and nothing changed.
func sample(t testing.TB, r *object.Registry, name string) object.Object {
	t.Helper()
	class, ok := r.Class(name)
	if !ok {
		t.Fatalf("there is no class %s", name)
	}
	values, ok := plain()[name]
	if !ok {
		values = nested(t, r, name)
	}
	o := class.New()
	must.Succeed(t, object.Fill(o, values))
	for _, field := range o.ObjectHeader().Fields() {
		if !o.ObjectHeader().IsSet(field) {
			t.Fatalf("the sample of %s lacks %s", name, field)
		}
	}
	o.ObjectHeader().ResetAllChanges()
	return o
}

// nested is plain for the classes that hold objects.
func nested(t testing.TB, r *object.Registry, name string) object.Values {
	one := func(class string) object.Object { return sample(t, r, class) }
	switch name {
	case "ComputeNode":
		return computeNodeValues(t, r)
	case "Service":
		return persistent(object.Values{
			"id": 5, "uuid": aUUID, "host": "cmp1", "binary": "nova-compute", "topic": "compute", "report_count": 7,
			"disabled": false, "disabled_reason": nil, "availability_zone": "nova", "compute_node": one("ComputeNode"),
			"last_seen_up": aTime, "forced_down": false, "version": 73,
		})
	case "Instance":
		return instanceValues(one)
	case "MigrationContext":
		return persistent(object.Values{
			"instance_uuid": aUUID, "migration_id": 9,
			"new_numa_topology": one("InstanceNUMATopology"), "old_numa_topology": nil,
			"new_pci_devices": one("PciDeviceList"), "old_pci_devices": nil,
			"new_pci_requests": one("InstancePCIRequests"), "old_pci_requests": nil,
			"new_resources": one("ResourceList"), "old_resources": nil,
		})
	case "Inventory":
		return object.Values{
			"id": 2, "resource_provider": one("ResourceProvider"), "resource_class": "VCPU", "total": 64, "reserved": 1, "min_unit": 1,
			"max_unit": 64, "step_size": 1, "allocation_ratio": 4.0,
		}
	case "Allocation":
		return object.Values{"id": 3, "resource_provider": one("ResourceProvider"), "consumer_id": bUUID, "resource_class": "MEMORY_MB", "used": 4096}
	case "InstancePCIRequests":
		return object.Values{"instance_uuid": aUUID, "requests": []*objects.InstancePCIRequest{one("InstancePCIRequest").(*objects.InstancePCIRequest)}}
	case "Resource":
		return object.Values{
			"provider_uuid": aUUID, "resource_class": "CUSTOM_PMEM_NAMESPACE_4GB", "identifier": "ns_0", "metadata": one("LibvirtVPMEMDevice"),
		}
	case "InstanceNUMATopology":
		return object.Values{
			"id": 1, "instance_uuid": aUUID, "emulator_threads_policy": "share",
			"cells": []*objects.InstanceNUMACell{one("InstanceNUMACell").(*objects.InstanceNUMACell)},
		}
	case "InstanceNUMACell":
		return object.Values{
			"id": 0, "cpuset": []int{}, "pcpuset": []int{1, 0, 1}, "cpuset_reserved": nil, "memory": 1024, "pagesize": 2048,
			"cpu_topology": one("VirtCPUTopology"), "cpu_pinning_raw": map[string]int{"0": 4, "1": 5}, "cpu_policy": "dedicated",
			"cpu_thread_policy": "prefer",
		}
	case "VirtCPUModel":
		return object.Values{
			"arch": "amd64", "vendor": "Intel", "topology": one("VirtCPUTopology"), "mode": "custom", "model": "Broadwell",
			"match": "exact", "features": []*objects.VirtCPUFeature{one("VirtCPUFeature").(*objects.VirtCPUFeature)},
		}
	case "InstanceDeviceMetadata":
		return object.Values{"devices": []object.Object{one("NetworkInterfaceMetadata"), one("DiskMetadata"), one("DeviceMetadata")}}
	case "NetworkInterfaceMetadata":
		return object.Values{"bus": one("PCIDeviceBus"), "tags": []string{"nic1"}, "mac": "FA-16-3E-00-00-01", "vlan": 7, "vf_trusted": true}
	case "DiskMetadata":
		return object.Values{"bus": one("SCSIDeviceBus"), "tags": []string{"disk1"}, "serial": "s", "path": "/dev/sda"}
	case "DeviceMetadata":
		return object.Values{"bus": one("XenDeviceBus"), "tags": []string{}}
	}
	return listValues(t, r, name)
}

func listValues(t testing.TB, r *object.Registry, name string) object.Values {
	const suffix = len("List")
	element := name[:len(name)-suffix]
	o := sample(t, r, element)
	switch o := o.(type) {
	case *objects.ComputeNode:
		return object.Values{"objects": []*objects.ComputeNode{o}}
	case *objects.Instance:
		return object.Values{"objects": []*objects.Instance{o}}
	case *objects.Migration:
		return object.Values{"objects": []*objects.Migration{o}}
	case *objects.Flavor:
		return object.Values{"objects": []*objects.Flavor{o}}
	case *objects.Service:
		return object.Values{"objects": []*objects.Service{o}}
	case *objects.PciDevicePool:
		return object.Values{"objects": []*objects.PciDevicePool{o}}
	case *objects.PciDevice:
		return object.Values{"objects": []*objects.PciDevice{o}}
	case *objects.ResourceProvider:
		return object.Values{"objects": []*objects.ResourceProvider{o}}
	case *objects.Inventory:
		return object.Values{"objects": []*objects.Inventory{o}}
	case *objects.Allocation:
		return object.Values{"objects": []*objects.Allocation{o}}
	case *objects.Resource:
		return object.Values{"objects": []*objects.Resource{o}}
	case *objects.Tag:
		return object.Values{"objects": []*objects.Tag{o}}
	case *objects.KeyPair:
		return object.Values{"objects": []*objects.KeyPair{o}}
	case *objects.SecurityGroup:
		return object.Values{"objects": []*objects.SecurityGroup{o}}
	}
	t.Fatalf("there is no sample of %s", name)
	return nil
}

func computeNodeValues(t testing.TB, r *object.Registry) object.Values {
	return persistent(object.Values{
		"id": 1, "uuid": aUUID, "service_id": nil, "host": "cmp1", "vcpus": 64, "memory_mb": 262144, "local_gb": 2000,
		"vcpus_used": 4, "memory_mb_used": 4608, "local_gb_used": 40, "hypervisor_type": "QEMU", "hypervisor_version": 8002000,
		"hypervisor_hostname": "cmp1.example", "free_ram_mb": 257536, "free_disk_gb": 1960, "current_workload": 0, "running_vms": 1,
		"cpu_info": `{"arch": "x86_64"}`, "disk_available_least": 1900, "metrics": "[]",
		"stats": map[string]any{"num_instances": 1, "io_workload": nil}, "host_ip": "10.0.0.1", "numa_topology": nil,
		"supported_hv_specs": []*objects.HVSpec{sample(t, r, "HVSpec").(*objects.HVSpec)},
		"pci_device_pools":   sample(t, r, "PciDevicePoolList"), "cpu_allocation_ratio": 4.0, "ram_allocation_ratio": 1.0,
		"disk_allocation_ratio": 1.0, "mapped": 1,
	})
}

func instanceValues(one func(string) object.Object) object.Values {
	values := persistent(object.Values{"id": 1, "uuid": aUUID, "metadata": map[string]string{"a": "b"}, "system_metadata": map[string]any{"c": nil}})
	for _, text := range []string{
		"user_id", "project_id", "image_ref", "kernel_id", "ramdisk_id", "hostname", "key_name", "key_data", "vm_state",
		"task_state", "host", "node", "user_data", "reservation_id", "availability_zone", "display_name", "display_description",
		"launched_on", "locked_by", "os_type", "architecture", "vm_mode", "root_device_name", "default_ephemeral_device",
		"default_swap_device", "config_drive", "cell_name",
	} {
		values[text] = "x"
	}
	for _, number := range []string{
		"launch_index", "power_state", "memory_mb", "vcpus", "root_gb", "ephemeral_gb", "compute_id", "instance_type_id", "progress",
	} {
		values[number] = 1
	}
	for _, flag := range []string{"locked", "auto_disk_config", "shutdown_terminate", "disable_terminate", "cleaned", "hidden"} {
		values[flag] = true
	}
	for field, class := range map[string]string{
		"services": "ServiceList", "info_cache": "InstanceInfoCache", "security_groups": "SecurityGroupList", "fault": "InstanceFault",
		"pci_devices": "PciDeviceList", "numa_topology": "InstanceNUMATopology", "pci_requests": "InstancePCIRequests",
		"device_metadata": "InstanceDeviceMetadata", "tags": "TagList", "flavor": "Flavor", "old_flavor": "Flavor",
		"vcpu_model": "VirtCPUModel", "ec2_ids": "EC2Ids", "migration_context": "MigrationContext", "keypairs": "KeyPairList",
		"trusted_certs": "TrustedCerts", "resources": "ResourceList",
	} {
		values[field] = one(class)
	}
	values["new_flavor"], values["ephemeral_key_uuid"], values["access_ip_v4"], values["access_ip_v6"] = nil, bUUID, "10.0.0.9", "fd00::9"
	values["launched_at"], values["terminated_at"] = aTime, nil
	return values
}

// registry returns the registry of the newest release, without a Source for older
// readers.
func registry() *object.Registry { return objects.NewRegistry(objects.Source{}) }

// release returns the registry of another release: the current one, with the named
// classes cut to a minor version, or one version ahead if that does not exist yet.
func release(r *object.Registry, minors map[string]int) *object.Registry {
	var classes []object.Class
	for _, name := range r.Names() {
		class, _ := r.Class(name)
		minor, ok := minors[name]
		switch {
		case ok && minor < len(class.History):
			class.History = class.History[:minor+1]
		case ok:
			class.History = append(class.History, object.Note{Why: "what is yet to come"})
		}
		classes = append(classes, class)
	}
	return object.NewRegistry(objects.Prefix, classes...)
}

// wire returns p as it comes out of JSON at the other end.
func wire(t testing.TB, p object.Primitive) map[string]any {
	t.Helper()
	text := must.Get(json.Marshal(p))(t)
	v := must.Get(object.ParseJSON(text))(t)
	return v.(map[string]any)
}

func data(p map[string]any) map[string]any { return p["nova_object.data"].(map[string]any) }

func minor(major, n int) versioned.Version {
	return versioned.Version{Major: uint16(major), Minor: uint16(n)}
}
