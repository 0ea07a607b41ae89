package audit

import (
	"cmp"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleOrphan is "orphan allocation".
const RuleOrphan RuleID = "a01"

// orphan finds consumers for instances that are gone, or run nowhere. It only applies if
// Nova's ledger has instances, as otherwise that cannot be known. One without a type that Nova
// never had may be of another service that shares its hosts, as the containers of Zun do.
//
// Source: nova/cmd/manage.py, audit: a consumer is an orphan if it is neither an instance
// nor a migration in progress; nova/compute/manager.py, _shelve_offload_instance.
func orphan() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOrphan, Title: "orphan allocation", Severity: Warning,
			Also:   "orphaned leftover vm server dead leak leaked stale deleted terminated ghost zombie left behind instance is gone purge nova-manage placement audit",
			Why:    "Capacity is held for an instance that does not exist, or is on no host.",
			Advice: "Make sure that no guest runs on the host, then release the allocations.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			isInstance := h.Type() == placement.InstanceConsumer || h.Type() == ""
			runs := h.live() && !h.is.Offloaded() && !h.is.Failed() && !a.neverPlaced(h.is)
			if !a.hasNova || !isInstance || runs || h.migration() != nil || a.stuckOnly(h) {
				return
			}
			state, brief := "Nova knows no such instance", "unknown to Nova"
			switch {
			case h.live() && a.neverPlaced(h.is):
				a.lacks(cloud.Instances) // its host may not be told
				a.lacksHolders()
				what := cmp.Or(string(h.is.TaskState), string(h.is.VMState))
				state, brief = fmt.Sprintf("the instance has been %s on no host since %s", what, time.UnixMilli(lastChange(h.is)).UTC().Format(time.DateTime)), "stuck, "+what
			case h.live():
				if !a.atRest(h.ID()) {
					return
				}
				state, brief = "the instance is shelved, and on no host", "shelved"
				if h.is.Failed() {
					a.lacks(cloud.Instances) // its host may not be told
					state, brief = "the instance is in error, and on no host", "in error"
				}
			case h.is != nil:
				state, brief = "the instance is deleted", "deleted"
			case neverNovas(a.Cloud, h.Consumer):
				state += ", not even a deleted one: it may belong to another service"
			}
			where, first := a.holds(h.Consumer)
			a.found(Finding{
				Provider: first, Consumer: h.ID(), Subject: h.name(),
				Text:  fmt.Sprintf("%s; project %s holds %s", state, h.Project(), where),
				Brief: brief + ", on " + a.firstRoot(h.Consumer),
			})
		},
		fixes: releaseFixes,
	}
}

// neverPlaced reports whether a server of a live cloud has been built, unshelved or deleted,
// for so long that it gets no host any more. In a file the commands finish what they began.
//
// Source: nova/conductor/manager.py, schedule_and_build_instances, unshelve_instance: if the
// conductor ends meanwhile, nothing resumes it.
func (a *auditor) neverPlaced(i *nova.Instance) bool {
	last := lastChange(i)
	halfway := i.VMState == nova.Building || i.VMState == nova.Broken || i.VMState == nova.ShelvedOffloaded && i.TaskState != ""
	if !a.Cloud.Live() || !i.Live() || i.Host != "" || !halfway || last == 0 || a.age(last) < stuckWhileCopied {
		return false
	}
	return a.Cloud.Nova().Moving(i.UUID) == nil
}

// lastChange returns when an instance last changed, in Unix milliseconds; 0 if that is not
// known.
func lastChange(i *nova.Instance) int64 { return max(i.Created, i.Updated) }

// neverNovas reports whether nothing says that a consumer of a live cloud was ever a server:
// it has no type, and Nova does not remember that it deleted one.
func neverNovas(s *cloud.Snapshot, c *placement.Consumer) bool {
	_, server := s.Nova().Instance(c.ID())
	_, move := s.Nova().Migration(c.ID())
	return s.Live() && c.Type() == "" && !server && !move
}
