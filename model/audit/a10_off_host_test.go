package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestA10(t *testing.T) {
	t.Parallel()
	onK := map[string]resources{"k": modeltest.Holding()["h"]}
	testRule(t, []ruleCase{
		{
			"a10 a claim on another host", func(w *world) {
				w.Node("h").Node("k").Computes().Flavors().Running("small").Claim("i", instance, onK)
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 of an unknown flavor", func(w *world) {
				w.Node("h").Node("k").Computes().Running("gone").Claim("i", instance, on("k"))
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 on a host of which there is no compute node", func(w *world) {
				w.Node("h").Node("k").Computes().Flavors().Running("small").Claim("i", instance, modeltest.Holding()).
					EditInstance(func(i *nova.Instance) { i.Host = "elsewhere" })
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 on another node of its host of bare metal (LP 1811726)", func(w *world) {
				nodesOf(w, "ir", "h", "k").Flavors().Record(onNode("i", "h"), onNode("j", "k"), onNode("l", "")).
					Claim("i", instance, onK).Claim("j", instance, onK).Claim("l", instance, onK)
			},
			[]string{"a10 i"},
			nil,
		},
		{
			"a10 not on its node of bare metal, which another nova-compute has by now", func(w *world) {
				w.Node("h").Node("k").Flavors().Record(
					&nova.ComputeNode{UUID: rp("h"), Host: "ir1", Hostname: "h", Type: nova.BareMetal},
					&nova.ComputeNode{UUID: rp("k"), Host: "ir2", Hostname: "k", Type: nova.BareMetal},
					onNode("i", "k").Edit(func(i *nova.Instance) { i.Host = "ir1" })).Claim("i", instance, onK)
			},
			nil, nil,
		},
		{
			"a10 not while it moves, nor where no compute node is known", func(w *world) {
				w.Node("h").Node("k").Running("").Claim("i", instance, on("k")).Migration(nova.Migrating).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Host: "elsewhere", VMState: nova.Active}).Claim("j", instance, on("k"))
			},
			nil, nil,
		},
	})
}

// nodesOf makes compute nodes of one host, as bare metal has them.
func nodesOf(w *world, host string, names ...string) *world {
	for _, name := range names {
		w.Node(name).Record(&nova.ComputeNode{UUID: modeltest.ProviderID(name), Host: host, Hostname: name, VCPUs: 8, MemoryMB: 8192})
	}
	return w
}

// onNode is an instance of small on a node of such a host.
func onNode(name, node string) *nova.Instance {
	return &nova.Instance{UUID: vm(name), Name: name, Project: "p", User: "u", Host: "ir", Node: node, Flavor: "small", VMState: nova.Active}
}
