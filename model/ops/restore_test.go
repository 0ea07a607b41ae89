package ops_test

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestRestore makes a cloud what an export of it holds again: what is new is deleted, what is
// gone comes back, and how long the journal is kept stays as it is now.
func TestRestore(t *testing.T) {
	t.Parallel()
	apply := func(s *cloud.Snapshot, ops ...cloud.Op) *cloud.Snapshot {
		t.Helper()
		next, _, err := s.Apply(cloud.Change{Ops: ops})
		must.Succeed(t, err)
		return next
	}
	host, other := modeltest.ProviderID("host"), modeltest.ProviderID("other")
	was := apply(cloud.Empty(), placement.CreateProvider{ID: host, Name: "host"}, operator.LimitJournal{Revisions: new(int64(500))})
	is := apply(was, placement.DeleteProvider{ID: host}, placement.CreateProvider{ID: other, Name: "other"}, operator.LimitJournal{Revisions: new(int64(900))})
	of := ops.ExportContents{Records: slices.Collect(was.Records())}
	plan := must.Get(ops.PlanRestore(is, of))(t)
	if _, there := plan.After.Placement().Provider(host); !there {
		t.Error("what was deleted is not back")
	}
	if _, there := plan.After.Placement().Provider(other); there {
		t.Error("what the export lacks is still there")
	}
	if limits := plan.After.Operator().JournalLimits(); limits.Revisions != 900 {
		t.Errorf("the journal keeps %d revisions, want 900, as it is set now", limits.Revisions)
	}
	if again := must.Get(ops.PlanRestore(plan.After, of))(t); !again.Empty() {
		t.Errorf("a second restore changes %v", again.Preview.Lines())
	}
}

// TestRestoreOfOtherNumbers restores an export whose custom classes have other numbers than
// the cloud has given them: who has some of a class has some of the same class afterwards.
func TestRestoreOfOtherNumbers(t *testing.T) {
	t.Parallel()
	apply := func(s *cloud.Snapshot, ops ...cloud.Op) *cloud.Snapshot {
		t.Helper()
		next, _, err := s.Apply(cloud.Change{Ops: ops})
		must.Succeed(t, err)
		return next
	}
	host := modeltest.ProviderID("host")
	file := apply(cloud.Empty(), placement.CreateClass{Name: "CUSTOM_A"}, placement.CreateClass{Name: "CUSTOM_B"}, placement.CreateProvider{ID: host, Name: "host"})
	file = apply(file, placement.AddInventory{Provider: host, Generation: placement.AnyGeneration(), Class: "CUSTOM_B", Inventory: placement.NewInventory(4)})
	of := ops.ExportContents{Records: slices.Collect(file.Records())}
	here := apply(cloud.Empty(), placement.CreateClass{Name: "CUSTOM_B"})
	here = must.Get(ops.PlanAddAll(here, of))(t).After
	restored := must.Get(ops.PlanRestore(here, of))(t).After
	p, _ := restored.Placement().Provider(host)
	for _, iu := range p.Inventories() {
		if name := restored.Placement().ClassName(iu.Class); name != "CUSTOM_B" {
			t.Errorf("the host has %s, want CUSTOM_B", name)
		}
	}
	if left := cloud.Differences(restored.Records(), of.Records); len(left) > 0 {
		t.Errorf("it is not as the export has it: %v", left)
	}
}
