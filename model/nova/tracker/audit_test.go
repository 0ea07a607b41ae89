package tracker_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The table of the audit, row by row.
func TestAudit(t *testing.T) {
	t.Parallel()
	move := func(status nova.MigrationStatus, from, to string) *nova.Migration {
		return &nova.Migration{UUID: migrationID(1), Instance: instanceID(1), Type: nova.Resize, Status: status, Source: from, Dest: to, OldFlavor: "f", NewFlavor: "f"}
	}
	gone := func(i *nova.Instance) { i.VMState, i.Deleted = nova.Deleted, 1 }
	ofInstance, ofMigration := instanceID(1), migrationID(1)
	for _, c := range []struct {
		name     string
		consumer placement.ConsumerID
		records  []versioned.Record
		rule     tracker.Case
		deleted  bool
		warning  bool
	}{
		{"an instance tracked here", ofInstance, []versioned.Record{instance(1, "cmp1", "f")}, tracker.CaseTracked, false, false},
		{"an active migration out", ofMigration, []versioned.Record{instance(1, "cmp2", "f"), move(nova.Finished, "cmp1", "cmp2")}, tracker.CaseMigration, false, false},
		{"an active migration in", ofInstance, []versioned.Record{instance(1, "cmp2", "f"), move(nova.Migrating, "cmp2", "cmp1")}, tracker.CaseMigration, false, false},
		{"a migration that failed with its claim", ofMigration, []versioned.Record{instance(1, "cmp2", "f"), move(nova.Error, "cmp1", "cmp2")}, tracker.CaseMigration, false, false},
		{"a migration that is over", ofMigration, []versioned.Record{instance(1, "cmp2", "f"), move(nova.Confirmed, "cmp1", "cmp2")}, tracker.CaseUnknown, false, true},
		{"in no cell's instances", ofInstance, nil, tracker.CaseUnknown, false, true},
		{"deleted", ofInstance, []versioned.Record{instance(1, "cmp1", "f", gone)}, tracker.CaseDeleted, true, false},
		{"deleted, of another host", ofInstance, []versioned.Record{instance(1, "cmp2", "f", gone)}, tracker.CaseDeleted, true, false},
		{"deleted while it was moving", ofInstance, []versioned.Record{instance(1, "cmp2", "f", gone), move(nova.Migrating, "cmp1", "cmp2")}, tracker.CaseDeleted, true, false},
		{"deleted, but hidden by a resize between cells", ofInstance, []versioned.Record{instance(1, "cmp1", "f", gone, func(i *nova.Instance) { i.Hidden = true })}, tracker.CaseHidden, false, false},
		{"no host yet", ofInstance, []versioned.Record{instance(1, "", "f")}, tracker.CaseScheduling, false, false},
		{"here, but not tracked", ofInstance, []versioned.Record{instance(1, "cmp1", "f", func(i *nova.Instance) { i.VMState = nova.ShelvedOffloaded })}, tracker.CaseUntracked, false, true},
		{"on another host", ofInstance, []versioned.Record{instance(1, "cmp2", "f")}, tracker.CaseElsewhere, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := oneHost(t)
			r.put(flavor("f"))
			r.put(c.records...)
			r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: c.consumer, Generation: placement.NewConsumer(), Project: "p", User: "u",
				Allocations: placement.Amounts{nodeID(1): {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}},
			}}})
			found := r.Audit(r.node("cmp1"))
			if len(found) != 1 || found[0].Case != c.rule || found[0].Warning != c.warning || found[0].Changed != c.deleted {
				t.Errorf("found %+v, want one of rule %q", found, c.rule)
			}
			r.settled("cmp1")
			if _, stays := r.Placement.Consumer(c.consumer); stays == c.deleted {
				t.Errorf("the consumer is there: %v, want %v", stays, !c.deleted)
			}
		})
	}
}

// An orphan loses what it holds here; the rest is left to the trackers of its other
// hosts.
func TestAuditLeavesOtherHosts(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), service("cmp2", 73), host(1), host(2), flavor("f"))
	r.settled("cmp1")
	r.settled("cmp2")
	i := instance(1, "cmp1", "f")
	must.Succeed(t, r.claim(i, nil))
	i.Host = "cmp2"
	must.Succeed(t, r.claim(i, nil))
	r.put(i.Edit(func(i *nova.Instance) { i.VMState = nova.Deleted }))
	r.settled("cmp1")
	if got := r.holds(i.UUID); len(got) != 1 || got["cmp2"] == nil {
		t.Errorf("holds %v, want what is on cmp2 alone", got)
	}
	r.settled("cmp2")
	if r.Placement.ConsumerCount() != 0 {
		t.Error("the orphan still holds something")
	}
}
