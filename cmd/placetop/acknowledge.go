package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// remarkFlags are the flags of a remark, besides its text.
type remarkFlags struct {
	For   string `flag:"for" help:"end it after <TIME>, such as 12h, 7d or 2w"`
	Until string `flag:"until" not:"for" help:"end it at <DATE>, such as 2026-12-24 or 2026-12-24T08:00:00Z"`
}

// remark returns the remark, by the program's user at the current time.
func (r remarkFlags) remark(p *program, note string) (audit.Remark, error) {
	out := audit.Remark{Note: note, By: p.actor(), At: p.now()}
	var err error
	switch {
	case r.For != "":
		span, bad := cloud.ParseTerm(r.For)
		if bad != nil {
			err = usageErrorf("write it as 12h, 7d or 2w", "--for %q is not a time", r.For)
		}
		out.Until = out.At.Add(span)
	case r.Until != "":
		if out.Until, err = audit.ParseEnd(r.Until, out.At); err != nil {
			err = usageErrorf("", "--until: %v", err)
		}
	}
	return out, err
}

// acknowledgeCommand returns "placetop acknowledge".
func (p *program) acknowledgeCommand() *cobra.Command {
	var until remarkFlags
	var o struct {
		Note  string `flag:"note" help:"why it is left alone: a <TEXT> for the others"`
		Class string `flag:"class" help:"only what it finds about this resource <CLASS>"`
	}
	cmd := command(`acknowledge RULE SUBJECT
Mark a problem as known, so that it stays quiet
Also called ack

Mark what a rule finds about SUBJECT as known: a provider, a consumer or a
host, by its name or uuid as "placetop check" prints it. It stays quiet until the
time you give, until it gets worse, or until "placetop unacknowledge". The note is
kept in the cloud, so everybody sees it.

Examples:
  placetop acknowledge a02 cmp-007_pci_0000_41_00_0 --note 'new card on Monday' --for 7d
  placetop acknowledge a01 spark-worker-0 --note 'ticket 4711' --until 2026-12-24`)
	w := p.writeFlags(cmd, &o, &until)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Note == "" {
			return usageErrorf("say why with --note", "%s needs a note", cmd.CommandPath())
		}
		r, err := until.remark(p, o.Note)
		if err != nil {
			return err
		}
		rule, err := findRule(args[0])
		if err != nil {
			return err
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			report := audit.Inspect(f.Snapshot, audit.InspectOptions{Now: r.At, All: true})
			var found []audit.Finding
			for _, n := range slices.Concat(report.Open, report.Acknowledged, report.Muted) {
				if n.Rule == rule.ID && isSubject(n.Finding, args[1]) && (o.Class == "" || string(n.Class) == o.Class) {
					found = append(found, n.Finding)
				}
			}
			if len(found) == 0 {
				return ops.Plan{}, &placement.NotFoundError{What: "problem", Name: string(rule.ID) + " of " + args[1]}
			}
			return audit.PlanAcknowledge(f.Snapshot, found, r)
		}, nil)
	}
	return cmd
}

// isSubject reports whether text names the subject of f.
func isSubject(f audit.Finding, text string) bool {
	return text == f.Subject || text == f.Service && text != "" ||
		!f.Provider.IsZero() && text == f.Provider.String() || !f.Consumer.IsZero() && text == f.Consumer.String()
}

// unacknowledgeCommand returns "placetop unacknowledge".
func (p *program) unacknowledgeCommand() *cobra.Command {
	cmd := command(`unacknowledge RULE SUBJECT
Withdraw an acknowledgement
Also called unack

Examples:
  placetop unacknowledge a02 cmp-007_pci_0000_41_00_0`)
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		var taken []*operator.Acknowledgement
		for a := range f.Operator().Acknowledgements() {
			// The subject has the uuids by which it was found.
			if a.Rule == args[0] && (a.Name == args[1] || slices.Contains(strings.FieldsFunc(a.Subject, func(r rune) bool { return r == ' ' || r == '=' }), args[1])) {
				taken = append(taken, a)
			}
		}
		if len(taken) == 0 {
			return ops.Plan{}, &placement.NotFoundError{What: "acknowledgement", Name: args[0] + " of " + args[1]}
		}
		return audit.PlanUnacknowledge(f.Snapshot, taken)
	})
}

// acknowledgedSubjects returns the subjects of which what a rule finds is acknowledged.
func acknowledgedSubjects(f finder, args []string) []string {
	var out []string
	for a := range f.Operator().Acknowledgements() {
		if a.Rule == args[0] {
			out = append(out, a.Name)
		}
	}
	return out
}

// muteCommand returns "placetop mute".
func (p *program) muteCommand() *cobra.Command {
	var until remarkFlags
	var o struct {
		Note string `flag:"note" help:"why: <TEXT> for the others"`
	}
	cmd := command(`mute RULE
Silence everything a rule finds

Silence everything a rule finds until the time you give, or until "placetop unmute".
This is kept in the cloud, so it applies to everybody. "placetop check --all" prints
what muted rules find.

Examples:
  placetop mute u01 --note 'one instance per card, by design'
  placetop mute v02 --for 12h`)
	w := p.writeFlags(cmd, &o, &until)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := until.remark(p, o.Note)
		if err != nil {
			return err
		}
		rule, err := findRule(args[0])
		if err != nil {
			return err
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) { return audit.PlanMute(f.Snapshot, rule, r) }, nil)
	}
	return cmd
}

// unmuteCommand returns "placetop unmute".
func (p *program) unmuteCommand() *cobra.Command {
	cmd := command(`unmute RULE
Stop silencing a rule

Examples:
  placetop unmute u01`)
	return p.changes(cmd, p.writeFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		return audit.PlanUnmute(f.Snapshot, audit.RuleID(args[0]))
	})
}

// mutedRules returns the rules that are muted.
func mutedRules(f finder, _ []string) []string {
	var out []string
	for m := range f.Operator().Mutes() {
		out = append(out, m.Rule)
	}
	return out
}
