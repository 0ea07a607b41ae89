package keeper_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestPassAsksOnce has many callers inspect one Snapshot, whose rules are evaluated once.
func TestPassAsksOnce(t *testing.T) {
	t.Parallel()
	c := newDemo(t)
	i := keeper.New(c, keeper.Options{Now: demoNow})
	if i.Last() != nil {
		t.Error("there is a pass before anybody asked")
	}
	var all [8]*keeper.Pass
	var wg sync.WaitGroup
	for n := range all {
		wg.Go(func() { all[n] = i.Inspect(c.Snapshot()) })
	}
	wg.Wait()
	for _, pass := range all {
		if pass != i.Last() {
			t.Error("the rules were asked more than once")
		}
	}
	if got, want := len(i.Last().Open()), len(audit.Find(c.Snapshot())); got != want || want == 0 {
		t.Errorf("%d findings, want %d", got, want)
	}
	old := i.Last()
	must.Succeed(t, c.do(placement.CreateProvider{ID: modeltest.ProviderID("new"), Name: "new"}))
	if pass := i.Inspect(c.Snapshot()); pass == old || pass.Of != c.Snapshot() {
		t.Error("another Snapshot was not asked about")
	}
}

// TestPassFindsBySubject returns each finding of whatever it is about, and nothing before
// there is a pass.
func TestPassFindsBySubject(t *testing.T) {
	t.Parallel()
	c := newDemo(t)
	i := keeper.New(c, keeper.Options{Now: demoNow})
	if got := i.Last().OfProvider(modeltest.ProviderID("any")); got != nil {
		t.Errorf("without a pass it finds %v", got)
	}
	pass := i.Inspect(c.Snapshot())
	in := func(all []audit.Finding, f audit.Finding) bool { return slices.ContainsFunc(all, f.Same) }
	for _, f := range pass.Open() {
		for _, id := range append(f.Others, f.Provider) {
			if !id.IsZero() && !in(pass.OfProvider(id), f) {
				t.Errorf("%s is not found by the provider %s", f, id)
			}
		}
		if !f.Consumer.IsZero() && !in(pass.OfConsumer(f.Consumer), f) {
			t.Errorf("%s is not found by its consumer", f)
		}
	}
	if got := pass.OfConsumer(placement.ConsumerID{}); got != nil {
		t.Errorf("of no consumer it finds %v", got)
	}
}

// TestPassMindsTheClock lets an acknowledgement expire while nothing changes.
func TestPassMindsTheClock(t *testing.T) {
	t.Parallel()
	c := newDemo(t)
	now := demoNow()
	clock := func() time.Time { return now }
	i := keeper.New(c, keeper.Options{Now: clock})
	all := i.Inspect(c.Snapshot()).Report.Open
	plan, err := audit.PlanAcknowledge(c.Snapshot(), []audit.Finding{all[0].Finding}, audit.Remark{Note: "known", By: "me", At: now, Until: now.Add(time.Hour)})
	must.Succeed(t, err)
	must.Succeed(t, c.change(plan.Change))
	pass := i.Inspect(c.Snapshot())
	if len(pass.Report.Acknowledged) != 1 || len(pass.Report.Open) != len(all)-1 {
		t.Fatalf("%d acknowledged, %d open", len(pass.Report.Acknowledged), len(pass.Report.Open))
	}
	now = now.Add(time.Hour - time.Second)
	if i.Inspect(c.Snapshot()) != pass {
		t.Error("the rules were asked again though nothing is another")
	}
	now = now.Add(2 * time.Second)
	if after := i.Inspect(c.Snapshot()); len(after.Report.Open) != len(all) || len(after.Report.Acknowledged) != 0 {
		t.Errorf("%d open after the end, want %d", len(after.Report.Open), len(all))
	}
	if got := len(keeper.New(nil, keeper.Options{Now: clock}).Inspect(c.Snapshot()).Report.Open); got != len(all) {
		t.Errorf("without a cloud there are %d", got)
	}
}

// TestPassSeesConflicts finds lost races although nothing changes, and drops them once
// they are old.
func TestPassSeesConflicts(t *testing.T) {
	t.Parallel()
	c := newDemo(t)
	now := demoNow()
	i := keeper.New(c, keeper.Options{Now: func() time.Time { return now }})
	conflicts := func() int {
		n := 0
		for _, f := range i.Inspect(c.Snapshot()).Open() {
			if f.Rule == audit.RuleConflicts {
				n++
			}
		}
		return n
	}
	if n := conflicts(); n != 0 {
		t.Fatalf("%d before any", n)
	}
	p, _ := c.Snapshot().Placement().ProviderByName("cmp-001")
	for range 3 {
		c.lost = append(c.lost, cloud.Conflict{At: now, Provider: p.ID(), Err: placement.ErrConflict})
	}
	if n := conflicts(); n != 1 {
		t.Errorf("%d after three lost races", n)
	}
	now = now.Add(11 * time.Minute)
	if n := conflicts(); n != 0 {
		t.Errorf("%d when they are old", n)
	}
}

// TestPassMindsAges reports a move that stopped halfway, in a cloud to which nothing is
// written any more.
func TestPassMindsAges(t *testing.T) {
	t.Parallel()
	c := newDemo(t)
	now := demoNow()
	i := keeper.New(c, keeper.Options{Now: func() time.Time { return now }})
	var moved *nova.Instance
	for vm := range c.Snapshot().Nova().Instances() {
		if vm.VMState == nova.Active && vm.Host != "" {
			moved = vm
			break
		}
	}
	var change cloud.Change
	modeltest.PutIn(&change, c.Snapshot(), &nova.Migration{
		UUID: modeltest.ConsumerID("move"), Instance: moved.UUID, Type: nova.Resize, Status: nova.Migrating, Source: moved.Host, Created: now.UnixMilli(),
	})
	must.Succeed(t, c.change(change))
	found := func() bool {
		return slices.ContainsFunc(i.Inspect(c.Snapshot()).Open(), func(f audit.Finding) bool {
			return f.Rule == audit.RuleBrokenMove && f.Consumer == moved.UUID
		})
	}
	if found() {
		t.Error("a move that began just now is broken")
	}
	now = now.Add(10 * time.Minute)
	if !found() {
		t.Error("a move that stopped ten minutes ago is not found")
	}
}

// TestPassWaitsForTheWhole evaluates no rules while a cloud is still being read, and
// looks again soon.
func TestPassWaitsForTheWhole(t *testing.T) {
	t.Parallel()
	c := newDemo(t)
	unread := "reading 40%"
	now := demoNow()
	k := keeper.New(c, keeper.Options{Now: func() time.Time { return now }, Unread: func() string { return unread }})
	if again := k.Round(t.Context()); !again.After(now) {
		t.Errorf("it comes again at %v", again)
	}
	if pass, r := k.Last(), k.Report(); pass.Unread != unread || r.Unread != unread || len(pass.Report.Rules)+r.Critical+r.Warnings > 0 {
		t.Errorf("%+v, %+v", pass, r)
	}
	unread, now = "", now.Add(time.Second)
	if k.Round(t.Context()); k.Report().Unread != "" || k.Report().Critical == 0 {
		t.Errorf("%+v", k.Report())
	}
}
