package owners

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// simulation is a question to the gate, with its answer once there is one.
type simulation struct {
	upgrade bool // with the upgrade assumed to be finished
	of      *cloud.Snapshot
	began   time.Time

	run        *insight.GateRun // used by one piece of work at a time
	asked, all int              // after the last piece
	ended      time.Time        // zero while it is under way
	err        error
}

// pieceTime is how long a piece of a simulation lasts. Then its progress is shown, and
// the next piece begins.
const pieceTime = 50 * time.Millisecond

// note returns its progress, or when it was made and how long it took; revision is that
// of the newest Snapshot.
func (s *simulation) note(revision cloud.Revision) string {
	switch {
	case s == nil:
		return "u simulates"
	case s.ended.IsZero() && s.all == 0:
		return "simulating..."
	case s.ended.IsZero():
		return fmt.Sprintf("simulating... %d of %d", s.asked, s.all)
	}
	text := fmt.Sprintf("simulated %s, %s", s.ended.UTC().Format("15:04:05"), component.Took(s.ended.Sub(s.began)))
	if _, off := s.of.Nova().Config().OwnerInForce(); off != "" {
		text = "filter on, " + text
	}
	if s.upgrade {
		text = "all upgraded, " + text
	}
	if n := revision - s.of.Revision(); n > 0 {
		text += fmt.Sprintf(", %s ago", component.Plural(int(n), "revision")) // a count of revisions
	}
	return text
}

// piece is the state of a simulation after a piece of work.
type piece struct {
	of         *simulation
	run        *insight.GateRun
	asked, all int
	done       bool
	ended      time.Time
	err        error
}

// simulate begins a simulation, and drops one that is under way.
func (s *Screen) simulate(what place.Simulation) tea.Cmd {
	s.sim = &simulation{upgrade: what == place.SimulateUpgrade, of: s.snap, began: s.env.Clock()}
	s.Show(paneFlavors)
	return s.more()
}

// more runs the next piece of the simulation.
func (s *Screen) more() tea.Cmd {
	sim, clock := s.sim, s.env.Clock
	run := sim.run
	return s.sims.Start(s.env.Context, func(ctx context.Context) *piece {
		p := &piece{of: sim, run: run}
		began := clock()
		if p.run == nil {
			if p.run, p.err = insight.BeginGate(sim.of, insight.GateOptions{Upgrade: sim.upgrade}); p.err != nil {
				p.done, p.ended = true, clock()
				return p
			}
		}
		for ctx.Err() == nil {
			if !p.run.Step() {
				p.done = true
				break
			}
			if clock().Sub(began) > pieceTime {
				break
			}
		}
		p.asked, p.all = p.run.Progress()
		p.ended = clock()
		return p
	})
}

// take shows the progress of the simulation and continues, or shows its answer.
func (s *Screen) take(p *piece) tea.Cmd {
	if p.of != s.sim {
		return nil // it was stopped
	}
	s.sim.run, s.sim.asked, s.sim.all, s.sim.err = p.run, p.asked, p.all, p.err
	if !p.done {
		return s.more()
	}
	s.sim.ended = p.ended
	if p.err != nil {
		s.stop()
		return screen.Send(screen.Warning("the simulation failed: " + p.err.Error()))
	}
	s.answer.Store(newOutcome(s.sim.of, s.sim.run.Result()))
	s.known = s.sim
	return tea.Batch(s.flavors.Remake(), s.instances.Remake())
}

// stop ends a simulation under way; the previous answer stays.
func (s *Screen) stop() {
	s.sims.Drop()
	s.sim = s.known
}

// simulating reports whether a simulation is under way.
func (s *Screen) simulating() bool { return s.sim != nil && s.sim.ended.IsZero() }

// outcome is the answer of a simulation as rows. It is immutable.
type outcome struct {
	flavors   []*flavorRow
	instances []*instanceRow
	words     string // the assumption
	looked    int    // number of instances
	mixed     int    // number of hosts
}

// forms are the simulated forms of the owner filter, in the order of their columns.
const (
	formGroups = iota
	formRoot
	forms
)

// flavorRow is where a flavor fits now, and would then.
type flavorRow struct {
	name string
	ref  string // "" if the flavor is gone
	now  int
	then [forms]insight.FlavorOutcome
}

// instanceRow is an instance that could not be placed on its current host.
type instanceRow struct {
	insight.InstanceOutcome
	host string
	why  [forms]string // "" if that form would allow it
}

// newOutcome turns an answer into rows.
func newOutcome(of *cloud.Snapshot, sim insight.GateSimulation) *outcome {
	out := &outcome{words: sim.Words(), looked: sim.Instances, mixed: len(sim.Mixed)}
	at := map[string]int{}
	for _, form := range sim.Forms {
		n := formGroups
		if form.Form == nova.OwnerOnRoot {
			n = formRoot
		}
		for i, f := range form.Flavors { // all forms have the same flavors
			if i == len(out.flavors) {
				row := &flavorRow{name: f.Flavor, now: f.Now}
				if known, ok := of.Nova().FlavorNamed(f.Flavor); ok {
					row.ref = known.Ref()
				}
				out.flavors = append(out.flavors, row)
			}
			out.flavors[i].then[n] = f
		}
		for _, i := range form.Instances {
			id := i.Instance.String()
			k, ok := at[id]
			if !ok {
				k = len(out.instances)
				at[id] = k
				row := &instanceRow{InstanceOutcome: i}
				if known, ok := of.Nova().Instance(i.Instance); ok {
					row.host = known.Host
				}
				out.instances = append(out.instances, row)
			}
			out.instances[k].why[n] = i.Why
		}
	}
	return out
}
