package instances_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

func openMigrations(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(instances.NewMigrations).On(t, c, filter)
}

func TestList(t *testing.T) {
	t.Parallel()
	tuitest.List(instances.NewMigrations).Check(t, tuitest.Fleet)
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
		h := openMigrations(t, tuitest.Fleet(t), test.filter)
		if test.order != "" {
			h.Sort(test.order)
		}
		var got []string
		for line := range strings.Lines(h.At(150, 9).Text()) {
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
	h := openMigrations(t, tuitest.Fleet(t), "train-2")
	for _, want := range []string{"finished, waits 9m", "waiting for confirm or revert, reverts in 9m", "still holds, from before the move", "⬢ N cmp-1 > pci_0000_41_00_0"} {
		h.At(100, 24).Wants(want)
	}
}

func TestMigrationGoes(t *testing.T) {
	t.Parallel()
	h := openMigrations(t, tuitest.Fleet(t), "train-2")
	id := modeltest.ConsumerID("train-2")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Instance{ID: id}},
		"c":     screen.CopyMsg{What: "uuid of train-2", Text: modeltest.ConsumerID("resize of train-2").String()},
	} {
		h.Asks(key, want)
	}
}

// TestLeadsToWhatIsWrong goes to the problem of a migration that keeps what it should not.
func TestLeadsToWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := openMigrations(t, tuitest.Demo(t, 12), "erp-db-1")
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
			s := tuitest.Demo(t, 12)
			for _, name := range []string{"build-cache-4", "build-cache-5"} {
				i := modeltest.InstanceNamed(t, s.Snapshot(), name)
				must.Succeed(t, (ops.Runner{}).Run(t.Context(), s.Store, ops.Move{Migration: modeltest.ConsumerID(name), Instance: i.UUID}))
			}
			r := tuitest.Live(t, s, 100, 40, func(env screen.Env) screen.Screen { return instances.NewMigrations(env, s.Snapshot(), "build-cache") })
			r = r.Opens(" ", " ", "r").Opens(keys...)
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
		s := tuitest.Demo(t, 12)
		mark := func(filter string) *tuitest.Host {
			r := tuitest.Live(t, s, 100, 40, func(env screen.Env) screen.Screen { return instances.NewMigrations(env, s.Snapshot(), filter) })
			r.Press("a", "r")
			return r
		}
		r := mark("").Opens()
		r.Wants("Left out, as they are over: finetune-3 (error), erp-db-1 (confirmed)")
		must.Be(t, r.Screen.Title(), "end 1 move")
		if r := mark("!status=finished"); r.Pushed() != nil || len(r.Said) != 1 {
			t.Errorf("r leads to %v where nothing waits, and says %v", r.Pushed(), r.Said)
		}
	})
}
