package demo

import (
	"cmp"

	"github.com/placetop/placetop/model/ops"
)

// exampleCompute is the number of the host that Compute returns: one of the troubles is
// that Placement has more of it than the machine reports.
const exampleCompute = 5

// Compute returns what nova-compute reports on one of the hosts of a demo cloud, so that
// there is a machine to compare with Placement. ok is false if the cloud has too few hosts.
func Compute(o Options) (t ops.Tick, ok bool) {
	if o.Hosts = cmp.Or(o.Hosts, DefaultHosts); o.Hosts < exampleCompute {
		return t, false
	}
	f := newFleet(o)
	f.pool = f.mainPool()
	var h *host
	for i := range exampleCompute {
		h = f.host(i)
	}
	return ops.Tick{By: "register", Tree: h.tree, Conf: conf(), Shared: h.pool != nil}, true
}
