package ops_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// phantomWorld has the hosts sound, both and rooted: on both a card is counted twice, on
// rooted VGPU is on the root beside its card. Of the host gone, whose service was deleted,
// only the provider is left (Nova bug 1829479).
func phantomWorld(t *testing.T) *modeltest.World {
	t.Helper()
	w := modeltest.NewWorld(t)
	vgpu := func(host, name string) {
		w.Provider(host+name, host, modeltest.Resources{placement.VGPU: 4}, placement.OwnerNova)
	}
	w.Node("both").Node("sound").
		Provider("rooted", "", modeltest.Resources{placement.VCPU: 8, placement.MemoryMB: 8192, placement.VGPU: 4}, placement.ComputeNode, placement.OwnerNova, placement.ComputeAccelerators).
		Computes().Node("gone")
	vgpu("sound", "_pci_0000_84_00_0")
	vgpu("both", "_pci_0000_84_00_0")
	vgpu("both", "_0000:84:00.0")
	vgpu("rooted", "_pci_0000_84_00_0")
	vgpu("gone", "_pci_0000_84_00_0")
	return w
}

// TestPhantomPlacesComeLast marks places whose capacity the audit calls counted twice, and
// offers them after all others.
func TestPhantomPlacesComeLast(t *testing.T) {
	t.Parallel()
	s := phantomWorld(t).Snapshot
	want := map[string]string{ // the rule that the mark of a place begins with
		"sound": "", "both": "o03: PCI 0000:84:00.0", "rooted": "",
	}
	f := &nova.Flavor{Name: "gpu", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources:VGPU": "1"}}
	spec := must.Get(ops.RequestSpecOf(s, new(nova.Instance), f))(t)
	places := must.Get(ops.PlacesFor(s, candidates.NewIndex(s.Placement()), spec, nova.AskOptions{}))(t)
	phantom := false
	seen := map[string]int{}
	for _, p := range places.Places {
		seen[p.Host]++
		if p.Phantom == "" && phantom {
			t.Errorf("%s comes after a place with phantom capacity", p.Host)
		}
		phantom = phantom || p.Phantom != ""
		if p.Host == "rooted" && p.Allocations[p.Root][placement.VGPU] > 0 {
			must.Say(t, p.Phantom, "o07: VGPU is counted on rooted_pci_0000_84_00_0")
			continue
		}
		must.Say(t, p.Phantom, want[p.Host])
	}
	must.Match(t, map[string]int{"sound": 1, "both": 2, "rooted": 2}, seen)
	if len(places.Left) != 1 || places.Left[0].Host != "gone" || places.Left[0].Why != "v06: Nova has no compute node for it" {
		t.Errorf("left out: %+v", places.Left)
	}
}

// TestOptionsWithPhantomsComeLast does the same for allocations by hand.
func TestOptionsWithPhantomsComeLast(t *testing.T) {
	t.Parallel()
	s := phantomWorld(t).Snapshot
	wish := ops.Wish{Resources: map[placement.ResourceClass]int64{placement.VGPU: 1, placement.VCPU: 1}}
	options := must.Get(ops.Fits(s, candidates.NewIndex(s.Placement()), wish))(t)
	var order []string
	for _, o := range options {
		order = append(order, o.Anchor.Name()+" "+o.Phantom[:min(3, len(o.Phantom))])
	}
	must.Match(t, []string{"sound ", "both o03", "gone v06", "rooted o07"}, order)
}

// TestBootOnWhatNovaDoesNotKnow refuses a host of which only the provider is left, even
// where its candidate was picked, and one whose compute node has no provider (Nova bug
// 1817833).
func TestBootOnWhatNovaDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := phantomWorld(t)
	w.Flavors()
	w.Record(&nova.ComputeNode{UUID: modeltest.ProviderID("anew"), Host: "anew", Hostname: "anew"})
	w.Record(&nova.ComputeNode{UUID: modeltest.ProviderID("both anew"), Host: "both2", Hostname: "both"})
	boot := ops.Boot{Instance: modeltest.ConsumerID("new"), Wish: ops.BootWish{Name: "new", Flavor: "small", Project: "p", User: "u"}}
	places := must.Get(boot.Places(w.Snapshot, modeltest.Noon()))(t)
	gone := slices.IndexFunc(places.Left, func(p ops.Place) bool { return p.Host == "gone" })
	for why, change := range map[string]func(*ops.Boot){
		"gone cannot be had: v06: Nova has no compute node for it":  func(b *ops.Boot) { b.Pick = &places.Left[gone] },
		"compute host gone does not exist":                          func(b *ops.Boot) { b.Wish.Host = "gone" },
		"no candidate is on anew: Placement has no provider for it": func(b *ops.Boot) { b.Wish.Host = "anew" },
		"no candidate is on both2: Placement has no provider for it: its name is that of provider " + modeltest.ProviderID("both").String(): func(b *ops.Boot) { b.Wish.Host = "both2" },
	} {
		b := boot
		change(&b)
		_, err := ops.Rehearse(w.Snapshot, b, modeltest.Noon())
		must.Say(t, fmt.Sprint(err), why)
	}
}
