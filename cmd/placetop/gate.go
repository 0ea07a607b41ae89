package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
)

// bothForms asks a simulation for both forms of the owner filter.
const bothForms = "both"

// gateRequest is the request of "placetop gate".
type gateRequest struct {
	Simulate bool `flag:"simulate" help:"ask what would change if the gate opened now"`
	Upgraded bool `flag:"upgraded" needs:"simulate" help:"with --simulate: suppose that every old nova-compute is upgraded first"`

	form string // of the owner filter
}

// gateCommand returns "placetop gate".
func (p *program) gateCommand() *cobra.Command {
	g := gateRequest{form: bothForms}
	cmd := command(`gate
Show how far the upgrade to the owner filter is, and what it would change

Say what must be true before Nova asks for OWNER_NOVA, how far each cell is, and
which nova-computes keep the gate closed: old ones, and the records of those that are
silent, disabled or were never heard from, which count all the same.

With --simulate every flavor is asked for again, and every instance checked, as if the
gate were open and the filter on: which hosts, and which cards of the remaining hosts,
it would lose, and why. Nothing is written. The filter has two forms, chosen by
"placetop set config --owner-filter": groups, the default, requires the owner in every
request group; root, as merged upstream, in the root and PCI groups only. The older
words default and upstream are accepted too.

Examples:
  placetop gate
  placetop gate --simulate
  placetop gate --simulate --upgraded --form root -o json`)
	bindFlags(cmd, &g)
	ownerFormFlag(cmd, &g.form, "form", "with --simulate: the form of the filter to ask", bothForms)
	cmd.Flags().Lookup("form").Annotations = map[string][]string{requiredFlags: {"simulate"}}
	p.atFlag(cmd)
	p.outputFlag(cmd, []print.Format{print.Table, print.Wide, print.JSON, print.YAML})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return p.gate(cmd.Context(), g)
	}
	return cmd
}

// gate prints the progress of the upgrade, and what it would change if requested.
func (p *program) gate(ctx context.Context, g gateRequest) error {
	p.needs = append(cloud.PlacementParts(), cloud.Services, cloud.Hypervisors, cloud.Flavors, cloud.Profiles, cloud.Deployables, cloud.ARQs)
	if g.Simulate {
		p.needs = nil // it asks as Nova would, and looks at every instance
	}
	store, err := p.openToRead(ctx)
	if err != nil {
		return err
	}
	snap := store.Snapshot()
	ready := insight.ReadinessOf(snap, insight.Owners(snap), p.now())
	answer := newGateAnswer(ready)
	if g.Simulate {
		o := insight.GateOptions{Upgrade: g.Upgraded}
		if g.form != bothForms {
			o.Forms = []nova.OwnerFilter{ownerForm(g.form)}
		}
		sim, err := simulateGate(ctx, snap, o)
		if err != nil {
			return err
		}
		answer.Simulation = newGateSimulation(snap, sim)
	}
	p.printer().Report(answer, answer.tables()...)
	p.say("%s", ready.Words())
	if s := answer.Simulation; s != nil {
		p.say("%s", s.Words)
	}
	return nil
}

// simulateGate simulates one question after another until ctx ends.
func simulateGate(ctx context.Context, s *cloud.Snapshot, o insight.GateOptions) (insight.GateSimulation, error) {
	run, err := insight.BeginGate(s, o)
	if err != nil {
		return insight.GateSimulation{}, err
	}
	for run.Step() {
		if err := ctx.Err(); err != nil {
			return insight.GateSimulation{}, err
		}
	}
	return run.Result(), nil
}

// gateAnswer is what "placetop gate" prints.
type gateAnswer struct {
	Open       bool                   `json:"open"`
	Inferred   bool                   `json:"inferred"`        // it looks open by traits, which others may have set
	Minimum    int                    `json:"minimum_version"` // 0 if no service reports its own
	Need       int                    `json:"needed_version"`
	Filter     string                 `json:"owner_filter"` // the form that is set, or off
	OffBy      string                 `json:"off_by"`       // the settings that switch it off, "" where it is on
	Basis      string                 `json:"owner_filter_basis,omitempty"`
	Enforced   bool                   `json:"enforced"` // requests are asked for their owner today
	Words      string                 `json:"words"`
	Checks     []insight.Check        `json:"checks"`
	Cells      []insight.CellVersions `json:"cells"`
	Services   []gateService          `json:"services"` // that hold it closed, and those that are not asked
	Simulation *gateSimulation        `json:"simulation,omitempty"`
}

type gateService struct {
	Host    string            `json:"host"`
	Cell    string            `json:"cell"`
	Version int               `json:"version"`
	Judged  bool              `json:"version_judged,omitempty"` // by OWNER_NOVA, because no service reported it
	State   insight.HoldState `json:"state"`
	Why     string            `json:"why"`
	Seen    *time.Time        `json:"last_seen_up,omitempty"`
	Rule    audit.RuleID      `json:"rule,omitempty"`
}

type gateSimulation struct {
	Upgraded  bool                      `json:"upgraded"`
	Words     string                    `json:"words"` // what is supposed
	Looked    int                       `json:"instances_looked_at"`
	Mixed     []string                  `json:"mixed_hosts"`
	Flavors   []insight.FlavorOutcome   `json:"flavors"`
	Instances []insight.InstanceOutcome `json:"instances"`
}

// because returns why hosts and cards are lost, as far as they are listed.
func because(f insight.FlavorOutcome) string {
	if f.Error != "" {
		return f.Error
	}
	var why []string
	for _, h := range f.Hosts {
		why = append(why, h.Why)
	}
	if more := f.Lost - len(f.Hosts); more > 0 {
		why = append(why, "and "+counted(more, "more host"))
	}
	for _, c := range f.Cards {
		why = append(why, c.Why+" ("+c.Host+" stays)")
	}
	if len(why) == 0 && f.After < f.Before {
		why = append(why, "the same cards, in fewer combinations")
	}
	if f.More {
		why = append(why, fmt.Sprintf("only the first %d candidates are counted", f.Before))
	}
	return strings.Join(why, "; ")
}

func newGateAnswer(r insight.Readiness) gateAnswer {
	a := gateAnswer{
		Open: r.Gate.Open, Inferred: r.Gate.Inferred(), Minimum: r.Gate.Minimum, Need: r.Gate.Need,
		Filter: r.Form.Word(), OffBy: r.OffBy, Basis: r.Basis, Enforced: r.Enforced(), Words: r.Words(),
		Checks: r.Checks, Cells: append([]insight.CellVersions{}, r.Cells...), Services: []gateService{},
	}
	for _, h := range r.Holds {
		a.Services = append(a.Services, gateService{
			Host: h.Host, Cell: h.Cell, Version: h.Version, Judged: h.Judged, State: h.State, Why: h.Why, Seen: moment(h.LastSeenUp), Rule: h.Rule,
		})
	}
	return a
}

func newGateSimulation(s *cloud.Snapshot, sim insight.GateSimulation) *gateSimulation {
	out := &gateSimulation{Upgraded: sim.Upgraded, Words: sim.Words(), Looked: sim.Instances, Mixed: []string{}, Flavors: []insight.FlavorOutcome{}, Instances: []insight.InstanceOutcome{}}
	for _, id := range sim.Mixed {
		if p, ok := s.Placement().Provider(id); ok {
			out.Mixed = append(out.Mixed, p.Name())
		}
	}
	for _, form := range sim.Forms {
		out.Flavors, out.Instances = append(out.Flavors, form.Flavors...), append(out.Instances, form.Instances...)
	}
	slices.SortStableFunc(out.Flavors, func(a, b insight.FlavorOutcome) int { return strings.Compare(a.Flavor, b.Flavor) })
	slices.SortStableFunc(out.Instances, func(a, b insight.InstanceOutcome) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// tables returns an answer for people.
func (a gateAnswer) tables() []*print.List {
	checks := print.Columns("check", "state", "done", "what")
	for _, c := range a.Checks {
		done := ""
		if c.All > 0 {
			done = fmt.Sprintf("%d/%d", c.Done, c.All)
		}
		token := map[insight.CheckState]themes.Token{insight.CheckMet: themes.OK, insight.CheckWarning: themes.Warn, insight.CheckBroken: themes.Critical}[c.State]
		checks.Row(c.Title, print.Colored(c.State, token), done, c.Text)
	}
	cells := print.Columns("cell", "services", "asked", "old", "versions")
	for _, c := range a.Cells {
		var parts []string
		for _, v := range c.Versions {
			part := fmt.Sprintf("%s x%d", v.Words(), len(v.Hosts))
			if v.Version < a.Need {
				part += " (" + strings.Join(v.Hosts, " ") + ")"
			}
			parts = append(parts, part)
		}
		if c.Down {
			parts = append(parts, "does not answer")
		}
		cells.Row(c.Name, c.Services, c.Asked, c.Old, strings.Join(parts, ", "))
	}
	holds := print.Columns("host", "cell", "version", "gate", "why").WideColumns("last_seen_up")
	for _, s := range a.Services {
		token := themes.Text
		if s.State.Dead() {
			token = themes.Warn
		}
		holds.Row(s.Host, s.Cell, print.Cell{Text: nova.VersionWords(s.Version, s.Judged), Right: true}, print.Colored(s.State, token), s.Why, stamp(s.Seen))
	}
	if a.Simulation == nil {
		return []*print.List{checks, cells, holds}
	}
	flavors := print.Columns("flavor", "form", "hosts_now", "hosts_then", "candidates_now", "candidates_then", "because")
	for _, f := range a.Simulation.Flavors {
		token := themes.Text
		switch {
		case f.Then == 0 && f.Now > 0:
			token = themes.Critical
		case f.After < f.Before:
			token = themes.Warn
		}
		flavors.Row(f.Flavor, f.Form, f.Now, print.Colored(f.Then, token), f.Before, f.After, because(f))
	}
	instances := print.Columns("instance", "flavor", "form", "could_not_stay").WideColumns("uuid")
	for _, i := range a.Simulation.Instances {
		instances.Row(i.Name, nova.FlavorName(i.Flavor), i.Form, i.Why, print.Dim(i.Instance))
	}
	return []*print.List{checks, cells, holds, flavors, instances}
}
