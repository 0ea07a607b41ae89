package tuitest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Names are names that nobody should use, but that Placement or Nova accept: with
// escape sequences, wide and combining characters, 200 of them.
func Names() []string {
	return []string{
		"\x1b[2J\x1b]0;owned\a", "漢字かな交じり文の名前です計算機一号", strings.Repeat("long-", 38) + "x",
		"tab\tand\nbreak", "e\u0301\u0301\u0301 \u202e right", "\u009b31m c1", "👩‍👩‍👧‍👦 \u200d family",
	}
}

// Hostile returns a cloud of hosts, cards, projects, users and instances with
// such Names, with the largest inventories there may be.
func Hostile(tb testing.TB) *Cloud {
	tb.Helper()
	c := NewCloud(cloud.Empty())
	most := placement.NewInventory(placement.MaxInt)
	most.AllocationRatio = placement.MaxRatio
	for i, name := range Names() {
		host, card := modeltest.ProviderID(fmt.Sprint("host", i)), modeltest.ProviderID(fmt.Sprint("card", i))
		vm := modeltest.ConsumerID(fmt.Sprint("vm", i))
		claim := modeltest.Claim("", nil)
		claim.Consumer, claim.Project, claim.User = vm, name, name
		claim.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{host: {placement.VCPU: placement.MaxInt}, card: {placement.VGPU: 1}}
		change := cloud.Change{Actor: name, Note: name, Ops: []placement.Op{
			placement.CreateProvider{ID: host, Name: name},
			placement.CreateProvider{ID: card, Name: name + "_card", Parent: host},
			placement.AddInventory{Provider: host, Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: most},
			placement.AddInventory{Provider: card, Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: placement.NewInventory(1)},
			placement.SetTraits{Provider: host, Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeNode}},
			modeltest.Allocate(claim),
		}}
		change.PutRecords(versioned.Change{After: &nova.Instance{UUID: vm, Name: name, Project: name, User: name, Host: name, Flavor: name, VMState: nova.VMState(name)}})
		if err := c.Change(change); err != nil {
			tb.Fatalf("%q: %v", name, err)
		}
	}
	return c
}

// Harmless draws a screen, whose styles must be Plain, at all Sizes and fails the
// test where a view has a control character in it: it could only come from the
// data.
func (h *Host) Harmless() {
	h.T.Helper()
	for _, size := range Sizes() {
		h.At(size[0], size[1]).Text()
		if frame := h.Frame(); strings.ContainsAny(frame, "\x1b\u009b\a\t\r\u202e") || !utf8.ValidString(frame) {
			h.T.Fatalf("%dx%d draws a control: %q", size[0], size[1], frame)
		}
	}
}
