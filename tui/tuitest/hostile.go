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
		claim := modeltest.Claim(fmt.Sprint("vm", i), map[string]modeltest.Resources{name: {placement.VCPU: placement.MaxInt}, name + "_card": {placement.VGPU: 1}})
		claim.Project, claim.User = name, name
		host := modeltest.Provider{
			Name: name, Inventories: modeltest.Inventories{placement.VCPU: most}, Traits: []placement.Trait{placement.ComputeNode},
			Children: []modeltest.Provider{{Name: name + "_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(1)}}},
		}
		change := cloud.Change{Actor: name, Note: name, Ops: append(host.Ops(placement.ProviderID{}), modeltest.Allocate(claim))}
		change.PutRecords(versioned.Change{After: &nova.Instance{UUID: claim.Consumer, Name: name, Project: name, User: name, Host: name, Flavor: name, VMState: nova.VMState(name)}})
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
