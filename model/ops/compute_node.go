package ops

import (
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// counted returns c with what the resource tracker writes along with it, at the time of
// c: the local disk of compute nodes whose disks are on a pool, and the old columns and
// PCI device records of hosts whose instances c changes. A change that s refuses stays as
// it is.
//
// Source: nova-specs, newton/approved/resource-providers-allocations, which writes both
// schemas at once.
func counted(s *cloud.Snapshot, c cloud.Change) cloud.Change {
	if !slices.ContainsFunc(c.Ops, func(op cloud.Op) bool { return !placement.Owns(op) }) {
		return c // writes nothing of Nova's
	}
	given := c
	c.Ops = worldOf(s).WithLocalDisk(c.Ops)
	next, done, err := s.Apply(c)
	hosts := hostsOf(s, done)
	if err != nil || len(hosts) == 0 {
		return given
	}
	w := worldOf(next)
	for _, host := range hosts {
		c.Ops = append(slices.Clip(c.Ops), w.Count(host, c.At)...)
	}
	return c
}

// hostsOf returns the old and new hosts of the instances and migrations that were
// written, or whose claims were, by name.
func hostsOf(s *cloud.Snapshot, done cloud.Event) []string {
	var hosts []string
	add := func(r versioned.Record) {
		switch r := r.(type) {
		case *nova.Instance:
			hosts = append(hosts, r.Host)
		case *nova.Migration:
			hosts = append(hosts, r.Source, r.Dest)
		}
	}
	for _, c := range done.Changes {
		add(c.Before)
		add(c.After)
		if id, err := uuid.FromBytes(c.Key()); c.Kind() == placement.KindConsumer && err == nil {
			add(s.Held(&nova.Instance{UUID: placement.ConsumerID(id)}))
			add(s.Held(&nova.Migration{UUID: placement.ConsumerID(id)}))
		}
	}
	slices.Sort(hosts)
	return slices.DeleteFunc(slices.Compact(hosts), func(host string) bool { return host == "" })
}
