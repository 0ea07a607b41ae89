package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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
	out, err := p.printer(formatTable)
	if err != nil {
		return err
	}
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
	if !snap.At().IsZero() {
		at := snap.At()
		head += " of " + stamp(&at)
	}
	if err := lines(out, "cloud      "+head,
		fmt.Sprintf("providers  %d (roots: %d, sharing pools: %d)", sum.Providers, sum.Roots, sum.SharingPools),
		fmt.Sprintf("consumers  %d", sum.Consumers),
		fmt.Sprintf("aggregates %d", sum.Aggregates)); err != nil {
		return err
	}
	if sum.Providers == 0 {
		return lines(out, "", "There are no providers yet. Start with one of:",
			"  placetop demo               a made-up cloud, to look around",
			"  placetop probe --register   this machine as a compute node",
			"  placetop import FILE        a cloud that was exported",
			"  placetop create provider    by hand")
	}
	for _, section := range []func() error{
		func() error { return classSection(out, sum) },
		func() error { return ownerSection(out, sum) },
		func() error {
			return errors.Join(p.unfinishedSection(out, store), p.problemSection(out, store))
		},
		func() error { return eventSection(ctx, out, store) },
	} {
		if err := lines(out, ""); err != nil {
			return err
		}
		if err := section(); err != nil {
			return err
		}
	}
	return nil
}

// lines prints lines of text, made harmless.
func lines(out *printer, text ...string) error {
	for _, l := range text {
		if _, err := io.WriteString(out.w, harmless(l)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func classSection(out *printer, sum insight.Summary) error {
	over := number("over_providers", func(t *insight.ClassTotal) int64 { return int64(t.OverProviders) })
	over.token = func(t *insight.ClassTotal) themes.Token {
		if t.OverProviders > 0 {
			return themes.Critical
		}
		return themes.Text
	}
	return printList(out, []column[*insight.ClassTotal]{
		text("class", func(t *insight.ClassTotal) string { return string(t.Class) }),
		number("used", func(t *insight.ClassTotal) int64 { return t.Used }),
		number("capacity", func(t *insight.ClassTotal) int64 { return t.Capacity }),
		number("free", func(t *insight.ClassTotal) int64 { return t.Free() }),
		{name: "percent", right: true, cell: func(t *insight.ClassTotal) string { return kinds.Percent(t.Used, t.Capacity) }},
		number("held_by_migrations", func(t *insight.ClassTotal) int64 { return t.Held }),
		number("providers", func(t *insight.ClassTotal) int64 { return int64(t.Providers) }),
		over,
	}, pointers(sum.Classes))
}

// ownerSection prints who owns the accelerators.
func ownerSection(out *printer, sum insight.Summary) error {
	type row struct {
		owner placement.Owner
		insight.OwnerTotal
	}
	var rows []row
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		rows = append(rows, row{o, sum.Owners[o]})
	}
	owner := text("owner", func(r *row) string { return r.owner.String() })
	owner.token = func(r *row) themes.Token { return panel.Owner(r.owner).Token() }
	return printList(out, []column[*row]{
		owner,
		number("accelerator_providers", func(r *row) int64 { return int64(r.Providers) }),
		text("usage", func(r *row) string {
			var parts []string
			for _, t := range r.Classes {
				parts = append(parts, fmt.Sprintf("%s=%d/%d", t.Class, t.Used, t.Capacity))
			}
			return strings.Join(parts, " ")
		}),
	}, pointers(rows))
}

// problemSection prints unacknowledged problems by rule, with the first subject of each.
func (p *program) problemSection(out *printer, store storage.Store) error {
	report := audit.Inspect(store.Snapshot(), audit.InspectOptions{Now: p.now(), Conflicts: store.Conflicts()})
	problems := audit.Problems(audit.Findings(report.Open))
	if len(problems) == 0 {
		return lines(out, "No problems.")
	}
	severity := text("severity", func(p *audit.Problem) string { return p.Rule.Severity.String() })
	severity.token = func(p *audit.Problem) themes.Token { return panel.Severity(p.Rule.Severity).Token() }
	return printList(out, []column[*audit.Problem]{
		severity,
		text("rule", func(p *audit.Problem) string { return string(p.Rule.ID) }),
		number("count", func(p *audit.Problem) int64 { return int64(len(p.Findings)) }),
		text("problem", func(p *audit.Problem) string { return p.Rule.Title }),
		text("first_subject", func(p *audit.Problem) string { return p.Findings[0].Subject }),
		text("what", func(p *audit.Problem) string { return p.Findings[0].Text }),
	}, pointers(problems))
}

func eventSection(ctx context.Context, out *printer, store storage.Store) error {
	events := kinds.Of(kinds.Events)
	a, err := answer(ctx, store, events, kinds.Query{At: kinds.At{Snap: store.Snapshot()}, Limit: overviewEvents})
	if err != nil {
		return err
	}
	return out.rows(a)
}
