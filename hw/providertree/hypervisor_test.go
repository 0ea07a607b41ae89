package providertree_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/object"
)

// The hypervisor's fields are those that the machine reports; what it does not report is
// left out.
func TestHypervisor(t *testing.T) {
	t.Parallel()
	h := hw.Host{Hostname: known("h"), Arch: known("x86_64")}
	h.CPU = hw.CPU{
		Sockets: known(2), Cores: known(8), Threads: known(16), Vendor: known("GenuineIntel"), Model: known("Xeon"), Flags: known([]string{"avx2", "vmx"}),
	}
	h.NUMA = []sysfs.NUMANode{{ID: 0, CPUs: sysfs.CPUSet{0, 1}, Memory: &sysfs.NodeMemory{TotalKiB: 2048}}, {ID: 1}}
	says := build(t, h, providertree.Options{}).Hypervisor
	must.Be(t, says["hypervisor_type"], any("QEMU"))
	var info any
	must.Succeed(t, json.Unmarshal([]byte(says["cpu_info"].(string)), &info))
	if diff := cmp.Diff(any(map[string]any{
		"arch": "x86_64", "vendor": "GenuineIntel", "model": "Xeon", "features": []any{"avx2", "vmx"},
		"topology": map[string]any{"cells": 2., "sockets": 1., "cores": 4., "threads": 2.},
	}), info); diff != "" {
		t.Errorf("cpu_info: %s", diff)
	}
	specs := func(says object.Fields) object.Fields { return says["supported_hv_specs"].([]*object.Object)[0].Data }
	must.Match(t, object.Fields{"arch": "x86_64", "hv_type": "kvm", "vm_mode": "hvm"}, specs(says))
	var numa struct {
		Data struct {
			Cells []struct {
				Data struct {
					ID     int   `json:"id"`
					CPUSet []int `json:"cpuset"`
					Memory int64 `json:"memory"`
				} `json:"nova_object.data"`
			} `json:"cells"`
		} `json:"nova_object.data"`
	}
	must.Succeed(t, json.Unmarshal([]byte(says["numa_topology"].(string)), &numa))
	if cells := numa.Data.Cells; len(cells) != 2 || !cmp.Equal(cells[0].Data.CPUSet, []int{0, 1}) || cells[0].Data.Memory != 2 || cells[1].Data.ID != 1 {
		t.Errorf("numa_topology: %s", says["numa_topology"])
	}

	// The address is the machine's; a configured address replaces it.
	h.Address = known(netip.MustParseAddr("192.0.2.7"))
	for _, myIP := range []string{"", "2001:db8::9"} {
		opts, want := providertree.Options{}, h.Address.Value
		if myIP != "" {
			opts.MyIP, want = netip.MustParseAddr(myIP), netip.MustParseAddr(myIP)
		}
		if says := build(t, h, opts).Hypervisor; says["host_ip"] != any(want) {
			t.Errorf("my_ip %q: address %v", myIP, says["host_ip"])
		}
	}

	// A machine without flags runs guests by emulation; what a machine does not tell is not
	// set.
	h.CPU.Flags = hw.Reading[[]string]{}
	if spec := specs(build(t, h, providertree.Options{}).Hypervisor); spec["hv_type"] != "qemu" {
		t.Errorf("without flags: %v", spec)
	}
	says = build(t, hw.Host{Hostname: known("h")}, providertree.Options{}).Hypervisor
	if diff := cmp.Diff(object.Fields{"hypervisor_type": "QEMU"}, says); diff != "" {
		t.Errorf("a machine that tells nothing: %s", diff)
	}
}
