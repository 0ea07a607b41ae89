package ops

import (
	"fmt"
	"iter"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// HostDown reports whether the nova-compute of a host is known to be down. One that
// has never reported, as in a cloud without running services, is not.
func HostDown(s *cloud.Snapshot, host string, at time.Time) bool {
	return downWhy(s, host, at) != ""
}

// downWhy says how it is known that the nova-compute of a host is down, "" if it is not.
//
// Source: nova/servicegroup/drivers/db.py, is_up.
func downWhy(s *cloud.Snapshot, host string, at time.Time) string {
	svc, ok := s.Nova().Service(host, nova.Compute)
	switch {
	case !ok:
		return ""
	case svc.ForcedDown:
		return "its nova-compute is forced down"
	case svc.LastSeenUp != 0 && !at.IsZero() && svc.Silent(at):
		return "its nova-compute was last seen at " + svc.SeenAt().UTC().Format(time.DateTime)
	}
	return ""
}

// unfitReason says why a host gets no instances: its nova-compute is down, or disabled; "" if
// it can get some.
//
// Source: nova/scheduler/filters/compute_filter.py.
func unfitReason(s *cloud.Snapshot, host string, at time.Time) string {
	if why := downWhy(s, host, at); why != "" {
		return why
	}
	svc, ok := s.Nova().Service(host, nova.Compute)
	switch {
	case !ok || !svc.Disabled:
		return ""
	case svc.DisabledReason != "":
		return "its nova-compute is disabled: " + svc.DisabledReason
	}
	return "its nova-compute is disabled"
}

// LeftOut yields each host of p that takes no instance at the given time, with the
// reason: its nova-compute is down, or disabled. Placement does not know that, and
// offers them all the same.
func (p Places) LeftOut(s *cloud.Snapshot, at time.Time) iter.Seq2[string, string] {
	return func(yield func(host, why string) bool) {
		told := map[string]bool{}
		for _, place := range p.Places {
			why := unfitReason(s, place.Host, at)
			if why == "" || told[place.Host] {
				continue
			}
			told[place.Host] = true
			if !yield(place.Host, why) {
				return
			}
		}
	}
}

// leaves says that a place is on the host that the instance is to leave, "" if it is not.
func leaves(p Place, from string) string {
	if p.Host != from {
		return ""
	}
	return "the instance is on it"
}

// otherCell says that a host is in another cell than the one that an instance is to leave,
// "" if it is in the same, or it is not known in which. A server moves between cells only
// where the policy compute:servers:resize:cross_cell lets its user, which by default it
// does for nobody.
//
// Source: nova/conductor/tasks/migrate.py, MigrationTask._restrict_request_spec_to_cell;
// https://bugs.launchpad.net/nova/+bug/1823370.
func otherCell(s *cloud.Snapshot, from, host string) string {
	here, known := s.Nova().Service(from, nova.Compute)
	there, too := s.Nova().Service(host, nova.Compute)
	if !known || !too || here.Cell == "" || there.Cell == "" || here.Cell == there.Cell {
		return ""
	}
	return fmt.Sprintf("it is in %s, and %s is in %s: Nova moves no server to another cell", there.Cell, from, here.Cell)
}

// checkUp returns a refusal if a host that is needed is down, and no check if it is up.
//
// Source: nova/compute/api.py, check_instance_host.
func checkUp(s *cloud.Snapshot, name, host, part string, at time.Time) []Check {
	why := downWhy(s, host, at)
	if why == "" {
		return nil
	}
	return []Check{{Name: name, Refusal: placement.StateErrorf("%s, %s, is down: %s; it must be up first", host, part, why)}}
}
