package screentest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

type record = versioned.Record

// Plain returns styles that draw no escape sequence at all.
func Plain() *style.Styles { return style.NewPlain(palette(), style.Block()) }

// Styles returns styles for a colour profile and a set of glyphs.
func Styles(profile termenv.Profile, glyphs style.Glyphs) *style.Styles {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	return style.New(palette(), r, glyphs)
}

// palette is that of all tests, read once.
//
//nolint:gochecknoglobals // what all tests of a binary share
var palette = sync.OnceValue(func() themes.Palette {
	p, err := themes.Load(nil, "default-dark")
	if err != nil {
		panic(err) // the palette is part of the program
	}
	return p
})

// Env returns the Env of screens on c.
func Env(c *Cloud, st *style.Styles) screen.Env {
	return screen.Env{Styles: st, Clock: Now, Cloud: c, Context: context.Background(), Actor: "test", Keeper: keeper.New(c, keeper.Options{Now: Now})}
}

// Host runs one screen.
type Host struct {
	Screen screen.Screen
	Cloud  *Cloud
	// Manual leaves commands alone until RunOne or Settle.
	Manual bool
	// Asked is what the screen sent to the root model: Goto, CopyMsg and the
	// like.
	Asked []tea.Msg

	queue []tea.Cmd
}

// Open shows a screen on a cloud as the root model does.
func Open(c *Cloud, s screen.Screen, manual bool) *Host {
	h := &Host{Screen: s, Cloud: c, Manual: manual}
	h.do(s.Init())
	h.Feed()
	return h
}

// Feed gives the screen the newest snapshot.
func (h *Host) Feed() { h.Send(screen.SnapshotMsg{Snapshot: h.Cloud.Snapshot()}) }

// Change changes the cloud and passes the new Snapshot to the screen.
func (h *Host) Change(tb testing.TB, ops ...placement.Op) {
	tb.Helper()
	must.Succeed(tb, h.Cloud.Do(ops...))
	h.Feed()
}

// Send gives the screen a message.
func (h *Host) Send(msg tea.Msg) { h.do(h.Screen.Update(msg)) }

// Pending returns how many commands wait to be run.
func (h *Host) Pending() int { return len(h.queue) }

// RunOne runs one of the commands that wait.
func (h *Host) RunOne(i int) {
	cmd := h.queue[i]
	h.queue = slices.Delete(h.queue, i, i+1)
	h.take(cmd())
}

// Settle runs commands until none waits.
func (h *Host) Settle() {
	for len(h.queue) > 0 {
		h.RunOne(0)
	}
}

func (h *Host) do(cmd tea.Cmd) {
	if cmd != nil {
		h.queue = append(h.queue, cmd)
	}
	if !h.Manual {
		h.Settle()
	}
}

func (h *Host) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			h.do(cmd)
		}
	case screen.Goto, screen.PushMsg, screen.PopMsg, screen.ToastMsg, screen.UnsayMsg, screen.CopyMsg:
		h.Asked = append(h.Asked, msg)
	default:
		h.Send(msg)
	}
}

// Press presses keys, named as by [tea.KeyMsg.String].
func (h *Host) Press(keys ...string) {
	for _, key := range keys {
		h.key(tuitest.Key(key))
	}
}

// Command runs the action of the screen that has a name after its scope.
func (h *Host) Command(tb testing.TB, name string) {
	tb.Helper()
	all := h.Screen.Actions()
	i := slices.IndexFunc(all, func(a action.Action) bool { return strings.HasSuffix(string(a.ID), "."+name) })
	if i < 0 {
		tb.Fatalf("there is no action %s", name)
	}
	h.do(all[i].Run())
}

// Sort picks an order in the menu that s opens.
func (h *Host) Sort(order string) {
	menu := run[screen.PushMsg](h.Screen, "s").Screen
	menu.(interface{ MoveTo(id string) }).MoveTo(order)
	h.do(run[screen.DoneMsg](menu, "enter").Then())
}

// run handles a key in a screen, and returns the resulting message.
func run[M tea.Msg](s screen.Screen, key string) M {
	all := s.Actions()
	i := slices.IndexFunc(all, func(a action.Action) bool { return a.Keys.Has(key) })
	return screen.Asks(all[i]).(M)
}

// Type presses a key for each character.
func (h *Host) Type(text string) {
	for _, r := range text {
		h.Press(string(r))
	}
}

func (h *Host) key(msg tea.KeyMsg) {
	if t, ok := h.Screen.(screen.Typist); ok && t.Typing() {
		h.pressed(msg)
		return
	}
	if msg.String() == "esc" {
		h.Back()
		return
	}
	act, ok := action.Find(msg.String(), h.Screen.Actions())
	switch {
	case !ok || act.Disabled == "" && !act.Acts():
		h.pressed(msg)
	case act.Disabled != "":
	case act.Run != nil:
		h.do(act.Run())
	default:
		h.take(screen.Asks(act))
	}
}

// pressed passes a key to the screen, and takes what it requests.
func (h *Host) pressed(msg tea.KeyMsg) {
	h.Send(msg)
	if asker, ok := h.Screen.(screen.Asker); ok {
		h.take(asker.Ask())
	}
}

// Copied returns the text that the screen offers to copy as what, "" for none. The
// screen must be a screen.Copier.
func (h *Host) Copied(what string) string {
	for _, c := range h.Screen.(screen.Copier).Copies() {
		if strings.HasPrefix(c.What, what) {
			return c.Text
		}
	}
	return ""
}

// Back does what esc means, and reports whether the screen had something to
// close.
func (h *Host) Back() bool {
	b, ok := h.Screen.(screen.Backer)
	if !ok {
		return false
	}
	took, cmd := b.Back()
	h.do(cmd)
	return took
}

// Last returns the last thing that the screen asked for, nil if there is none
// yet.
func (h *Host) Last() tea.Msg {
	if len(h.Asked) == 0 {
		return nil
	}
	return h.Asked[len(h.Asked)-1]
}

// Asks presses a key that must ask the root model for want, nil for nothing.
func (h *Host) Asks(tb testing.TB, key string, want tea.Msg) {
	tb.Helper()
	if h.Press(key); h.Last() != want {
		tb.Errorf("%s asks for %v, want %v", key, h.Last(), want)
	}
}

// Bench times do and the frame of 160x44 after it.
func (h *Host) Bench(b *testing.B, name string, do func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			do()
			_ = h.Screen.View(160, 44)
		}
	})
}

// AsksAll is Asks for each key.
func (h *Host) AsksAll(tb testing.TB, want map[string]tea.Msg) {
	tb.Helper()
	for key, msg := range want {
		h.Asks(tb, key, msg)
	}
}

// Text returns the screen without styles. It fails the test if the size is not exact.
func (h *Host) Text(tb interface {
	Helper()
	Fatalf(string, ...any)
}, width, height int,
) string {
	tb.Helper()
	frame := h.view(width, height)
	text := ansi.Strip(frame)
	if problem := tuitest.FrameProblem(frame, width, height); problem != "" {
		tb.Fatalf("%dx%d: %s\n%s", width, height, problem, text)
	}
	return text
}

// view draws the screen with what it reads after that.
func (h *Host) view(width, height int) string {
	frame := h.Screen.View(width, height)
	if s, ok := h.Screen.(screen.AfterViewer); ok {
		if cmd := s.AfterView(); cmd != nil {
			h.do(cmd)
			frame = h.Screen.View(width, height)
		}
	}
	return frame
}

// Shows fails the test unless all texts are on the screen.
func (h *Host) Shows(tb testing.TB, width, height int, texts ...string) {
	tb.Helper()
	screen := h.Text(tb, width, height)
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			tb.Errorf("no %q:\n%s", text, screen)
		}
	}
}

// Lacks fails the test if one of texts is on the screen.
func (h *Host) Lacks(tb testing.TB, width, height int, texts ...string) {
	tb.Helper()
	screen := h.Text(tb, width, height)
	for _, text := range texts {
		if strings.Contains(screen, text) {
			tb.Errorf("there is %q:\n%s", text, screen)
		}
	}
}

// Status returns the status of the screen.
func (h *Host) Status() string {
	if s, ok := h.Screen.(screen.Stater); ok {
		return s.Status()
	}
	return ""
}

// Sizes are those of a body on terminals of 40x8, 80x24, 120x32 and 160x48.
func Sizes() [][2]int { return [][2]int{{40, 6}, {80, 20}, {120, 28}, {160, 44}} }

// Frames compares screens by name, at the common size, with one file of the test, and
// checks that they fit the smallest and more sizes: cmd/placetop has each screen, these are
// what its keys and other clouds make of it.
func Frames(t *testing.T, screens map[string]func() *Host, more ...[2]int) {
	t.Helper()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(screens)) {
		h := screens[name]()
		fmt.Fprintf(&all, "-- %s --\n", name)
		for line := range strings.SplitSeq(h.Text(t, 80, 20), "\n") {
			all.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		for _, size := range append([][2]int{{40, 6}}, more...) {
			h.Text(t, size[0], size[1])
		}
	}
	golden.RequireEqual(t, all.String())
}
