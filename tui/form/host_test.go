package form_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// now is when the tests' clouds end.
func now() time.Time { return time.Date(2026, 3, 4, 14, 2, 7, 0, time.UTC) }

func palette() themes.Palette {
	p, err := themes.Load(nil, "default-dark")
	if err != nil {
		panic(err)
	}
	return p
}

func plain() *style.Styles { return style.NewPlain(palette(), style.Block()) }

func demoCloud(t testing.TB) *cloud.Snapshot {
	t.Helper()
	s, err := demo.Snapshot(demo.Options{Now: now()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// store is a memory store that counts writes and can get in their way.
type store struct {
	*memory.Store
	writes int
	before func()        // called once, before the next write
	refuse error         // what the next writes are refused with
	hang   chan struct{} // writes wait for it, or for their context
	late   bool          // a write that hangs is decided before it waits
}

func newStore(t testing.TB, readOnly string) *store {
	t.Helper()
	return &store{Store: memory.New(memory.Options{Clock: now, Start: demoCloud(t), ReadOnly: readOnly})}
}

// storeOf keeps a cloud that was made before.
func storeOf(s *cloud.Snapshot) *store {
	return &store{Store: memory.New(memory.Options{Clock: now, Start: s})}
}

func (s *store) Apply(ctx context.Context, c cloud.Change) (cloud.Commit, error) {
	if f := s.before; f != nil {
		s.before = nil
		f()
	}
	if s.refuse != nil {
		return cloud.Commit{}, s.refuse
	}
	if s.hang != nil && !s.late {
		select {
		case <-s.hang:
		case <-ctx.Done():
			return cloud.Commit{}, ctx.Err()
		}
	}
	if s.hang != nil && s.late {
		<-s.hang
		ctx = context.WithoutCancel(ctx)
	}
	s.writes++
	return s.Store.Apply(ctx, c)
}

// host is what the dashboard is to a screen: it routes keys and messages.
type host struct {
	screen screen.Screen
	w, h   int

	toasts []screen.ToastMsg
	copied []screen.CopyMsg
	gone   tea.Msg // PopMsg or Goto, when the screen asked to be left

	updates int // how many messages came
}

func (h *host) Init() tea.Cmd { return h.screen.Init() }

func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	h.updates++
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.w, h.h = msg.Width, msg.Height
		return h, nil
	case screen.ToastMsg:
		h.toasts = append(h.toasts, msg)
		return h, nil
	case screen.CopyMsg:
		h.copied = append(h.copied, msg)
		return h, nil
	case screen.PopMsg, screen.Goto:
		h.gone = msg
		return h, nil
	case tea.KeyMsg:
		return h, h.key(msg)
	}
	return h, h.screen.Update(msg)
}

func (h *host) key(msg tea.KeyMsg) tea.Cmd {
	if h.screen.(screen.Typist).Typing() || msg.Paste {
		return h.screen.Update(msg)
	}
	name := msg.String()
	if name == "esc" {
		if !h.screen.(screen.Backer).Back() {
			h.gone = screen.PopMsg{}
		}
		return nil
	}
	a, ok := action.Find(name, h.screen.Actions())
	switch {
	case !ok || a.Run == nil:
		return h.screen.Update(msg)
	case a.Disabled != "":
		h.toasts = append(h.toasts, screen.ToastMsg{Text: a.Disabled})
		return nil
	}
	return a.Run()
}

func (h *host) View() string {
	if h.w == 0 {
		return ""
	}
	return h.screen.View(h.w, h.h)
}

// rig is a screen under test.
type rig struct {
	*tuitest.Driver
	t     *testing.T
	host  *host
	store *store
	env   screen.Env
}

// open shows what build makes, within a bubble.
func open(t *testing.T, s *store, w, h int, build func(screen.Env) screen.Screen) *rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	env := screen.Env{Styles: plain(), Clock: time.Now, Cloud: s, Context: ctx, Actor: "ops"}
	r := &rig{t: t, store: s, env: env, host: &host{screen: build(env)}}
	r.Driver = tuitest.Start(t, r.host, w, h)
	r.CheckFrame()
	return r
}

// follow gives the screen the newest state of the cloud, as the dashboard does.
func (r *rig) follow() {
	r.t.Helper()
	r.Send(screen.SnapshotMsg{Snapshot: r.store.Snapshot()})
	r.Advance(5 * time.Second)
	r.CheckFrame()
}

// replace puts another text in the field with the focus.
func (r *rig) replace(text string) {
	r.t.Helper()
	r.Press("end", "ctrl+u")
	r.Paste(text)
}

// wants fails the test where one of texts is not on the screen.
func (r *rig) wants(texts ...string) {
	r.t.Helper()
	r.CheckFrame()
	for _, text := range texts {
		if !strings.Contains(r.Text(), text) {
			r.t.Errorf("no %q on the screen:\n%s", text, r.Text())
		}
	}
}

// lacks fails the test where one of texts is on the screen.
func (r *rig) lacks(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if strings.Contains(r.Text(), text) {
			r.t.Errorf("%q is on the screen:\n%s", text, r.Text())
		}
	}
}

// wrote fails the test unless n writes reached the store.
func (r *rig) wrote(n int) {
	r.t.Helper()
	if r.store.writes != n {
		r.t.Errorf("%d writes, want %d\n%s", r.store.writes, n, r.Text())
	}
}

// change writes to the cloud as somebody else.
func (r *rig) change(ops ...placement.Op) {
	r.t.Helper()
	if _, err := r.store.Store.Apply(context.Background(), cloud.Change{Actor: "someone", Note: "else", Placement: ops}); err != nil {
		r.t.Fatal(err)
	}
}

var errDisk = errors.Join(placement.ErrUnavailable, errors.New("no space left on device"))
