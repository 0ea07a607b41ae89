package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/panel"
)

// overviewEvents is how many events are at the end of the overview.
const overviewEvents = 5

// printOverview prints the first screen of the dashboard as text: how full the cloud is,
// who owns its accelerators, what is unfinished, what is wrong, and the last events.
func (p *program) printOverview(ctx context.Context, store storage.Store, where string) error {
	out := p.printer()
	if isTerminal(p.stdin) && isTerminal(p.stdout) {
		why := "TERM is not set"
		if name := p.env["TERM"]; name != "" {
			why = "TERM=" + name + " cannot show the dashboard"
		}
		p.say("%s, so this is the overview as text: try TERM=xterm-256color", why)
	}
	snap := store.Snapshot()
	sum := insight.Totals(snap)
	head := fmt.Sprintf("%s, revision %d", where, snap.Revision())
	if at := snap.At(); !at.IsZero() {
		head += " of " + stamp(&at)
	}
	out.Lines("cloud      "+head,
		fmt.Sprintf("providers  %d (roots: %d, sharing pools: %d)", sum.Providers, sum.Roots, sum.SharingPools),
		fmt.Sprintf("consumers  %d", sum.Consumers),
		fmt.Sprintf("aggregates %d", sum.Aggregates), "")
	if sum.Providers == 0 {
		out.Lines("There are no providers yet. Start with one of:",
			"  placetop demo               a made-up cloud, to look around",
			"  placetop probe --register   this machine as a compute node",
			"  placetop import FILE        a cloud that was exported",
			"  placetop create provider    by hand")
		return nil
	}
	out.List(nil, classList(sum))
	out.Lines("")
	out.List(nil, ownerList(sum))
	out.Lines("")
	if rows := p.interruptedRows(store); len(rows) > 0 {
		out.Lines(fmt.Sprintf("%d unfinished", len(rows)))
		out.List(nil, interruptedList(rows))
		out.Lines("")
	}
	report := audit.Inspect(snap, audit.InspectOptions{Now: p.now(), Conflicts: store.Conflicts()})
	unjudged := audit.UnjudgedText(report.Unjudged, len(report.Rules))
	switch {
	case len(report.Open) > 0:
		out.List(nil, problemList(report))
	case unjudged != "":
		out.Lines("No problems found.")
	default:
		out.Lines("No problems.")
	}
	if unjudged != "" {
		out.Lines(unjudged)
	}
	out.Lines("")
	a, err := answer(ctx, store, kinds.Of(kinds.Events), kinds.Query{At: kinds.At{Snap: snap}, Limit: overviewEvents})
	if err == nil {
		out.Answer(a)
	}
	return err
}

// classList lists how full each class is.
func classList(sum insight.Summary) *print.List {
	list := print.Columns("class", "used", "capacity", "free", "percent", "held_by_migrations", "providers", "over_providers")
	for _, t := range sum.Classes {
		over := themes.Text
		if t.OverProviders > 0 {
			over = themes.Critical
		}
		percent := print.Cell{Text: kinds.Percent(t.Used, t.Capacity), Right: true}
		list.Row(t.Class, t.Used, t.Capacity, t.Free, percent, t.Held, t.Providers, print.Colored(t.OverProviders, over))
	}
	return list
}

// ownerList lists who owns the accelerators.
func ownerList(sum insight.Summary) *print.List {
	list := print.Columns("owner", "accelerator_providers", "usage")
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		var parts []string
		for _, t := range sum.Owners[o].Classes {
			parts = append(parts, fmt.Sprintf("%s=%d/%d", t.Class, t.Used, t.Capacity))
		}
		list.Row(print.Colored(o, panel.Owner(o).Token()), sum.Owners[o].Providers, strings.Join(parts, " "))
	}
	return list
}

// problemList lists unacknowledged problems by rule, with the first subject of each.
func problemList(report audit.Report) *print.List {
	list := print.Columns("severity", "rule", "count", "problem", "first_subject", "what")
	for _, x := range audit.Problems(audit.Findings(report.Open)) {
		severity := print.Colored(x.Rule.Severity, panel.Severity(x.Rule.Severity).Token())
		list.Row(severity, x.Rule.ID, len(x.Findings), x.Rule.Title, x.Findings[0].Subject, x.Findings[0].Text)
	}
	return list
}
