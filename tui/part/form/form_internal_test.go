package form

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
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

func TestNames(t *testing.T) {
	t.Parallel()
	s := testCloud(t, 12)
	for name, complete := range map[string]func(text string) []string{
		"project":  func(text string) []string { return CompleteFrom(ProjectNames(s), text) },
		"user":     func(text string) []string { return CompleteFrom(UserNames(s), text) },
		"instance": func(text string) []string { return CompleteFrom(instanceNames(s, text), text) },
	} {
		found := false
		for _, text := range []string{"m", "a", "i"} {
			all := complete(text)
			found = found || len(all) > 0
			if !slices.IsSorted(all) || slices.ContainsFunc(all, func(name string) bool { return !strings.HasPrefix(name, text) }) {
				t.Errorf("%s: %s completes to %v", name, text, all)
			}
		}
		if !found || complete("") != nil {
			t.Errorf("%s completes to nothing, or nothing to %v", name, complete(""))
		}
	}
	for text, want := range map[string]string{"INS": "INSTANCE", "MIG": "MIGRATION"} {
		if all := CompleteFrom(typeNames(s), text); !slices.Contains(all, want) {
			t.Errorf("no %s in %v", want, all)
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
		{"VCPU=2 VC", ""}, // is there already
		{"VCPU=", ""},
		{"VCPU=2 ", ""},
		{"NOSUCH", ""},
	} {
		got := ""
		if all := CompleteResources(s, c.text); len(all) > 0 {
			got = all[0]
		}
		if got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
	// Classes that some provider has come before others.
	all := CompleteResources(s, "N")
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
	f := NewField(testEnv(t, style.ASCII()).Styles, "project", "", "a中é", NameLimit)
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

// BenchmarkField is a key in a field, and the frame after it.
func BenchmarkField(b *testing.B) {
	env := testEnv(b, style.Block())
	snap := testCloud(b, 10_000)
	w := NewClaimForm(env.Styles, snap, placement.ConsumerID{1}, "ops", "")
	w.Focus(4)
	f := New(env, snap, Ask{Steps: []string{"what"}, Fields: w.Fields, Key: w.Key})
	keys := []tea.KeyMsg{tuitest.Key("V"), tuitest.Key("backspace")}
	for i := 0; b.Loop(); i++ {
		f.Update(keys[i%len(keys)])
		f.View(160, 44)
	}
}

// TestTextsOfTheCloudStayWhole has an initial text, and completions, longer than what may
// be typed: nothing of it is lost when the field is left.
func TestTextsOfTheCloudStayWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 60)
	f := NewField(testEnv(t, style.Block()).Styles, "name", "its name", long, NameLimit)
	f.focus()
	f.line(80)
	if f.leave(); f.Text != long {
		t.Errorf("of %d characters %d are left", len(long), len(f.Text))
	}
	f = NewField(testEnv(t, style.Block()).Styles, "name", "its name", "", NameLimit)
	f.set(long)
	if f.leave(); f.Text != long {
		t.Errorf("completed to %d characters, %d are left", len(long), len(f.Text))
	}
}

// TestListsHaveAnEnd pastes more into a list field than any list needs: what is kept is
// limited.
func TestListsHaveAnEnd(t *testing.T) {
	t.Parallel()
	f := NewField(testEnv(t, style.Block()).Styles, "hosts", "of an aggregate", "", ListLimit)
	f.focus()
	for range 5 {
		f.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.Repeat("x", ListLimit/4)), Paste: true})
	}
	if len(f.Text) != ListLimit || f.dropped == "" {
		t.Errorf("%d characters were taken, want %d; it says %q", len(f.Text), ListLimit, f.dropped)
	}
}
