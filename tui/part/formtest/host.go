// Package formtest opens forms over a store that can get in their way, for tests.
package formtest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/tuitest"
)

// Now is when the tests' clouds end.
func Now() time.Time { return time.Date(2026, 3, 4, 14, 2, 7, 0, time.UTC) }

// DemoCloud returns the demo cloud as of Now.
func DemoCloud(t testing.TB) *cloud.Snapshot {
	t.Helper()
	return demotest.Snapshot(t, demo.Options{Now: Now()})
}

// Store is a cloud that counts writes and can get in their way. What a test writes
// to Cloud directly counts as somebody else's write.
type Store struct {
	cloud.Cloud
	Writes int
	Before func()        // called once, before the next write
	After  func()        // called once, after the next write
	Refuse error         // what the next writes are refused with
	Hang   chan struct{} // writes wait for it, or for their context
	Late   bool          // a write that hangs is decided before it waits
	// Nova carries out what it is asked, in place of a Nova of the cloud's own.
	Nova func(ctx context.Context, a ops.NovaTask, report func(ops.StepDone)) error
}

// Capabilities implements cloud.Cloud.
func (s *Store) Capabilities() cloud.Capabilities {
	can := s.Cloud.Capabilities()
	if s.Nova != nil {
		can.Servers = &cloud.Servers{Minor: 95}
	}
	return can
}

// Carry implements ops.Executor.
func (s *Store) Carry(ctx context.Context, t ops.Task, report func(ops.StepDone)) (bool, error) {
	a, asked := t.(ops.NovaTask)
	if !asked {
		return false, nil
	}
	return true, s.Nova(ctx, a, report)
}

// NewStore puts itself between a screen and its cloud.
func NewStore(c cloud.Cloud) *Store { return &Store{Cloud: c} }

// Apply implements cloud.Writer.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if f := s.Before; f != nil {
		s.Before = nil
		f()
	}
	if s.Refuse != nil {
		return cloud.Refused(s.Refuse)
	}
	if s.Hang != nil && !s.Late {
		select {
		case <-s.Hang:
		case <-ctx.Done():
			return cloud.Refused(ctx.Err())
		}
	}
	if s.Hang != nil && s.Late {
		<-s.Hang
		ctx = context.WithoutCancel(ctx)
	}
	s.Writes++
	out := s.Cloud.Apply(ctx, c)
	if f := s.After; f != nil {
		s.After = nil
		f()
	}
	return out
}

// Host is what the dashboard is to a screen: it routes keys and messages.
type Host struct {
	Screen screen.Screen
	w, h   int

	Toasts []screen.ToastMsg
	Copied []screen.CopyMsg
	Gone   tea.Msg             // PopMsg or Goto, when the screen asked to be left
	Pushed func(screen.Screen) // called with a screen that was opened over this one

	Updates int // how many messages came
}

// Init implements tea.Model.
func (h *Host) Init() tea.Cmd { return h.Screen.Init() }

// Update implements tea.Model.
func (h *Host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	h.Updates++
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.w, h.h = msg.Width, msg.Height
		return h, nil
	case screen.ToastMsg:
		h.Toasts = append(h.Toasts, msg)
		return h, nil
	case screen.CopyMsg:
		h.Copied = append(h.Copied, msg)
		return h, nil
	case screen.PushMsg:
		if h.Pushed != nil {
			h.Pushed(msg.Screen)
		}
		return h, nil
	case screen.DoneMsg:
		h.Gone = msg
		if msg.Request != nil {
			return h.Update(msg.Request())
		}
		return h, msg.Then()
	case screen.PopMsg, screen.Goto:
		h.Gone = msg
		return h, nil
	case tea.KeyMsg:
		return h, h.key(msg)
	}
	return h, h.Screen.Update(msg)
}

func (h *Host) key(msg tea.KeyMsg) tea.Cmd {
	p, _ := h.Screen.(screen.Picker)
	if h.Screen.(screen.Typist).Typing() || msg.Paste || p != nil && p.Picks(msg) {
		return h.pressed(msg)
	}
	name := msg.String()
	if name == "esc" {
		took, cmd := h.Screen.(screen.Backer).Back()
		if !took {
			h.Gone = screen.PopMsg{}
		}
		return cmd
	}
	a, ok := action.Find(name, h.Screen.Actions())
	switch {
	case !ok || !a.Acts():
		return h.pressed(msg)
	case a.Disabled != "":
		h.Toasts = append(h.Toasts, screen.ToastMsg{Text: a.Disabled})
		return nil
	}
	return h.run(a)
}

// run does what an action does.
func (h *Host) run(a action.Action) tea.Cmd {
	if a.Run != nil {
		return a.Run()
	}
	_, cmd := h.Update(screen.Asks(a))
	return cmd
}

// pressed passes a key to the screen, and does what it requests.
func (h *Host) pressed(msg tea.KeyMsg) tea.Cmd {
	cmd := h.Screen.Update(msg)
	if asker, ok := h.Screen.(screen.Asker); ok {
		if asked := asker.Ask(); asked != nil {
			_, next := h.Update(asked)
			return tea.Batch(cmd, next)
		}
	}
	return cmd
}

// View implements tea.Model.
func (h *Host) View() string {
	if h.w == 0 {
		return ""
	}
	return h.Screen.View(h.w, h.h)
}

// Rig is a screen under test.
type Rig struct {
	*tuitest.Driver
	T     *testing.T
	Host  *Host
	Store *Store
	Env   screen.Env
}

// Open shows what build makes, within a bubble.
func Open(t *testing.T, s *Store, w, h int, build func(screen.Env) screen.Screen) *Rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	time.Sleep(time.Until(s.Snapshot().At()))                                                            // or the reports of its services would be in the future
	env := screen.Env{Styles: screentest.Plain(), Clock: time.Now, Cloud: s, Context: ctx, Actor: "ops"} //nolint:forbidigo // the time of the bubble
	r := &Rig{T: t, Store: s, Env: env, Host: &Host{Screen: build(env)}}
	r.Driver = tuitest.Start(t, r.Host, w, h)
	r.CheckFrame()
	return r
}

// At is Open for the screen of a place.
func At[P place.Place](t *testing.T, s *Store, w, h int, at P, open func(screen.Env, P) (screen.Screen, error)) *Rig {
	t.Helper()
	return Open(t, s, w, h, func(env screen.Env) screen.Screen { return must.Get(open(env, at))(t) })
}

// Fleet is the fleet of screentest, in memory, with all computes of cell1 up, and cmp-3 in a
// cell that is not known.
func Fleet(t *testing.T) *Store {
	t.Helper()
	s := memory.New(memory.Options{Clock: screentest.Now, Start: screentest.Fleet(t).Snapshot()})
	var c cloud.Change
	for host, edit := range map[string]func(*nova.Service){
		"cmp-2": func(svc *nova.Service) { svc.LastSeenUp = screentest.Now().UnixMilli() },
		"cmp-3": func(svc *nova.Service) { svc.Cell = "" }, // so that moves may go there
	} {
		svc, ok := s.Snapshot().Nova().Service(host, nova.Compute)
		if !ok {
			t.Fatal("the fleet has no " + host)
		}
		modeltest.PutIn(&c, s.Snapshot(), svc.Edit(edit))
	}
	must.Get(s.Apply(t.Context(), c).Result())(t)
	return NewStore(s)
}

// Follow gives the screen the newest state of the cloud, as the dashboard does.
func (r *Rig) Follow() {
	r.T.Helper()
	r.Send(screen.SnapshotMsg{Snapshot: r.Store.Snapshot()})
	r.Advance(5 * time.Second)
	r.CheckFrame()
}

// Replace puts another text in the field with the focus.
func (r *Rig) Replace(text string) {
	r.T.Helper()
	r.Press("end", "ctrl+u")
	r.Paste(text)
}

// Wants fails the test if one of texts is not on the screen.
func (r *Rig) Wants(texts ...string) {
	r.T.Helper()
	r.CheckFrame()
	for _, text := range texts {
		if !strings.Contains(r.Text(), text) {
			r.T.Errorf("no %q on the screen:\n%s", text, r.Text())
		}
	}
}

// Lacks fails the test if one of texts is on the screen.
func (r *Rig) Lacks(texts ...string) {
	r.T.Helper()
	for _, text := range texts {
		if strings.Contains(r.Text(), text) {
			r.T.Errorf("%q is on the screen:\n%s", text, r.Text())
		}
	}
}

// Wrote fails the test unless n writes reached the store.
func (r *Rig) Wrote(n int) {
	r.T.Helper()
	if r.Store.Writes != n {
		r.T.Errorf("%d writes, want %d\n%s", r.Store.Writes, n, r.Text())
	}
}

// Change writes to the cloud as another session.
func (r *Rig) Change(ops ...placement.Op) {
	r.T.Helper()
	if err := r.Store.Cloud.Apply(context.Background(), cloud.Change{Actor: "someone", Note: "else", Ops: ops}).Err(); err != nil {
		r.T.Fatal(err)
	}
}

// ErrDisk is the error of a store that cannot be written.
var ErrDisk = errors.Join(placement.ErrUnavailable, errors.New("no space left on device"))
