package migrations_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/part/formtest"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/migrations"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(c *screentest.Cloud, filter string) *screentest.Host {
	return screentest.List(migrations.New).On(c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	screentest.List(migrations.New).Check(t)
}

func TestOrdersAndFilters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ filter, order, want string }{
		{"", "", "train-2 train-1 shop-web-1 shop-db-1"}, // waits, failed, under way, over
		{"", "age", "shop-web-1 train-2 train-1 shop-db-1"},
		{"", "name", "shop-db-1 shop-web-1 train-1 train-2"},
		{"type=resize", "", "train-2 train-1"},
		{"status=finished", "", "train-2"},
		{"host=cmp-3", "", "train-1 shop-web-1"},
		{"flavor=gpu.both", "", "train-1"},
		{"age>1d fault:accelerator", "", "train-1"},
		{"age>3d", "", "shop-db-1"},
	} {
		h := open(screentest.Fleet(t), test.filter)
		if test.order != "" {
			h.Sort(test.order)
		}
		var got []string
		for line := range strings.Lines(h.Text(t, 150, 9)) {
			for word := range strings.FieldsSeq(line) {
				if strings.HasPrefix(word, "train-") || strings.HasPrefix(word, "shop-") {
					got = append(got, word)
					break
				}
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q %s shows %q, want %s", test.filter, test.order, got, test.want)
		}
	}
}

func TestTellsOfTheClock(t *testing.T) {
	t.Parallel()
	h := open(screentest.Fleet(t), "train-2")
	for _, want := range []string{"finished, waits 9m", "waiting for confirm or revert, reverts in 9m", "still holds, from before the move", "⬢ N cmp-1 > pci_0000_41_00_0"} {
		h.Shows(t, 100, 24, want)
	}
}

func TestGoes(t *testing.T) {
	t.Parallel()
	h := open(screentest.Fleet(t), "train-2")
	id := modeltest.ConsumerID("train-2")
	h.AsksAll(t, map[string]tea.Msg{
		"enter": screen.Goto{To: place.Instance{ID: id}},
		"c":     screen.CopyMsg{What: "uuid of train-2", Text: modeltest.ConsumerID("resize of train-2").String()},
	})
}

// TestLeadsToWhatIsWrong goes to the problem of a migration that keeps what it should not.
func TestLeadsToWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := open(screentest.Demo(t, 12), "erp-db-1")
	h.Settle()
	h.Press("F")
	h.Settle()
	to, _ := h.Last().(screen.Goto)
	if at, ok := to.To.(place.Problems); !ok || at.Rule != audit.RuleLeakedMigration {
		t.Errorf("F leads to %+v", h.Last())
	}
}

// TestEndsWhatIsMarked confirms or reverts two moves from one page.
func TestEndsWhatIsMarked(t *testing.T) {
	t.Parallel()
	for verb, keys := range map[string][]string{"confirm": {"enter"}, "revert": {"j", "enter"}} {
		tuitest.Run(t, func(t *testing.T) {
			s := formtest.NewStore(memory.New(memory.Options{Clock: screentest.Now, Start: screentest.Demo(t, 12).Snapshot()}))
			for _, name := range []string{"build-cache-4", "build-cache-5"} {
				i := modeltest.InstanceNamed(t, s.Snapshot(), name)
				must.Succeed(t, (ops.Runner{}).Run(t.Context(), s.Cloud, ops.Move{Migration: modeltest.ConsumerID(name), Instance: i.UUID}))
			}
			var page screen.Screen
			open := func(make func(env screen.Env) screen.Screen) *formtest.Rig {
				r := formtest.Open(t, s, 100, 40, make)
				r.Host.Pushed = func(pushed screen.Screen) { page = pushed }
				return r
			}
			shown := func(screen.Env) screen.Screen { return page }
			open(func(env screen.Env) screen.Screen { return migrations.New(env, s.Snapshot(), "build-cache") }).Press(" ", " ", "r")
			open(shown).Press(keys...)
			r := open(shown)
			r.Press("enter")
			r.Wants("type " + verb + " to go ahead")
			r.Type(verb)
			r.Press("enter")
			for _, name := range []string{"build-cache-4", "build-cache-5"} {
				if m, err := ops.WaitingMigration(s.Snapshot(), modeltest.InstanceNamed(t, s.Snapshot(), name).UUID); err == nil {
					t.Errorf("%s still waits: %s", name, m.Status)
				}
			}
		})
	}
}

// TestLeavesOutWhatIsOver says which of the marked moves cannot be confirmed or reverted,
// and ends only the others.
func TestLeavesOutWhatIsOver(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := formtest.NewStore(memory.New(memory.Options{Clock: screentest.Now, Start: screentest.Demo(t, 12).Snapshot()}))
		var page screen.Screen
		mark := func(filter string) *formtest.Rig {
			page = nil
			r := formtest.Open(t, s, 100, 40, func(env screen.Env) screen.Screen { return migrations.New(env, s.Snapshot(), filter) })
			r.Host.Pushed = func(pushed screen.Screen) { page = pushed }
			r.Press("a", "r")
			return r
		}
		if mark(""); page == nil {
			t.Fatal("r leads nowhere")
		}
		r := formtest.Open(t, s, 100, 40, func(screen.Env) screen.Screen { return page })
		r.Wants("Left out, as they are over: finetune-3 (error), erp-db-1 (confirmed)")
		must.Be(t, page.Title(), "end 1 move")
		if r := mark("!status=finished"); page != nil || len(r.Host.Toasts) != 1 {
			t.Errorf("r leads to %v where nothing waits, and says %v", page, r.Host.Toasts)
		}
	})
}
