package instances_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

// wizard opens the wizard for an instance of a fleet with cards of both owners.
func wizard(t *testing.T, s *tuitest.Cloud, w, h int, instance string) *tuitest.Host {
	t.Helper()
	return tuitest.LiveAt(t, s, w, h, place.Resize{Instance: modeltest.ConsumerID(instance)}, instances.OpenResize)
}

// choose selects the flavor gpu.t4.1 in the wizard, and presses more keys.
func choose(r *tuitest.Host, more ...string) {
	r.Press("/")
	r.Type("name=gpu.t4.1")
	r.Press(append([]string{"enter"}, more...)...)
}

// waiting returns the waiting migration of an instance, nil if none.
func waiting(s *tuitest.Cloud, instance string) *nova.Migration {
	m, _ := ops.WaitingMigration(s.Snapshot(), modeltest.ConsumerID(instance))
	return m
}

func TestResizeAndConfirm(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 80, 20, "train-1")
		r.Wants("1 instance", "2 target", "gpu.t4.1", "VGPU 1", "train-1  on cmp-1  flavor gpu.a100.1")
		r.Lacks("✓ gpu.a100.1")
		choose(r, "enter")
		r.Wants("cmp-2", "VGPU 1 of", "the instance is on it", "gpu.a100.1 > gpu.t4.1")
		r.Press("enter")
		r.Wants("3 preview", "BEFORE", "AFTER", "both are held until it is confirmed, the old one by migration")
		r.Wrote(0)
		r.Press("X")
		must.Be(t, titleOf(r, "X"), "auto-revert 10m")
		r.Press("enter")
		m := waiting(s, "train-1")
		if m == nil || m.Status != nova.Finished || m.Deadline == 0 {
			t.Fatalf("the migration is %+v\n%s", m, r.Text())
		}
		r.Wants("5 confirm / revert", "WAITING", "cmp-2", "cmp-1", "YOUR CHOICE", "reverts in 10m, at", "X off")
		r.Press("G")
		r.Wants("STEPS", "writes", "rev ")
		r.Press("y")
		r.Wants("confirm train-1", "BEFORE")
		r.Press("enter")
		if m := waiting(s, "train-1"); m != nil {
			t.Errorf("still %s:\n%s", m.Status, r.Text())
		}
		r.Wants("DONE", "r on it resizes it back to gpu.a100.1", "over the allocations of train-1", "release what train-1 held")
		r.Press("enter")
		must.Be[any](t, r.Last(), (screen.PopMsg{}))
		i, _ := s.Snapshot().Nova().Instance(modeltest.ConsumerID("train-1"))
		if i.Host != "cmp-2" || i.Flavor != "gpu.t4.1" || i.VMState != nova.Active {
			t.Errorf("the instance is %+v", i)
		}
	})
}

// TestClearsOnceConfirmed does not promise to clear a problem that the old claim causes
// until the resize is confirmed.
func TestClearsOnceConfirmed(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo(t, 12)
		const over, more = "a02 cmp-007_pci_0000_41_00_0", "d03 cmp-007_pci_0000_41_00_0"
		r := tuitest.LiveAt(t, s, 160, 44, place.Resize{Instance: modeltest.InstanceNamed(t, s.Snapshot(), "infer-9").UUID}, instances.OpenResize)
		r.Wants("infer-9  on cmp-007  flavor gpu.a100.1")
		r.Press("/")
		r.Type("name=cpu.large")
		r.Press("enter", "enter", "enter")
		r.Wants("3 preview", "once confirmed, clears "+over, "once confirmed, clears "+more)
		r.Press("enter")
		r.Wants("WAITING")
		if stands := audit.FindBy(s.Snapshot(), "a02"); len(stands) != 1 {
			t.Errorf("before it is confirmed: %v", stands)
		}
		r.Press("y")
		r.Wants("clears " + over)
		r.Lacks("once confirmed")
		r.Press("enter")
		if stands := audit.FindBy(s.Snapshot(), "a02"); len(stands) != 0 {
			t.Errorf("once it is confirmed: %v", stands)
		}
	})
}

// TestWhoseCard shows for each place the owner of its card, and warns of a wrong one:
// before the upgrade Nova also takes Cyborg's cards.
func TestWhoseCard(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		plan := must.Get(ops.PlanTraits(s.Snapshot(), modeltest.ProviderID("cmp-3_pci_0000_41_00_0"), []placement.Trait{placement.OwnerCyborg}, nil))(t)
		must.Get((ops.Runner{}).Write(t.Context(), s.Store, plan))(t)
		r := wizard(t, s, 80, 20, "infer-1")
		r.Press("/")
		r.Type("name=gpu.a100.1")
		r.Press("enter", "enter")
		r.Advance(time.Second)
		r.Wants("! cmp-3", "! ⊗ B VGPU 1 of pci_0000_41_00_0", "asked of nova, owned by both")
		r.Press("tab")
		r.Advance(time.Second)
		r.Wants("✓ cmp-1", "⬢ N VGPU 1 of pci_0000_41_00_0")
	})
}

// TestOneCardForBothOwners warns of one card for two groups with different owners: it can
// only have one of them.
func TestOneCardForBothOwners(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		time.Sleep(time.Until(tuitest.Now()))
		r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen {
			page := must.Get(instances.OpenMigrate(env, place.Migrate{Instance: modeltest.InstanceNamed(t, s.Snapshot(), "cad-desk-1").UUID}))(t)
			return page
		})
		r.Advance(time.Second)
		for range 24 {
			if r.Press("down"); strings.Contains(r.Text(), "> ✗ cmp-011 ") && strings.Contains(r.Text(), "asked of both, owned by cyborg") {
				return
			}
		}
		t.Errorf("no card is told to be asked of both:\n%s", r.Text())
	})
}

// TestPickByTyping types the name of a flavor, letters of which are keys elsewhere, and
// chooses it with the key that ends the typing; what cannot be chosen says why.
func TestPickByTyping(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 100, 24, "infer-1")
		r.Type("gpu.a100")
		r.Wants("/gpu.a100", "enter choose")
		r.Press("up", "ctrl+j", "ctrl+k", "enter")
		r.Advance(time.Second)
		r.Wants("> ✓ cmp-3", "lacks CUSTOM_NVIDIA_A100")
		r.Type("cmp-4")
		r.Press("enter")
		if n := len(r.Said); n != 1 || !strings.Contains(r.Said[0].Text, "choose: cmp-4") {
			t.Errorf("what cannot be chosen says %+v", r.Said)
		}
	})
}

// titleOf returns the title of a key of the screen.
func titleOf(r *tuitest.Host, key string) string {
	for _, a := range r.Screen.Actions() {
		if a.Keys.Has(key) {
			return a.Title
		}
	}
	return ""
}

// The last step of the form is where a confirmation is shown and done, even if there is
// only room to name that one.
func TestConfirmOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	for _, w := range []int{40, 76, 77} {
		tuitest.Run(t, func(t *testing.T) {
			s := tuitest.SoundFleet(t)
			r := wizard(t, s, w, 20, "train-2")
			r.Press("y", "enter", "enter")
			r.Wants("5 confirm / revert")
			if m := waiting(s, "train-2"); m != nil {
				t.Errorf("%d cells: still %s:\n%s", w, m.Status, r.Text())
			}
		})
	}
}

// An overdue move is reverted once the hosts involved are known to be up.
func TestRevertOfWhatWaits(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 80, 20, "train-2")
		r.Wants("WAITING", "reverts in 9m, at")
		r.Press("v", "esc")
		r.Wants("YOUR CHOICE")
		r.Wrote(0)
		time.Sleep(time.Until(tuitest.Now().Add(time.Hour)))
		r.Follow()
		r.Wants("the time to confirm ended at")
		r.Press("y")
		r.Wants("it should have been confirmed by", "and is due to be", "reverted: confirming keeps it for good")
		r.Press("esc")
		r.Press("v")
		r.Wants("cmp-1, where it is to run again, is down: its nova-compute was last")
		r.Press("esc")
		beat(t, s)
		r.Follow()
		r.Press("v", "enter")
		if m := waiting(s, "train-2"); m != nil {
			t.Errorf("still %s:\n%s", m.Status, r.Text())
		}
		r.Wants("DONE", "on it resizes it again")
		r.Press("esc") // not to the choice, which is over
		must.Be[any](t, r.Last(), (screen.PopMsg{}))
	})
}

// TestDecidingWithoutAClaim makes the claim of one side vanish: the page says what is
// still held, and offers only what is possible, with what helps.
func TestDecidingWithoutAClaim(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		of    func(*tuitest.Cloud) placement.ConsumerID // whose claim is gone
		wants []string
		lacks []string
		key   string // of the refused choice
	}{
		{
			"the old claim", func(s *tuitest.Cloud) placement.ConsumerID { return waiting(s, "train-2").UUID },
			[]string{"train-2 runs on cmp-2, and holds nothing on cmp-1 any more", "confirm it, and train-2 stays on cmp-2", "y confirm  stay on cmp-2", "v revert   not now"},
			[]string{"both places", "back to cmp-1"},
			"v",
		},
		{
			"the new claim", func(*tuitest.Cloud) placement.ConsumerID { return modeltest.ConsumerID("train-2") },
			[]string{"train-2 runs on cmp-2, and holds nothing there, only on cmp-1", "heal it first, or revert the resize", "y confirm  not now", "v revert   back to cmp-1"},
			[]string{"both places", "stay on cmp-2;"},
			"y",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := tuitest.SoundFleet(t)
				drop := cloud.Change{Ops: []placement.Op{placement.DeleteAllocations{Consumer: tt.of(s)}}}
				must.Get(s.Store.Apply(t.Context(), drop).Result())(t)
				r := wizard(t, s, 140, 20, "train-2")
				r.Wants(tt.wants...)
				r.Lacks(tt.lacks...)
				r.Press(tt.key)
				r.Wants("YOUR CHOICE")
				r.Wrote(0)
			})
		})
	}
}

// beat makes each nova-compute report that it is up.
func beat(t *testing.T, s *tuitest.Cloud) {
	t.Helper()
	for svc := range s.Snapshot().Nova().Services() {
		if svc.Binary != nova.Compute {
			continue
		}
		start := nova.StartService{Host: svc.Host, Binary: svc.Binary, Version: svc.Version}
		must.Get(s.Store.Apply(t.Context(), cloud.Change{At: time.Now(), Ops: []cloud.Op{start}}).Result())(t)
	}
}

func TestMigrateNeedsNoFlavor(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := tuitest.LiveAt(t, s, 100, 30, place.Migrate{Instance: modeltest.ConsumerID("shop-db-1")}, instances.OpenMigrate)
		r.Wants("HOST", "cmp-1")
		r.Press("enter")
		r.Wants("keeps flavor cpu.large")
		r.Press("enter")
		m := waiting(s, "shop-db-1")
		if m == nil || m.Type != nova.ColdMigration || m.Status != nova.Finished {
			t.Errorf("the migration is %+v\n%s", m, r.Text())
		}
	})
}

// If another session takes the place while it is on screen, the page says so, and nothing
// is written.
func TestConflict(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 80, 20, "train-1")
		choose(r, "enter", "enter")
		other := ops.Move{Migration: modeltest.ConsumerID("other move"), Instance: modeltest.ConsumerID("train-1"), Flavor: "cpu.large"}
		must.Succeed(t, (ops.Runner{Actor: "dana"}).Run(context.Background(), s.Store, other))
		r.Press("enter")
		r.Wants("REFUSED", "confirm or revert it", "dana wrote to train-1", "nothing was written")
		r.Wrote(0)
	})
}

// If another session takes a unit of a card while its preview is on screen, the page
// names the card, the generations and the writer; enter then does what is now shown.
func TestConflictNamesTheCard(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 120, 32, "train-1")
		choose(r, "enter", "enter")
		r.Wants("3 preview")
		boot := ops.Boot{
			Instance: modeltest.ConsumerID("late"), Wish: ops.BootWish{Name: "late", Flavor: "gpu.t4.1", Project: "p", User: "u", Host: "cmp-2"},
		}
		must.Succeed(t, (ops.Runner{Actor: "dana"}).Run(t.Context(), s.Store, boot))
		r.Press("enter")
		r.Wants("CONFLICT", "someone else wrote in between; nothing was written. enter shows it as it is now",
			"dana wrote to cmp-2_0000:84:00.0", "claim ", "VGPU of cmp-2_0000:84:00.0: 1 were used, now 2; gen ")
		r.Wrote(0)
		r.Press("enter")
		if m := waiting(s, "train-1"); m == nil || m.Dest != "cmp-2" {
			t.Errorf("the migration is %+v\n%s", m, r.Text())
		}
	})
}

// A failed step is named, and what was done before it is undone.
func TestFailure(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 80, 20, "train-1")
		choose(r, "enter", "enter")
		n := 0
		s.Before = func(<-chan struct{}) error { // the first write succeeds; then the store is gone
			s.Before = func(<-chan struct{}) error {
				if n++; n == 1 {
					s.Refuse = tuitest.ErrDisk
				}
				return nil
			}
			return nil
		}
		r.Press("enter")
		r.Wants("UNAVAILABLE", "stopped after step 1", "v undoes it")
		s.Refuse = nil
		r.Press("v")
		r.Wants("UNDONE")
		i, _ := s.Snapshot().Nova().Instance(modeltest.ConsumerID("train-1"))
		if i.Host != "cmp-1" || i.TaskState != "" || waiting(s, "train-1") != nil {
			t.Errorf("the instance is %+v\n%s", i, r.Text())
		}
	})
}

// Esc asks before it stops between two steps.
func TestStop(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := wizard(t, s, 80, 20, "train-1")
		choose(r, "enter", "enter")
		hang := make(chan struct{})
		s.Before = func(<-chan struct{}) error {
			<-hang
			return nil
		}
		r.Press("enter", "esc")
		r.Wants("STOP?", "it can be finished or")
		r.Press("n")
		r.Lacks("STOP?")
		r.Press("esc", "y")
		r.Wants("STOPPING")
		close(hang)
		r.Settle()
		r.Wants("STOPPED", "enter continues")
		r.Press("enter")
		if m := waiting(s, "train-1"); m == nil || m.Status != nova.Finished {
			t.Errorf("the migration is %+v\n%s", m, r.Text())
		}
	})
}

// advance carries out a course as another program, which dies after the first few writes.
func advance(t *testing.T, s *tuitest.Cloud, c ops.Task, writes int) {
	t.Helper()
	dying := &tuitest.Cloud{Store: s.Store}
	err := ops.Runner{
		Actor: "someone", Now: time.Now,
		Report: func(d ops.StepDone) {
			if d.Number == writes {
				dying.Refuse = tuitest.ErrDisk
			}
		},
	}.Run(t.Context(), dying, c)

	if writes > 0 && !errors.Is(err, tuitest.ErrDisk) || writes == 0 && err != nil {
		t.Fatal(err)
	}
}

// TestReopenedTellsItsSteps reads from the journal what was done before the wizard was
// opened: by a program that finished, and by one that did not.
func TestReopenedTellsItsSteps(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		time.Sleep(time.Until(tuitest.Now()))
		beat(t, s)
		resize := ops.Move{Migration: modeltest.ConsumerID("m"), Instance: modeltest.ConsumerID("train-1"), Flavor: "gpu.t4.1"}
		advance(t, s, resize, 2)
		r := wizard(t, s, 100, 60, "train-1")
		r.Wants("UNFINISHED", "✓  migration", "✓  claim", "rev ", "stop train-1 on cmp-1", "start train-1 on cmp-2", "CHECKS", "no rule forbids it")
		r.Lacks("✓  stop", " ms", "✗")
		r.Press("enter")
		r.Wants("WAITING", "8 writes", "✓  migration", "✓  start train-1 on cmp-2")
		r = wizard(t, s, 100, 60, "train-1")
		r.Wants("WAITING", "STEPS", "8 writes", "✓  migration", "✓  start train-1 on cmp-2")
		r.Press("y", "enter")
		must.Be(t, r.Screen.(screen.Stater).Status(), "step 5 of 5   done")
		r.Wants("✓  migration", "✓  release what train-1 held")
	})
}

// TestMoveIsFinishedElsewhere has another session take the remaining steps of a move
// while this one shows that it is unfinished: this one comes to the decision as well.
func TestMoveIsFinishedElsewhere(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		time.Sleep(time.Until(tuitest.Now()))
		beat(t, s)
		resize := ops.Move{Migration: modeltest.ConsumerID("m"), Instance: modeltest.ConsumerID("train-1"), Flavor: "gpu.t4.1"}
		advance(t, s, resize, 2)
		r := wizard(t, s, 100, 60, "train-1")
		r.Wants("UNFINISHED")
		advance(t, s, resize, 0)
		r.Follow()
		r.Wants("WAITING", "8 writes", "✓  start train-1 on cmp-2")
		r.Lacks("UNFINISHED")
		r.Press("v", "enter")
		r.Wants("✓  ")
	})
}

// TestResizeBeginsAtAFlavorOfItsKind has the cursor on a flavor with an accelerator for
// an instance that has one.
func TestResizeBeginsAtAFlavorOfItsKind(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo(t, 12)
		for name, want := range map[string]string{"train-3": "gpu.a100.1", "clickhouse-2": "cpu.medium"} {
			r := tuitest.LiveAt(t, s, 80, 20, place.Resize{Instance: modeltest.InstanceNamed(t, s.Snapshot(), name).UUID}, instances.OpenResize)
			r.Wants("> ✓ " + want)
		}
	})
}

// TestDecidingShowsWhatWasSent lists what was sent so far, and leads from a choice to what is
// checked before it and what it would send.
func TestDecidingShowsWhatWasSent(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := wizard(t, tuitest.SoundFleet(t), 160, 44, "train-1")
		choose(r, "enter", "enter", "enter")
		r.Wants("WAITING", "STEPS", "PUT", "/allocations/")
		r.Press("v")
		r.Wants("CHECKS", "train-1 gets back", "one guarded write", "DELETE")
	})
}

// TestDecidingSaysWhatOthersWrote shows what steps of another session wrote, from the
// journal.
func TestDecidingSaysWhatOthersWrote(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		choose(wizard(t, s, 160, 44, "train-1"), "enter", "enter", "enter")
		wizard(t, s, 160, 44, "train-1").Wants("WAITING", "STEPS", "wrote instance, migration")
	})
}

// TestMoveFrames shows each step at each size.
func TestMoveFrames(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name, instance string
		keys           []string
	}{
		{"flavors", "train-1", nil},
		{"places", "train-1", []string{"/", "name=gpu.t4.1", "enter", "enter"}},
		{"preview", "train-1", []string{"/", "name=gpu.t4.1", "enter", "enter", "enter"}},
		{"applied", "train-1", []string{"/", "name=gpu.t4.1", "enter", "enter", "enter", "enter", "G"}},
		{"decide", "train-2", nil},
		{"confirm", "train-2", []string{"y"}},
	}
	for _, step := range steps {
		for _, size := range [][2]int{{40, 6}, {80, 20}, {160, 44}} {
			name := step.name + "-" + fmt.Sprintf("%dx%d", size[0], size[1])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tuitest.Run(t, func(t *testing.T) {
					r := wizard(t, tuitest.SoundFleet(t), size[0], size[1], step.instance)
					for _, k := range step.keys {
						if len(k) > 1 && strings.Contains(k, "=") {
							r.Type(k)
							continue
						}
						r.Press(k)
					}
					r.Advance(time.Second)
					r.Text()
					if size[0] == 80 {
						golden.RequireEqual(t, masked(r.Text())+"\n")
					}
				})
			})
		}
	}
}

// masked replaces uuids, whole or broken, because those of a new migration and its
// devices differ each time.
func masked(text string) string {
	zero := func(s string) string { return regexp.MustCompile(`[0-9a-f]`).ReplaceAllString(s, "0") }
	text = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]*`).ReplaceAllStringFunc(text, zero)
	return regexp.MustCompile(`\b[0-9a-f]{8}\b|\b[0-9a-f]{12}\b`).ReplaceAllStringFunc(text, zero)
}

// TestFlavorRowsAgreeWithTheirDetails holds that no flavor is marked as fit for an instance
// that cannot be resized at all, here because it holds nothing.
func TestFlavorRowsAgreeWithTheirDetails(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo(t, 12)
		r := tuitest.LiveAt(t, s, 160, 44, place.Resize{Instance: modeltest.InstanceNamed(t, s.Snapshot(), "build-cache-0").UUID}, instances.OpenResize)
		r.Wants("✗ cpu.medium", "✗ build-cache-0 ")
		r.Lacks("✓ cpu.", "✓ gpu.")
		r.Press("enter")
		r.Lacks("OFFERS") // no host is offered where it is refused anyway
		r = tuitest.LiveAt(t, s, 160, 44, place.Migrate{Instance: modeltest.InstanceNamed(t, s.Snapshot(), "build-cache-0").UUID}, instances.OpenMigrate)
		r.Wants("OFFERS", "✗ build-cache-0 ")
		r.Lacks("✓ cmp-")
	})
}

// TestPlacesBeginWithThoseThatStart holds that the cursor of the list of places is on a
// host that can start the instance: Placement also offers cards of Cyborg's before the
// upgrade, which are behind all others, with the reason.
func TestPlacesBeginWithThoseThatStart(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo(t, 12)
		r := tuitest.LiveAt(t, s, 80, 24, place.Resize{Instance: modeltest.InstanceNamed(t, s.Snapshot(), "infer-5").UUID}, instances.OpenResize)
		r.Wants("✓ gpu.a100.1 ", "VGPU 1  4C 16G  80G disk", "✗ gpu.both")
		r.Press("enter")
		r.Advance(time.Second)
		r.Wants("> ! cmp-012 ", "✗ cmp-003 ", "2 Nova has no device behind 0000:82:00.0, owner cyborg")
		r.Press("enter")
		r.Advance(time.Second)
		r.Wants("BEFORE  gen 1", "◌ - cmp-012")
	})
}

// TestFlavorSaysFirstWhyNot has what is refused above all that is right, as only the first
// lines are visible, and + shows all of them.
func TestFlavorSaysFirstWhyNot(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo(t, 12)
		r := tuitest.LiveAt(t, s, 80, 22, place.Resize{Instance: modeltest.InstanceNamed(t, s.Snapshot(), "infer-5").UUID}, instances.OpenResize)
		r.Press("down")
		r.Wants("─ gpu.both ", "more lines")
		_, pane, _ := strings.Cut(r.Text(), "─ gpu.both ")
		if first := strings.Split(pane, "\n")[1]; !strings.Contains(first, "✗ Nova has no device") {
			t.Errorf("the pane begins with %q", first)
		}
		r.Press("+", "+")
		r.Wants("from gpu.a100.2 to gpu.both")
		r.Lacks("more lines")
	})
}
