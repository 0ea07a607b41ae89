package demo_test

import (
	"net/netip"
	"testing"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/object"
)

// Compute nodes say about their hypervisor what a nova-compute does, part of it in
// columns and part in objects, each with its own address.
func TestNodesTellTheirHypervisor(t *testing.T) {
	t.Parallel()
	for _, o := range []demo.Options{{}, large()} {
		all := made(t, o)
		s := all.Nova()
		seen := map[string]string{}
		for row := range s.ComputeNodes() {
			if row.Type != "QEMU" || row.Version != 8_002_002 {
				t.Errorf("%s: hypervisor %q %d", row.Hostname, row.Type, row.Version)
			}
			o := must.Get(object.Of(s, row))(t)
			at := must.Get(netip.ParseAddr(o.Data["host_ip"].(string)))(t)
			if other := seen[at.String()]; !at.Is4() || !at.IsPrivate() || other != "" {
				t.Errorf("%s: host_ip %s, which %q has", row.Hostname, at, other)
			}
			seen[at.String()] = row.Hostname
		}
		must.Be(t, len(seen), all.Placement().RootSet().Len()-2)
	}
}
