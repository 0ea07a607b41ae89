package tui_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// testCloud holds a snapshot and notifies its watchers.
type testCloud struct {
	mu       sync.Mutex
	snapshot *cloud.Snapshot
	watchers []chan cloud.Revision
	readOnly string
	clock    func() time.Time
}

func newCloud(clock func() time.Time) *testCloud {
	return &testCloud{snapshot: cloud.Empty(), clock: clock}
}

func (c *testCloud) Snapshot() *cloud.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.snapshot
}

func (c *testCloud) Apply(_ context.Context, change cloud.Change) cloud.Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	change.At = c.clock()
	next, event, err := c.snapshot.Apply(change)
	if err != nil {
		return cloud.Refused(err)
	}
	c.snapshot = next
	for _, w := range c.watchers {
		select {
		case <-w:
		default:
		}
		w <- next.Revision()
	}
	return cloud.Kept(next, event)
}

func (c *testCloud) Watch(ctx context.Context) <-chan cloud.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := make(chan cloud.Revision, 1)
	c.watchers = append(c.watchers, w)
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, other := range c.watchers {
			if other == w {
				c.watchers = append(c.watchers[:i], c.watchers[i+1:]...)
				close(w)
				return
			}
		}
	})
	return w
}

func (c *testCloud) Events(context.Context, cloud.EventQuery) ([]cloud.Event, error) { return nil, nil }

func (c *testCloud) Conflicts() []cloud.Conflict { return nil }

func (c *testCloud) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{ReadOnly: c.readOnly}
}

// change writes something: a new trait.
func (c *testCloud) change(t *testing.T, n int) {
	t.Helper()
	_, err := c.Apply(context.Background(), cloud.Change{Ops: []placement.Op{
		placement.CreateTrait{Name: placement.Trait(fmt.Sprintf("CUSTOM_T%d", n))},
	}}).Result()

	must.Succeed(t, err)
}

// testScreen shows what has happened to it.
type testScreen struct {
	env      screen.Env
	name     string
	log      []string
	typing   bool
	filter   string
	pending  string
	status   string
	views    int
	snapshot *cloud.Snapshot
	snaps    int
	breakOn  string  // where it panics: View, AfterView, Update, Command or Actions
	idle     bool    // it has no keys at all
	late     tea.Msg // what it asks for a minute after B
}

type answerMsg struct{ text string }

func (s *testScreen) Init() tea.Cmd { return nil }

func (s *testScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		s.snapshot = msg.Snapshot
		s.snaps++
	case screen.ResumeMsg:
		s.log = append(s.log, "resume")
	case answerMsg:
		s.log = append(s.log, "answer:"+msg.text)
	case tea.KeyMsg:
		if s.idle {
			return nil
		}
		s.log = append(s.log, msg.String())
		if msg.String() == "U" {
			panic("broken Update")
		}
		if s.typing && msg.String() == "enter" {
			s.typing = false
		}
	}
	return nil
}

func (s *testScreen) View(w, h int) string {
	s.views++
	if s.breakOn == "View" {
		panic("broken View")
	}
	rev := cloud.Revision(0)
	if s.snapshot != nil {
		rev = s.snapshot.Revision()
	}
	log := component.Sanitize(s.env.Styles, strings.Join(s.log, " "))
	return component.Fit(fmt.Sprintf("%s rev=%d\n%s", s.name, rev, log), w, h)
}

// AfterView implements screen.AfterViewer.
func (s *testScreen) AfterView() tea.Cmd {
	if s.breakOn == "AfterView" {
		panic("broken AfterView")
	}
	return nil
}

func (s *testScreen) Title() string   { return s.name }
func (s *testScreen) Typing() bool    { return s.typing }
func (s *testScreen) Pending() string { return s.pending }

// Looking implements screen.Looker: as many providers as its name is long.
func (s *testScreen) Looking() []placement.ProviderID {
	return make([]placement.ProviderID, len(s.name))
}

func (s *testScreen) Status() string { return cmp.Or(s.status, "status of "+s.name) }

func (s *testScreen) Back() (bool, tea.Cmd) {
	had := s.filter != ""
	s.filter = ""
	return had, nil
}

func (s *testScreen) Actions() []action.Action {
	does := func(what string) func() tea.Cmd {
		return func() tea.Cmd {
			s.log = append(s.log, "did-"+what)
			return nil
		}
	}
	if s.idle {
		return nil
	}
	if s.late != nil {
		return []action.Action{
			{ID: "test.open", Keys: "enter", Title: "open", To: place.Flavor{Ref: s.name}},
			{ID: "test.late", Keys: "B", Title: "late", Run: func() tea.Cmd {
				return screen.After(context.Background(), time.Minute, s.late)
			}},
		}
	}
	return []action.Action{
		{ID: "test.open", Keys: "enter", Title: "open", Priority: 90, To: place.Flavor{Ref: s.name}},
		{ID: "test.move", Keys: "j k", Title: "down up", Group: action.Move},
		{ID: "test.filter", Keys: "/", Title: "filter", Priority: 70, Run: func() tea.Cmd {
			s.typing = true
			return nil
		}},
		{ID: "test.slow", Keys: "s", Title: "slow", Run: func() tea.Cmd {
			ctx := s.env.Context
			return func() tea.Msg {
				select {
				case <-time.After(time.Minute):
					return answerMsg{text: s.name}
				case <-ctx.Done():
					return answerMsg{text: "canceled"}
				}
			}
		}},
		{ID: "test.close", Keys: "F", Title: "close", Request: func() tea.Msg { return screen.PopMsg{} }},
		{ID: "test.delete", Keys: "D", Title: "delete...", Writes: []intent.Op{placement.DeleteProvider{}}, Priority: 40, Run: does("delete")},
		{ID: "test.off", Keys: "e", Title: "edit", Disabled: "nothing is marked", Priority: 30, Run: does("edit")},
		{ID: "test.copy", Keys: "c", Title: "copy", Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "the id", Text: "id-1"})
		}},
		{ID: "test.breakview", Keys: "V", Title: "break view", Run: func() tea.Cmd {
			s.breakOn = "View"
			return nil
		}},
		{ID: "test.breakrun", Keys: "X", Title: "break run", Run: func() tea.Cmd { panic("broken Run") }},
		{ID: "test.breakcmd", Keys: "C", Title: "break command", Run: func() tea.Cmd {
			return tea.Batch(nil, func() tea.Msg { panic("broken command") }, func() tea.Msg { return nil })
		}},
	}
}

func styles(profile termenv.Profile, glyphs style.Glyphs) *style.Styles {
	palette, err := themes.Load(nil, "default-dark")
	if err != nil {
		panic(err)
	}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	return style.New(palette, r, glyphs)
}

// rig is a dashboard under test.
type rig struct {
	*tuitest.Driver
	app     *tui.App
	cloud   *testCloud
	screens map[string]*testScreen // the newest of each name
	reports [][]byte
}

// watched is a keeper that reports what a test tells it to.
type watched struct {
	*keeper.Keeper
	board keeper.Board
	cloud cloud.Cloud
	look  func(*cloud.Snapshot) (r keeper.Report, again time.Time)
}

func (w *watched) Report() keeper.Report { return w.board.Report() }

// Round implements storage.Rounds.
func (w *watched) Round(context.Context) time.Time {
	s := w.cloud.Snapshot()
	r, again := w.look(s)
	r.Of = s
	w.board.Publish(r)
	return again
}

// keep makes a keeper report what look returns; with nil, the cloud's own keeper.
func keep(cfg *tui.Config, look func(*cloud.Snapshot) (keeper.Report, time.Time)) {
	k := keeper.New(cfg.Cloud, keeper.Options{Now: cfg.Env.Clock})
	if look == nil {
		cfg.Keeper = k
		go storage.Keep(cfg.Env.Context, cfg.Cloud, cfg.Env.Clock, k)
		return
	}
	w := &watched{Keeper: k, cloud: cfg.Cloud, look: look}
	cfg.Keeper = w
	go storage.Keep(cfg.Env.Context, cfg.Cloud, cfg.Env.Clock, w)
}

// open starts a dashboard on a small cloud, in a synctest bubble.
func open(t *testing.T, w, h int, tweak func(*tui.Config)) *rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{cloud: newCloud(time.Now), screens: map[string]*testScreen{}}
	factory := func(name string) screen.Opener {
		return func(env screen.Env, at place.Place) (screen.Screen, error) {
			arg := place.Text(at)
			if f, ok := at.(place.Flavor); ok {
				arg = f.Ref
			}
			if arg == "nonsense" {
				return nil, fmt.Errorf("%s: no such thing: %s", name, arg)
			}
			s := &testScreen{env: env, name: strings.TrimSpace(name + " " + arg)}
			r.screens[name] = s
			return s, nil
		}
	}
	cfg := tui.Config{
		Env:     screen.Env{Styles: styles(termenv.TrueColor, style.Block()), Clock: time.Now, Context: ctx, Actor: "you"},
		OpenMsg: tui.OpenMsg{Cloud: r.cloud, Name: "demo", Store: "memory"},
		Screens: []screen.Declaration{
			screen.Declaration{Of: place.Pulses{}, Open: factory("pulses")}.On("1").Called("pulses", "pulse"),
			screen.Declaration{Of: place.Providers{}, Open: factory("providers")}.On("2").Called("providers", "rp"),
			screen.Declaration{Of: place.Migrations{}, Open: factory("migrations")}.On("7").Called("migrations", "mig"),
			{Of: place.Flavor{}, Open: factory("detail")},
		},
		SaveReport: func(report []byte) (string, error) {
			r.reports = append(r.reports, report)
			return "/state/crash.txt", nil
		},
	}
	if tweak != nil {
		tweak(&cfg)
	}
	r.app = tui.New(cfg)
	r.Driver = tuitest.Start(t, r.app, w, h)
	t.Cleanup(func() {
		r.app.Close()
		cancel()
	})
	r.Text()
	return r
}

// wants fails the test if one of texts is not on the screen.
func (r *rig) wants(t *testing.T, texts ...string) {
	t.Helper()
	r.Text()
	for _, text := range texts {
		if !strings.Contains(r.Text(), text) {
			t.Errorf("no %q on the screen:\n%s", text, r.Text())
		}
	}
}

// lacks fails the test if one of texts is on the screen.
func (r *rig) lacks(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(r.Text(), text) {
			t.Errorf("%q is on the screen:\n%s", text, r.Text())
		}
	}
}

// plain returns a frame without styles.
func plain(frame string) string { return ansi.Strip(frame) }
