package tuitest

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

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

// Host is what the dashboard is to one screen, without the dashboard: it routes keys and
// messages. A test sees only what the screen shows and asks for.
type Host struct {
	*Driver
	Screen screen.Screen
	Cloud  *Cloud
	// Asked is what the screen asked the dashboard for: Goto, CopyMsg and the like.
	Asked []tea.Msg
	// Said is what the dashboard is to say, with what it says of keys that are disabled.
	Said    []screen.ToastMsg
	Updates int // how many messages came
}

// Open shows a screen on a cloud at 80x20, the room that it has on a terminal of 80x24. Its
// commands run in turn.
func Open(t rapid.TB, c *Cloud, s screen.Screen) *Host {
	t.Helper()
	return host(&Driver{T: t, inTurn: true}, c, s, 80, 20)
}

// OpenManual is Open, but a command runs where the test says so.
func OpenManual(t rapid.TB, c *Cloud, s screen.Screen) *Host {
	t.Helper()
	return host(&Driver{T: t, inTurn: true, Manual: true}, c, s, 80, 20)
}

func host(d *Driver, c *Cloud, s screen.Screen, width, height int) *Host {
	h := &Host{Driver: d, Screen: s, Cloud: c}
	d.model = h
	d.start(width, height)
	if d.inTurn {
		h.Feed()
	}
	return h
}

// Live shows what build makes, in a bubble, whose time is that of the cloud.
func Live(t *testing.T, c *Cloud, w, h int, build func(screen.Env) screen.Screen) *Host {
	t.Helper()
	time.Sleep(time.Until(c.Snapshot().At())) // or the reports of its services would be in the future
	env := Env(c, Plain())
	env.Clock, env.Context, env.Actor, env.Keeper = time.Now, t.Context(), "ops", nil //nolint:forbidigo // the time of the bubble
	return host(&Driver{T: t}, c, build(env), w, h)
}

// LiveAt is Live for the screen of a place.
func LiveAt[P place.Place](t *testing.T, c *Cloud, w, h int, at P, open func(screen.Env, P) (screen.Screen, error)) *Host {
	t.Helper()
	return Live(t, c, w, h, func(env screen.Env) screen.Screen { return must.Get(open(env, at))(t) })
}

// Init implements tea.Model.
func (h *Host) Init() tea.Cmd { return h.Screen.Init() }

// Update implements tea.Model.
func (h *Host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	h.Updates++
	return h, h.take(msg)
}

func (h *Host) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case nil, tea.WindowSizeMsg:
		return nil
	case tea.KeyMsg:
		return h.key(msg)
	case screen.DoneMsg:
		h.Asked = append(h.Asked, msg)
		if msg.Request != nil {
			return h.take(msg.Request())
		}
		return msg.Then()
	case screen.ToastMsg:
		h.Asked, h.Said = append(h.Asked, msg), append(h.Said, msg)
		return nil
	case screen.Goto, screen.PushMsg, screen.PopMsg, screen.UnsayMsg, screen.CopyMsg:
		h.Asked = append(h.Asked, msg)
		return nil
	}
	return h.Screen.Update(msg)
}

func (h *Host) key(msg tea.KeyMsg) tea.Cmd {
	typist, _ := h.Screen.(screen.Typist)
	picker, _ := h.Screen.(screen.Picker)
	var a action.Action
	if !msg.Paste && (typist == nil || !typist.Typing()) && (picker == nil || !picker.Picks(msg)) {
		if b, ok := h.Screen.(screen.Backer); ok && msg.String() == "esc" {
			took, cmd := b.Back()
			if !took {
				h.take(screen.PopMsg{})
			}
			return cmd
		}
		a, _ = action.Find(msg.String(), h.Screen.Actions())
	}
	switch {
	case a.Disabled != "":
		h.Said = append(h.Said, screen.ToastMsg{Text: a.Disabled})
		return nil
	case a.Run != nil:
		return a.Run()
	case a.Acts():
		return h.take(screen.Asks(a))
	}
	cmd := h.Screen.Update(msg)
	if asker, ok := h.Screen.(screen.Asker); ok {
		return tea.Batch(cmd, h.take(asker.Ask()))
	}
	return cmd
}

// View implements tea.Model. The screen is drawn with what it reads after that.
func (h *Host) View() string {
	frame := h.Screen.View(h.size.Width, h.size.Height)
	if s, ok := h.Screen.(screen.AfterViewer); ok {
		if cmd := s.AfterView(); cmd != nil {
			h.Do(cmd)
			frame = h.Screen.View(h.size.Width, h.size.Height)
		}
	}
	return frame
}

// At gives the screen another size.
func (h *Host) At(width, height int) *Host {
	h.size = tea.WindowSizeMsg{Width: width, Height: height}
	return h
}

// Feed gives the screen the newest snapshot.
func (h *Host) Feed() {
	h.T.Helper()
	h.Send(screen.SnapshotMsg{Snapshot: h.Cloud.Snapshot()})
}

// Follow is Feed and what happens in a bubble within five seconds.
func (h *Host) Follow() {
	h.T.Helper()
	h.Feed()
	h.Advance(5 * time.Second)
	h.Text()
}

// Change changes the cloud, and passes the new Snapshot to the screen.
func (h *Host) Change(ops ...placement.Op) {
	h.T.Helper()
	if err := h.Cloud.Do(ops...); err != nil {
		h.T.Fatal(err)
	}
	h.Feed()
}

// Command runs the action of the screen that has a name after its scope.
func (h *Host) Command(name string) {
	h.T.Helper()
	for _, a := range h.Screen.Actions() {
		if strings.HasSuffix(string(a.ID), "."+name) {
			h.Do(a.Run())
			return
		}
	}
	h.T.Fatalf("there is no action %s", name)
}

// Sort picks an order in the menu that s opens.
func (h *Host) Sort(order string) {
	h.Press("s")
	menu := h.Pushed()
	menu.(interface{ MoveTo(id string) }).MoveTo(order)
	a, _ := action.Find("enter", menu.Actions())
	h.Do(screen.Asks(a).(screen.DoneMsg).Then())
}

// Replace puts another text in the field with the focus.
func (h *Host) Replace(text string) {
	h.T.Helper()
	h.Press("end", "ctrl+u")
	h.Paste(text)
}

// Wrote fails the test unless n writes reached the cloud.
func (h *Host) Wrote(n int) {
	h.T.Helper()
	if h.Cloud.Writes != n {
		h.T.Errorf("%d writes, want %d\n%s", h.Cloud.Writes, n, h.Text())
	}
}

// Pushed returns the screen that was opened over this one last, nil if there is none.
func (h *Host) Pushed() screen.Screen {
	all := Asked[screen.PushMsg](h)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].Screen
}

// Asked returns all of one kind that the screen asked the dashboard for.
func Asked[M tea.Msg](h *Host) (all []M) {
	for _, msg := range h.Asked {
		if m, ok := msg.(M); ok {
			all = append(all, m)
		}
	}
	return all
}

// Back does what esc means, and reports whether the screen had something to
// close.
func (h *Host) Back() bool {
	took, cmd := h.Screen.(screen.Backer).Back()
	h.Do(cmd)
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

// Opens presses keys that must open a screen over this one, and shows that.
func (h *Host) Opens(keys ...string) *Host {
	h.T.Helper()
	h.Press(keys...)
	over := h.Pushed()
	if over == nil {
		h.T.Fatalf("%v open nothing, with %v:\n%s", keys, h.Said, h.Text())
	}
	return host(&Driver{T: h.T, inTurn: h.inTurn}, h.Cloud, over, h.size.Width, h.size.Height)
}

// Asks presses a key that must ask the dashboard for want, nil for nothing.
func (h *Host) Asks(key string, want tea.Msg) {
	h.T.Helper()
	if h.Press(key); h.Last() != want {
		h.T.Errorf("%s asks for %v, want %v", key, h.Last(), want)
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

// Status returns the status of the screen.
func (h *Host) Status() string {
	if s, ok := h.Screen.(screen.Stater); ok {
		return s.Status()
	}
	return ""
}
