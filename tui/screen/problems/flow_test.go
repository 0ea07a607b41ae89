package problems_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/problems"
	"github.com/placetop/placetop/tui/screen/providers"
	"github.com/placetop/placetop/tui/tuitest"
)

// dash is the dashboard on the problems of a store.
type dash struct {
	*tuitest.Driver
	t     *testing.T
	store *tuitest.Cloud
}

// problemsAt parses a place as typed.
func problemsAt(t *testing.T, typed string) place.Problems {
	t.Helper()
	at := must.Get(place.Parse(place.Problems{}, typed))(t)
	return at.(place.Problems)
}

// dashboard opens the problems of a cloud, with the cursor at a typed place.
func dashboard(t *testing.T, start *cloud.Snapshot, readOnly, typed string) *dash {
	t.Helper()
	clock := from(start.At())
	s := &tuitest.Cloud{Store: memory.New(memory.Options{Clock: clock, Start: start, Can: cloud.Capabilities{ReadOnly: readOnly}})}
	ctx, cancel := context.WithCancel(context.Background())
	k := keeper.New(s, keeper.Options{Now: clock})
	go storage.Keep(ctx, s, clock, k)
	app := tui.New(tui.Config{
		Env:     screen.Env{Styles: tuitest.Plain(), Clock: clock, Context: ctx, Actor: "ops"},
		OpenMsg: tui.OpenMsg{Keeper: k, Cloud: s, Name: "demo"}, Start: problemsAt(t, typed),
		Screens: append(problems.Screens(), screen.Declare(providers.OpenPool)),
	})
	t.Cleanup(func() {
		app.Close()
		cancel()
	})
	return &dash{Driver: tuitest.Start(t, app, 110, 40), t: t, store: s}
}

// demoCloud returns the demo cloud.
func demoCloud(t *testing.T) *cloud.Snapshot {
	t.Helper()
	return demotest.Snapshot(t, demo.Options{Now: tuitest.Now()})
}

// from returns a clock that starts at a time: that of the shown cloud.
func from(at time.Time) func() time.Time {
	began := time.Now()
	return func() time.Time { return at.Add(time.Since(began)) }
}

// rest lets time pass for what follows a write: toasts expire, the rules run.
func (d *dash) rest() { d.Advance(time.Minute) }

func (d *dash) wrote(n int) {
	d.t.Helper()
	if d.store.Writes != n {
		d.t.Fatalf("%d writes, want %d:\n%s", d.store.Writes, n, d.Text())
	}
}

// elsewhere writes in another session.
func (d *dash) elsewhere(ops ...placement.Op) {
	d.t.Helper()
	must.Succeed(d.t, d.store.Store.Apply(context.Background(), cloud.Change{Actor: "someone", Note: "else", Ops: ops}).Err())
	d.Advance(time.Second) // the change is seen
	d.Advance(time.Second) // its effects are planned again
}

// has returns how many findings of a rule there are.
func (d *dash) has(rule audit.RuleID) int {
	n := 0
	for _, f := range audit.Find(d.store.Snapshot()) {
		if f.Rule == rule {
			n++
		}
	}
	return n
}

// TestEachFixIsPreviewedAndDone repairs the findings of each rule in the demo cloud, with
// keys alone: F, the choice if there is one, the preview, enter.
func TestEachFixIsPreviewedAndDone(t *testing.T) {
	t.Parallel()
	start := demoCloud(t)
	for _, p := range audit.Problems(audit.Find(start)) {
		f := p.Findings[0]
		fixes := audit.Fixes(start, f)
		t.Run(string(f.Rule), func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				d := dashboard(t, start, "", string(f.Rule))
				d.Wants("> ", string(f.Rule)+" "+p.Rule.Title[:10])
				d.Press("F")
				switch len(fixes) {
				case 0:
					d.Wants("only people can help: "+audit.NoFix(start, f)[:20], "enter ")
					d.wrote(0)
					return
				case 1:
					if strings.Contains(d.Text(), "WHAT CAN BE DONE") { // there is also a form
						d.Press("enter")
					}
				default:
					d.Wants("WHAT CAN BE DONE", "1 "+fixes[0].Title[:20])
					d.Press("9") // no such line, and no screen either
					d.Wants("WHAT CAN BE DONE", fmt.Sprintf("the numbers end at %d", len(fixes)))
					d.Press("2")
					d.Lacks("WHAT CAN BE DONE") // fix 2 may be refused here
					d.Press("esc", "1")
				}
				d.Wants("PREVIEW, nothing written yet", "CHECKS", "tried on a copy")
				d.wrote(0)
				d.Press("enter")
				if strings.Contains(d.Text(), "type "+fixes[0].Name) {
					d.Type(fixes[0].Name)
					d.Press("enter")
				}
				d.rest()
				d.Wants("problems", "last pass")
				got, _ := d.store.Events(context.Background(), cloud.EventQuery{Limit: 1})
				switch {
				case fixes[0].Course() != nil: // of several steps, each with its own note
					if d.store.Writes < 2 || got[0].Actor != "ops" {
						t.Errorf("%d writes, the last by %s", d.store.Writes, got[0].Actor)
					}
				case d.store.Writes != 1:
					t.Errorf("%d writes, want 1", d.store.Writes)
				case got[0].Actor != "ops" || !strings.Contains(got[0].Note, "fix of "+string(f.Rule)):
					t.Errorf("the journal says %s: %s", got[0].Actor, got[0].Note)
				}
				if n := d.has(f.Rule); n != len(p.Findings)-1 {
					t.Errorf("%d findings of %s stand, want %d", n, f.Rule, len(p.Findings)-1)
				}
				d.Lacks("▸ " + string(f.Rule) + " ")
			})
		})
	}
}

// TestOtherWaysCanBeChosen goes back from a preview, and chooses another fix: Nova cannot
// get the card while Cyborg's consumers hold it.
func TestOtherWaysCanBeChosen(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "o01")
		d.Press("F", "enter")
		d.Wants("- OWNER_NOVA")
		d.Press("esc")
		d.Wants("WHAT CAN BE DONE")
		d.Press("j")
		d.Wants("is held by 2 consumers of the other owner")
		d.Press("enter")
		d.Wants("REFUSED", "drain it, and let them leave")
		d.Press("esc", "esc")
		d.Wants("What it blocks")
		d.wrote(0)
	})
}

// TestVanishesWhilePreviewed has another session repair what is being previewed.
func TestVanishesWhilePreviewed(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "o01")
		f := first(d.store.Snapshot(), audit.RuleBothOwners)
		d.Press("F", "enter")
		p, _ := d.store.Snapshot().Placement().Provider(f.Provider)
		d.elsewhere(placement.SetTraits{Provider: p.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerCyborg}})
		d.Wants("REFUSED", `no longer has the problem "both owners" (o01)`)
		d.Press("enter")
		d.wrote(0)
		d.Press("esc")
		d.Wants("EMPTY", `no longer has the problem "both owners" (o01)`)
		d.Press("enter", "esc")
		d.rest()
		d.Lacks("o01 both owners")
		d.Wants("✗3")
	})
}

func first(s *cloud.Snapshot, rule audit.RuleID) audit.Finding {
	for _, f := range audit.Find(s) {
		if f.Rule == rule {
			return f
		}
	}
	return audit.Finding{}
}

// TestReadOnly shows everything, and writes nothing.
func TestReadOnly(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "opened with --read-only", "a01")
		d.Lacks("A acknowledge")
		d.Press("A")
		d.Press("F")
		d.Wants("DRY RUN", "opened with --read-only")
		d.Press("enter", "enter")
		d.wrote(0)
	})
}

// lone is a cloud with providers without an owner, and one that is in use.
func lone(t *testing.T, names ...string) *cloud.Snapshot {
	t.Helper()
	s := cloud.Empty()
	for _, name := range names {
		p := modeltest.Provider{Name: name, Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}
		next, _, err := s.Apply(cloud.Change{Actor: "test", Ops: p.Ops(placement.ProviderID{})})
		must.Succeed(t, err)
		s = next
	}
	return s
}

// TestBatchFixesAllOfARule applies one fix to all findings of a rule; one vanishes before
// its turn, and one can no longer be written.
func TestBatchFixesAllOfARule(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, lone(t, "lone-0", "lone-1", "lone-2", "lone-3"), "", "o02")
		d.Wants("lone-0 and 3 others", "and 3 others: right shows them, F is about all")
		d.Press("F")
		d.Wants("fix o02 of 4 problems", "cyborg instead", "PROVIDERS TOUCHED", "+ OWNER_NOVA", "lone-3")
		d.Press("tab")
		d.Wants("nova instead", "+ OWNER_CYBORG")
		d.elsewhere(placement.DeleteProvider{ID: modeltest.ProviderID("lone-3")})
		d.Wants("CHANGED")
		d.Press("enter")
		d.Wants("AGAIN")
		d.Lacks("3 OWNER_CYBORG")
		d.wrote(0)
		d.store.Before = func(<-chan struct{}) error { // between the plan and the first write
			if err := d.store.Store.Apply(context.Background(), cloud.Change{Ops: []placement.Op{placement.DeleteProvider{ID: modeltest.ProviderID("lone-1")}}}).Err(); err != nil {
				t.Error(err)
			}
			return nil
		}
		d.Press("enter")
		d.wrote(2)
		d.rest()
		d.Wants("EMPTY", fmt.Sprintf("%d rules, nothing wrong, last pass", len(audit.Rules())))
		d.Wants("✓")
	})
}

// disown removes the owner of a card again, as soon as the next write is stored.
func (d *dash) disown(name string) {
	d.store.After = func() {
		if _, err := d.store.Store.Apply(context.Background(), cloud.Change{Ops: []placement.Op{
			placement.SetTraits{Provider: modeltest.ProviderID(name), Generation: placement.AnyGeneration()},
		}}).Result(); err != nil {
			d.t.Error(err)
		}
	}
}

// TestNotFixed writes fixes whose findings remain: the rule is run again, and none of
// them is called fixed.
func TestNotFixed(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, lone(t, "lone-0", "lone-1"), "", "o02")
		d.Press("F")
		d.disown("lone-0")
		d.Press("enter")
		d.wrote(2)
		d.Wants("1 of 2 problems not fixed", `lone-0: not fixed by "nova"`)
		d.rest()
		d.disown("lone-0")
		d.Press("F", "enter", "enter")
		d.wrote(3)
		d.Wants(`lone-0: not fixed by "nova"`)
	})
}

// TestBatchSaysWhyNot marks two findings, whose fixes are refused.
func TestBatchSaysWhyNot(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, lone(t, "lone-0", "lone-1", "lone-2"), "", "o02 lone-0")
		d.Press(" ", " ", "F")
		d.Wants("fix o02 of 2 problems")
		d.Lacks("lone-2")
		d.store.Refuse = tuitest.ErrDisk
		d.Press("enter")
		d.Wants("no space left on device", "nothing was written")
		d.Press("esc")
		d.wrote(0)
		d.Wants("3 problems")
	})
}

// TestBatchStops presses esc while the first of several is written: only that one is
// written.
func TestBatchStops(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, lone(t, "lone-0", "lone-1", "lone-2"), "", "o02")
		hang := make(chan struct{})
		d.store.Before = func(<-chan struct{}) error {
			<-hang
			return nil
		}
		d.Press("F", "enter")
		d.Wants("under way")
		d.Press("ctrl+c")
		d.Wants("leaving stops between two of them")
		d.Press("esc", "y")
		d.Wants("the step under way is the last one")
		close(hang)
		d.rest()
		d.Wants("after step 1, as you asked", "what is left is shown below as it would be done now")
		d.wrote(1)
	})
}

// TestBatchGoesOn has the second and the third of three fixes refused: the page says so of
// each, and shows again what is left before it is written.
func TestBatchGoesOn(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, lone(t, "lone-0", "lone-1", "lone-2"), "", "o02")
		d.store.After = func() { d.store.Refuse = placement.StateErrorf("its owner lives") }
		d.Press("F", "enter")
		d.wrote(1)
		d.Wants("2 of 3 could not be done", "lone-1: its owner lives", "lone-2: its owner lives", "what is left is shown below", "PREVIEW of what is left")
		d.Lacks("nothing was written", "nothing written yet")
		d.store.Refuse = nil
		d.Press("enter")
		d.wrote(3)
	})
}

// TestBatchLeavesOutTheLast has the last of two findings become one that cannot be judged once
// the other is fixed: it is left out with the reason, and not taken for fixed.
func TestBatchLeavesOutTheLast(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := lone(t, "card")
		for n := range uint64(2) {
			next, _, err := s.Apply(storagetest.Claim(n, modeltest.ProviderID("card"), storagetest.Resources{placement.VGPU: 1}))
			must.Succeed(t, err)
			s = next
		}
		next, _, err := s.Apply(cloud.PutRecords("test", "", []versioned.Change{{After: storagetest.Instance(9)}}))
		must.Succeed(t, err)
		d := dashboard(t, next, "", "a01")
		kept := d.store.Store
		d.store.After = func() { d.store.Refuse = placement.ErrCapacity }
		d.Press("F", "enter")
		kept.Reread(kept.Snapshot().ReadAs(cloud.NewReadings(nil, map[placement.ConsumerID]bool{storagetest.Consumer(1): true})))
		d.Press("enter")
		d.Wants("LEFT OUT", "a01 cannot be judged now", "nothing else is left to do")
	})
}

// TestBatchCountsWhatItDid has one of three findings go by itself before its fix is tried
// again: it is not among those that were fixed.
func TestBatchCountsWhatItDid(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, lone(t, "lone-0", "lone-1", "lone-2"), "", "o02")
		d.store.After = func() { d.store.Refuse = placement.StateErrorf("its owner lives") }
		d.Press("F", "enter")
		d.store.After, d.store.Refuse = nil, nil
		d.elsewhere(placement.DeleteProvider{ID: modeltest.ProviderID("lone-1")})
		d.Press("enter", "enter")
		d.Wants("fix o02 of 2 of 3 problems")
	})
}

// TestMarksOfTwoRulesAreRefused checks that only one rule at a time can be fixed.
func TestMarksOfTwoRulesAreRefused(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "a01")
		d.Press(" ", " ", "F")
		d.Wants("mark those of one rule")
		d.Press("esc", "G", "F")
		d.Wants("BY HAND", "Upgrade nova-compute on this host")
	})
}

// TestAcknowledgeAndTakeBack acknowledges a finding, waits for the end, and withdraws
// another acknowledgement.
func TestAcknowledgeAndTakeBack(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "o01")
		d.Press("A", "enter")
		d.Wants("say why: somebody will ask")
		d.Type("until the meeting")
		d.Press("enter")
		d.Type("8x")
		d.Press("enter")
		d.Wants("is neither a duration nor a date")
		d.Press("backspace")
		d.Type("h")
		d.Wants("until ")
		d.Press("enter", "enter")
		d.Wants("PREVIEW", "until the meeting")
		d.Press("enter")
		d.wrote(1)
		d.rest()
		d.Lacks("o01 both owners")
		d.Wants("15 problems  ✗3 !10 i2   1 acknowledged", "✗3")
		d.Press(".", "G")
		d.Wants("acknowledged by ops", "until the meeting")
		d.Advance(8 * time.Hour) // only the time changes
		d.Wants("16 problems", "✗4", "▸ o01 both owners")
		d.Press("G", "g", "j")
		d.Wants("was acknowledged, which ended")
	})
}

// TestTakesBack withdraws an acknowledgement, and a mute.
func TestTakesBack(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "o01")
		d.Press("A")
		d.Type("known")
		d.Press("enter", "enter", "enter", "enter")
		d.wrote(1)
		d.rest()
		d.Press(".", "G", "A")
		d.Wants("withdraw")
		d.Press("enter")
		d.wrote(2)
		d.rest()
		d.Wants("16 problems", "✗4")
		d.Lacks("acknowledged")
	})
}

// TestMuteAndUnmute mutes a rule, and unmutes it.
func TestMuteAndUnmute(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "v01")
		d.Press("A")
		d.Type("known")
		d.Press("enter", "enter")
		d.Type("y")
		d.Press("tab", "enter", "enter")
		d.wrote(1)
		d.rest()
		d.Wants("15 problems  ✗4 !10 i1   1 rule muted")
		d.Lacks("v01 old compute")
		d.Press(".", "G")
		d.Wants("the rule is muted by ops", "A unmute rule")
		d.Press("A", "enter")
		d.wrote(2)
		d.rest()
		d.Wants("16 problems  ✗4 !10 i2   last pass")
	})
}

// TestOnePassForAll counts how often the rules run: the header and the screen share a
// pass.
func TestOnePassForAll(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.Demo12(t)
		env := tuitest.Env(s, tuitest.Plain())
		header := env.Inspect(s.Snapshot())
		d := tuitest.Live(t, s, 100, 30, func(screen.Env) screen.Screen { return problems.New(env, s.Snapshot(), place.Problems{}) })
		if !strings.Contains(d.Text(), "a02 over capacity") || env.Keeper.Last() != header {
			t.Errorf("the screen has asked anew:\n%s", d.Text())
		}
	})
}

// TestStepsAreTaken vacates the old host of an evacuated instance: a fix of several steps
// opens the page that takes them.
func TestStepsAreTaken(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		w := modeltest.NewWorld(t)
		w.Evacuated(true)
		start := w.Snapshot
		f := first(start, audit.RuleSplitClaim)
		d := dashboard(t, start, "", string(f.Rule))
		d.Press("F")
		d.Wants("PREVIEW, nothing written yet")
		d.wrote(0)
		d.Press("enter")
		d.rest()
		if d.has(f.Rule) != 0 || d.store.Writes < 2 {
			t.Errorf("%d writes, and it stands: %d\n%s", d.store.Writes, d.has(f.Rule), d.Text())
		}
	})
}

// TestNoStepsForWhatIsGone has another session release what a fix of several steps is about,
// while its page is open.
func TestNoStepsForWhatIsGone(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		w := modeltest.NewWorld(t)
		w.Evacuated(true)
		f := first(w.Snapshot, audit.RuleSplitClaim)
		d := dashboard(t, w.Snapshot, "", string(f.Rule))
		d.Press("F")
		plan := must.Get(ops.PlanRelease(w.Snapshot, f.Consumer, placement.ProviderID{}))(t)
		d.elsewhere(plan.Change.Ops...)
		d.Press("enter", "enter")
		d.wrote(0)
	})
}

// TestNoFixSaysWhy says what prevents a repair if nothing can be done.
func TestNoFixSaysWhy(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		w := modeltest.NewWorld(t).Node("h").Computes().Flavors()
		w.Provider("card", "h", modeltest.Resources{placement.VGPU: 1}, placement.OwnerCyborg).
			Running("gpu").Claim("i", placement.InstanceConsumer, modeltest.Holding("card"))
		d := dashboard(t, w.Snapshot, "", string(audit.RuleWrongOwner))
		d.Wants("by hand", "there is no other card of nova's with VGPU on h")
		d.Press("F")
		d.Wants("only people can help: there is no other card of nova's with VGPU on h")
		d.wrote(0)
	})
}

// TestLonePoolIsLinked goes from a pool that no host uses to the form that asks whose
// hosts may use it.
func TestLonePoolIsLinked(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", string(audit.RuleIsolatedPool))
		d.Press("F")
		d.Wants("only people can help", "Let the hosts of a host aggregate use it", "p  let the hosts of a host aggregate use it")
		d.Press("p")
		d.Wants("POOL ceph-ssd-02")
		d.Press("enter")
		d.Type("az-1")
		d.Press("enter", "enter")
		d.wrote(1)
		d.rest()
		if n := d.has(audit.RuleIsolatedPool); n != 0 {
			t.Errorf("%d pools are alone\n%s", n, d.Text())
		}
	})
}

// TestOnlyAFixRaises has another session raise a problem while a preview is open that is then
// left: that is not said of the fix, and the filter stays.
func TestOnlyAFixRaises(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		d := dashboard(t, demoCloud(t), "", "")
		d.Press("/")
		d.Type("rule=a01")
		d.Press("enter", "F")
		d.Wants("fix a01 spark-worker-0")
		p, _ := d.store.Snapshot().Placement().ProviderByName("cmp-012_pci_0000_41_00_0")
		d.elsewhere(placement.SetTraits{Provider: p.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.OwnerNova, placement.OwnerCyborg}})
		d.Press("esc")
		d.Advance(time.Second)
		d.Wants("/rule=a01", "> ! ▾ a01", "✗5 ")
		d.Lacks("raised")
	})
}
