package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/themes"
)

// checking is what "placetop check" was asked for.
type checking struct {
	only   []string // ids of rules; none for all
	since  bool
	fix    bool
	with   []string // names of fixes to choose
	dryRun bool
	format *format
}

// checkCommand returns "placetop check".
func (p *program) checkCommand() *cobra.Command {
	var c checking
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say what is wrong with the cloud, and repair it",
		Long: `Ask the rules about the whole cloud, and print what is wrong, worst first, with the
ways to repair it. The exit code is 0 where nothing is wrong, and 3 where something
is.

With --fix, what has one plain remedy is repaired, one finding after the other, each
as one write that is planned on what the one before has left. Where only people can
decide, such as whose a card with two owners is, --with NAME does. What is left is
printed, with the reason, and the exit code is 3.`,
		Example: `  placetop check
  placetop check --only o01 --since
  placetop check --fix --dry-run
  placetop check --fix --only o01 --with cyborg`,
		Args: takes(0, 0),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&c.only, "only", nil, "ask this `RULE` only, such as a02; all of several")
	flags.BoolVar(&c.since, "since", false, "say since when each stands, by the journal")
	flags.BoolVar(&c.fix, "fix", false, "repair what has one plain remedy")
	flags.StringSliceVar(&c.with, "with", nil, "with --fix: where people must decide, take the remedy `NAME`; the first of several that fits")
	flags.BoolVar(&c.dryRun, "dry-run", false, "with --fix: print what would be written, and write nothing")
	c.format = outputFlag(cmd, listFormats())
	// The flag was defined on the lines above.
	_ = cmd.RegisterFlagCompletionFunc("only", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, r := range ops.Rules() {
			out = append(out, cobra.CompletionWithDesc(string(r.ID), r.Title))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := c.valid(); err != nil {
			return err
		}
		return p.check(cmd.Context(), c)
	}
	return cmd
}

// valid refuses flags that contradict each other, and rules that do not exist.
func (c checking) valid() error {
	for flag, set := range map[string]bool{"--with": len(c.with) > 0, "--dry-run": c.dryRun} {
		if set && !c.fix {
			return usageErrorf("add --fix", "%s needs --fix", flag)
		}
	}
	for _, id := range c.only {
		if _, ok := ops.RuleByID(ops.RuleID(id)); !ok {
			var ids []string
			for _, r := range ops.Rules() {
				ids = append(ids, string(r.ID))
			}
			slices.Sort(ids)
			return usageErrorf("they are "+strings.Join(ids, " "), "there is no rule %q", id)
		}
	}
	return nil
}

// asked returns the findings on s of the rules that were asked for.
func (c checking) asked(s *cloud.Snapshot) []ops.Finding {
	return slices.DeleteFunc(ops.AuditAll(s), func(f ops.Finding) bool {
		return len(c.only) > 0 && !slices.Contains(c.only, string(f.Rule))
	})
}

// check audits the cloud, and repairs it where that was asked for.
func (p *program) check(ctx context.Context, c checking) error {
	out, err := p.printer(*c.format)
	if err != nil {
		return err
	}
	open := p.openToRead
	if c.fix && !c.dryRun {
		if err := p.mayWrite(); err != nil {
			return err
		}
		if there, err := p.fileThere(); err != nil {
			return err
		} else if there {
			open = p.openToWrite
		}
	}
	store, err := open(ctx)
	if err != nil {
		return err
	}
	found := c.asked(store.Snapshot())
	if c.fix {
		return p.repair(ctx, store, out, c, found)
	}
	if err := p.printFindings(ctx, store, out, c, found); err != nil {
		return err
	}
	return p.verdict(c, len(found))
}

// verdict says how much is wrong, and returns the error for the exit code where
// something is.
func (p *program) verdict(c checking, left int) error {
	if left > 0 {
		hint := `repair it with "placetop check --fix"`
		if c.fix {
			hint = "choose a remedy with --with NAME, or see what each rule advises"
		}
		return &exitError{code: exitProblems, err: fmt.Errorf("%s", counted(left, "finding")), hint: hint}
	}
	rules := len(ops.Rules())
	if len(c.only) > 0 {
		rules = len(c.only)
	}
	p.say("%s, nothing wrong", counted(rules, "rule"))
	return nil
}

// problemRow is a finding as it is printed.
type problemRow struct {
	Severity ops.Severity            `json:"-"`
	Level    string                  `json:"severity"`
	Rule     ops.RuleID              `json:"rule"`
	Title    string                  `json:"title"`
	Subject  string                  `json:"subject"`
	What     string                  `json:"what"`
	Why      string                  `json:"why"`
	Advice   string                  `json:"advice"`
	Provider *placement.ProviderID   `json:"resource_provider_uuid,omitempty"`
	Consumer *placement.ConsumerID   `json:"consumer_uuid,omitempty"`
	Class    placement.ResourceClass `json:"resource_class,omitempty"`
	Service  string                  `json:"service_host,omitempty"`
	Since    *sinceRow               `json:"since,omitempty"` // only where it was asked for and the journal tells
	Fixes    []remedyRow             `json:"fixes"`
}

// sinceRow is the event that brought a finding about.
type sinceRow struct {
	Revision cloud.Revision `json:"revision"`
	At       *time.Time     `json:"at"`
	Actor    string         `json:"actor"`
	Note     string         `json:"note"`
}

// remedyRow is a way to repair a finding.
type remedyRow struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Prepares bool   `json:"prepares"` // the finding stands after it
	Choice   bool   `json:"choice"`   // it is taken only when named
}

func newProblemRow(s *cloud.Snapshot, f ops.Finding) problemRow {
	r, _ := ops.RuleByID(f.Rule)
	row := problemRow{
		Severity: f.Severity, Level: f.Severity.String(), Rule: f.Rule, Title: r.Title, Subject: f.Subject, What: f.Text,
		Why: r.Why, Advice: r.Advice, Class: f.Class, Service: f.Service, Fixes: []remedyRow{},
	}
	if !f.Provider.IsZero() {
		row.Provider = &f.Provider
	}
	if !f.Consumer.IsZero() {
		row.Consumer = &f.Consumer
	}
	for _, x := range ops.Fixes(s, f) {
		row.Fixes = append(row.Fixes, remedyRow{Name: x.Name, Title: x.Title, Prepares: x.Prepares, Choice: x.Choice})
	}
	return row
}

// printFindings prints what is wrong.
func (p *program) printFindings(ctx context.Context, store storage.Store, out *printer, c checking, found []ops.Finding) error {
	snap := store.Snapshot()
	var events []cloud.Event
	if c.since && len(found) > 0 {
		var err error
		if events, err = store.Events(ctx, cloud.EventQuery{Until: snap.Revision(), Limit: math.MaxInt}); err != nil {
			return err
		}
	}
	rows := make([]problemRow, len(found))
	for i, f := range found {
		rows[i] = newProblemRow(snap, f)
		if ev, ok := ops.Since(snap, f, events); ok {
			rows[i].Since = &sinceRow{Revision: ev.Revision, At: known(ev.At), Actor: ev.Actor, Note: ev.Note}
		}
	}
	if len(rows) == 0 && (*c.format == formatTable || *c.format == formatWide) {
		return nil
	}
	return printList(out, problemColumns(c.since), rows, false)
}

func problemColumns(since bool) []column[problemRow] {
	level := text("severity", func(r problemRow) string { return r.Level })
	level.token = func(r problemRow) themes.Token { return severityToken(r.Severity) }
	columns := []column[problemRow]{
		level,
		text("rule", func(r problemRow) string { return string(r.Rule) }),
		text("title", func(r problemRow) string { return r.Title }),
		text("subject", func(r problemRow) string { return r.Subject }),
		text("what", func(r problemRow) string { return r.What }),
	}
	if since {
		columns = append(columns, text("since", func(r problemRow) string {
			if r.Since == nil {
				return ""
			}
			return strings.TrimSpace(fmt.Sprintf("%s revision %d", stamp(r.Since.At), r.Since.Revision))
		}), text("brought_by", func(r problemRow) string {
			if r.Since == nil {
				return ""
			}
			return r.Since.Actor + ": " + r.Since.Note
		}))
	}
	return append(columns, text("fixes", func(r problemRow) string {
		var names []string
		for _, x := range r.Fixes {
			names = append(names, x.Name)
		}
		return join(names)
	}), wide(text("advice", func(r problemRow) string { return r.Advice })))
}

// severityToken returns the colour of a severity.
func severityToken(s ops.Severity) themes.Token {
	switch s {
	case ops.Critical:
		return themes.Critical
	case ops.Warning:
		return themes.Warn
	default:
		return themes.Info
	}
}
