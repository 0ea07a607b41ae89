package providertree_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/model/nova/tracker"
)

// vgpus returns how many vGPUs a tree reports in all.
func vgpus(tree tracker.Tree) (n int64) {
	for _, p := range tree.Children {
		n += p.Inventories[0].Total
	}
	return n
}

func noted(tree tracker.Tree, text string) bool {
	return strings.Contains(strings.Join(tree.Notes, "\n"), text)
}

// Each virtual function of an A100 says that it has room for the one vGPU that the card can
// have: as in nova, that is reported unless max_instances is set, and noted.
func TestMaxInstances(t *testing.T) {
	t.Parallel()
	h := probe(t, "a100")
	tree := build(t, h, providertree.Options{MdevTypes: []providertree.MdevType{{ID: "nvidia-474"}}})
	if vgpus(tree) != 16 || !noted(tree, "the virtual functions of 0000:c1:00.0 offer 16 vGPUs of type nvidia-474 together, but the card can have only 1: set max_instances in [mdev_nvidia-474]") {
		t.Errorf("%d vGPUs, notes %q", vgpus(tree), tree.Notes)
	}
	tree = build(t, h, providertree.Options{MdevTypes: []providertree.MdevType{{ID: "nvidia-474", MaxInstances: 1}}})
	if vgpus(tree) != 1 || len(tree.Notes) > 0 {
		t.Errorf("%d vGPUs, notes %q; want 1 on one function, as max_instances is for the host", vgpus(tree), tree.Notes)
	}
	// Those that exist count first, wherever they are.
	last := len(h.Mediated.Parents) - 1
	h.Mediated.Parents[last].Types[0].Devices, h.Mediated.Parents[last].Types[0].Available = made(1), 0
	tree = build(t, h, providertree.Options{MdevTypes: []providertree.MdevType{{ID: "nvidia-474", MaxInstances: 1}}})
	if vgpus(tree) != 1 || tree.Children[0].Address != *h.Mediated.Parents[last].Address {
		t.Errorf("children %+v, want the function that has the vGPU", tree.Children)
	}
}

// Nova reports no vGPUs unless a type is enabled, and leaves those alone that it reported
// before.
func TestNoTypeEnabled(t *testing.T) {
	t.Parallel()
	tree := build(t, host(t), providertree.DefaultOptions())
	if len(tree.Children) != 0 || len(tree.Left) != 1 || tree.Left[0].Remove || !strings.Contains(tree.Left[0].Why, "nvidia-231 is in use on the card: set [devices]enabled_mdev_types") {
		t.Errorf("children %+v, left %+v", tree.Children, tree.Left)
	}
}

// What Nova itself would not report is not reported, and said: mediated devices of no PCI
// function (kubevirt 16743, kata 3678), devices behind VMD (ghw 372), vGPUs without
// mediated devices, and functions on which no type can be created (kubevirt 17642,
// vgpu-device-manager 195, gpu-operator 2594).
func TestWhatNovaSkips(t *testing.T) {
	t.Parallel()
	left := func(tree tracker.Tree, device, why string) bool {
		for _, l := range tree.Left {
			if l.Device() == device && strings.Contains(l.Why, why) {
				return true
			}
		}
		return false
	}
	if tree := build(t, shared(t, "mainframe"), providertree.DefaultOptions()); !left(tree, "matrix", "no PCI address") {
		t.Errorf("mainframe: left %+v", tree.Left)
	}
	all := providertree.Options{ReportPCI: true, PCIDevices: specs(t, `{"vendor_id": "*"}`)}
	tree := build(t, shared(t, "vmd"), all)
	if !left(tree, "10001:8a:00.0", "more than 16 bits") || len(tree.Children) != 2 || len(tree.Devices) != 2 {
		t.Errorf("vmd: left %+v, children %+v", tree.Left, tree.Children)
	}
	if tree := build(t, shared(t, "h200"), providertree.DefaultOptions()); !left(tree, "0000:41:00.0", "1 of its 4 virtual functions have a vGPU of the vendor-specific VFIO framework") {
		t.Errorf("h200: left %+v", tree.Left)
	}
	vfs := providertree.Options{ReportPCI: true, PCIDevices: specs(t, `{"address": {"bus": "41", "function": "[4-7]"}}`)}
	if tree := build(t, shared(t, "h200"), vfs); vgpus(tree) != 4 || !noted(tree, "2 of 4 virtual functions have no vGPU, and no type can be created on them now") {
		t.Errorf("h200 with its functions: children %+v, notes %q", tree.Children, tree.Notes)
	}
}

// An ARM processor has a feature "aes" too. A node without memory has 0 kB, which is no gap
// (numactl 165, cadvisor 3931).
func TestTraitsOfAnotherArchitecture(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"grace", "mainframe", "power"} {
		root := build(t, shared(t, name), providertree.DefaultOptions()).Root
		for _, tr := range root.Traits {
			if strings.HasPrefix(string(tr.Name), "HW_CPU_X86") {
				t.Errorf("%s has %s", name, tr.Name)
			}
		}
	}
}
