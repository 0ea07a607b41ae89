package sysfs_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/placetop/placetop/hw/sysfs"
)

func FuzzParseCPUList(f *testing.F) {
	for _, s := range []string{"0-3,8,10-11\n", "0-7:2/4", "65535", "", "1,,2", "3-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := sysfs.ParseCPUList(text)
		if err != nil {
			return
		}
		if !slices.IsSorted(set) || len(slices.Compact(slices.Clone(set))) != len(set) {
			t.Fatalf("%q is %v: not ascending, or not each once", text, set)
		}
		if back, err := sysfs.ParseCPUList(set.String()); err != nil || !slices.Equal(back, set) {
			t.Fatalf("%q is %v, reads back as %v, %v", text, set, back, err)
		}
	})
}

func FuzzParseVGPUTypes(f *testing.F) {
	f.Add("ID    : vGPU Name\n1428 : NVIDIA H200X-141C\n")
	f.Add("557 : a : b\n:\n0 : x")
	f.Fuzz(func(t *testing.T, text string) {
		types, _ := sysfs.ParseVGPUTypes(text)
		for _, v := range types {
			if v.ID <= 0 || v.Name == "" {
				t.Fatalf("%q has type %+v", text, v)
			}
		}
	})
}

func FuzzParseNumbers(f *testing.F) {
	f.Add("0x10de\n", 16)
	f.Add("Node 0 MemTotal: 1 kB", 24)
	f.Add("10 21", 1)
	f.Fuzz(func(t *testing.T, text string, bits int) {
		bits = 1 + (bits&0x7fffffff)%32
		if n, err := sysfs.ParseHex(text, bits); err == nil && uint64(n) >= 1<<bits {
			t.Fatalf("ParseHex(%q, %d) = %#x", text, bits, n)
		}
		if m, err := sysfs.ParseNodeMemory(text); err == nil && (m.TotalKiB < 0 || m.FreeKiB < 0) {
			t.Fatalf("ParseNodeMemory(%q) = %+v", text, m)
		}
	})
}

// FuzzTree puts the same content into every file of a machine.
func FuzzTree(f *testing.F) {
	f.Add([]byte("0x10de\n"), "0000:84:00.0")
	f.Add([]byte("-1"), "../x")
	f.Add([]byte("0-3"), "../mdev_supported_types/nvidia-222")
	f.Add([]byte{0xff, 0}, "")
	f.Fuzz(func(t *testing.T, content []byte, target string) {
		fsys := fstest.MapFS{}
		for _, dir := range []struct {
			path  string
			files []string
			links []string
		}{
			{card + "/", []string{"vendor", "device", "class", "numa_node", "sriov_totalvfs", "sriov_numvfs", "sriov_vf_device", "boot_vga"}, []string{"driver", "physfn", "virtfn0"}},
			{card + "/nvidia/", []string{"creatable_vgpu_types", "current_vgpu_type"}, nil},
			{mbus + "/mdev_supported_types/a-1/", []string{"available_instances", "name", "description"}, nil},
			{"sys/bus/mdev/devices/", nil, []string{"4b20d080-1b54-4048-85b3-a6a62d165c01"}},
			{"sys/devices/system/node/node0/", []string{"cpulist", "meminfo", "distance"}, nil},
			{"sys/devices/system/cpu/", []string{"online"}, nil},
			{"sys/devices/system/cpu/cpu0/topology/", []string{"physical_package_id", "die_id", "core_id", "core_cpus_list"}, nil},
		} {
			for _, name := range dir.files {
				fsys[dir.path+name] = &fstest.MapFile{Data: content}
			}
			for _, name := range dir.links {
				fsys[dir.path+name] = link(target)
			}
		}
		tree := sysfs.New(fsys)
		ctx := t.Context()
		devices, gaps := tree.PCIDevices(ctx)
		if len(devices) != 1 {
			t.Fatalf("%d devices, want 1; %v", len(devices), texts(gaps))
		}
		_ = devices[0].DevType()
		m, _ := tree.Mediated(ctx)
		for _, p := range m.Parents {
			for _, mt := range p.Types {
				if n, ok := mt.Capacity(); ok && n < 0 {
					t.Fatalf("capacity %d", n)
				}
			}
		}
		tree.NUMANodes(ctx)
		top, _ := tree.CPUTopology(ctx)
		_, _ = top.Sockets(), top.Cores()
	})
}
