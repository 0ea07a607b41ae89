package audit

import (
	"maps"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleUnanswered is "binding timed out".
const RuleUnanswered RuleID = "d05"

// unanswered finds consumers whose accelerator requests Cyborg has been binding for
// longer than Nova waits. Unfinished boots and moves are left to ops.Unfinished:
// finishing or undoing them settles their requests.
func unanswered() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleUnanswered, Title: "binding timed out", Severity: Warning,
			Also:   "stuck arq bind unanswered timeout cyborg no answer",
			Why:    "Nova has stopped waiting: the guest runs without the device, and nobody else gets it.",
			Advice: "Check on the host whether the device was created for the guest, then confirm that here; or rebuild the instance.",
		},
		reads: []cloud.Part{cloud.ARQs, cloud.Instances, cloud.Migrations},
		cloud: func(a *auditor) {
			told := map[placement.ConsumerID]bool{}
			for r := range a.Cloud.Cyborg().ARQs() {
				a.anew()
				err := ops.BindOverdue(r, a.Cloud.NovasTime(a.witness.At))
				if err == nil || told[r.Instance] || a.halfWay(r.Instance) {
					continue
				}
				told[r.Instance] = true
				a.found(Finding{
					Provider: r.Provider, Consumer: r.Instance, Subject: ops.ConsumerName(a.Cloud, r.Instance), Text: err.Error(), Seen: a.witness,
					Brief: "a device of " + a.Cloud.Placement().ProviderName(r.Provider),
				})
			}
		},
		fixes: unansweredFixes,
	}
}

// halfWay reports whether a consumer is in an unfinished boot, delete or move.
func (a *auditor) halfWay(id placement.ConsumerID) bool {
	id = a.Cloud.HolderOf(id)
	a.unsettled(id)
	i, ok := a.instanceOf(id)
	if !ok {
		a.lacks(cloud.Migrations) // it may be one
	}
	if !ok || !i.Live() {
		return false
	}
	for m := range a.migrationsOf(id) {
		if m.Status.UnderWay() {
			return true
		}
	}
	return i.TaskState != ""
}

// unansweredFixes trust an operator on whether a device was created.
func unansweredFixes(_ *cloud.Snapshot, f Finding) []Fix {
	fix := func(name, title string, settle func(s *cloud.Snapshot) (cloud.Change, error)) Fix {
		return Fix{Name: name, Title: title, plan: change(func(s *cloud.Snapshot) (cloud.Change, error) {
			c, err := settle(s)
			c.Note = title
			return c, err
		})}
	}
	failed := fix("failed", "no device was created: release what "+f.Subject+" holds for it, with its accelerator requests", func(s *cloud.Snapshot) (cloud.Change, error) {
		return releaseBinding(s, f.Consumer)
	})
	if f.Consumer.IsZero() { // there is no guest that could have the device
		return choices(failed)
	}
	return choices(
		fix("bound", "the device was created: the accelerator requests of "+f.Subject+" are bound", func(*cloud.Snapshot) (cloud.Change, error) {
			return cloud.Change{Ops: []cloud.Op{cyborg.FinishBind{Instance: f.Consumer}}}, nil
		}),
		failed,
	)
}

// releaseBinding releases the units of the requests of a consumer that Cyborg is binding, and
// unbinds them.
func releaseBinding(s *cloud.Snapshot, id placement.ConsumerID) (cloud.Change, error) {
	var requests []uuid.UUID
	keep := ops.Amounts{}
	c, holds := s.Placement().Consumer(id)
	if holds {
		keep = s.Placement().AsHeld(c).Allocations
	}
	for r := range s.Cyborg().ARQsOf(id) {
		if r.State != cyborg.ARQBindStarted {
			continue
		}
		requests = append(requests, r.UUID)
		left := maps.Clone(keep[r.Provider])
		for class := range left {
			if class.IsAccelerator() {
				left[class]--
			}
		}
		maps.DeleteFunc(left, func(_ placement.ResourceClass, n int64) bool { return n <= 0 })
		if keep[r.Provider] = left; len(left) == 0 {
			delete(keep, r.Provider)
		}
	}
	if !holds {
		return cloud.Change{Ops: []cloud.Op{cyborg.Unbind{ARQs: requests}}}, nil
	}
	return ops.ReleaseExceptStuck(s, id, keep)
}
