package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// scheduling are the flags of "placetop candidates" for a query as Nova's scheduler would
// send it.
type scheduling struct {
	flavor  string
	project string
	zone    string
	host    string
	volume  bool
	image   func() (map[string]string, error)
	gate    nova.GateForce
	owner   ownerFilterWord // "" for the configured one
	off, on []string        // pre-filters
	pci     bool            // whether Placement is asked for PCI devices
	pciSet  bool            // pci was given; otherwise the configuration decides
}

// schedulingFlags adds the flags for a request of Nova's to cmd.
func (p *program) schedulingFlags(cmd *cobra.Command, s *scheduling) {
	flags := cmd.Flags()
	flags.StringVar(&s.flavor, "flavor", "", "ask what Nova would for an instance of `FLAVOR`")
	flags.StringVar(&s.project, "project", "", "of the project `ID`")
	flags.StringVar(&s.zone, "zone", "", "in the availability `ZONE`")
	flags.StringVar(&s.host, "host", "", "on `HOST` and no other")
	flags.BoolVar(&s.volume, "boot-from-volume", false, "for an instance whose root disk is a volume")
	gate := choose(&s.gate, nova.GateHeldOpen, nova.GateHeldClosed)
	flags.Var(gate, "gate", "as if the gate of the owner filter were "+gate.list())
	ownerFilterFlag(cmd, &s.owner, "with the other form of the owner filter")
	p.prefilterFlag(cmd, &s.off, "no-prefilter", "without the pre-filter `NAME`; may be repeated")
	p.prefilterFlag(cmd, &s.on, "prefilter", "with the pre-filter `NAME`, though it is off; may be repeated")
	s.image = imageFlag(cmd)
	flags.BoolVar(&s.pci, "pci-in-placement", false, "ask Placement for its PCI devices, too; =false leaves them to the records of the hosts")
	requireFlag(cmd, "flavor", "project", "zone", "host", "boot-from-volume", "gate", "owner-filter", "no-prefilter", "prefilter", "image-property", "pci-in-placement")
	p.completeFlag(cmd, "flavor", names(kinds.Flavors))
	p.completeFlag(cmd, "project", finder.projects)
	p.completeFlag(cmd, "zone", finder.zones)
	p.completeFlag(cmd, "host", names(kinds.Services))
}

// check refuses a query beside a flavor.
func (s *scheduling) check(cmd *cobra.Command, args []string) error {
	s.pciSet = cmd.Flags().Changed("pci-in-placement")
	switch {
	case s.flavor != "" && len(args) > 0:
		return usageErrorf("leave out one of them", "a query and --flavor exclude each other")
	case s.flavor == "" && len(args) == 0:
		return usageErrorf("give one of them", "%s needs a query or a flavor", cmd.CommandPath())
	}
	return nil
}

// places returns Nova's request, for at most limit candidates, 0 for all, and the places
// that it would find.
func (s *scheduling) places(f finder, x *candidates.Index, limit int) (ops.Places, error) {
	v, err := f.Flavor(s.flavor)
	if err != nil {
		return ops.Places{}, err
	}
	if err := f.CheckPlace(s.host, s.zone); err != nil {
		return ops.Places{}, err
	}
	image, err := s.image()
	if err != nil {
		return ops.Places{}, err
	}
	spec, err := ops.RequestSpecOf(f.Snapshot, &nova.Instance{Project: s.project, Zone: s.zone, BootFromVolume: s.volume, Image: image}, v)
	if err != nil {
		return ops.Places{}, err
	}
	spec.Host, spec.Limit = s.host, limit
	if limit == 0 {
		spec.Limit = -1
	}
	o := nova.AskOptions{Placement: f.Placement(), Gate: s.gate, Switch: map[string]bool{}}
	if s.owner != "" {
		form := s.owner.form()
		o.OwnerFilter = &form
	}
	if s.pciSet {
		o.PCIInPlacement = &s.pci
	}
	for i, name := range slices.Concat(s.off, s.on) {
		if err := (&nova.Config{Off: []string{name}}).Validate(); err != nil {
			return ops.Places{}, err
		}
		if _, twice := o.Switch[name]; twice && slices.Contains(s.off, name) && slices.Contains(s.on, name) {
			return ops.Places{}, usageErrorf("give it once", "pre-filter %s cannot be both off and on", name)
		}
		o.Switch[name] = i >= len(s.off)
	}
	return ops.PlacesFor(f.Snapshot, x, spec, o)
}

// termRow is a term of a query and its origin.
type termRow struct {
	Term   string `json:"term"`
	Origin string `json:"from"`
}

// requestRecord is a request of Nova's in structured formats.
type requestRecord struct {
	Query      string         `json:"query"`
	Terms      []termRow      `json:"terms"`
	Prefilters []prefilterRow `json:"prefilters"`
	Warnings   []string       `json:"warnings"`
}

// prefilterRow is the effect of a pre-filter on a request.
type prefilterRow struct {
	Name  string              `json:"name"`
	State nova.PrefilterState `json:"state"`
	Why   string              `json:"why"`
	Terms []string            `json:"terms"`
}

func newRequestRecord(r nova.Request) requestRecord {
	out := requestRecord{Query: r.Query.URL(), Terms: termsOf(r.Query), Prefilters: []prefilterRow{}, Warnings: []string{}}
	for _, f := range r.Prefilters {
		row := prefilterRow{Name: f.Name, State: f.State, Why: f.Why, Terms: []string{}}
		for _, t := range f.Terms {
			row.Terms = append(row.Terms, t.String())
		}
		out.Prefilters = append(out.Prefilters, row)
	}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, w.String())
	}
	return out
}

// termsOf returns the terms of a query one by one, each as it is in the URL.
func termsOf(q candidates.Query) []termRow {
	var out []termRow
	add := func(origin string, alone candidates.Query) { out = append(out, termRow{alone.URL(), origin}) }
	for _, g := range q.Groups {
		of := func(origin string, alone candidates.Group) {
			alone.Suffix = g.Suffix
			add(origin, candidates.Query{Groups: []candidates.Group{alone}})
		}
		for _, r := range g.Resources {
			of(r.Origin, candidates.Group{Resources: []candidates.Resource{r}})
		}
		for _, t := range g.Required {
			of(t.Origin, candidates.Group{Required: []candidates.AnyTrait{t}})
		}
		for _, t := range g.Forbidden {
			of(t.Origin, candidates.Group{Forbidden: []candidates.Trait{t}})
		}
		for _, a := range g.MemberOf {
			of(a.Origin, candidates.Group{MemberOf: []candidates.AnyAggregate{a}})
		}
		for _, a := range g.ForbiddenAggregates {
			of(a.Origin, candidates.Group{ForbiddenAggregates: []candidates.Aggregate{a}})
		}
		if g.InTree != "" {
			of(g.InTreeOrigin, candidates.Group{InTree: g.InTree})
		}
	}
	for _, t := range q.Root.Required {
		add(t.Origin, candidates.Query{Root: candidates.RootTerms{Required: []candidates.Trait{t}}})
	}
	for _, t := range q.Root.Forbidden {
		add(t.Origin, candidates.Query{Root: candidates.RootTerms{Forbidden: []candidates.Trait{t}}})
	}
	if !q.Anchors.Empty() {
		out = append(out, termRow{"on " + q.Anchors.Name, q.Anchors.Origin})
	}
	for _, t := range q.SameSubtree {
		add(t.Origin, candidates.Query{SameSubtree: []candidates.Subtree{t}})
	}
	if q.GroupPolicy != "" {
		add("all groups together", candidates.Query{GroupPolicy: q.GroupPolicy})
	}
	return out
}

// sayPrefilters says what the pre-filters of a live cloud did, and by which settings: no
// API reports these.
func (p *program) sayPrefilters(s *nova.Snapshot, r nova.Request) {
	if s.Config().Live == "" {
		return
	}
	for _, f := range r.Prefilters {
		p.say("pre-filter %s %s: %s", f.Name, f.State, f.Why)
	}
}

// printRequest prints the terms of a request, for people.
func printRequest(out *printer, r nova.Request) error {
	return printList(out, []column[*termRow]{
		text("term", func(t *termRow) string { return t.Term }),
		dim(text("from", func(t *termRow) string { return t.Origin })),
	}, pointers(termsOf(r.Query)))
}
