package ops_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestHealOnANodeOfItsHost heals a server of bare metal on the node that it is on, of the
// several of its host (LP 1811726): the one that it names, or holds something of, or else
// none.
func TestHealOnANodeOfItsHost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		node, holds string // the node that it names, and the one that it holds a VCPU of
		want        string // the node that it holds what its flavor asks for of, or why none
	}{
		"by its name":           {node: "b", want: "b"},
		"by its name, off it":   {node: "b", holds: "c", want: "b"},
		"by what it holds":      {holds: "c", want: "c"},
		"the name of a former":  {node: "x", holds: "c", want: "c"},
		"of which nobody knows": {want: "i runs on ir, and which of its 3 compute nodes that is on is not known"},
	} {
		w := newWorld(t).Flavors()
		for _, node := range []string{"a", "b", "c"} {
			w.Node(node).Record(&nova.ComputeNode{UUID: modeltest.ProviderID(node), Host: "ir", Hostname: node, VCPUs: 8, MemoryMB: 8192})
		}
		w.Record(&nova.Instance{UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "ir", Node: test.node, Flavor: "small", VMState: nova.Active})
		if test.holds != "" {
			w.Claim("i", "INSTANCE", map[string]resources{test.holds: {placement.VCPU: 1}})
		}
		heals := must.Get(ops.PlanHeal(w.Snapshot, ops.HealOptions{Instance: vm("i"), Force: true}))(t)
		if heals[0].Plan.Empty() {
			if !strings.Contains(heals[0].Why, test.want) {
				t.Errorf("%s: %s, want %s", name, heals[0].Why, test.want)
			}
			continue
		}
		w.Change(heals[0].Plan.Change)
		got := holds(w.Snapshot, vm("i"))
		if len(got) != 1 || got[rp(test.want)][placement.MemoryMB] != 1 || got[rp(test.want)][placement.VCPU] != 1 {
			t.Errorf("%s: holds %v", name, got)
		}
	}
}

// TestBareMetalOfAnotherService heals an instance whose node has passed to another nova-compute
// and which keeps the name of the former one: on its node alone, or not at all where that may
// be a server that has moved.
func TestBareMetalOfAnotherService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, want string
	}{
		"bare metal":    {nova.BareMetal, "mine"},
		"no type told":  {"", "which of its 2 compute nodes that is on is not known"},
		"a former host": {"QEMU", "other"},
	} {
		w := newWorld(t).Flavors()
		for node, host := range map[string]string{"mine": "ir2", "other": "ir1"} {
			w.Node(node).Record(&nova.ComputeNode{UUID: modeltest.ProviderID(node), Host: host, Hostname: node, Type: test.kind, VCPUs: 8, MemoryMB: 8192})
		}
		w.Record(&nova.Instance{UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "ir1", Node: "mine", Flavor: "small", VMState: nova.Active})
		heals := must.Get(ops.PlanHeal(w.Snapshot, ops.HealOptions{}))(t)
		if heals[0].Plan.Empty() {
			if !strings.Contains(heals[0].Why, test.want) {
				t.Errorf("%s: %s, want %s", name, heals[0].Why, test.want)
			}
			continue
		}
		w.Change(heals[0].Plan.Change)
		if got := holds(w.Snapshot, vm("i")); len(got) != 1 || got[rp(test.want)] == nil {
			t.Errorf("%s: holds %v", name, got)
		}
	}
}
