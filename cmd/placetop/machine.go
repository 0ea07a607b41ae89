package main

import (
	"context"
	"strings"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/tui/screen"
)

// machine looks at this machine for the dashboard, as "placetop probe" without flags does.
func (p *program) machine(ctx context.Context) (screen.Machine, error) {
	o := probeOptions{reserved: tracker.DefaultConf()}
	host, tree, err := p.look(ctx, o)
	if err != nil {
		return screen.Machine{}, err
	}
	m := screen.Machine{At: host.ProbedAt, Reports: o.tick(tree, "register"), Load: screen.MachineLoad(hw.Sample(ctx))}
	for _, f := range host.Facts() {
		m.Facts = append(m.Facts, screen.MachineFact(f))
	}
	for _, pr := range newMachineReport(host, tree).Problems {
		m.Gaps = append(m.Gaps, strings.Join(nonEmpty(pr.Path, pr.What, pr.Why), ": "))
	}
	return m, nil
}
