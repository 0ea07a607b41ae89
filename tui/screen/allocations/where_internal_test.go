package allocations

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func testEnv(tb testing.TB, glyphs style.Glyphs) screen.Env {
	tb.Helper()
	palette := must.Get(themes.Load(nil, "default-dark"))(tb)
	clock := func() time.Time { return time.Date(2026, 3, 4, 14, 2, 7, 0, time.UTC) }
	return screen.Env{Styles: style.NewPlain(palette, glyphs), Clock: clock, Context: context.Background(), Actor: "ops"}
}

func testCloud(tb testing.TB, hosts int) *cloud.Snapshot {
	tb.Helper()
	return demotest.Snapshot(tb, demo.Options{Hosts: hosts, Now: time.Date(2026, 3, 4, 14, 2, 7, 0, time.UTC)})
}

func testWish() ops.Wish {
	return ops.Wish{
		Consumer: placement.ConsumerID{1}, Type: placement.InstanceConsumer, Project: "p", User: "u",
		Resources: map[placement.ResourceClass]int64{placement.VCPU: 2, placement.MemoryMB: 4096, placement.VGPU: 1},
	}
}

func TestLateOffersAreDropped(t *testing.T) {
	t.Parallel()
	snap := testCloud(t, 12)
	s := newWhere(testEnv(t, style.Block()), snap, testWish())
	early := s.look(0)
	late := s.look(0)
	if msg := early(); msg != nil {
		if s.take(msg.(offersMsg)); s.src.Len() != 0 {
			t.Error("the answer to an old question is shown")
		}
	}
	msg, ok := late().(offersMsg)
	if !ok {
		t.Fatal("no answer")
	}
	s.take(msg)
	if s.src.Len() == 0 {
		t.Error("the newest answer is not shown")
	}
	if s.take(offersMsg{owner: newWhere(testEnv(t, style.Block()), snap, testWish()), seq: msg.seq}); s.src.Len() == 0 {
		t.Error("the answer to somebody else is shown")
	}
}

func TestLookingOneAtATime(t *testing.T) {
	t.Parallel()
	snap := testCloud(t, 12)
	s := newWhere(testEnv(t, style.Block()), snap, testWish())
	answer := s.look(0)
	for n := range 3 {
		var err error
		snap, _, err = snap.Apply(cloud.Change{Ops: []placement.Op{placement.CreateTrait{Name: placement.Trait(fmt.Sprint("CUSTOM_", n))}}})
		must.Succeed(t, err)
		if s.follow(snap, 0) != nil {
			t.Error("a second look begins while the first one runs")
		}
	}
	if s.take(answer().(offersMsg)) == nil {
		t.Error("no look for what came meanwhile")
	}
}

func TestScarcest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want placement.ResourceClass
	}{
		{"VCPU=1 MEMORY_MB=1 DISK_GB=1", placement.VCPU},
		{"DISK_GB=1 MEMORY_MB=1", placement.MemoryMB},
		{"VCPU=1 CUSTOM_LICENSE=1", "CUSTOM_LICENSE"},
		{"VCPU=1 CUSTOM_LICENSE=1 VGPU=1", placement.VGPU},
		{"PGPU=1 VGPU=1", placement.PGPU},
	} {
		r := must.Get(ops.ParseResources(c.text))(t)
		if got := scarcest(ops.Wish{Resources: r}); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// BenchmarkList is a key in the filter of the list, and the frame after it.
func BenchmarkList(b *testing.B) {
	env := testEnv(b, style.Block())
	snap := testCloud(b, 10_000)
	s := newWhere(env, snap, testWish())
	s.take(s.look(0)().(offersMsg))
	keys := []tea.KeyMsg{tuitest.Key("7"), tuitest.Key("down"), tuitest.Key("down"), tuitest.Key("backspace")}
	s.view(160, 44, steps())
	for i := 0; b.Loop(); i++ {
		s.key(keys[i%len(keys)])
		s.view(160, 44, steps())
	}
}

// BenchmarkLook is the search for room, which runs off the event loop.
func BenchmarkLook(b *testing.B) {
	snap := testCloud(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		must.Get(find(snap, &candidates.Indexer{}, testWish()))(b)
	}
}

// BenchmarkConsequences is the pair of audits behind a preview, also off the event loop.
func BenchmarkConsequences(b *testing.B) {
	snap := testCloud(b, 10_000)
	w := testWish()
	options := must.Get(ops.Fits(snap, candidates.NewIndex(snap.Placement()), w))(b)
	plan := must.Get(ops.PlanClaim(snap, w, options[0]))(b)
	for b.Loop() {
		sheet.Consequences(snap, plan.After)
	}
}
