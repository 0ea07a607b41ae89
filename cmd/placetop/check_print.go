package main

import (
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/tui/part/panel"
)

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
func (r *problemRow) note(n audit.Noted) {
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

func newProblemRow(s *cloud.Snapshot, n audit.Noted) problemRow {
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
func unjudgedRow(u audit.Unjudged) problemRow {
	r, _ := audit.RuleByID(u.Rule)
	return problemRow{
		Level: r.Severity.String(), Rule: r.ID, Title: r.Title, What: u.Text(), Why: r.Why, Advice: r.Advice, Fixes: []remedyRow{}, State: stateUnjudged,
	}
}

// printFindings prints what is wrong.
func (p *program) printFindings(store storage.Store, c checking, report audit.Report) {
	out, found := p.printer(), report.Open
	if c.all {
		found = slices.Concat(found, report.Acknowledged, report.Muted)
	}
	if len(found) == 0 && out.People() {
		return
	}
	list := print.Columns("severity", "rule", "title", "subject", "what")
	if c.all {
		list.Columns("state", "known")
	}
	list.Columns("fixes").WideColumns("advice")
	var rows []problemRow
	for _, f := range found {
		r := newProblemRow(store.Snapshot(), f)
		rows = append(rows, r)
		cells := []any{print.Colored(r.Level, panel.Severity(f.Severity).Token()), r.Rule, r.Title, r.Subject, r.What}
		if c.all {
			cells = append(cells, strings.Join(nonEmpty(r.State, r.Lapse), ", "), r.Known.String())
		}
		fixes := joined(r.Fixes, func(x remedyRow) string { return x.Name })
		list.Row(append(cells, strings.ReplaceAll(fixes, ", ", ","), r.Advice)...)
	}
	for _, u := range report.Unjudged {
		rows = append(rows, unjudgedRow(u))
	}
	out.List(rows, list)
}
