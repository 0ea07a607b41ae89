package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

// gateAnswer is what "placetop gate" prints.
type gateAnswer struct {
	Open       bool                   `json:"open"`
	Inferred   bool                   `json:"inferred"`        // it looks open by traits, which others may have set
	Minimum    int                    `json:"minimum_version"` // 0 if no service reports its own
	Need       int                    `json:"needed_version"`
	Filter     ownerFilterWord        `json:"owner_filter"` // the form that is set, or off
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
	Upgraded  bool               `json:"upgraded"`
	Words     string             `json:"words"` // what is supposed
	Looked    int                `json:"instances_looked_at"`
	Mixed     []string           `json:"mixed_hosts"`
	Flavors   []*flavorOutcome   `json:"flavors"`
	Instances []*instanceOutcome `json:"instances"`
}

// flavorOutcome is a flavor with one form of the filter.
type flavorOutcome struct {
	Flavor         string             `json:"flavor"`
	Form           ownerFilterWord    `json:"form"`
	Now            int                `json:"hosts_now"`
	Then           int                `json:"hosts_then"`
	Lost           int                `json:"hosts_lost"`
	Candidates     int                `json:"candidates_now"`
	CandidatesThen int                `json:"candidates_then"`
	More           bool               `json:"more_candidates"` // than were counted
	Hosts          []insight.LostHost `json:"lost"`            // the first of them
	Cards          []insight.LostCard `json:"lost_cards"`      // the first of those whose host stays
	Error          string             `json:"error,omitempty"`
}

// because returns why hosts and cards are lost, as far as they are listed.
func (f *flavorOutcome) because() string {
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
	if len(why) == 0 && f.CandidatesThen < f.Candidates {
		why = append(why, "the same cards, in fewer combinations")
	}
	if f.More {
		why = append(why, fmt.Sprintf("only the first %d candidates are counted", f.Candidates))
	}
	return strings.Join(why, "; ")
}

// instanceOutcome is an instance that a form of the filter would not place on its host.
type instanceOutcome struct {
	UUID   placement.ConsumerID `json:"uuid"`
	Name   string               `json:"name"`
	Flavor string               `json:"flavor"`
	Form   ownerFilterWord      `json:"form"`
	Why    string               `json:"why"`
}

func newGateAnswer(r insight.Readiness) gateAnswer {
	a := gateAnswer{
		Open: r.Gate.Open, Inferred: r.Gate.Inferred(), Minimum: r.Gate.Minimum, Need: r.Gate.Need,
		Filter: ownerFilterOf(r.Form), OffBy: r.OffBy, Basis: r.Basis, Enforced: r.Enforced(), Words: r.Words(),
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
	out := &gateSimulation{Upgraded: sim.Upgraded, Words: sim.Words(), Looked: sim.Instances, Mixed: []string{}, Flavors: []*flavorOutcome{}, Instances: []*instanceOutcome{}}
	for _, id := range sim.Mixed {
		if p, ok := s.Placement().Provider(id); ok {
			out.Mixed = append(out.Mixed, p.Name())
		}
	}
	for _, form := range sim.Forms {
		name := ownerFilterOf(form.Form)
		for _, f := range form.Flavors {
			row := &flavorOutcome{
				Flavor: f.Flavor, Form: name, Now: f.Now, Then: f.Then, Lost: f.Lost, Hosts: append([]insight.LostHost{}, f.Hosts...), Cards: append([]insight.LostCard{}, f.Cards...),
				Candidates: f.Candidates.Now, CandidatesThen: f.Candidates.Then, More: f.Candidates.More,
			}
			if f.Err != nil {
				row.Error = f.Err.Error()
			}
			out.Flavors = append(out.Flavors, row)
		}
		for _, i := range form.Instances {
			out.Instances = append(out.Instances, &instanceOutcome{UUID: i.Instance, Name: i.Name, Flavor: i.Flavor, Form: name, Why: i.Why})
		}
	}
	slices.SortStableFunc(out.Flavors, func(a, b *flavorOutcome) int { return strings.Compare(a.Flavor, b.Flavor) })
	slices.SortStableFunc(out.Instances, func(a, b *instanceOutcome) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// printGate prints the tables of an answer.
func printGate(out *printer, a gateAnswer) error {
	if out.format == formatJSON || out.format == formatYAML {
		return out.value(a)
	}
	tables := []func() error{
		func() error { return printList(out, checkColumns(), pointers(a.Checks)) },
		section(a.Cells, func() error { return printList(out, cellColumns(a.Need), pointers(a.Cells)) }),
		section(a.Services, func() error { return printList(out, holdColumns(), pointers(a.Services)) }),
	}
	if s := a.Simulation; s != nil {
		tables = append(tables,
			section(s.Flavors, func() error { return printList(out, flavorOutcomeColumns(), s.Flavors) }),
			section(s.Instances, func() error { return printList(out, instanceOutcomeColumns(), s.Instances) }))
	}
	return printSections(out, tables)
}

func checkColumns() []column[*insight.Check] {
	state := text("state", func(c *insight.Check) string { return c.State.String() })
	state.token = func(c *insight.Check) themes.Token {
		switch c.State {
		case insight.CheckMet:
			return themes.OK
		case insight.CheckWarning:
			return themes.Warn
		case insight.CheckBroken:
			return themes.Critical
		default:
			return themes.Text
		}
	}
	done := text("done", func(c *insight.Check) string {
		if c.All == 0 {
			return ""
		}
		return fmt.Sprintf("%d/%d", c.Done, c.All)
	})
	return []column[*insight.Check]{
		text("check", func(c *insight.Check) string { return c.Title }), state, done,
		text("what", func(c *insight.Check) string { return c.Text }),
	}
}

func cellColumns(need int) []column[*insight.CellVersions] {
	return []column[*insight.CellVersions]{
		text("cell", func(c *insight.CellVersions) string { return c.Name }),
		number("services", func(c *insight.CellVersions) int64 { return int64(c.Services) }),
		number("asked", func(c *insight.CellVersions) int64 { return int64(c.Asked) }),
		number("old", func(c *insight.CellVersions) int64 { return int64(c.Old) }),
		text("versions", func(c *insight.CellVersions) string {
			var parts []string
			for _, v := range c.Versions {
				part := fmt.Sprintf("%s x%d", v.Words(), len(v.Hosts))
				if v.Version < need {
					part += " (" + strings.Join(v.Hosts, " ") + ")"
				}
				parts = append(parts, part)
			}
			if c.Down {
				parts = append(parts, "does not answer")
			}
			return strings.Join(parts, ", ")
		}),
	}
}

func holdColumns() []column[*gateService] {
	state := text("gate", func(s *gateService) string { return string(s.State) })
	state.token = func(s *gateService) themes.Token {
		if s.State.Dead() {
			return themes.Warn
		}
		return themes.Text
	}
	version := text("version", func(s *gateService) string { return nova.VersionWords(s.Version, s.Judged) })
	version.right = true
	return []column[*gateService]{
		text("host", func(s *gateService) string { return s.Host }),
		text("cell", func(s *gateService) string { return s.Cell }),
		version,
		state,
		text("why", func(s *gateService) string { return s.Why }),
		wide(text("last_seen_up", func(s *gateService) string { return stamp(s.Seen) })),
	}
}

func flavorOutcomeColumns() []column[*flavorOutcome] {
	count := func(name string, of func(f *flavorOutcome) int) column[*flavorOutcome] {
		return number(name, func(f *flavorOutcome) int64 { return int64(of(f)) })
	}
	then := count("hosts_then", func(f *flavorOutcome) int { return f.Then })
	then.token = func(f *flavorOutcome) themes.Token {
		switch {
		case f.Then == 0 && f.Now > 0:
			return themes.Critical
		case f.CandidatesThen < f.Candidates:
			return themes.Warn
		default:
			return themes.Text
		}
	}
	return []column[*flavorOutcome]{
		text("flavor", func(f *flavorOutcome) string { return f.Flavor }),
		text("form", func(f *flavorOutcome) string { return string(f.Form) }),
		count("hosts_now", func(f *flavorOutcome) int { return f.Now }), then,
		count("candidates_now", func(f *flavorOutcome) int { return f.Candidates }),
		count("candidates_then", func(f *flavorOutcome) int { return f.CandidatesThen }),
		text("because", (*flavorOutcome).because),
	}
}

func instanceOutcomeColumns() []column[*instanceOutcome] {
	return []column[*instanceOutcome]{
		text("instance", func(i *instanceOutcome) string { return i.Name }),
		text("flavor", func(i *instanceOutcome) string { return nova.FlavorName(i.Flavor) }),
		text("form", func(i *instanceOutcome) string { return string(i.Form) }),
		text("could_not_stay", func(i *instanceOutcome) string { return i.Why }),
		wide(dim(text("uuid", func(i *instanceOutcome) string { return i.UUID.String() }))),
	}
}
