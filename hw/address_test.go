package hw_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/modeltest/must"
)

// machine unpacks a captured machine and adds files to it; "" removes one.
func machine(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	root := hwtest.Unpack(t, "testdata/"+name+".txtar")
	for file, text := range files {
		file = filepath.Join(root, file)
		if text == "" {
			must.Succeed(t, os.RemoveAll(file))
			continue
		}
		must.Succeed(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Succeed(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return root
}

// routes returns /proc/net/route: in each line the interface, destination, gateway,
// flags, metric and mask count.
func routes(lines ...string) string {
	var b strings.Builder
	b.WriteString("Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n")
	for _, line := range lines {
		f := strings.Fields(line)
		b.WriteString(strings.Join([]string{f[0], f[1], f[2], f[3], "0", "0", f[4], f[5], "0", "0", "0"}, "\t") + "\n")
	}
	return b.String()
}

// own returns the /proc/net/fib_trie of a machine with addresses.
func own(addresses ...string) string {
	text := "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 127.0.0.1\n        /32 host LOCAL\n"
	for _, a := range addresses {
		text += "     |-- " + a + "\n        /32 host LOCAL\n"
	}
	return text
}

// The address of another machine is that of the interface of its default route, by its
// own files; the kernel of this machine must not be asked instead.
func TestAddressOfAnotherMachine(t *testing.T) {
	t.Parallel()
	const out, lan, virtual = "eth0 00000000 010200C0 0003 100 00000000", "eth0 000200C0 00000000 0001 0 00FFFFFF", "virbr0 007AA8C0 00000000 0001 0 00FFFFFF"
	for _, tt := range []struct {
		name        string
		route, trie string
		want        string // "" for unknown
		problem     string // its path
	}{
		{"one", routes(out, lan), own("192.0.2.7"), "192.0.2.7", ""},
		{"beside a bridge", routes(out, virtual, lan), own("192.168.122.1", "192.0.2.7"), "192.0.2.7", ""},
		{"the route of the lower metric", routes("eth1 00000000 0100000A 0003 50 00000000", "eth1 0000000A 00000000 0001 0 000000FF", out, lan), own("10.0.0.9", "192.0.2.7"), "10.0.0.9", ""},
		{"a route that is down", routes("eth1 00000000 0100000A 0002 50 00000000", out, lan), own("192.0.2.7"), "192.0.2.7", ""},
		{"a single address, in no network", routes(out, virtual), own("192.168.122.1", "203.0.113.5"), "203.0.113.5", ""},
		{"none there", routes(out, lan, virtual), own("192.168.122.1"), "", ""},
		{"no default route", routes(lan), own("192.0.2.7"), "127.0.0.1", ""},
		{"no routes are told", "", "", "", ""},
		{"no addresses are told", routes(out, lan), "", "", "/proc/net/fib_trie"},
		{"no routes at all", "what is this\n", own("192.0.2.7"), "", "/proc/net/route"},
		{"no address in a route", routes("eth0 0000000x 00000000 0003 0 00000000"), own("192.0.2.7"), "", "/proc/net/route"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := machine(t, "no-gpu", map[string]string{"proc/net/route": tt.route, "proc/net/fib_trie": tt.trie})
			h := probe(t, hw.Options{Root: root})
			if got := h.Address; got.Known() != (tt.want != "") || got.Known() && got.Value != netip.MustParseAddr(tt.want) {
				t.Errorf("address %v of %q, want %q", got.Value, got.Source, tt.want)
			}
			must.Be(t, problemAt(h, "/proc/net/"), tt.problem)
		})
	}
}

// problemAt returns the path of a problem below folder.
func problemAt(h hw.Host, folder string) string {
	for _, p := range h.Gaps {
		if strings.HasPrefix(p.Path, folder) {
			return p.Path
		}
	}
	return ""
}

// This machine has an address, if only that of its loopback.
func TestAddressOfThisMachine(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/net/route"); err != nil {
		t.Skip("no /proc/net/route here")
	}
	h := must.Get(hw.Probe(t.Context(), hw.Options{}))(t)
	if !h.Address.Value.IsValid() || !h.Address.Value.Is4() {
		t.Errorf("address %v of %q", h.Address.Value, h.Address.Source)
	}
}

// The version of QEMU is that of the emulator for the machine's own architecture: from
// libvirt's cache, else from the installed package.
func TestVersionOfQEMU(t *testing.T) {
	t.Parallel()
	const cache = "var/cache/libvirt/qemu/capabilities/"
	caps := func(version, arch string) string {
		return "<?xml version=\"1.0\"?>\n<qemuCaps><version>" + version + "</version><arch>" + arch + "</arch></qemuCaps>\n"
	}
	dpkg := func(name, status, version string) string {
		return "Package: bash\nStatus: install ok installed\nVersion: 5.2-1\n\nPackage: " + name + "\nStatus: " + status +
			"\nDescription: full system\n emulation\nVersion: " + version + "\n"
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing says", nil, 0},
		{"libvirt", map[string]string{cache + "a.xml": caps("8002003", "x86_64"), cache + "b.xml": caps("9000000", "aarch64")}, 8002003},
		{"libvirt, before the package", map[string]string{cache + "a.xml": caps("8002003", "x86_64"), "var/lib/dpkg/status": dpkg("qemu-system-x86", "install ok installed", "1:9.0.0")}, 8002003},
		{"libvirt with another emulator alone", map[string]string{cache + "b.xml": caps("9000000", "aarch64")}, 0},
		{"what libvirt left half", map[string]string{cache + "a.xml": "<qemuCaps><version>80"}, 0},
		{"what is none of libvirt's", map[string]string{cache + "a.xml": "<other><version>1</version><arch>x86_64</arch></other>"}, 0},
		{"a package", map[string]string{"var/lib/dpkg/status": dpkg("qemu-system-x86", "install ok installed", "1:8.2.2+ds-0ubuntu1.4")}, 8002002},
		{"a package of two numbers", map[string]string{"var/lib/dpkg/status": dpkg("qemu-system-x86", "install ok installed", "1:7.2+dfsg-7")}, 7002000},
		{"a package that is gone", map[string]string{"var/lib/dpkg/status": dpkg("qemu-system-x86", "deinstall ok config-files", "1:8.2.2")}, 0},
		{"a package for others", map[string]string{"var/lib/dpkg/status": dpkg("qemu-system-arm", "install ok installed", "1:8.2.2")}, 0},
		{"a package of no number", map[string]string{"var/lib/dpkg/status": dpkg("qemu-system-x86", "install ok installed", "1:git2026")}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := probe(t, hw.Options{Root: machine(t, "no-gpu", tt.files)})
			if h.QEMU.Value != tt.want || h.QEMU.Known() != (tt.want != 0) {
				t.Errorf("version %d of %q, want %d", h.QEMU.Value, h.QEMU.Source, tt.want)
			}
		})
	}
}

// Without permission to read libvirt's cache the rest is reported, and there is no
// problem.
func TestVersionOfQEMUWithoutRights(t *testing.T) {
	t.Parallel()
	root := machine(t, "t4", nil)
	denied := hwtest.Faulty(os.DirFS(root), map[string]error{"var/cache/libvirt/qemu/capabilities": os.ErrPermission})
	h := probe(t, hw.Options{Root: root, Files: denied})
	if h.QEMU.Known() || hasGap(h, "/var/cache/libvirt/qemu/capabilities", os.ErrPermission) {
		t.Errorf("version %v, problems %v", h.QEMU, h.Gaps)
	}
}
