package api_test

import (
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// What a change takes away from a consumer is a release, also if the consumer gets as much
// elsewhere: others may be given what it still uses.
func TestReleases(t *testing.T) {
	t.Parallel()
	h, c, d := modeltest.ProviderID("h"), modeltest.ProviderID("c"), modeltest.ProviderID("d")
	type amounts = placement.Amounts
	for name, test := range map[string]struct {
		to   amounts
		want []placement.ProviderID
	}{
		"everything":      {amounts{}, []placement.ProviderID{c, h}},
		"one provider":    {amounts{h: {placement.VCPU: 4}}, []placement.ProviderID{c}},
		"fewer units":     {amounts{h: {placement.VCPU: 3}, c: {placement.VGPU: 1}}, []placement.ProviderID{h}},
		"to another card": {amounts{h: {placement.VCPU: 4}, d: {placement.VGPU: 1}}, []placement.ProviderID{c}},
		"more":            {amounts{h: {placement.VCPU: 5}, c: {placement.VGPU: 1}}, nil},
	} {
		w := modeltest.NewWorld(t).Node("h").Provider("c", "h", modeltest.Resources{placement.VGPU: 1}).Provider("d", "h", modeltest.Resources{placement.VGPU: 1}).
			Claim("i", "", map[string]modeltest.Resources{"h": {placement.VCPU: 4}, "c": {placement.VGPU: 1}})
		_, ev, err := w.Apply(cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: modeltest.ConsumerID("i"), Generation: placement.AnyGeneration(), Project: "p", User: "u", Allocations: test.to,
		}}}}})
		must.Succeed(t, err)
		var lost []placement.ProviderID
		for _, r := range api.Releases(w.Snapshot, ev) {
			lost = append(lost, r.Lost...)
			if !r.Server || !r.Migration {
				t.Errorf("%s: an untyped consumer may be a server: %t, or a migration: %t", name, r.Server, r.Migration)
			}
		}
		if len(lost) != len(test.want) {
			t.Errorf("%s: of %v, want %v", name, lost, test.want)
		}
	}
}
