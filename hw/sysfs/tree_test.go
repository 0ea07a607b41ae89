package sysfs_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/modeltest/must"
)

// file and link make entries of a fake machine.
func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

const (
	card = "sys/bus/pci/devices/0000:84:00.0"
	mbus = "sys/class/mdev_bus/0000:84:00.0"
)

// aCard is the least that the kernel shows of a PCI device.
func aCard() fstest.MapFS {
	return fstest.MapFS{
		card + "/vendor": file("0x10de\n"), card + "/device": file("0x1eb8\n"), card + "/class": file("0x030200\n"),
	}
}

func texts(gaps []sysfs.Gap) []string {
	var out []string
	for _, p := range gaps {
		out = append(out, p.String())
	}
	slices.Sort(out)
	return out
}

func TestNothingThere(t *testing.T) {
	t.Parallel()
	tree := sysfs.New(fstest.MapFS{})
	ctx := t.Context()
	if d, p := tree.PCIDevices(ctx); d != nil || p != nil {
		t.Errorf("PCIDevices = %v, %v", d, p)
	}
	if m, p := tree.Mediated(ctx); m.Parents != nil || m.Devices != nil || p != nil {
		t.Errorf("Mediated = %v, %v", m, p)
	}
	if n, p := tree.NUMANodes(ctx); n != nil || p != nil {
		t.Errorf("NUMANodes = %v, %v", n, p)
	}
	if c, p := tree.CPUTopology(ctx); c.Path != "" || c.Sockets() != 0 || c.Cores() != 0 || p != nil {
		t.Errorf("CPUTopology = %v, %v", c, p)
	}
}

func TestPCIDevice(t *testing.T) {
	t.Parallel()
	fsys := aCard()
	fsys[card+"/numa_node"] = file("-1\n")
	fsys[card+"/driver"] = link("../../../bus/pci/drivers/vfio-pci") // dangling: only its name counts
	fsys[card+"/sriov_totalvfs"] = file("16\n")
	fsys[card+"/sriov_numvfs"] = file("3\n")
	fsys[card+"/virtfn10"] = link("../0000:84:01.2")
	fsys[card+"/virtfn2"] = link("../0000:84:00.6")
	fsys[card+"/virtfn1"] = link("../0000:84:00.5")
	fsys[card+"/boot_vga"] = file("1\n")

	got, gaps := sysfs.New(fsys).PCIDevices(t.Context())
	if gaps != nil {
		t.Errorf("problems: %v", texts(gaps))
	}
	want := []sysfs.PCIDevice{{
		Address: sysfs.Address{Bus: 0x84}, Path: "/" + card, Vendor: sysfs.VendorNVIDIA, Device: 0x1eb8,
		Class:    0x030200,
		NUMANode: -1, Driver: "vfio-pci", BootVGA: true,
		SRIOV: &sysfs.SRIOV{TotalVFs: 16, NumVFs: 3, VFs: []sysfs.Address{
			{Bus: 0x84, Function: 5}, {Bus: 0x84, Function: 6}, {Bus: 0x84, Device: 1, Function: 2},
		}},
	}}
	must.Match(t, want, got)
}

func TestDevType(t *testing.T) {
	t.Parallel()
	pf := &sysfs.Address{}
	for _, c := range []struct {
		name string
		dev  sysfs.PCIDevice
		want sysfs.DevType
	}{
		{"plain", sysfs.PCIDevice{}, sysfs.TypePCI},
		{"can have VFs", sysfs.PCIDevice{SRIOV: &sysfs.SRIOV{TotalVFs: 7}}, sysfs.TypePF},
		{"could, but for firmware", sysfs.PCIDevice{SRIOV: &sysfs.SRIOV{}}, sysfs.TypePCI},
		{"has a PF", sysfs.PCIDevice{PhysFn: pf}, sysfs.TypeVF},
		{"a VF wins", sysfs.PCIDevice{PhysFn: pf, SRIOV: &sysfs.SRIOV{TotalVFs: 7}}, sysfs.TypeVF},
	} {
		if got := c.dev.DevType(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// One bad file costs only its own fact.
func TestOneBadFile(t *testing.T) {
	t.Parallel()
	long := string(bytes.Repeat([]byte{'1'}, 64<<10+1))
	for _, c := range []struct {
		name    string
		path    string
		file    *fstest.MapFile
		fault   error
		want    error
		problem string
	}{
		{"rights", card + "/vendor", nil, fs.ErrPermission, fs.ErrPermission, "/" + card + "/vendor: vendor id: permission denied"},
		{"unplugged", card + "/class", nil, syscall.ENODEV, syscall.ENODEV, "/" + card + "/class: class: no such device"},
		{"too long", card + "/device", file(long), nil, sysfs.ErrTooLong, "/" + card + "/device: device id: more than 64 KiB"},
		{"binary", card + "/device", file("0x\x001"), nil, sysfs.ErrNotText, "/" + card + "/device: device id: not text"},
		{"no UTF-8", card + "/device", file("\xff\xfe"), nil, sysfs.ErrNotText, "/" + card + "/device: device id: not text"},
		{"empty", card + "/device", file(""), nil, sysfs.ErrSyntax, "/" + card + `/device: device id: unexpected text "": want a hexadecimal number of at most 16 bits such as 0x10de`},
		{"a folder", card + "/device", &fstest.MapFile{Mode: fs.ModeDir | 0o755}, nil, sysfs.ErrNotFile, "/" + card + "/device: device id: not a regular file but a directory"},
		{"a pipe", card + "/numa_node", &fstest.MapFile{Mode: fs.ModeNamedPipe | 0o644}, nil, sysfs.ErrNotFile, "/" + card + "/numa_node: NUMA node: not a regular file but a pipe"},
		{"a link to nowhere", card + "/numa_node", link("nowhere"), nil, fs.ErrNotExist, "/" + card + "/numa_node: NUMA node: file does not exist"},
		{"words", card + "/numa_node", file("none\n"), nil, sysfs.ErrSyntax, "/" + card + `/numa_node: NUMA node: unexpected text "none": want a whole number`},
		{"no link", card + "/driver", file("x"), nil, fs.ErrInvalid, "/" + card + "/driver: driver: invalid argument"},
		{"no address", card + "/physfn", link("../x"), nil, sysfs.ErrSyntax, "/" + card + `/physfn: physical function: unexpected text "x": want a PCI address such as 0000:84:00.0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := aCard()
			if c.file != nil {
				fsys[c.path] = c.file
			}
			got, gaps := sysfs.New(hwtest.Faulty(fsys, map[string]error{c.path: c.fault})).PCIDevices(t.Context())
			if len(got) != 1 || got[0].Address.Bus != 0x84 {
				t.Fatalf("devices %+v, want the card in spite of the bad file", got)
			}
			if diff := cmp.Diff([]string{c.problem}, texts(gaps)); diff != "" {
				t.Fatalf("problems (-want +got):\n%s", diff)
			}
			if !errors.Is(gaps[0].Err, c.want) {
				t.Errorf("error %v does not match %v", gaps[0].Err, c.want)
			}
		})
	}
}

// vanishing is a machine whose card is unplugged after its folder was listed.
type vanishing struct {
	fstest.MapFS
	listed bool
}

func (v *vanishing) gone(name string) error {
	if v.listed && strings.HasPrefix(name, card) {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.ENODEV}
	}
	return nil
}

func (v *vanishing) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := v.MapFS.ReadDir(name)
	v.listed = v.listed || name == card
	return entries, err
}

func (v *vanishing) Open(name string) (fs.File, error) {
	if err := v.gone(name); err != nil {
		return nil, err
	}
	return v.MapFS.Open(name)
}

func (v *vanishing) Stat(name string) (fs.FileInfo, error) {
	if v.gone(name) != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return v.MapFS.Stat(name)
}

func TestDeviceVanishes(t *testing.T) {
	t.Parallel()
	fsys := &vanishing{MapFS: aCard()}
	fsys.MapFS["sys/bus/pci/devices/0000:85:00.0/vendor"] = file("0x10de")
	fsys.MapFS["sys/bus/pci/devices/0000:85:00.0/device"] = file("0x1eb8")
	fsys.MapFS["sys/bus/pci/devices/0000:85:00.0/class"] = file("0x030200")
	got, gaps := sysfs.New(fsys).PCIDevices(t.Context())
	if len(got) != 1 || got[0].Address.Bus != 0x85 {
		t.Errorf("devices %+v, want only 0000:85:00.0", got)
	}
	must.Match(t, []string{"/" + card + ": PCI device: vanished while being read"}, texts(gaps))
}

func TestStopsWhenTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, gaps := sysfs.New(aCard()).PCIDevices(ctx)
	if got != nil || len(gaps) != 1 || !errors.Is(gaps[0].Err, context.Canceled) {
		t.Errorf("got %v, %v, want no devices and one Problem that is context.Canceled", got, texts(gaps))
	}
}

func TestMediated(t *testing.T) {
	t.Parallel()
	const (
		one   = "4b20d080-1b54-4048-85b3-a6a62d165c01"
		two   = "c0b26072-dd1b-4340-84fe-bf338c510818"
		types = mbus + "/mdev_supported_types/"
	)
	fsys := fstest.MapFS{
		types + "nvidia-999/device_api":          file("vfio-pci\n"),
		types + "nvidia-222/available_instances": file("0\n"),
		types + "nvidia-222/name":                file("GRID T4-1B\n"),
		types + "nvidia-231/available_instances": file("6\n"),
		types + "nvidia-231/devices/" + one:      link("../../../" + one),
		// A device on the bus that is missing in the folder of its type.
		"sys/bus/mdev/devices/" + one:                  link("../../../class/mdev_bus/0000:84:00.0/" + one),
		"sys/bus/mdev/devices/" + two:                  link("../../../class/mdev_bus/0000:84:00.0/" + two),
		mbus + "/" + one + "/mdev_type":                link("../mdev_supported_types/nvidia-231"),
		mbus + "/" + two + "/mdev_type":                link("../mdev_supported_types/nvidia-231"),
		"sys/class/mdev_bus/mtty/mdev_supported_types": &fstest.MapFile{Mode: fs.ModeDir | 0o755},
	}
	m, gaps := sysfs.New(fsys).Mediated(t.Context())
	if len(m.Parents) != 2 || m.Parents[0].Address == nil || m.Parents[1].Name != "mtty" || m.Parents[1].Address != nil {
		t.Fatalf("parents %+v, want 0000:84:00.0 and mtty", m.Parents)
	}
	gpu := m.Parents[0]
	for _, c := range []struct {
		id       string
		capacity int
		ok       bool
	}{
		{"nvidia-222", 0, true},
		{"nvidia-231", 8, true}, // six more, one in its folder, one only on the bus
		{"nvidia-999", 0, false},
	} {
		mt, found := gpu.Type(c.id)
		if n, ok := mt.Capacity(); !found || n != c.capacity || ok != c.ok {
			t.Errorf("%s: capacity %d, %v (found %v), want %d, %v", c.id, n, ok, found, c.capacity, c.ok)
		}
	}
	if use := gpu.InUse(); len(use) != 1 || use[0].ID != "nvidia-231" || len(use[0].Devices) != 2 {
		t.Errorf("in use: %+v, want two of nvidia-231", use)
	}
	if len(m.Devices) != 2 || m.Devices[1].Parent != "0000:84:00.0" {
		t.Errorf("devices %+v", m.Devices)
	}
	must.Match(t, []string{"/" + types + "nvidia-999/available_instances: available instances: no such file"}, texts(gaps))
}

func TestVendorSpecificVFIO(t *testing.T) {
	t.Parallel()
	fsys := aCard()
	fsys[card+"/nvidia/creatable_vgpu_types"] = file("ID    : vGPU Name\n1428  : NVIDIA H200X-141C\n")
	fsys[card+"/nvidia/current_vgpu_type"] = file("0\n")
	got, gaps := sysfs.New(fsys).PCIDevices(t.Context())
	want := &sysfs.VFIOVGPU{Creatable: []sysfs.VGPUType{{ID: 1428, Name: "NVIDIA H200X-141C"}}}
	if len(got) != 1 || gaps != nil || !cmp.Equal(got[0].VGPU, want) {
		t.Errorf("got %+v, %v, want %+v", got, texts(gaps), want)
	}

	// What cannot be read is unknown, not "no vGPU".
	got, gaps = sysfs.New(hwtest.Faulty(fsys, map[string]error{card + "/nvidia/current_vgpu_type": fs.ErrPermission})).PCIDevices(t.Context())
	if len(got) != 1 || got[0].VGPU == nil || got[0].VGPU.Current != -1 || len(gaps) != 1 {
		t.Errorf("got %+v, %v, want Current -1 and one Problem", got, texts(gaps))
	}
}

func TestNUMANodes(t *testing.T) {
	t.Parallel()
	const node = "sys/devices/system/node/"
	fsys := fstest.MapFS{
		node + "online":         file("0,10\n"), // no node
		node + "node10/cpulist": file("\n"),     // memory only
		node + "node10/meminfo": file("Node 10 MemTotal: 1024 kB\nNode 10 MemFree: 512 kB\n"),
		node + "node0/cpulist":  file("0-1,4\n"),
		node + "node0/meminfo":  file("no numbers here\n"),
	}
	got, gaps := sysfs.New(fsys).NUMANodes(t.Context())
	want := []sysfs.NUMANode{
		{ID: 0, Path: "/" + node + "node0", CPUs: sysfs.CPUSet{0, 1, 4}},
		{ID: 10, Path: "/" + node + "node10", CPUs: sysfs.CPUSet{}, Memory: &sysfs.NodeMemory{TotalKiB: 1024, FreeKiB: 512}},
	}
	must.Match(t, want, got)
	if len(gaps) != 1 || gaps[0].Path != "/"+node+"node0/meminfo" {
		t.Errorf("problems %v, want one for the memory of node 0", texts(gaps))
	}
}

func TestCPUTopology(t *testing.T) {
	t.Parallel()
	const cpu = "sys/devices/system/cpu/"
	fsys := fstest.MapFS{
		cpu + "online":    file("0-3\n"),
		cpu + "cpufreq/x": file(""), // not a CPU
		// An offline CPU keeps its folder on some machines.
		cpu + "cpu4/topology/physical_package_id": file("7\n"),
	}
	for i, at := range []struct{ pkg, core, siblings string }{{"0", "0", "0,2"}, {"1", "0", "1,3"}, {"0", "0", "0,2"}, {"1", "0", "1,3"}} {
		dir := cpu + "cpu" + string(rune('0'+i)) + "/topology/"
		fsys[dir+"physical_package_id"], fsys[dir+"core_id"] = file(at.pkg), file(at.core)
		fsys[dir+"thread_siblings_list"] = file(at.siblings) // the name on old kernels
	}
	got, gaps := sysfs.New(fsys).CPUTopology(t.Context())
	if got.Sockets() != 2 || got.Cores() != 2 || len(got.CPUs) != 4 || gaps != nil {
		t.Errorf("%d sockets, %d cores, %d CPUs, %v; want 2, 2, 4", got.Sockets(), got.Cores(), len(got.CPUs), texts(gaps))
	}

	// Without lists of siblings, cores are distinguished by socket, die and number.
	for i := range 4 {
		delete(fsys, cpu+"cpu"+string(rune('0'+i))+"/topology/thread_siblings_list")
	}
	if got, _ := sysfs.New(fsys).CPUTopology(t.Context()); got.Cores() != 2 {
		t.Errorf("%d cores by number, want 2", got.Cores())
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	tree := sysfs.New(hwtest.Faulty(fstest.MapFS{
		"etc/machine-id": file(" 0123\n"), "etc/locked": file("x"), "etc/link": link("machine-id"), "etc/binary": file("\x00"),
	}, map[string]error{"etc/locked": fs.ErrPermission}))
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"etc/machine-id", "0123", nil},
		{"etc/link", "0123", nil},
		{"etc/none", "", fs.ErrNotExist},
		{"etc/locked", "", fs.ErrPermission},
		{"etc/binary", "", sysfs.ErrNotText},
		{"etc", "", sysfs.ErrNotFile},
	} {
		if got, err := tree.Text(c.name); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Text(%s) = %q, %v, want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
}
