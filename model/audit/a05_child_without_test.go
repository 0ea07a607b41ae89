package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestA05(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a05 a card of a flavor without the CPU", func(w *world) {
				w.Node("h").Computes().Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().Running("gpu").
					Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}})
				i, _ := w.Nova().Instance(vm("i"))
				w.Record(i.Edit(func(i *nova.Instance) { i.Mappings = map[string][]placement.ProviderID{"": {rp("c")}} }))
			},
			[]string{"a05 i"},
			nil,
		},
		{
			"a05 of an unknown flavor", func(w *world) {
				w.Node("h").Computes().Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Running("gone").
					Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}})
			},
			[]string{"a05 i"},
			nil,
		},
	})
	testFinds(t, []findCase{
		{"a05 a GPU and nothing on the host", func(w *world) {
			w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Instance("i", nova.Active).Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}})
		}, []string{"a05 i"}},
		{"a05 the root of another tree does not help", func(w *world) {
			w.Node("h").Node("k").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Instance("i", nova.Active).Claim("i", instance, map[string]resources{"c": {placement.VGPU: 1}, "k": {placement.VCPU: 1}})
		}, []string{"a05 i", "a07 i"}},
		{"a05 not below a root without CPU and memory", func(w *world) {
			w.Provider("h", "", nil, placement.ComputeNode, placement.OwnerNova).
				Provider("numa0", "h", resources{placement.VCPU: 4}, placement.OwnerNova).
				Instance("i", nova.Active).Claim("i", instance, map[string]resources{"numa0": {placement.VCPU: 1}})
		}, nil},
		{"a05 not a migration trimmed to a device", func(w *world) {
			w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).
				Instance("i", nova.Active).Migration(nova.Error).
				Claim("i", instance, on("h")).Claim("m", migration, map[string]resources{"c": {placement.VGPU: 1}})
		}, []string{"a06 " + vm("m").String()}},
	})
}
