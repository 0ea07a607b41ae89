package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// checking is the request of "placetop check".
type checking struct {
	only     []string // ids of rules; none for all
	subjects []string // names or uuids; none for all
	all      bool     // print what is acknowledged and muted, too
	fix      bool
	with     []string // names of fixes to choose
	dryRun   bool
}

// checkCommand returns "placetop check".
func (p *program) checkCommand() *cobra.Command {
	var c checking
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Find what is wrong with the cloud, and repair it",
		Long: `Apply the rules to the whole cloud, and print what is wrong, worst first, with ways
to repair it. The exit code is 0 if nothing is wrong, and 3 if something is. What a live
cloud did not answer is not judged: then a message says which rules cannot be, and why,
and the exit code is 1 if the others find nothing.
Acknowledged problems, and those of muted rules, are known: they are counted, printed
with --all, and left alone.

With --fix, every problem with one clear remedy is repaired, one after the other, each
as one write that is planned on the outcome of the one before. Where people must
choose, such as who owns a card with two owners, --with NAME chooses the remedy;
--subject limits it to one provider or instance. A remedy that would bring problems as
bad as the one it clears is taken only if --with names it. For each problem it prints
"fixed"; "prepared" where the problem stays for now, as with a drain; "gone" where an
earlier repair cleared it too; or "left", with the reason, and the exit code is 3. A
problem that is still there after its remedy is "not fixed", and the exit code is 1.`,
		Example: `  placetop check
  placetop check --only o01
  placetop check --fix --dry-run
  placetop check --fix --only o01 --with cyborg
  placetop check --fix --only a07 --subject erp-app-0 --with keep-cmp-010
  placetop check --fix --only o02 --subject cmp-012_pci_0000_41_00_0 --with nova`,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&c.only, "only", nil, "apply only this `RULE`, such as a02; may be repeated")
	flags.StringSliceVar(&c.subjects, "subject", nil, "only problems of this provider, instance or host, by `NAME` or uuid; may be repeated")
	flags.BoolVar(&c.all, "all", false, "also print what is acknowledged or muted, and by whom")
	flags.BoolVar(&c.fix, "fix", false, "repair what has one clear remedy")
	flags.StringSliceVar(&c.with, "with", nil, "with --fix: where people must choose, take the remedy `NAME`; of several, the first that fits")
	flags.BoolVar(&c.dryRun, "dry-run", false, "with --fix: print what would be written, and write nothing")
	requireFlag(cmd, "fix", "with", "dry-run")
	p.outputFlag(cmd, print.Lists())
	p.atFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if c.fix && p.at != "" {
			return usageErrorf("leave out one of them", "--fix repairs the present, --at looks at the past")
		}
		if err := c.valid(); err != nil {
			return err
		}
		return p.check(cmd.Context(), c)
	}
	return cmd
}

// valid refuses rules that do not exist.
func (c checking) valid() error {
	for _, id := range c.only {
		if _, err := findRule(id); err != nil {
			return err
		}
	}
	return nil
}

// asked returns the findings on s of the requested rules.
func (p *program) asked(store storage.Store, c checking, s *cloud.Snapshot) audit.Report {
	r := audit.Inspect(s, audit.InspectOptions{Now: p.now(), All: true, Conflicts: store.Conflicts()})
	others := func(n audit.Noted) bool {
		about := func(name string) bool { return isSubject(n.Finding, name) }
		return len(c.only) > 0 && !slices.Contains(c.only, string(n.Rule)) || len(c.subjects) > 0 && !slices.ContainsFunc(c.subjects, about)
	}
	for _, list := range []*[]audit.Noted{&r.Open, &r.Acknowledged, &r.Muted} {
		*list = slices.DeleteFunc(*list, others)
	}
	if len(c.only) > 0 {
		r.Unjudged = slices.DeleteFunc(r.Unjudged, func(u audit.Unjudged) bool { return !slices.Contains(c.only, string(u.Rule)) })
		r.Rules = slices.DeleteFunc(r.Rules, func(x audit.Rule) bool { return !slices.Contains(c.only, string(x.ID)) })
	}
	return r
}

// check audits the cloud, and repairs it if requested.
func (p *program) check(ctx context.Context, c checking) error {
	store, err := p.openToCheck(ctx, c)
	if err != nil {
		return err
	}
	if err := finderOf(store.Snapshot()).subjects(c.subjects); err != nil {
		return err
	}
	report := p.asked(store, c, store.Snapshot())
	if c.fix {
		if err := c.known(store.Snapshot(), report); err != nil {
			return err
		}
		return p.repair(ctx, store, c, audit.Findings(report.Open), report.Unjudged)
	}
	p.printFindings(store, c, report)
	return p.verdict(store, store.Snapshot(), c, report)
}

// openToCheck opens the cloud to read it, or to repair it if requested.
func (p *program) openToCheck(ctx context.Context, c checking) (storage.Store, error) {
	if c.fix {
		return p.openForWrite(ctx, &writing{dryRun: c.dryRun}, nil)
	}
	return p.openToRead(ctx)
}

// known refuses a remedy that no finding of the requested rules has.
func (c checking) known(s *cloud.Snapshot, r audit.Report) error {
	var names []string
	for _, n := range r.Open {
		for _, x := range audit.Fixes(s, n.Finding) {
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	slices.Sort(names)
	hint := "its remedies are " + strings.Join(names, ", ")
	if len(names) == 0 {
		hint = "it has none that placetop can apply"
	}
	for _, name := range c.with {
		if len(c.only) > 0 && len(r.Open) > 0 && !slices.Contains(names, name) {
			return usageErrorf(hint, "%s has no remedy %q", strings.Join(c.only, ", "), name)
		}
	}
	return nil
}

// verdict says how much is wrong with s, and returns the error for the exit code if
// something is not acknowledged.
func (p *program) verdict(store storage.Store, s *cloud.Snapshot, c checking, r audit.Report) error {
	if len(c.only)+len(c.subjects) == 0 {
		p.sayUnfinished(store, s)
	}
	unjudged := audit.UnjudgedText(r.Unjudged, len(r.Rules))
	if unjudged != "" && len(r.Open) > 0 {
		p.say("warning: %s", unjudged)
	}
	for _, u := range r.Unjudged {
		if u.Found > 0 {
			p.say("warning: %s: %s", u.Rule, u.Text())
		}
	}
	known := ""
	if n := len(r.Acknowledged); n > 0 {
		known += fmt.Sprintf(", %d acknowledged", n)
	}
	if n := len(r.Muted); n > 0 {
		known += fmt.Sprintf(", %d muted", n)
	}
	if len(r.Open) > 0 {
		fixable := func(n audit.Noted) bool { return len(audit.Fixes(s, n.Finding)) > 0 }
		hint := `"placetop check --fix" repairs what has one clear remedy`
		switch {
		case p.at != "":
			hint = "that was then; leave out --at to see what is wrong now"
		case !slices.ContainsFunc(r.Open, fixable):
			hint = `placetop has no remedy for this; "placetop check -o wide" says what to do`
		case c.fix:
			hint = "choose a remedy with --with NAME, or see what each rule advises"
		}
		return exitErrorf(exitProblems, hint, "%s%s", counted(len(r.Open), "finding"), known)
	}
	if unjudged != "" {
		return failed(errors.New(unjudged), "the other rules find nothing wrong"+known+"; a cloud is only sound if all of them do")
	}
	nothing := "nothing wrong"
	if known != "" {
		nothing = "nothing new"
	}
	p.say("%s, %s%s", counted(len(r.Rules), "rule"), nothing, known)
	return nil
}
