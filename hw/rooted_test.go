package hw_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/modeltest/must"
)

// Links of a mounted machine lead to its own files, never to those of the machine that
// probes it: prometheus/node_exporter issues 1906 and 1585.
func TestLinksStayBelowTheRoot(t *testing.T) {
	t.Parallel()
	outside := t.TempDir() // of the machine that probes
	must.Succeed(t, os.WriteFile(filepath.Join(outside, "meminfo"), []byte("MemTotal: 4096 kB\n"), 0o644))
	for name, link := range map[string]string{
		"absolute": outside + "/meminfo",
		"relative": strings.Repeat("../", 40) + outside + "/meminfo",
		"a folder": outside,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "proc/meminfo"
			if name == "a folder" {
				file = "proc"
			}
			root := hwtest.Unpack(t, "testdata/no-numa.txtar")
			must.Succeed(t, os.RemoveAll(filepath.Join(root, file)))
			must.Succeed(t, os.Symlink(link, filepath.Join(root, file)))
			h := probe(t, hw.Options{Root: root})
			if h.Memory.Total.Known() || !hasGap(h, "/proc/meminfo", fs.ErrNotExist) {
				t.Errorf("memory %v, problems %v; want a Gap, as the machine has no such file", h.Memory.Total, h.Gaps)
			}
			// The same path below the root is the file that is meant.
			put(t, root, map[string]string{filepath.Join(outside, "meminfo"): "MemTotal: 8192 kB\n"})
			if h = probe(t, hw.Options{Root: root}); h.Memory.Total.Value != 8<<20 {
				t.Errorf("memory %v, want that of the machine's own file", h.Memory.Total)
			}
		})
	}
}

// Nothing may be taken from elsewhere: every file and folder that a probe looks at is
// replaced by a link to the same one of this machine.
func TestLinksToThisMachine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, map[string]string{"etc/hostname": "linked\n"})
	for _, dir := range []string{"proc", "sys", "run", "usr", "var"} {
		must.Succeed(t, os.Symlink("/"+dir, filepath.Join(root, dir)))
	}
	for _, file := range []string{"machine-id", "os-release", "debian_version", "nova"} {
		must.Succeed(t, os.Symlink("/../etc/"+file, filepath.Join(root, "etc", file)))
	}
	h := must.Get(hw.Probe(t.Context(), hw.Options{Root: root}))(t)
	for _, f := range h.Facts() {
		if f.Value != "?" && f.Name != "host.name" && f.Name != "instances.path" {
			t.Errorf("%s is %s, from %s; want nothing of this machine", f.Name, f.Value, f.Source)
		}
	}
	if h.MachineID.Known() || h.ComputeID.Known() {
		t.Errorf("machine id %v, compute id %v of this machine", h.MachineID, h.ComputeID)
	}
}

// The size of a folder that was only copied from a machine is that of a disk of the one
// that probes it, and so is that behind its absolute link.
func TestDiskOfTheProbingMachine(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(root string) error{
		"a copied folder":  func(root string) error { return os.MkdirAll(filepath.Join(root, "var/lib/nova/instances"), 0o755) },
		"an absolute link": func(root string) error { return os.Symlink("/dev/shm", filepath.Join(root, "var/lib/nova/instances")) },
		"links in a circle": func(root string) error {
			return errors.Join(os.Symlink("b", filepath.Join(root, "var/lib/nova/instances")), os.Symlink("/var/lib/nova/instances", filepath.Join(root, "var/lib/nova/b")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := hwtest.Unpack(t, "testdata/no-numa.txtar")
			must.Succeed(t, os.MkdirAll(filepath.Join(root, "var/lib/nova"), 0o755))
			must.Succeed(t, prepare(root))
			h := must.Get(hw.Probe(t.Context(), hw.Options{Root: root}))(t)
			if h.Instances.Source != "" {
				t.Errorf("file system %+v, want a Gap", h.Instances)
			}
			if name == "links in a circle" && !hasGap(h, "/var/lib/nova/instances", syscall.ELOOP) {
				t.Errorf("problems %v, want ELOOP", h.Gaps)
			}
		})
	}
}

// The kernel's two lists of CPUs may differ, as in a container: that of sysfs counts.
func TestTwoListsOfCPUs(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, "testdata/no-gpu.txtar")
	put(t, root, map[string]string{"sys/devices/system/cpu/online": "0-63\n"})
	h := probe(t, hw.Options{Root: root})
	if h.CPU.Threads.Value != 64 || h.CPU.Threads.Source != "/sys/devices/system/cpu/online" {
		t.Errorf("CPUs %v; want the 64 of sysfs, as libvirt counts", h.CPU.Threads)
	}
}
