package hw_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/modeltest/must"
)

// put writes files below the root folder of a machine.
func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(root, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Succeed(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

func TestZippedNames(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	must.Get(z.Write([]byte("1af4  Red Hat, Inc.\n\t1000  Virtio network device\n")))(t)
	must.Succeed(t, z.Close())
	root := hwtest.Unpack(t, "testdata/no-numa.txtar")
	put(t, root, map[string]string{"usr/share/misc/pci.ids.gz": zipped.String()})
	must.Be(t, probe(t, hw.Options{Root: root}).PCI[0].Title(), "Red Hat, Inc. Virtio network device")

	put(t, root, map[string]string{"usr/share/misc/pci.ids.gz": "this is not a gzip file"})
	h := probe(t, hw.Options{Root: root})
	if got := h.PCI[0].Title(); got != "1af4 1000" || !hasGap(h, "/usr/share/misc/pci.ids.gz", gzip.ErrHeader) {
		t.Errorf("the device is called %q, problems %v; want its ids, and one Problem", got, h.Gaps)
	}
}

// A mounted host's name comes from its own file: the name in its proc folder is that of
// the reader.
func TestHostNameOfAMountedHost(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, "testdata/t4.txtar")
	put(t, root, map[string]string{"etc/hostname": "the-host\n"})
	if got := probe(t, hw.Options{Root: root}).Hostname; got.Value != "the-host" || got.Source != "/etc/hostname" {
		t.Errorf("host name %v, want that of /etc/hostname", got)
	}
}

func TestBadIdentity(t *testing.T) {
	t.Parallel()
	root := hwtest.Unpack(t, "testdata/no-numa.txtar")
	put(t, root, map[string]string{"etc/nova/compute_id": "not a uuid", "proc/cpuinfo": "", "proc/meminfo": "garbage"})
	h := probe(t, hw.Options{Root: root})
	if h.ComputeID.Known() || h.CPU.Threads.Known() || h.Memory.Total.Known() {
		t.Errorf("uuid %v, CPUs %v, memory %v; want nothing known", h.ComputeID, h.CPU.Threads, h.Memory.Total)
	}
	for _, path := range []string{"/etc/nova/compute_id", "/proc/cpuinfo", "/proc/meminfo"} {
		found := false
		for _, p := range h.Gaps {
			found = found || p.Path == path && !errors.Is(p.Err, fs.ErrNotExist)
		}
		if !found {
			t.Errorf("problems %v, want one for %s", h.Gaps, path)
		}
	}
}
