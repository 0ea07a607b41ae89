// Package hardware is the screen of the machine that the dashboard runs on: what it is and
// how busy, beside what Placement says of it, and the differences as a plan to import.
package hardware

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, _ place.Hardware) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), every), nil
		}).On("8").Called("hardware", "hw").FoundBy("mdev probe gpu pci lspci cpu numa register import").
			For("What this machine has, beside what Placement says about it."),
	}
}

// every is how often the machine is probed while the screen is visible.
const every = 3 * time.Second

// kept is how many samples of the load are kept for the graphs.
const kept = 60

// Screen shows the machine. It is made by New.
type Screen struct {
	env   screen.Env
	snap  *cloud.Snapshot
	every time.Duration
	state *state
	page  *page.Screen[*state] // nil before the first probe

	probes screen.Task[*probeResult]
	ticks  bool // a tick is under way
	viewed bool // since the last tick
}

// state is what the page shows.
type state struct {
	machine screen.Machine
	rows    []*row
	why     error  // why it cannot be compared
	unlike  string // that the cloud has no such provider, "" if it has
	fault   error  // why the last probe failed
	samples []screen.MachineLoad
}

type (
	// probeResult is the result of a probe.
	probeResult struct {
		machine screen.Machine
		err     error
	}
	// tickMsg says that it is time for the next probe.
	tickMsg struct{ of *Screen }
)

// New returns the screen over a Snapshot. It looks at the machine at the interval
// every, or once if that is 0.
func New(env screen.Env, snap *cloud.Snapshot, every time.Duration) *Screen {
	return &Screen{env: env, snap: snap, every: every, state: &state{}}
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.probe() }

// probe probes the machine.
func (s *Screen) probe() tea.Cmd {
	look := s.env.Probe
	if look == nil || s.probes.Busy() {
		return nil
	}
	return s.probes.Start(s.env.Context, func(ctx context.Context) *probeResult {
		m, err := look(ctx)
		return &probeResult{m, err}
	})
}

// Title implements screen.Screen.
func (s *Screen) Title() string { return "hardware" }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	if s.page == nil {
		return ""
	}
	text := "this host " + s.state.machine.Reports.Tree.Root.Name
	if s.state.unlike != "" {
		return text + "   not a host here"
	}
	if n := differences(s.state.rows); n > 0 {
		return text + "   " + component.Plural(n, "difference")
	}
	return text
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot != s.snap {
			s.snap = msg.Snapshot
			s.compare()
		}
	case screen.ResumeMsg:
		cmds = append(cmds, s.tick())
	case tickMsg:
		if s.ticks = false; msg.of == s && s.viewed {
			s.viewed = false
			cmds = append(cmds, s.probe())
		}
		return tea.Batch(cmds...)
	}
	got, ok, cmd := s.probes.Take(msg)
	cmds = append(cmds, cmd)
	if ok {
		cmds = append(cmds, s.take(got))
	}
	if s.page != nil {
		cmds = append(cmds, s.page.Update(msg))
	}
	return tea.Batch(cmds...)
}

// take shows the result of a probe, and schedules the next one.
func (s *Screen) take(got *probeResult) tea.Cmd {
	s.state.fault = got.err
	if got.err == nil {
		s.state.machine = got.machine
		s.state.samples = append(s.state.samples, got.machine.Load)
		s.state.samples = s.state.samples[max(len(s.state.samples)-kept, 0):]
		s.compare()
	} else if s.page != nil {
		s.page.Refresh()
	}
	return s.tick()
}

// tick waits for the next probe.
func (s *Screen) tick() tea.Cmd {
	if s.ticks || s.every == 0 || s.env.Probe == nil {
		return nil
	}
	s.ticks = true
	return tea.Tick(s.every, func(time.Time) tea.Msg { return tickMsg{s} })
}

// compare finds out how machine and cloud differ.
func (s *Screen) compare() {
	if len(s.state.samples) == 0 {
		return // there is no probe yet
	}
	s.state.rows, s.state.why = compare(s.snap, s.state.machine.Reports, s.env.Now())
	s.state.unlike = unlike(s.snap, s.state.machine.Reports.Tree.Root.Name)
	if s.page == nil {
		// It cannot fail: the state is always found.
		s.page, _ = page.New(s.spec(), s.env, s.snap, "")
		return
	}
	s.page.Refresh()
}

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	s.viewed = true
	st := s.env.Styles
	switch {
	case s.env.Probe == nil:
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, "there is no machine to look at from here", "try: `placetop probe` on the machine itself")
	case s.elsewhere():
		return screen.State(st, w, h, style.SeverityNone, screen.LabelEmpty, s.state.unlike, "on a compute node this shows what the machine has beside what Placement says of it")
	case s.page != nil:
		return s.page.View(w, h)
	case s.state.fault != nil:
		return screen.State(st, w, h, style.SeverityWarn, screen.LabelEmpty, s.state.fault.Error())
	}
	return screen.State(st, w, h, style.SeverityNone, screen.LabelLoading, "looking at this machine")
}

// elsewhere reports whether the machine is no host of the cloud, which has others: one from
// which it is looked at has nothing to compare.
func (s *Screen) elsewhere() bool {
	return s.page != nil && len(s.state.rows) > 0 && s.state.rows[0].verdict == foreign && s.snap.Placement().ProviderCount() > 0
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	switch {
	case s.page == nil:
		return nil
	case s.elsewhere():
		return []action.Action{s.registering()}
	}
	return s.page.Actions()
}

// spec declares the page.
func (s *Screen) spec() page.Spec[*state] {
	return page.Spec[*state]{
		Name:  "hardware",
		Find:  func(*cloud.Snapshot) (*state, bool) { return s.state, true },
		Title: func(st *state, _ list.At) string { return st.machine.Reports.Tree.Root.Name },
		Facts: facts,
		Parts: []page.Part[*state]{
			page.Lines("WHY", fault),
			page.Table("MACHINE AND PLACEMENT", columns(), func(st *state, _ list.At) []*row { return st.rows }, func(r *row) string { return r.provider + "\x00" + r.what }, s.open, severity),
			page.Lines("LIVE", live),
			page.Lines("THIS MACHINE", seen).AtSide(),
		},
		Actions: func(*state, list.At) []action.Action {
			return []action.Action{s.registering(), {ID: "hardware.copy", Keys: "c", Title: "copy", Help: "copy what was found on the machine, for a ticket", Request: func() tea.Msg {
				return screen.CopyMsg{What: "what was found on " + s.state.machine.Reports.Tree.Root.Name, Text: ticket(s.state)}
			}}}
		},
	}
}

// open goes to the provider of a row.
func (s *Screen) open(r *row) place.Place {
	if p, ok := s.snap.Placement().ProviderByName(r.provider); ok {
		return place.Provider{ID: p.ID()}
	}
	return nil
}

// registering is the key that writes the machine's state to Placement.
func (s *Screen) registering() action.Action {
	a := action.Action{
		ID: "hardware.import", Keys: "i", Title: "register", Help: "write this machine to the cloud as nova-compute would, with a preview", Priority: 85,
		Writes: []intent.Op{placement.CreateProvider{}, placement.SetInventory{}, placement.SetTraits{}, nova.PutRecords{}},
	}
	if s.state.why != nil {
		a.Disabled = s.state.why.Error()
	}
	a.Request = func() tea.Msg {
		tick, name := s.state.machine.Reports, s.state.machine.Reports.Tree.Root.Name
		return screen.PushMsg{Screen: confirm.Write(s.env, s.snap, "register", "register "+name, func(snap *cloud.Snapshot) (ops.Plan, error) {
			plan, _, err := tick.Plan(snap, s.env.Now())
			return plan, err
		}, "")}
	}
	return a
}
