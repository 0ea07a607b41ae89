package form

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func testEnv(tb testing.TB, glyphs style.Glyphs) screen.Env {
	tb.Helper()
	palette, err := themes.Load(nil, "default-dark")
	if err != nil {
		tb.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		if s.follow(snap, 0) != nil {
			t.Error("a second look begins while the first one runs")
		}
	}
	if s.take(answer().(offersMsg)) == nil {
		t.Error("no look for what came meanwhile")
	}
}

func TestVocabulary(t *testing.T) {
	t.Parallel()
	v := readVocabulary(context.Background(), testCloud(t, 12))
	for name, list := range map[string][]string{"projects": v.projects, "users": v.users, "instances": v.instances, "types": v.types} {
		if len(list) == 0 || !slices.IsSorted(list) {
			t.Errorf("%s: %v", name, list)
		}
	}
	for _, want := range []string{"INSTANCE", "MIGRATION"} {
		if !slices.Contains(v.types, want) {
			t.Errorf("no %s in %v", want, v.types)
		}
	}
}

func TestCompleteResources(t *testing.T) {
	t.Parallel()
	s := testCloud(t, 12).Placement()
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"VC", "VCPU="},
		{"vc", "VCPU="},
		{"VCPU=2 mem", "VCPU=2 MEMORY_MB="},
		{"VCPU=2,mem", "VCPU=2,MEMORY_MB="},
		{"VCPU=2 VC", ""}, // is given
		{"VCPU=", ""},
		{"VCPU=2 ", ""},
		{"NOSUCH", ""},
	} {
		got := ""
		if all := completeResources(s, c.text); len(all) > 0 {
			got = all[0]
		}
		if got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
	// Classes that somebody has go before those that nobody has.
	all := completeResources(s, "N")
	inUse := slices.IndexFunc(all, func(c string) bool { return strings.HasPrefix(c, "NET_BW_EGR") })
	others := slices.IndexFunc(all, func(c string) bool { return strings.HasPrefix(c, "NUMA_") })
	if inUse < 0 || others >= 0 && others < inUse {
		t.Errorf("the order is %v", all)
	}
}

func TestWindowKeepsTheFocus(t *testing.T) {
	t.Parallel()
	lines := strings.Split("a b c d e f g h", " ")
	for h := 2; h <= 9; h++ {
		for focus := range lines {
			for end := focus + 1; end <= min(focus+3, len(lines)); end++ {
				got := window(lines, focus, end, h)
				if len(got) != min(h, len(lines)) || !slices.Contains(got, lines[focus]) {
					t.Errorf("h %d focus %d to %d: %v", h, focus, end, got)
				}
				if seen := min(end, focus+h); !slices.Contains(got, lines[seen-1]) {
					t.Errorf("h %d focus %d to %d: line %d is not in %v", h, focus, end, seen-1, got)
				}
			}
		}
	}
}

func TestASCIIFieldsAreASCII(t *testing.T) {
	t.Parallel()
	f := newField(testEnv(t, style.ASCII()).Styles, "project", "", "a中é", nameLimit)
	f.focus()
	line := f.line(40)
	for _, r := range line {
		if r > 0x7e {
			t.Fatalf("%q is in %q", r, line)
		}
	}
	if len(line) != 40 {
		t.Errorf("%d cells: %q", len(line), line)
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
		r, err := ops.ParseResources(c.text)
		if err != nil {
			t.Fatal(err)
		}
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

// BenchmarkLook is the look for room that runs off the event loop.
func BenchmarkLook(b *testing.B) {
	snap := testCloud(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := find(snap, &candidates.Indexer{}, testWish()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkField is a key in a field, and the frame after it.
func BenchmarkField(b *testing.B) {
	env := testEnv(b, style.Block())
	snap := testCloud(b, 10_000)
	w := newWhat(env.Styles, snap, placement.ConsumerID{1}, "ops", "")
	w.know(readVocabulary(context.Background(), snap))
	w.focus(4)
	keys := []tea.KeyMsg{tuitest.Key("V"), tuitest.Key("backspace")}
	for i := 0; b.Loop(); i++ {
		w.key(keys[i%len(keys)])
		w.view(160, 44, steps())
	}
}

// BenchmarkConsequences is the pair of audits behind a preview, off the event
// loop too.
func BenchmarkConsequences(b *testing.B) {
	snap := testCloud(b, 10_000)
	w := testWish()
	options, err := ops.Fits(snap, candidates.NewIndex(snap.Placement()), w)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := ops.PlanClaim(snap, w, options[0])
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		sheet.Consequences(snap, plan.After)
	}
}
