package providertree_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// What Cyborg's agent finds of its cards.
func TestCards(t *testing.T) {
	t.Parallel()
	at := addr(t, cardAt)
	vf := addr(t, "0000:84:00.4")
	card := func(edit func(*cyborg.Card)) []cyborg.Card {
		c := cyborg.Card{Address: at, Type: cyborg.GPU, Vendor: "10de", Product: "1eb8"}
		edit(&c)
		return []cyborg.Card{c}
	}
	vgpus := func(function sysfs.Address, units int64) []cyborg.Part {
		return []cyborg.Part{{Function: function, MdevType: "nvidia-231", Units: units}}
	}
	type types = []providertree.MdevType
	its := []pci.DeviceSpec{{Address: pci.At(at)}}
	for _, c := range []struct {
		name  string
		picks []pci.DeviceSpec
		types types
		edit  func(*hw.Host)
		want  []cyborg.Card
	}{
		{"none is Cyborg's", nil, nil, nil, nil},
		{"those of another vendor", []pci.DeviceSpec{{Vendor: "8086"}}, nil, nil, nil},
		{"the type in use", its, nil, nil, card(func(c *cyborg.Card) { c.Parts = vgpus(at, 8) })},
		{"no more than asked for", its, types{{ID: "nvidia-231", MaxInstances: 3}}, nil, card(func(c *cyborg.Card) { c.Parts = vgpus(at, 3) })},
		{"a type that it does not have: as a whole", its, types{{ID: "nvidia-999"}}, nil, card(func(*cyborg.Card) {})},
		{"capacity unreadable: as a whole", its, nil, func(h *hw.Host) { h.Mediated.Parents[0].Types[1].Available = -1 }, card(func(*cyborg.Card) {})},
		{"vGPUs on a virtual function", its, nil, func(h *hw.Host) {
			d := h.PCI[0]
			d.Address, d.PhysFn = vf, &at
			h.PCI = append(h.PCI, d)
			h.Mediated.Parents[0].Address = &vf
		}, card(func(c *cyborg.Card) { c.Parts = vgpus(vf, 8) })},
		{"ids unreadable", its, nil, func(h *hw.Host) { h.PCI[0].Vendor = 0 }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := host(t)
			if c.edit != nil {
				c.edit(&h)
			}
			if got := providertree.Cards(h, providertree.Options{Cyborg: c.picks, MdevTypes: c.types}); !reflect.DeepEqual(got, c.want) {
				t.Errorf("cards %+v, want %+v", got, c.want)
			}
		})
	}
}

// The class and the vendor of a device decide which driver finds it.
func TestCardTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		vendor  sysfs.ID
		class   sysfs.Class
		want    cyborg.DeviceType
		generic bool
	}{
		{"VGA controller", sysfs.VendorNVIDIA, 0x030000, cyborg.GPU, false},
		{"3D controller", sysfs.VendorIntel, 0x030200, cyborg.GPU, false},
		{"accelerator of Xilinx", 0x10ee, 0x120000, cyborg.FPGA, false},
		{"accelerator of Intel", sysfs.VendorIntel, 0x120000, cyborg.FPGA, false},
		{"accelerator of another", 0x19e5, 0x120000, cyborg.AIChip, true},
		{"coprocessor of Intel", sysfs.VendorIntel, 0x0b4000, cyborg.QAT, false},
		{"network controller", sysfs.VendorIntel, 0x020000, cyborg.NIC, false},
		{"NVMe controller", 0x144d, 0x010802, cyborg.SSD, false},
		{"anything else", 0x1af4, 0x078000, cyborg.AIChip, true},
	} {
		h := host(t)
		h.Mediated = sysfs.Mediated{}
		h.PCI[0].Vendor, h.PCI[0].Class = c.vendor, c.class
		got := providertree.Cards(h, providertree.Options{Cyborg: []pci.DeviceSpec{{Vendor: c.vendor.String()}}})
		if len(got) != 1 || got[0].Type != c.want || got[0].Generic != c.generic || got[0].Parts != nil {
			t.Errorf("%s: cards %+v, want one %s, generic %v, as a whole", c.name, got, c.want, c.generic)
		}
	}
}

// What is Cyborg's is not Nova's, and neither are its virtual functions; the host reports
// that it supports accelerators.
func TestCyborgsIsNotNovas(t *testing.T) {
	t.Parallel()
	h := hostWithVFs(t)
	pf := addr(t, "0000:af:00.0")
	spec := []pci.DeviceSpec{{Product: "154c"}} // the virtual functions
	nova := build(t, h, providertree.Options{ReportPCI: true, PCIDevices: spec})
	if len(nova.Children) != 1 {
		t.Fatalf("children %+v, want the functions of one card", nova.Children)
	}
	opts := providertree.Options{ReportPCI: true, PCIDevices: spec, Cyborg: []pci.DeviceSpec{{Address: pci.At(pf)}}}
	tree := build(t, h, opts)
	if len(tree.Children) != 0 {
		t.Errorf("children %+v, want none: the card is Cyborg's", tree.Children)
	}
	if !slices.ContainsFunc(tree.Root.Traits, func(tr tracker.Trait) bool { return tr.Name == placement.ComputeAccelerators }) {
		t.Errorf("traits %+v, want %s", tree.Root.Traits, placement.ComputeAccelerators)
	}
	if cards := providertree.Cards(h, opts); len(cards) != 1 || cards[0].Address != pf {
		t.Errorf("cards %+v, want the physical function alone", cards)
	}
}
