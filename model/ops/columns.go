package ops

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
)

// counted returns c with what the resource tracker writes beside it: the local disk
// of compute nodes whose disks are on a pool, the old columns of those on which c
// changes who is there, and the records of their PCI devices, at the time of c. A
// change that s refuses stays as it is.
//
// Source: nova-specs, newton/approved/resource-providers-allocations, which has
// both schemas written at once.
func counted(s *cloud.Snapshot, c cloud.Change) cloud.Change {
	hosts := hostsOf(c)
	if len(hosts) == 0 {
		return c
	}
	c.Placement = tracker.World{Placement: s.Placement(), Nova: s.Nova()}.WithLocalDisk(c.Placement)
	next, _, err := s.Apply(c)
	if err != nil {
		return c
	}
	w := tracker.World{Placement: next.Placement(), Nova: next.Nova()}
	for _, host := range hosts {
		c.Nova.Records = append(slices.Clip(c.Nova.Records), w.Count(host, c.At).Records...)
	}
	return c
}

// hostsOf returns the hosts of the instances and migrations that c writes, as they
// were and as they are, by name.
func hostsOf(c cloud.Change) []string {
	var hosts []string
	for _, r := range c.Nova.Records {
		for _, side := range []any{r.Before, r.After} {
			switch rec := side.(type) {
			case *nova.Instance:
				hosts = append(hosts, rec.Host)
			case *nova.Migration:
				hosts = append(hosts, rec.Source, rec.Dest)
			}
		}
	}
	slices.Sort(hosts)
	return slices.DeleteFunc(slices.Compact(hosts), func(host string) bool { return host == "" })
}
