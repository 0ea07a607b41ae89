package form_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestAllocateEndToEnd(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.fill(gpu)
		options := r.fitting(gpu)
		best := options[0]
		r.Wants("1 what ✓   2 where   3 preview", "> ✓ "+best.Anchor.Name(), "OFFERS, OR WHY NOT")
		r.Press("enter")
		r.Wants("BEFORE  not there", "AFTER  gen 1", "PROVIDERS TOUCHED", best.Anchor.Name(), "WILL SEND", "PUT /allocations/"+newcomer,
			"tried on a copy of revision")
		r.Wrote(0)
		r.Press("enter")
		r.Wrote(1)

		s := r.Cloud.Snapshot()
		c, ok := s.Placement().Consumer(newcomerID())
		if !ok {
			t.Fatal("the consumer does not exist")
		}
		if c.Project() != "ml-train" || c.User() != "ops" || c.Type() != placement.InstanceConsumer {
			t.Errorf("project %q user %q type %q", c.Project(), c.User(), c.Type())
		}
		held := map[placement.ResourceClass]int64{}
		for a := range s.Placement().Allocations(c) {
			held[s.Placement().ClassName(a.Class)] += a.Used
		}
		must.Be(t, api.Resources(held), "MEMORY_MB=4096,VCPU=2,VGPU=1")
		events, err := r.Cloud.Events(context.Background(), cloud.EventQuery{Limit: 1})
		if err != nil || len(events) != 1 || events[0].Actor != "ops" || !strings.HasPrefix(events[0].Note, "allocate ") {
			t.Errorf("journal: %+v, %v", events, err)
		}
		if want := (screen.Goto{To: place.Consumer{ID: newcomerID()}, Replace: true}); r.Last() != want {
			t.Errorf("then %+v, want %+v", r.Last(), want)
		}
		if len(r.Said) != 1 || r.Said[0].Severity != style.SeverityOK || !strings.Contains(r.Said[0].Hint, "z to undo") {
			t.Errorf("toasts %+v", r.Said)
		}
		if p := r.Screen.(screen.Pending).Pending(); p != "" {
			t.Errorf("pending after the write: %q", p)
		}
	})
}

func TestAllocateFromAProvider(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		name := s.Snapshot().Placement()
		var from *placement.ResourceProvider
		for p := range name.Providers() {
			if !p.IsRoot() {
				if iu, ok := vgpu(name, p); ok && iu.Free() > 0 {
					from = p
					break
				}
			}
		}
		r := open(t, s, 100, 24, func(env screen.Env) screen.Screen { // as the dashboard opens it
			f := must.Get(consumers.OpenAllocate(env, place.Allocate{Provider: from.ID()}))(t)
			return f
		})
		r.Wants("provider   " + from.Name())
		r.fill("VGPU=1")
		r.Wants("from "+from.Name(), "fits 1 of 1")
		r.Press("enter", "enter")
		r.Wrote(1)
		if r.Last() != (screen.PopMsg{}) {
			t.Errorf("then %+v, want back to the provider", r.Last())
		}
		after, _ := s.Snapshot().Placement().Provider(from.ID())
		was, _ := vgpu(name, from)
		is, _ := vgpu(s.Snapshot().Placement(), after)
		if is.Used != was.Used+1 {
			t.Errorf("%d used, %d before", is.Used, was.Used)
		}
	})
}

func TestAProviderThatDoesNotFit(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		from := roomy(t, s.Snapshot().Placement())
		r := open(t, s, 100, 24, func(env screen.Env) screen.Screen {
			return must.Get(consumers.OpenAllocate(env, place.Allocate{Provider: from.ID()}))(t)
		})
		r.fill("VCPU=100000")
		r.Wants("fits 0 of 1", "needs 100000 VCPU, max_unit is", "clear its field for any")
		r.Press("esc", "up", "down")
		r.Replace("") // the provider
		r.Press("enter")
		r.Wants("fits 0 of")
		r.Lacks("fits 0 of 1 ", "empty its field")
		r.Wrote(0)
	})
}

func TestOpenAllocateRefuses(t *testing.T) {
	t.Parallel()
	env := screen.Env{Styles: tuitest.Plain(), Cloud: newStore(t, "")}
	if _, err := consumers.OpenAllocate(env, place.Allocate{Provider: placement.ProviderID(newcomerID())}); err == nil {
		t.Error("a provider that is not there opens a form")
	}
	for _, at := range []place.Release{{}, {Consumer: newcomerID()}, {Consumer: newcomerID(), From: placement.ProviderID{1}}} {
		if _, err := consumers.OpenRelease(env, at); err == nil {
			t.Errorf("%v opens a release", at)
		}
	}
}

func TestWhatDoesNotFitSaysWhy(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 120, 30)
		r.fill("VCPU=2 VGPU=500")
		options := r.fitting("VCPU=2 VGPU=500")
		if options[0].Fits() {
			t.Fatal("500 VGPUs fit")
		}
		r.Wants("fits 0 of", "> ✗ "+options[0].Anchor.Name())
		for _, reason := range options[0].Reasons {
			r.Wants(reason.Words())
		}
		r.Press("enter")
		if said, of := r.Said, options[0]; len(said) != 1 || !strings.HasPrefix(said[0].Text, of.Anchor.Name()+": ") || !strings.Contains(said[0].Text, of.Reasons[0].Words()) {
			t.Errorf("it says %v, want why %s cannot take it", said, of.Anchor.Name())
		}
		r.Wants("2 where") // still on the list
		r.Press("enter", "enter")
		r.Wrote(0)
	})
}

// TestTraitsAndAggregatesCount requires what would exclude providers that are listed
// without it.
func TestTraitsAndAggregatesCount(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 120, 30)
		r.fill("VCPU=1")
		plain := r.fitting("VCPU=1")[0].Anchor
		r.Wants("✓ " + plain.Name())
		r.Press("esc", "up", "up")
		r.Type("!OWNER_NOVA,NO_SUCH")
		r.Press("enter")
		r.Wants("no such trait NO_SUCH")
		r.Replace("!OWNER_NOVA")
		r.Press("enter")
		r.Type("nowhere")
		r.Press("enter")
		r.Wants("2 where ") // not reached
		r.Lacks("OFFERS, OR WHY NOT")
		r.Replace("")
		r.Press("enter", "enter")
		r.Wants("with required=!OWNER_NOVA", "has OWNER_N")
		r.Lacks("✓ " + plain.Name())
		r.Wrote(0)
	})
}

func TestListFilters(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 120, 30)
		r.fill(gpu)
		options := r.fitting(gpu)
		last := options[len(options)-1]
		r.Lacks("> ✗ " + last.Anchor.Name())
		r.Press("/")
		r.Type(last.Anchor.Name())
		r.Wants("> ✗ "+last.Anchor.Name(), "/"+last.Anchor.Name(), "1   enter keep")
		r.Lacks("✓ " + options[0].Anchor.Name())
		r.Press("esc")
		r.Wants("> ✗ " + last.Anchor.Name()) // the cursor stays on its row
		r.Press("/")
		r.Type("fits=yes !" + options[0].Anchor.Name())
		r.Wants("✓ " + options[1].Anchor.Name())
		r.Lacks("✓ "+options[0].Anchor.Name(), "✗")
		r.Press("esc", "/")
		r.Type("pci_0000_41") // who would give it, as the row says
		r.Wants("✓ cmp-001", "VGPU 1 of pci_0000_41")
		r.Lacks("✓ cmp-003")
		r.Press("esc", "/")
		r.Type("nosuchthing=1")
		r.Wants("column 1", "nosuchthing")
		r.Press("esc", "/")
		r.Type("zzzz")
		r.Wants("no tree matches")
		r.Press("enter", "enter")
		if said := r.Said; len(said) != 1 || said[0].Text != "no tree under the cursor" {
			t.Errorf("it says %v", said)
		}
		r.Press("esc", "esc")
		r.Wants("NEW ALLOCATION", "resources  "+gpu)
		r.Wrote(0)
	})
}

func TestRoomGoneOnTheWay(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 110, 30)
		r.fill("VGPU=1")
		o := r.fitting("VGPU=1")[0]
		r.Press("enter")
		ledger := r.Cloud.Snapshot().Placement()
		root, _ := ledger.Provider(o.Anchor.ID())
		take := map[placement.ProviderID]map[placement.ResourceClass]int64{}
		for _, p := range ledger.Tree(root) {
			if iu, ok := vgpu(ledger, p); ok && iu.Free() > 0 {
				take[p.ID()] = map[placement.ResourceClass]int64{placement.VGPU: iu.Free()}
			}
		}
		r.Cloud.Before = func(<-chan struct{}) error {
			must.Succeed(t, r.Cloud.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: placement.ConsumerID{1}, Generation: placement.NewConsumer(), Project: "p", User: "u", Allocations: take,
			}}}))
			return nil
		}
		r.Press("enter")
		r.Wants("CONFLICT", "someone else wrote in between", "REFUSED", "esc goes back to step 2, where")
		if _, ok := r.Cloud.Snapshot().Placement().Consumer(newcomerID()); ok {
			t.Fatal("the claim was written")
		}
		r.Follow()
		r.Press("esc", "/")
		r.Type(o.Anchor.Name())
		r.Wants("needs 1 VGPU, has 0 free")
		if r.Last() != nil {
			t.Errorf("the form asked to be left: %+v", r.Last())
		}
	})
}

func TestEscGoesBackStepByStep(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		if p := r.Screen.(screen.Pending).Pending(); p != "" {
			t.Errorf("an untouched form is pending: %q", p)
		}
		r.fill(gpu)
		if p := r.Screen.(screen.Pending).Pending(); p == "" {
			t.Error("a filled form is not pending")
		}
		r.Press("enter")
		r.Wants("PROVIDERS TOUCHED")
		r.Press("esc")
		r.Wants("OFFERS, OR WHY NOT")
		r.Press("esc")
		r.Wants("NEW ALLOCATION")
		if r.Last() != nil {
			t.Fatalf("left too early: %+v", r.Last())
		}
		r.Press("esc")
		if r.Last() != (screen.PopMsg{}) {
			t.Errorf("esc on the first step: %+v", r.Last())
		}
		r.Wrote(0)
	})
}

// TestConsumerOfPlacementAloneIsNotNew names a consumer that holds something but is
// unknown to Nova.
func TestConsumerOfPlacementAloneIsNotNew(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		id := orphan(t, s)
		r := allocate(t, s, 100, 24)
		r.Press("up", "up")
		r.Replace(id.String())
		r.Wants("holds 1C")
		if strings.Contains(r.Text(), "a new consumer") {
			t.Errorf("it is called new:\n%s", r.Text())
		}
	})
}

// TestNarrowFieldsSayHowToLeave checks on a small terminal that neither how to leave nor
// the help below a field is cut.
func TestNarrowFieldsSayHowToLeave(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 40, 8)
		for range 5 {
			r.Wants("enter next", "esc cancel")
			for _, line := range r.Lines() {
				if strings.Contains(line, "…") && !strings.Contains(line, "✗") {
					t.Errorf("help is cut: %q", line)
				}
			}
			r.Press("down")
		}
	})
}

// TestRequestFillsFreeLines checks that a page with free lines shows the complete path
// and the end of the request's body.
func TestRequestFillsFreeLines(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 80, 29)
		r.fill("VCPU=1")
		r.Press("enter")
		all := strings.Join(strings.Fields(r.Text()), "")
		if _, sent, ok := strings.Cut(all, "WILLSEND"); !ok || !strings.Contains(sent, `"consumer_generation":null`) || !strings.Contains(sent, `"user_id"`) {
			t.Errorf("the request is cut:\n%s", r.Text())
		}
	})
}

// TestAllocateSaysWhereItWouldFit reads below the fields, as they are filled in, how many
// trees have room, and whose accelerators those are.
func TestAllocateSaysWhereItWouldFit(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.NewCloud(demoCloud(t))
		time.Sleep(time.Until(tuitest.Now()))
		r := open(t, s, 80, 24, func(env screen.Env) screen.Screen {
			return must.Get(consumers.OpenAllocate(env, place.Allocate{}))(t)
		})
		r.Lacks("would fit")
		r.Press("tab", "tab") // past project and user
		r.Type("VGPU=")
		r.Advance(time.Second)
		r.Lacks("would fit")
		r.Type("1")
		r.Advance(time.Second)
		r.Wants("would fit  6 trees   VGPU of ⬢ N 1 ⬡ C 4 ◌ - 1")
		r.Press("enter")
		r.Type("OWNER_CYBORG")
		r.Advance(time.Second)
		r.Wants("would fit  4 trees   VGPU of ⬡ C 4")
		r.Press("enter", "shift+tab", "shift+tab")
		r.Type("0")
		r.Advance(time.Second)
		r.Wants("would fit  nowhere now; the next step says why not")
	})
}

// TestAllocateFollowsWhereItWouldFit checks that the number of trees with room is that of
// the newest cloud: when others write during a search, and while the list is shown.
func TestAllocateFollowsWhereItWouldFit(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.NewCloud(demoCloud(t))
		r := open(t, s, 80, 24, func(env screen.Env) screen.Screen {
			return must.Get(consumers.OpenAllocate(env, place.Allocate{}))(t)
		})
		another := func(name string) {
			t.Helper()
			must.Succeed(t, r.Cloud.Do(modeltest.Provider{Name: name, Inventories: modeltest.Inventories{placement.VGPU: {Total: 1, MinUnit: 1, MaxUnit: 1, StepSize: 1, AllocationRatio: 1}}}.Ops(placement.ProviderID{})...))
			r.Send(screen.SnapshotMsg{Snapshot: s.Snapshot()})
		}
		r.Type("ml-train")
		r.Press("enter", "enter")
		r.Type("VGPU=1")
		another("during a search")
		r.Advance(5 * time.Second)
		r.Wants("would fit  7 trees")
		r.Press("enter", "enter", "enter", "enter")
		r.Advance(time.Second)
		r.Lacks("would fit")
		another("beside the list")
		r.Press("esc")
		r.Advance(5 * time.Second)
		r.Wants("would fit  8 trees")
		another("later")
		r.Advance(5 * time.Second)
		r.Wants("would fit  9 trees")
		r.Press("enter")
		another("beside the list again")
		r.Press("esc")
		r.Advance(5 * time.Second)
		r.Wants("would fit  10 trees")
	})
}

// TestPreviewIsOfWhatIsShown picks from a list that does not follow the cloud, as in a
// dashboard that is paused: the preview is of the same revision.
func TestPreviewIsOfWhatIsShown(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		r.fill(gpu)
		shown := r.Cloud.Snapshot().Revision()
		must.Succeed(t, r.Cloud.Do(placement.CreateTrait{Name: "CUSTOM_LATER"}))
		r.Press("enter")
		r.Wants("tried on a copy of revision " + component.Count(shown))
	})
}
