package hw_test

import (
	"os"
	"path/filepath"
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

// The address of another machine is not known: the kernel of this one must not be asked
// instead.
func TestAddressOfAnotherMachine(t *testing.T) {
	t.Parallel()
	if h := probe(t, hw.Options{Root: machine(t, "t4", nil)}); h.Address.Known() {
		t.Errorf("address %v of %q", h.Address.Value, h.Address.Source)
	}
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
