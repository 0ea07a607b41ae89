package owners_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/owners"
	"github.com/placetop/placetop/tui/tuitest"
)

// card returns a card of Nova's on cmp-1, of which three instances hold a part.
func card() placement.ProviderID { return modeltest.ProviderID("cmp-1_pci_0000_41_00_0") }

// openCards shows a place; what it opens over itself replaces it.
func openCards(t *testing.T, s *tuitest.Cloud, w, h int, at place.Handover) *tuitest.Host {
	t.Helper()
	r := tuitest.LiveAt(t, s, w, h, at, owners.OpenCards)
	r.Advance(time.Second)
	return r
}

// TestHandsACardOver hands over a card of Nova's that is in use to Cyborg.
func TestHandsACardOver(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := openCards(t, s, 100, 30, place.Handover{Provider: card()})
		r.Wants("→ ⬡ C", "! reserve all VGPU", "train-1", "VGPU 1", "waits for the holders")
		r.Press("G", "enter")
		if n := len(r.Said); n != 1 || r.Said[0].Text != "waits for the holders" {
			t.Errorf("enter on what waits says %v", r.Said)
		}
		drain := r.Opens("g", "enter")
		drain.Wants("reserved 0 > 8")
		drain.Press("enter")
		s.Writes = 0
		r.Follow()
		r.Wants("✓ reserve all VGPU", "3 of 8 VGPU to leave, the rest is kept free")
		for {
			holders := holdersOf(t, s)
			if len(holders) == 0 {
				break
			}
			release(t, s, holders[0])
		}
		r.Follow()
		r.Lacks("train-1")
		give := r.Opens("G", "enter")
		give.Wants("OWNER_CYBORG", "reserved 8 > 0")
		give.Press("enter")
		r.Follow()
		r.Wants("handed over", "nobody holds it", "✓ set its owner: cyborg only")
		r.Press("t")
		if want := (screen.Goto{To: place.Handover{Provider: card(), To: placement.OwnedByNova}, Replace: true}); r.Last() != want {
			t.Errorf("o leads to %v", r.Last())
		}
	})
}

// TestMovesAllThatCan moves the holders that can be moved with one key, and then confirms
// them with the same; what is in the way of another has its key.
func TestMovesAllThatCan(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := openCards(t, s, 100, 30, place.Handover{Provider: card()})
		r.Wants("⬢ N cmp-3/41_00_0  0 → 1/8", "✗ mixed-1")
		for _, verb := range []string{"move", "confirm"} {
			page := r.Opens("M")
			page.Press(append(append([]string{"enter"}, strings.Split(verb, "")...), "enter")...)
			s.Writes = 0
			r.Follow()
			if verb == "move" {
				r.Wants("migration of train-1", "moved to cmp-3: confirm it")
			}
		}
		r.Lacks("train-1", "resize of train-2")
		r.Wants("1 of 8 VGPU to leave", "✗ mixed-1")
		if key, _ := action.Find("M", r.Screen.Actions()); key.Disabled == "" {
			t.Errorf("M is not off when no holder can be moved")
		}
	})
}

func holdersOf(t *testing.T, s *tuitest.Cloud) []*placement.Consumer {
	t.Helper()
	stage := must.Get(ops.Handover{Provider: card(), To: placement.OwnedByCyborg}.Stage(s.Snapshot()))(t)
	return stage.Holders
}

// release makes a consumer leave the card, in another session.
func release(t *testing.T, s *tuitest.Cloud, c *placement.Consumer) {
	t.Helper()
	plan := must.Get(ops.PlanRelease(s.Snapshot(), c.ID(), card()))(t)
	must.Get((ops.Runner{Shown: plan.Shown()}).Write(t.Context(), s.Store, plan))(t)
}

// TestHoldersLeave goes to where each kind of holder can be made to leave.
func TestHoldersLeave(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := openCards(t, s, 100, 30, place.Handover{Provider: card()})
		must.Succeed(t, r.Cloud.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: modeltest.ConsumerID("orphan"), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "p", User: "u",
			Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{card(): {placement.VGPU: 1}},
		}}}))
		r.Follow()
		got := map[place.Place]bool{}
		for range holdersOf(t, s) {
			r.Press("j", "enter")
			got[r.Last().(screen.Goto).To] = true
		}
		m := must.Get(ops.WaitingMigration(s.Snapshot(), modeltest.ConsumerID("train-2")))(t)
		for _, want := range []place.Place{
			place.Migrate{Instance: modeltest.ConsumerID("train-1")},
			place.Release{Consumer: modeltest.ConsumerID("orphan"), From: card()},
			place.Resize{Instance: m.UUID},
		} {
			if !got[want] {
				t.Errorf("nothing leads to %v, but %v\n%s", want, got, r.Text())
			}
		}
	})
}

// TestStaysReserved says of a card that stays reserved after the handover what opens it.
func TestStaysReserved(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		traits []placement.Trait
		want   string
	}{
		"disabled": {[]placement.Trait{placement.OwnerNova}, "device is disabled in Cyborg; enable it there to unreserve it"},
		"one-time": {[]placement.Trait{placement.OwnerNova, placement.HWPCIOneTimeUse}, "is for one-time use, and whoever cleans it unreserves it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := tuitest.SoundFleet(t)
				var fpga placement.ProviderID
				for d := range s.Snapshot().Cyborg().Deployables() {
					if dev, ok := s.Snapshot().Cyborg().Device(d.Device); ok && dev.Status == cyborg.Maintaining {
						fpga = d.Provider
					}
				}
				r := openCards(t, s, 160, 30, place.Handover{Provider: fpga, To: placement.OwnedByCyborg})
				must.Succeed(t, r.Cloud.Do(placement.SetTraits{Provider: fpga, Generation: placement.AnyGeneration(), Traits: tc.traits}))
				r.Follow()
				r.Press("G")
				r.Wants(tc.want)
				r.Lacks("nothing of it is reserved any more")
			})
		})
	}
}

// TestArguments opens the cards of a host, or those that pass a filter, and refuses
// anything else.
func TestArguments(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := openCards(t, s, 100, 20, place.Handover{Provider: modeltest.ProviderID("cmp-1")})
		r.Wants("CARD", "pci_0000_41_00_0", "⬢ N", "HELD BY", "enabled", "mixed-1")
		r.Press("j", "enter")
		if want := (screen.Goto{To: place.Handover{Provider: card()}}); r.Last() != want {
			t.Errorf("enter leads to %v", r.Last())
		}
		r = openCards(t, s, 100, 20, place.Handover{Filter: "owner=nova"})
		r.Wants("cmp-1/pci_0000_41_00_0", "cmp-3/pci_0000_41_00_0")
		r.Lacks("⬡ C")
		for at, want := range map[place.Handover]error{
			{To: placement.OwnedByNova}: placement.ErrNotFound, {Provider: modeltest.ProviderID("nobody")}: placement.ErrNotFound,
			{Provider: card(), To: placement.OwnedByBoth}: placement.ErrInvalid, {Provider: modeltest.ProviderID("cmp-1"), To: placement.OwnedByNova}: placement.ErrInvalid,
		} {
			if _, err := owners.OpenCards(tuitest.Env(s, tuitest.Plain()), at); !errors.Is(err, want) {
				t.Errorf("%v: %v", at, err)
			}
		}
	})
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]placement.ProviderID{"steps": card(), "cards": modeltest.ProviderID("cmp-1")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				r := openCards(t, tuitest.SoundFleet(t), 80, 20, place.Handover{Provider: id})
				r.Text()
				golden.RequireEqual(t, r.Text()+"\n")
				r.Resize(40, 6)
				r.Text()
			})
		})
	}
}

// TestBeginsAtWhatIsToDo opens the steps of an unused card: it need not be drained, and
// the cursor is on a later step.
func TestBeginsAtWhatIsToDo(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		pl := s.Snapshot().Placement()
		for p := range pl.Providers() {
			if pl.Owner(p) != placement.OwnedByNova || p.IsRoot() || pl.CountConsumersOf(p) > 0 || len(p.Inventories()) == 0 {
				continue
			}
			r := openCards(t, s, 100, 30, place.Handover{Provider: p.ID(), To: placement.OwnedByCyborg})
			for _, line := range r.Lines() {
				if strings.HasPrefix(line, ">") && !strings.Contains(line, "to do") {
					t.Errorf("%s: the cursor is on %q", p.Name(), line)
				}
			}
			r.Wants("to do")
			return
		}
		t.Fatal("no card is free")
	})
}
