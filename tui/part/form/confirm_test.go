package form_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/services"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestConflictPlansAgain(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		f := found(t, s.Snapshot(), audit.RuleOrphan)
		c, _ := s.Snapshot().Placement().Consumer(f.Consumer)
		r := open(t, s, 110, 40, func(env screen.Env) screen.Screen {
			return confirm.Write(env, env.Cloud.Snapshot(), "release", "release "+f.Subject,
				func(s *cloud.Snapshot) (ops.Plan, error) {
					return ops.PlanRelease(s, f.Consumer, placement.ProviderID{})
				}, "")
		})
		r.Wants("BEFORE  gen 1", "AFTER  not there")
		less := s.Snapshot().Placement().ConsumerRecord(c).Allocations
		for id, classes := range less {
			for class := range classes {
				less[id][class] = 1
			}
		}
		r.Cloud.Before = func(<-chan struct{}) error {
			must.Succeed(t, r.Cloud.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: c.ID(), Generation: placement.Generation(c.Generation()), Project: c.Project(), User: c.User(), Allocations: less,
			}}}))
			return nil
		}
		r.Press("enter")
		r.Wants("CONFLICT", "nothing was written. enter shows it as it is now", "enter shows it as it is now", "BEFORE  gen 2")
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); !ok {
			t.Fatal("it was released although it had changed")
		}
		r.Press("enter")
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); ok {
			t.Errorf("not released:\n%s", r.Text())
		}
		must.Be[any](t, r.Last(), (screen.PopMsg{}))
	})
}

func TestSameOutcomeNeedsNoSecondYes(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		c := liveInstance(t, s.Snapshot())
		r := release(t, s, 100, 30, place.Release{Consumer: c.ID()})
		held := s.Snapshot().Placement().ConsumerRecord(c).Allocations
		s.Before = func(<-chan struct{}) error { // another generation, the same allocations
			must.Succeed(t, r.Cloud.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: c.ID(), Generation: placement.Generation(c.Generation()), Type: c.Type(), Project: c.Project(), User: c.User(), Allocations: held,
			}}}))
			return nil
		}
		r.Press("enter")
		r.Type("release")
		r.Press("enter")
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); ok {
			t.Errorf("not released:\n%s", r.Text())
		}
	})
}

func TestReadOnlyRefuses(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, "opened with --read-only"), 100, 30)
		r.fill(gpu)
		r.Press("enter")
		r.Wants("DRY RUN", "nothing can be written: opened with --read-only", "PROVIDERS TOUCHED")
		r.Press("enter", "enter")
		r.Wants("DENIED")
		r.Wrote(0)
	})
}

func TestPageFollowsTheCloud(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		host := roomy(t, s.Snapshot().Placement())

		// Another write uses more of the same host: the page says so at the top, and asks
		// again.
		claim := placement.Claim{
			Consumer: placement.ConsumerID{2}, Generation: placement.NewConsumer(), Project: "p", User: "u",
			Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{host.ID(): {placement.VCPU: 3}},
		}
		must.Succeed(t, r.Cloud.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}))
		r.Press("G")
		r.Follow()
		r.Wants("CHANGED", "enter once you have looked", "VCPU of "+host.Name()+":", "were used,")
		r.Press("enter")
		r.Wants("AGAIN", "VCPU of "+host.Name()+":", "enter again writes what is now shown")
		r.Wrote(0)
		r.Follow()
		r.Lacks("CHANGED") // it was seen

		// What would be released is different now: enter must be pressed again.
		claim.Consumer, claim.Generation = id, placement.Generation(1)
		must.Succeed(t, r.Cloud.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}))
		r.Follow()
		r.Wants("CHANGED", "enter once you have looked")
		r.Press("enter")
		r.Wants("enter again writes what is now shown")
		r.Wrote(0)
		r.Press("enter")
		r.Wrote(1)
	})
}

func TestGoneWhileShown(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		must.Succeed(t, r.Cloud.Do(placement.DeleteAllocations{Consumer: id}))
		r.Follow()
		r.Wants("REFUSED", "esc goes back; enter tries again")
		r.Press("enter")
		r.Wrote(0)
		r.Press("esc")
		must.Be[any](t, r.Last(), (screen.PopMsg{}))
	})
}

func TestSlowWrite(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		s.Before = func(stopped <-chan struct{}) error {
			<-stopped
			return context.Canceled
		}
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		r.Press("enter")
		if p := r.Screen.(screen.Pending).Pending(); p == "" {
			t.Error("a write under way is not pending")
		}
		r.Lacks("WRITING")
		r.Advance(301 * time.Millisecond)
		r.Wants("WRITING", "esc stops waiting")
		r.Press("enter", "enter") // not twice
		r.Press("esc")
		r.Wants("STOPPED", "nothing was written. enter tries again")
		r.Wrote(0)
		r.Press("enter")
		r.Wrote(1)
		must.Be[any](t, r.Last(), (screen.PopMsg{}))
	})
}

func TestStoppedTooLate(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		hang := make(chan struct{})
		s.Before = func(<-chan struct{}) error {
			<-hang
			return nil
		}
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		r.Press("enter")
		r.Advance(time.Second)
		r.Press("esc")
		r.Wants("STOPPING", "whether it was written is not known yet")
		close(hang)
		r.Settle()
		r.Wants("WRITTEN")
		r.Wrote(1)
		if r.Last() != (screen.PopMsg{}) || len(r.Said) != 1 {
			t.Errorf("then %+v, %+v", r.Last(), r.Said)
		}
	})
}

func TestUnavailable(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		s.Refuse = tuitest.ErrDisk
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		r.Press("enter")
		r.Wants("UNAVAILABLE", "no space left on device", "nothing was written. enter tries again")
		s.Refuse = fmt.Errorf("no answer: %w, %w", cloud.ErrInDoubt, placement.ErrUnavailable)
		r.Press("enter")
		r.Wants("UNAVAILABLE", "no answer", "look at what is shown now; enter tries again")
		r.Lacks("nothing was written")
		s.Refuse = nil
		r.Press("enter")
		r.Wrote(1)
	})
}

// TestStoppedInDoubt stops waiting for a write of which nobody knows what became of it.
func TestStoppedInDoubt(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		hang := make(chan struct{})
		s.Before = func(<-chan struct{}) error {
			<-hang
			return nil
		}
		s.Refuse = fmt.Errorf("%w; %w: %w", context.Canceled, cloud.ErrInDoubt, placement.ErrUnavailable)
		r := release(t, s, 100, 30, place.Release{Consumer: id})
		r.Press("enter")
		r.Advance(time.Second)
		r.Press("esc")
		close(hang)
		r.Settle()
		r.Wants("STOPPED", cloud.ErrInDoubt.Error(), "look at what is shown now; enter tries again")
		r.Lacks("nothing was written")
		r.Lacks("before it was decided")
	})
}

func TestCopies(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 40)
		r.fill(gpu)
		r.Press("enter", "y")
		r.Wants("REQUESTS", "PUT /allocations/"+newcomer, "OpenStack-API-Version: placement 1.38", `"VGPU": 1`, "THE SAME BY HAND")
		r.Press("esc")
		r.Wants("PROVIDERS TOUCHED")
		r.Press("c", "o")
		copied := tuitest.Asked[screen.CopyMsg](r.Host)
		if len(copied) != 2 {
			t.Fatalf("copied %+v", copied)
		}
		if got := copied[0].Text; !strings.HasPrefix(got, "PUT /allocations/"+newcomer+"\nOpenStack-API-Version: placement 1.38\n") || !strings.Contains(got, `"consumer_generation": null`) {
			t.Errorf("the request:\n%s", got)
		}
		if got := copied[1].Text; !strings.HasPrefix(got, "openstack --os-placement-api-version 1.38 resource provider allocation set "+newcomer+" ") {
			t.Errorf("the command:\n%s", got)
		}
		r.Press("esc")
		r.Wants("OFFERS, OR WHY NOT")
		r.Wrote(0)
	})
}

// TestRefusedSaysWhereEscGoes checks that a plan which the cloud refuses meanwhile names
// the step that esc goes back to.
func TestRefusedSaysWhereEscGoes(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := fleet(t)
		first := opened(t, s, 100, 30, place.SetService{Do: place.Upgrade, Binary: nova.Compute, Host: "cmp-3"}, services.OpenService)
		first.Replace("73")
		first.Press("enter")
		second := opened(t, s, 100, 30, place.SetService{Do: place.Upgrade, Binary: nova.Compute, Host: "cmp-3"}, services.OpenService)
		second.Replace("73")
		second.Press("enter", "enter")
		first.Press("enter")
		first.Wants("REFUSED", "esc goes back to step 1, version; enter tries again")
	})
}
