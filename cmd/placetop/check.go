package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/tui/part/panel"
)

// checkRequest is the request of "placetop check".
type checkRequest struct {
	Only     []string `flag:"only" help:"apply only this <RULE>, such as a02; may be repeated"`
	Subjects []string `flag:"subject" help:"only problems of this provider, instance or host, by <NAME> or uuid; may be repeated"`
	All      bool     `flag:"all" help:"also print what is acknowledged or muted, and by whom"`
	Fix      bool     `flag:"fix" help:"apply the fix where there is one clear one"`
	With     []string `flag:"with" needs:"fix" help:"with --fix: where people must choose, take the fix <NAME>; of several, the first that fits"`
	DryRun   bool     `flag:"dry-run" needs:"fix" help:"with --fix: print what would be written, and write nothing"`
}

// checkCommand returns "placetop check".
func (p *program) checkCommand() *cobra.Command {
	var c checkRequest
	cmd := command(`check
Find what is wrong with the cloud, and fix it

Apply the rules to the whole cloud, and print what is wrong, worst first, with ways
to fix it. The exit code is 0 if nothing is wrong, and 3 if something is. What a live
cloud did not answer is not judged: then a message says which rules cannot be, and why,
and the exit code is 1 if the others find nothing.
Acknowledged problems, and those of muted rules, are known: they are counted, printed
with --all, and left alone.

With --fix, every problem that has one clear fix gets it, one after the other, each
as one write that is planned on the outcome of the one before. Where people must
choose, such as who owns a card with two owners, --with NAME chooses the fix;
--subject limits it to one provider or instance. A fix that would bring problems as
bad as the one it clears is taken only if --with names it. For each problem it prints
"fixed"; "prepared" where the problem stays for now, as with a drain; "gone" where an
earlier fix cleared it too; or "left", with the reason, and the exit code is 3. A
problem that is still there after its fix is "not fixed", and the exit code is 1.

Examples:
  placetop check
  placetop check --only o01
  placetop check --fix --dry-run
  placetop check --fix --only o01 --with cyborg
  placetop check --fix --only a07 --subject erp-app-0 --with keep-cmp-010
  placetop check --fix --only o02 --subject cmp-012_pci_0000_41_00_0 --with nova`)
	bindFlags(cmd, &c)
	p.outputFlag(cmd, print.Lists())
	p.atFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if c.Fix && p.at != "" {
			return usageErrorf("leave out one of them", "--fix changes the present, --at looks at the past")
		}
		if err := c.valid(); err != nil {
			return err
		}
		return p.check(cmd.Context(), c)
	}
	return cmd
}

// valid refuses rules that do not exist.
func (c checkRequest) valid() error {
	for _, id := range c.Only {
		if _, err := findRule(id); err != nil {
			return err
		}
	}
	return nil
}

// asked returns the findings on s of the requested rules.
func (p *program) asked(store storage.Store, c checkRequest, s *cloud.Snapshot) audit.Report {
	r := audit.Inspect(s, audit.InspectOptions{Now: p.now(), All: true, Conflicts: store.Conflicts()})
	others := func(n audit.AnnotatedFinding) bool {
		about := func(name string) bool { return isSubject(n.Finding, name) }
		return len(c.Only) > 0 && !slices.Contains(c.Only, string(n.Rule)) || len(c.Subjects) > 0 && !slices.ContainsFunc(c.Subjects, about)
	}
	for _, list := range []*[]audit.AnnotatedFinding{&r.Open, &r.Acknowledged, &r.Muted} {
		*list = slices.DeleteFunc(*list, others)
	}
	if len(c.Only) > 0 {
		r.Unjudged = slices.DeleteFunc(r.Unjudged, func(u audit.UnjudgedRule) bool { return !slices.Contains(c.Only, string(u.Rule)) })
		r.Rules = slices.DeleteFunc(r.Rules, func(x audit.Rule) bool { return !slices.Contains(c.Only, string(x.ID)) })
	}
	return r
}

// check audits the cloud, and repairs it if requested.
func (p *program) check(ctx context.Context, c checkRequest) error {
	store, err := p.openToCheck(ctx, c)
	if err != nil {
		return err
	}
	if err := finderOf(store.Snapshot()).subjects(c.Subjects); err != nil {
		return err
	}
	report := p.asked(store, c, store.Snapshot())
	if c.Fix {
		if err := c.known(store.Snapshot(), report); err != nil {
			return err
		}
		return p.repair(ctx, store, c, audit.Findings(report.Open), report.Unjudged)
	}
	p.printFindings(store, c, report)
	return p.verdict(store, store.Snapshot(), c, report)
}

// openToCheck opens the cloud to read it, or to repair it if requested.
func (p *program) openToCheck(ctx context.Context, c checkRequest) (storage.Store, error) {
	if c.Fix {
		return p.openForWrite(ctx, &writing{DryRun: c.DryRun}, nil)
	}
	return p.openToRead(ctx)
}

// known refuses a remedy that no finding of the requested rules has.
func (c checkRequest) known(s *cloud.Snapshot, r audit.Report) error {
	var names []string
	for _, n := range r.Open {
		for _, x := range audit.Fixes(s, n.Finding) {
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	slices.Sort(names)
	hint := "its fixes are " + strings.Join(names, ", ")
	if len(names) == 0 {
		hint = "it has none that placetop can apply"
	}
	for _, name := range c.With {
		if len(c.Only) > 0 && len(r.Open) > 0 && !slices.Contains(names, name) {
			return usageErrorf(hint, "%s has no fix %q", strings.Join(c.Only, ", "), name)
		}
	}
	return nil
}

// verdict says how much is wrong with s, and returns the error for the exit code if
// something is not acknowledged.
func (p *program) verdict(store storage.Store, s *cloud.Snapshot, c checkRequest, r audit.Report) error {
	if len(c.Only)+len(c.Subjects) == 0 {
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
		fixable := func(n audit.AnnotatedFinding) bool { return len(audit.Fixes(s, n.Finding)) > 0 }
		hint := `"placetop check --fix" applies the fixes that leave no choice`
		switch {
		case p.at != "":
			hint = "that was then; leave out --at to see what is wrong now"
		case !slices.ContainsFunc(r.Open, fixable):
			hint = `placetop has no fix for this; "placetop check -o wide" says what to do`
		case c.Fix:
			hint = "choose a fix with --with NAME, or see what each rule advises"
		}
		return exitErrorf(exitProblems, hint, "%s%s", counted(len(r.Open), "problem"), known)
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

// problemRow is a finding as it is printed.
type problemRow struct {
	Level    string                  `json:"severity"`
	Rule     audit.RuleID            `json:"rule"`
	Title    string                  `json:"title"`
	Subject  string                  `json:"subject"`
	What     string                  `json:"what"`
	Why      string                  `json:"why"`
	Advice   string                  `json:"advice"`
	Provider *placement.ProviderID   `json:"resource_provider_uuid,omitempty"`
	Consumer *placement.ConsumerID   `json:"consumer_uuid,omitempty"`
	Class    placement.ResourceClass `json:"resource_class,omitempty"`
	Service  string                  `json:"service_host,omitempty"`
	Fixes    []remedyRow             `json:"fixes"`
	NoFix    string                  `json:"no_fix,omitempty"` // why there is none
	State    string                  `json:"state"`            // open, acknowledged, muted, or not judged
	Lapse    string                  `json:"lapse,omitempty"`  // why its acknowledgement holds no longer: expired or worse
	Known    *remarkRow              `json:"known,omitempty"`  // what an operator wrote down about it, or about its rule
}

// The states of a finding.
const (
	stateOpen         = "open"
	stateAcknowledged = "acknowledged"
	stateMuted        = "muted"
	stateUnjudged     = "not judged" // of a rule: nothing is known about its findings, or some of them
)

// remarkRow is an acknowledgement or a mute.
type remarkRow struct {
	Note  string     `json:"note"`
	By    string     `json:"by"`
	At    *time.Time `json:"at"`
	Until *time.Time `json:"until"` // null while it exists
}

// String returns r in a few words.
func (r *remarkRow) String() string {
	if r == nil {
		return ""
	}
	text := r.By
	if r.Note != "" {
		text += ": " + r.Note
	}
	if r.Until != nil {
		text += " (until " + stamp(r.Until) + ")"
	}
	return text
}

// note adds to a row what operators have noted about its finding.
func (r *problemRow) note(n audit.AnnotatedFinding) {
	r.State, r.Lapse = stateOpen, n.Lapse.String()
	if a := n.Acknowledgement; a != nil {
		r.Known = &remarkRow{Note: a.Note, By: a.By, At: known(a.AtTime()), Until: known(a.UntilTime())}
		if n.Lapse == audit.InForce {
			r.State = stateAcknowledged
		}
	}
	if m := n.Mute; m != nil { // it silences the finding, whatever became of the acknowledgement
		r.State, r.Lapse, r.Known = stateMuted, "", &remarkRow{Note: m.Note, By: m.By, At: known(m.AtTime()), Until: known(m.UntilTime())}
	}
}

// remedyRow is a way to repair a finding.
type remedyRow struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Prepares bool   `json:"prepares"`        // the finding remains after it
	Choice   bool   `json:"choice"`          // it is taken only when named
	Steps    bool   `json:"steps,omitempty"` // it is several changes, one after the other
}

func newProblemRow(s *cloud.Snapshot, n audit.AnnotatedFinding) problemRow {
	f := n.Finding
	r := audit.RuleOf(f)
	row := problemRow{
		Level: f.Severity.String(), Rule: f.Rule, Title: r.Title, Subject: f.Subject, What: f.Text,
		Why: r.Why, Advice: r.Advice, Class: f.Class, Service: f.Service, Fixes: []remedyRow{},
	}
	if !f.Provider.IsZero() {
		row.Provider = &f.Provider
	}
	if !f.Consumer.IsZero() {
		row.Consumer = &f.Consumer
	}
	for _, x := range audit.Fixes(s, f) {
		row.Fixes = append(row.Fixes, remedyRow{
			Name: x.Name, Title: x.Title, Prepares: x.Prepares, Choice: x.Choice, Steps: x.Course() != nil,
		})
	}
	if len(row.Fixes) == 0 {
		row.NoFix = audit.NoFix(s, f)
	}
	row.note(n)
	return row
}

// unjudgedRow returns the row of a rule that was not judged.
func unjudgedRow(u audit.UnjudgedRule) problemRow {
	r, _ := audit.RuleByID(u.Rule)
	return problemRow{
		Level: r.Severity.String(), Rule: r.ID, Title: r.Title, What: u.Text(), Why: r.Why, Advice: r.Advice, Fixes: []remedyRow{}, State: stateUnjudged,
	}
}

// printFindings prints what is wrong.
func (p *program) printFindings(store storage.Store, c checkRequest, report audit.Report) {
	out, found := p.printer(), report.Open
	if c.All {
		found = slices.Concat(found, report.Acknowledged, report.Muted)
	}
	if len(found) == 0 && out.People() {
		return
	}
	list := print.Columns("severity", "rule", "title", "subject", "what")
	if c.All {
		list.Columns("state", "known")
	}
	list.Columns("fixes").WideColumns("advice")
	var rows []problemRow
	for _, f := range found {
		r := newProblemRow(store.Snapshot(), f)
		rows = append(rows, r)
		cells := []any{print.Colored(r.Level, panel.Severity(f.Severity).Token()), r.Rule, r.Title, r.Subject, r.What}
		if c.All {
			cells = append(cells, strings.Join(nonEmpty(r.State, r.Lapse), ", "), r.Known.String())
		}
		fixes := joined(r.Fixes, func(x remedyRow) string { return x.Name })
		list.Row(append(cells, strings.ReplaceAll(fixes, ", ", ","), cmp.Or(r.NoFix, r.Advice))...)
	}
	for _, u := range report.Unjudged {
		rows = append(rows, unjudgedRow(u))
	}
	out.List(rows, list)
}

// subjects refuses names that nothing has, since no finding can be about them: a mistyped
// name would look as if nothing were wrong with it.
func (f finder) subjects(names []string) error {
	for _, name := range names {
		_, provider := f.Provider(name)
		_, consumer := f.Consumer(name)
		_, instance := f.Instance(name)
		_, host := f.Services(name)
		_, flavor := f.Flavor(name)
		if provider != nil && consumer != nil && instance != nil && host != nil && flavor != nil {
			return f.Missing(&placement.NotFoundError{What: "provider, instance, host or flavor", Name: name},
				cloud.Providers, cloud.Instances, cloud.Services, cloud.Flavors)
		}
	}
	return nil
}

// openSubjects returns the names that findings are about, those of one rule if that is
// named before, for completion.
func (p *program) openSubjects(f finder, args []string) []string {
	var out []string
	for _, n := range audit.Inspect(f.Snapshot, audit.InspectOptions{Now: p.now()}).Open {
		if (len(args) == 0 || string(n.Rule) == args[0]) && !slices.Contains(out, n.Subject) {
			out = append(out, n.Subject)
		}
	}
	return out
}

// findRule returns the rule with an id.
func findRule(id string) (audit.Rule, error) {
	if r, ok := audit.RuleByID(audit.RuleID(id)); ok {
		return r, nil
	}
	var ids []string
	for _, r := range audit.Rules() {
		ids = append(ids, string(r.ID))
	}
	slices.Sort(ids)
	return audit.Rule{}, usageErrorf("the rules are "+strings.Join(ids, " "), "no rule %q", id)
}

// ruleWords returns the rules for completion.
func ruleWords() []string {
	var out []string
	for _, r := range audit.Rules() {
		out = append(out, cobra.CompletionWithDesc(string(r.ID), r.Title))
	}
	return out
}
