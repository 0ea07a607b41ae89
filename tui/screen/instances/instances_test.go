package instances_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func open(t testing.TB, c *tuitest.Cloud, filter string) *tuitest.Host {
	t.Helper()
	return tuitest.List(instances.New).On(t, c, filter)
}

// page opens the page of an instance by name.
func page(t *testing.T, c *tuitest.Cloud, st *style.Styles, name string) *tuitest.Host {
	t.Helper()
	s := must.Get(instances.Open(tuitest.Env(c, st), c.Snapshot(), modeltest.ConsumerID(name)))(t)
	return tuitest.Open(t, c, s)
}

func TestStates(t *testing.T) {
	t.Parallel()
	tuitest.Frames(t, map[string]func() *tuitest.Host{
		"empty": func() *tuitest.Host { return open(t, tuitest.NewCloud(cloud.Empty()), "") },
		"not read": func() *tuitest.Host {
			c := tuitest.NewCloud(cloud.Empty())
			c.ReadAs(cloud.Reading{Part: cloud.Services, Why: "nobody asks"}, cloud.Reading{Part: cloud.Instances, Why: "compute GET /servers/detail: 403 Forbidden"})
			return open(t, c, "")
		},
		"partly read": func() *tuitest.Host {
			c := tuitest.Fleet(t)
			c.ReadAs(cloud.Reading{Part: cloud.Services, Why: "nobody asks"}, cloud.Reading{Part: cloud.Instances, Why: "403 Forbidden; only those of the user's own project were read"})
			return open(t, c, "")
		},
		"no match":           func() *tuitest.Host { return open(t, tuitest.Fleet(t), "state=paused gpu") },
		"failed":             func() *tuitest.Host { return open(t, tuitest.Fleet(t), "infer-3") },
		"page without claim": func() *tuitest.Host { return page(t, tuitest.Fleet(t), tuitest.Plain(), "infer-3") },
	})
}

func TestPage(t *testing.T) {
	t.Parallel()
	tuitest.EverySize(t, page(t, tuitest.Fleet(t), tuitest.Plain(), "train-2"))
	tuitest.Actions(t, page(t, tuitest.Fleet(t), tuitest.Plain(), "train-2"))
}

// TestBehaves tests what all lists share.
func TestBehaves(t *testing.T) {
	t.Parallel()
	tuitest.List(instances.New).Behaves(t, tuitest.Fleet, "")
}

func TestFilters(t *testing.T) {
	t.Parallel()
	h := open(t, tuitest.Fleet(t), "")
	for filter, want := range map[string]string{
		"": "infer-1 infer-2 infer-3 mixed-1 shop-db-1 shop-web-1 train-1 train-2", "state=error": "infer-3", "task=spawning": "infer-2",
		"owner:nova owner:cyborg": "mixed-1", "owner:cyborg": "infer-1 infer-2 mixed-1 train-2", "devices=0": "infer-3 shop-db-1 shop-web-1",
		"move=finished": "train-2", "move=migrating": "shop-web-1", "host=cmp-1 flavor=gpu.a*": "train-1", "age<1h": "infer-2", "fault:valid": "infer-3",
	} {
		h.Press("/", "ctrl+u")
		h.Type(filter)
		h.Press("enter")
		if got := names(h.At(150, 14).Text()); got != want {
			t.Errorf("%q shows %s, want %s", filter, got, want)
		}
	}
}

// names returns the instances of a list, in order.
func names(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		for word := range strings.FieldsSeq(line) {
			if i := strings.LastIndexByte(word, '-'); i > 0 && strings.Contains("infer mixed shop-db shop-web train", word[:i]) {
				out = append(out, word)
				break
			}
		}
	}
	return strings.Join(out, " ")
}

func TestOrders(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{
		"age":     "infer-2", // newest first
		"state":   "infer-1", // active
		"devices": "mixed-1", // most first
		"move":    "train-2", // finished, and waiting
	} {
		h := open(t, tuitest.Fleet(t), "")
		h.Sort(order)
		h.Press("g", "c")
		if got, ok := h.Last().(screen.CopyMsg); !ok || got.What != "uuid of "+want {
			t.Errorf("by %s the first is %v, want %s", order, h.Last(), want)
		}
	}
}

func TestGoes(t *testing.T) {
	t.Parallel()
	id := modeltest.ConsumerID("train-2")
	list := open(t, tuitest.Fleet(t), "train-2")
	for key, want := range map[string]tea.Msg{
		"enter": screen.Goto{To: place.Instance{ID: id}},
		"w":     screen.Goto{To: place.WhatIf{Instance: id}},
		"W":     screen.Goto{To: place.WhatIf{Instance: id, Words: true}},
		"c":     screen.CopyMsg{What: "uuid of train-2", Text: id.String()},
	} {
		list.Asks(key, want)
	}
	h := page(t, tuitest.Fleet(t), tuitest.Plain(), "train-2")
	h.Text()
	for range 3 {
		h.Press("enter", "tab")
	}
	var kinds []string
	for _, msg := range h.Asked {
		kinds = append(kinds, place.Kind(msg.(screen.Goto).To))
	}
	if got := strings.Join(kinds, " "); got != "provider arqs migrations" {
		t.Errorf("the rows of the sections lead to %q", got)
	}
}

// TestPageTellsOfBothClaims shows what the instance holds and what its migration keeps,
// each with its owner.
func TestPageTellsOfBothClaims(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	h := page(t, c, tuitest.Plain(), "train-2")
	h.At(160, 44).Wants("ALLOCATIONS 4", "⬡ C VGPU 1", "⬢ N VGPU 1", "resize, old", "nvidia-222_", "Bound", "finished, waits 9m", "gpu.a100.1 > gpu.t4.1")
	i, _ := c.Snapshot().Nova().Instance(modeltest.ConsumerID("train-2"))
	var gone nova.PutRecords
	modeltest.Delete(&gone, c.Snapshot().Nova(), i)
	must.Succeed(t, c.Change(cloud.Change{Ops: []cloud.Op{gone}}))
	if h.Feed(); !strings.Contains(h.At(80, 20).Text(), "was deleted while it was shown") {
		t.Error("the page does not say that the instance is gone")
	}
}

// TestPageTellsOfProblems shows what the rules have found about the instance, as the list of
// problems does.
func TestPageTellsOfProblems(t *testing.T) {
	t.Parallel()
	c := tuitest.Demo(t, 12)
	env := tuitest.Env(c, tuitest.Plain())
	for _, f := range env.Inspect(c.Snapshot()).Open() {
		if i, ok := c.Snapshot().Nova().Instance(f.Consumer); ok {
			tuitest.Open(t, c, must.Get(instances.Open(env, c.Snapshot(), i.UUID))(t)).At(200, 44).Wants("PROBLEMS", string(f.Rule))
			return
		}
	}
	t.Error("no rule has found anything about an instance")
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	c := tuitest.Fleet(t)
	for _, id := range []placement.ConsumerID{{}, modeltest.ConsumerID("nobody")} {
		if _, err := instances.Open(tuitest.Env(c, tuitest.Plain()), c.Snapshot(), id); err == nil {
			t.Errorf("%s has a page", id)
		}
	}
}

// BenchmarkScreen is the list at 160x44 on 130,000 instances. Work off the event loop is
// part of each figure except that of j.
func BenchmarkScreen(b *testing.B) {
	c := tuitest.Big(b, modeltest.Big())
	st := tuitest.Styles(termenv.TrueColor, style.Block())
	h := tuitest.Open(b, c, instances.New(tuitest.Env(c, st), c.Snapshot(), ""))
	view := func() { _ = h.Screen.View(160, 44) }
	view()
	b.Run("key j", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Press("j")
			_ = h.Screen.View(160, 44)
		}
	})
	b.Run("key s", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Sort("age")
			_ = h.Screen.View(160, 44)
		}
	})
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			tuitest.Open(b, c, instances.New(tuitest.Env(c, st), c.Snapshot(), ""))
		}
	})
}
