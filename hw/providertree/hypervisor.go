package providertree

import (
	"encoding/json"
	"net/netip"
	"slices"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova/object"
)

// hypervisor returns the fields of a machine's ComputeNode that belong to no class, as
// libvirt's driver sets them:
//
//	hypervisor_type     always QEMU: we support nothing else
//	cpu_info            the processors according to the kernel; features are its flags
//	supported_hv_specs  the machine's own architecture, with KVM if its processors support it
//	numa_topology       the NUMA nodes: their CPUs and memory
//	host_ip             as configured, or the address by which others reach the machine
//
// Source: nova/virt/libvirt/driver.py, get_available_resource, _get_cpu_info,
// _get_host_numa_topology and get_host_ip_addr; nova/virt/libvirt/host.py, list of
// instance capabilities.
func hypervisor(h hw.Host, myIP netip.Addr) (object.Fields, error) {
	says := object.Fields{"hypervisor_type": "QEMU"}
	if myIP.IsValid() {
		says["host_ip"] = myIP
	} else if h.Address.Known() {
		says["host_ip"] = h.Address.Value
	}
	if h.Arch.Known() && h.CPU.Threads.Known() {
		info, err := json.Marshal(cpuInfo(h))
		if err != nil {
			return says, err
		}
		says["cpu_info"] = string(info)
		kind := "qemu"
		if slices.Contains(h.CPU.Flags.Value, "vmx") || slices.Contains(h.CPU.Flags.Value, "svm") {
			kind = "kvm"
		}
		spec := object.New("HVSpec", object.Fields{"arch": h.Arch.Value, "hv_type": kind, "vm_mode": "hvm"})
		says["supported_hv_specs"] = []*object.Object{spec}
	}
	if len(h.NUMA) > 0 {
		text, err := json.Marshal(numaTopology(h.NUMA))
		if err != nil {
			return says, err
		}
		says["numa_topology"] = string(text)
	}
	return says, nil
}

// cpuInfo returns the processors of a machine. Cores are per socket, threads per core,
// and sockets per cell, as libvirt counts them.
func cpuInfo(h hw.Host) map[string]any {
	sockets, cores, cells := max(h.CPU.Sockets.Value, 1), max(h.CPU.Cores.Value, 1), max(len(h.NUMA), 1)
	return map[string]any{
		"arch": h.Arch.Value, "vendor": h.CPU.Vendor.Value, "model": h.CPU.Model.Value, "features": h.CPU.Flags.Value,
		"topology": map[string]int{
			"cells": cells, "sockets": max(sockets/cells, 1), "cores": max(cores/sockets, 1), "threads": max(h.CPU.Threads.Value/cores, 1),
		},
	}
}

// numaTopology returns NUMA nodes in the envelope of the column.
//
// Source: nova/objects/numa.py, NUMATopology 1.2 and NUMACell 1.4.
func numaTopology(nodes []sysfs.NUMANode) map[string]any {
	envelope := func(name, version string, data map[string]any) map[string]any {
		return map[string]any{
			"nova_object.name": name, "nova_object.namespace": "nova", "nova_object.version": version, "nova_object.data": data,
		}
	}
	cells := []any{}
	for _, n := range nodes {
		cpus, memory := append(sysfs.CPUSet{}, n.CPUs...), int64(0)
		if n.Memory != nil {
			memory = n.Memory.TotalKiB / 1024
		}
		cells = append(cells, envelope("NUMACell", "1.4", map[string]any{
			"id": n.ID, "cpuset": cpus, "pcpuset": []int{}, "memory": memory, "cpu_usage": 0, "memory_usage": 0,
			"pinned_cpus": []int{}, "siblings": []any{}, "mempages": []any{},
		}))
	}
	return envelope("NUMATopology", "1.2", map[string]any{"cells": cells})
}
