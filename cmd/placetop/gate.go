package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
)

// bothForms asks a simulation for both forms of the owner filter.
const bothForms = "both"

// gateAsked is the request of "placetop gate".
type gateAsked struct {
	simulate bool
	upgraded bool
	form     string // of the owner filter
}

// gateCommand returns "placetop gate".
func (p *program) gateCommand() *cobra.Command {
	g := gateAsked{form: bothForms}
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Show how far the upgrade to the owner filter is, and what it would change",
		Long: `Say what must be true before Nova asks for OWNER_NOVA, how far each cell is, and
which nova-computes keep the gate closed: old ones, and the records of those that are
silent, disabled or were never heard from, which count all the same.

With --simulate every flavor is asked for again, and every instance checked, as if the
gate were open and the filter on: which hosts, and which cards of the remaining hosts,
it would lose, and why. Nothing is written. The filter has two forms, chosen by
"placetop set config --owner-filter": groups, the default, requires the owner in every
request group; root, as merged upstream, in the root and PCI groups only. The older
words default and upstream are accepted too.`,
		Example: `  placetop gate
  placetop gate --simulate
  placetop gate --simulate --upgraded --form root -o json`,
	}
	flags := cmd.Flags()
	flags.BoolVar(&g.simulate, "simulate", false, "ask what would change if the gate opened now")
	flags.BoolVar(&g.upgraded, "upgraded", false, "with --simulate: suppose that every old nova-compute is upgraded first")
	ownerFormFlag(cmd, &g.form, "form", "with --simulate: the form of the filter to ask", bothForms)
	requireFlag(cmd, "simulate", "upgraded", "form")
	p.atFlag(cmd)
	p.outputFlag(cmd, []print.Format{print.Table, print.Wide, print.JSON, print.YAML})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return p.gate(cmd.Context(), g)
	}
	return cmd
}

// gate prints the progress of the upgrade, and what it would change if requested.
func (p *program) gate(ctx context.Context, g gateAsked) error {
	p.needs = append(cloud.PlacementParts(), cloud.Services, cloud.Hypervisors, cloud.Flavors, cloud.Profiles, cloud.Deployables, cloud.ARQs)
	if g.simulate {
		p.needs = nil // it asks as Nova would, and looks at every instance
	}
	store, err := p.openToRead(ctx)
	if err != nil {
		return err
	}
	snap := store.Snapshot()
	ready := insight.ReadinessOf(snap, insight.Owners(snap), p.now())
	answer := newGateAnswer(ready)
	if g.simulate {
		o := insight.GateOptions{Upgrade: g.upgraded}
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
