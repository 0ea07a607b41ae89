package sysfs_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/modeltest/must"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"0000:84:00.0", "0000:84:00.0"},
		{"0000:AF:1F.7", "0000:af:1f.7"},
		{"10000:01:00.0", "10000:01:00.0"}, // behind an Intel VMD
		{"ffffffff:ff:1f.7", "ffffffff:ff:1f.7"},
		{"", ""},
		{"84:00.0", ""},
		{"0000:84:00", ""},
		{"0000:84:20.0", ""}, // devices end at 1f
		{"0000:84:00.8", ""}, // functions end at 7
		{"0000:84:0.0", ""},
		{"000:84:00.0", ""},
		{"0000:+4:00.0", ""},
		{"0000:84:00.0 ", ""},
		{"000000000:84:00.0", ""},
		{"pci_0000_84_00_0", ""},
	} {
		got, err := sysfs.ParseAddress(c.text)
		switch {
		case c.want == "" && !errors.Is(err, sysfs.ErrSyntax):
			t.Errorf("ParseAddress(%q) = %v, %v, want ErrSyntax", c.text, got, err)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("ParseAddress(%q) = %v, %v, want %s", c.text, got, err, c.want)
		}
	}
}

func TestParseCPUList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want sysfs.CPUSet
		back string
	}{
		{"0-3,8,10-11\n", sysfs.CPUSet{0, 1, 2, 3, 8, 10, 11}, "0-3,8,10-11"},
		{"0", sysfs.CPUSet{0}, "0"},
		{"", nil, ""},
		{"\n", nil, ""},
		{"8,0-1", sysfs.CPUSet{0, 1, 8}, "0-1,8"},
		{"0-3,2-5", sysfs.CPUSet{0, 1, 2, 3, 4, 5}, "0-5"},
		{"65535", sysfs.CPUSet{65535}, "65535"},
	} {
		got, err := sysfs.ParseCPUList(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseCPUList(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
		if got.String() != c.back {
			t.Errorf("ParseCPUList(%q).String() = %q, want %q", c.text, got, c.back)
		}
	}
	for _, bad := range []string{"a", "0-", "-1", "3-1", "0,,1", "0-7:2/4", "65536", "+1", "0x1", "0 1"} {
		if got, err := sysfs.ParseCPUList(bad); !errors.Is(err, sysfs.ErrSyntax) {
			t.Errorf("ParseCPUList(%q) = %v, %v, want ErrSyntax", bad, got, err)
		}
	}
}

func TestParseHex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		bits int
		want uint32
		ok   bool
	}{
		{"0x10de\n", 16, 0x10de, true},
		{"1EB8", 16, 0x1eb8, true},
		{"0x030200", 24, 0x030200, true},
		{"0x10000", 16, 0, false},
		{"0x1000000", 24, 0, false},
		{"0x", 16, 0, false},
		{"", 16, 0, false},
		{"-0x1", 16, 0, false},
		{"0xzzzz", 16, 0, false},
	} {
		got, err := sysfs.ParseHex(c.text, c.bits)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("ParseHex(%q, %d) = %#x, %v, want %#x, %v", c.text, c.bits, got, err, c.want, c.ok)
		}
	}
}

func TestParseVGPUTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []sysfs.VGPUType
		ok         bool
	}{
		{"headings", "ID    : vGPU Name\n1428 : NVIDIA H200X-141C\n", []sysfs.VGPUType{{ID: 1428, Name: "NVIDIA H200X-141C"}}, true},
		{"no headings", "557 : NVIDIA A40-1Q\n558 : NVIDIA A40-2Q", []sysfs.VGPUType{{557, "NVIDIA A40-1Q"}, {558, "NVIDIA A40-2Q"}}, true},
		{"nothing can be made", "", nil, true},
		{"only headings", "ID    : vGPU Name\n", nil, true},
		{"headings in the middle", "557 : A\nID : vGPU Name", []sysfs.VGPUType{{557, "A"}}, false},
		{"one bad line", "557 : A\nbroken\n558 : B", []sysfs.VGPUType{{557, "A"}, {558, "B"}}, false},
		{"no name", "557 :", nil, false},
		{"zero is not a type", "0 : none", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := sysfs.ParseVGPUTypes(c.text)
			must.Match(t, c.want, got)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, sysfs.ErrSyntax) {
				t.Errorf("error %v, want ok=%v", err, c.ok)
			}
		})
	}
}

func TestParseNodeMemory(t *testing.T) {
	t.Parallel()
	got, err := sysfs.ParseNodeMemory("Node 0 MemTotal:       65689460 kB\nNode 0 MemFree:        100 kB\nNode 0 HugePages_Total:     8\n")
	if want := (sysfs.NodeMemory{TotalKiB: 65689460, FreeKiB: 100}); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"", "Node 0 MemFree: 1 kB", "Node 0 MemTotal: many kB", "Node 0 MemTotal: -1 kB", "Node 0 MemTotal: 1 MB"} {
		if got, err := sysfs.ParseNodeMemory(bad); !errors.Is(err, sysfs.ErrSyntax) {
			t.Errorf("ParseNodeMemory(%q) = %v, %v, want ErrSyntax", bad, got, err)
		}
	}
}

// Class and maker together say what a GPU is: jaypipes/ghw issue 383, and the GPUs without
// a display of apache/cloudstack issue 12981.
func TestIsGPU(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		vendor, device sysfs.ID
		class          sysfs.Class
		want           bool
	}{
		{"Tesla T4", 0x10de, 0x1eb8, 0x030200, true},
		{"H200", 0x10de, 0x2335, 0x030200, true},
		{"Intel Flex 170", 0x8086, 0x56c0, 0x038000, true},
		{"Intel Max 1550", 0x8086, 0x0bd5, 0x038000, true},
		{"AMD MI210", 0x1002, 0x740f, 0x038000, true},
		{"AMD MI300X", 0x1002, 0x74a1, 0x120000, true},
		{"Intel's in the processor", 0x8086, 0x3e92, 0x030000, true},
		{"Moore Threads", 0x1ed5, 0x0106, 0x030000, true},
		{"Xilinx FPGA", 0x10ee, 0x5000, 0x120000, false},
		{"Intel FPGA", 0x8086, 0x09c4, 0x120000, false},
		{"Habana Gaudi", 0x1da3, 0x1060, 0x120000, false},
		{"ASPEED in a management controller", 0x1a03, 0x2000, 0x030000, false},
		{"Matrox in a management controller", 0x102b, 0x0538, 0x030000, false},
		{"AMD's in a management controller", 0x1002, 0x515e, 0x030000, false},
		{"Huawei's in a management controller", 0x19e5, 0x1711, 0x030000, false},
		{"of a virtual machine", 0x1af4, 0x1050, 0x038000, false},
		{"XGA controller", 0x10de, 0x0001, 0x030100, false},
		{"sound of a GPU", 0x10de, 0x10f8, 0x040300, false},
		{"network card", 0x8086, 0x1572, 0x020000, false},
	} {
		if d := (sysfs.PCIDevice{Vendor: c.vendor, Device: c.device, Class: c.class}); d.IsGPU() != c.want {
			t.Errorf("%s: IsGPU %v, want %v", c.name, !c.want, c.want)
		}
	}
}
