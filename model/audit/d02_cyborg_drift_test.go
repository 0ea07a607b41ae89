package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestD02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"d02 a handle in use that no request has", func(w *world) {
				w.Node("h").Card(2, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 a bound request without allocation", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding())
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 a disabled device that can be allocated", func(w *world) {
				w.Node("h").Card(0, 0)
				d, _ := w.Cyborg().Device(modeltest.WorldUUID("dev c"))
				w.Record(d.Edit(func(d *cyborg.Device) { d.Status = cyborg.Maintaining }))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 more in the inventory than attach handles", func(w *world) {
				w.Node("h").Card(0, 0).Inventory("c", placement.VGPU, placement.NewInventory(15))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 less in the inventory than attach handles, and a handle too many in use", func(w *world) {
				w.Node("h").Card(1, 0).Inventory("c", placement.VGPU, placement.NewInventory(3))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 not a unit that a failed migration holds: its host is not cleaned", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding("c")).
					Migration(nova.Error).Claim("m", migration, map[string]resources{"c": {placement.VGPU: 1}})
			},
			[]string{"a06 " + vm("m").String()},
			[]string{"release?"},
		},
		{
			"d02 a device that does not let go, of which nobody holds the unit", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Migration(nova.Error).Claim("i", instance, modeltest.Holding()).Stuck("m")
			},
			[]string{"d02 c", "d04 c"},
			nil,
		},
		{
			"d02 one device that does not let go, and one that is bound, of which nobody holds either", func(w *world) {
				w.Node("h").Card(2, 2).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding()).Stuck("i")
			},
			[]string{"d02 c", "d04 c"},
			nil,
		},
		{
			"d02 two requests with one attach handle: nothing that could be marked", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 2}})
				r, _ := w.Cyborg().ARQ(modeltest.WorldUUID("arq ca"))
				w.Record(r.Edit(func(r *cyborg.ARQ) { r.UUID = modeltest.WorldUUID("twin") }))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 a unit of one, and the request of another", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Active).Claim("i", instance, modeltest.Holding()).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", VMState: nova.Active}).Claim("j", instance, modeltest.Holding("c"))
			},
			[]string{"d02 c"},
			nil,
		},
		{
			"d02 not a claim that a migration keeps for the request of its instance", func(w *world) {
				w.Node("h").Card(1, 1).Instance("i", nova.Resized).Claim("i", instance, modeltest.Holding()).
					Migration(nova.Finished).Claim("m", migration, modeltest.Holding("c"))
			},
			nil, nil,
		},
		{
			"d02 not what an evacuated instance holds until its old host is vacated", func(w *world) {
				w.Node("h").Node("k").Card(0, 0).Record(&nova.Instance{UUID: vm("i"), Name: "i", Host: "k", VMState: nova.Active}).
					Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}, "k": {placement.VCPU: 1}}).
					Record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Evacuation, Status: nova.Done, Source: "h", Dest: "k"})
			},
			[]string{"a05 i", "a07 i"},
			nil,
		},
	})
}
