package main

import (
	"cmp"
	"iter"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

// candidateRow is a printed row: what one provider gives to one group of a candidate.
type candidateRow struct {
	number int // of the candidate, from 1
	anchor *placement.ResourceProvider
	candidates.Part
	problem string // why no guest can have what it takes, "" if one can
}

// printCandidates prints the candidates in the printer's format: before them the
// request of Nova's and after them why, unless these are nil. not are hosts on which a
// boot takes none of them, for programs; cutAt is at how many the answer was cut, 0
// where these are all.
func printCandidates(out *printer, found candidateList, why *candidates.Explanation, of *nova.Request, not []leftOut, cutAt int) error {
	if out.format == formatJSON || out.format == formatYAML {
		answer := struct {
			Request *requestRecord `json:"request,omitempty"`
			candidatesAnswer
			LeftOut     []leftOut          `json:"left_out,omitempty"`
			Explanation *explanationAnswer `json:"explanation,omitempty"`
		}{candidatesAnswer: newCandidatesAnswer(found), LeftOut: not}
		answer.CutAt = cutAt
		if of != nil {
			r := newRequestRecord(*of)
			answer.Request = &r
		}
		if why != nil {
			e := newExplanationAnswer(why)
			answer.Explanation = &e
		}
		return out.value(answer)
	}
	if why != nil && out.format == formatCSV {
		return printExcluded(out, why)
	}
	after := false
	if of != nil && out.format != formatCSV {
		after = true
		if err := printRequest(out, *of); err != nil {
			return err
		}
	}
	if len(found.list) > 0 || out.format == formatCSV {
		if after {
			if err := blank(out); err != nil {
				return err
			}
		}
		after = true
		rows, columns := candidateRows(found.list), candidateColumns()
		if out.format == formatCSV || slices.ContainsFunc(rows, func(r candidateRow) bool { return r.problem != "" }) {
			columns = append(columns, problemColumn())
		}
		if err := printList(out, columns, pointers(rows)); err != nil {
			return err
		}
	}
	if why == nil {
		return nil
	}
	return printExplanation(out, why, after)
}

func candidateRows(found []candidate) []candidateRow {
	var rows []candidateRow
	for i, c := range found {
		for k, part := range c.parts {
			rows = append(rows, candidateRow{i + 1, c.anchor, part, c.problems[k]})
		}
	}
	return rows
}

func candidateColumns() []column[*candidateRow] {
	return []column[*candidateRow]{
		number("candidate", func(r *candidateRow) int64 { return int64(r.number) }),
		text("root_provider", func(r *candidateRow) string { return r.anchor.Name() }),
		text("resource_provider", func(r *candidateRow) string { return r.Provider.Name() }),
		text("resource_class", func(r *candidateRow) string { return string(r.Class) }),
		number("amount", func(r *candidateRow) int64 { return r.Amount }),
		{
			name: "group", cell: func(r *candidateRow) string { return r.Suffix },
			shown: func(r *candidateRow) string {
				if r.Suffix == "" {
					return "-"
				}
				return r.Suffix
			},
			token: func(*candidateRow) themes.Token { return themes.Dim },
		},
		wide(dim(text("resource_provider_uuid", func(r *candidateRow) string { return r.Provider.ID().String() }))),
	}
}

// problemColumn says what the audit has against a part. Most clouds have no use for it.
func problemColumn() column[*candidateRow] {
	return column[*candidateRow]{
		name: "problem", cell: func(r *candidateRow) string { return r.problem },
		token: func(*candidateRow) themes.Token { return themes.Warn },
	}
}

// candidatesAnswer is the answer of GET /allocation_candidates from 1.34 on.
//
// Source: placement/handlers/allocation_candidate.py.
type candidatesAnswer struct {
	// CutAt is how many candidates any answer has at most, where there are more.
	CutAt     int                                        `json:"cut_at,omitempty"`
	Requests  []requestAnswer                            `json:"allocation_requests"`
	Summaries map[placement.ProviderID]providerInSummary `json:"provider_summaries"`
}

type requestAnswer struct {
	Allocations map[placement.ProviderID]allocationAnswer `json:"allocations"`
	Mappings    map[string][]placement.ProviderID         `json:"mappings"`
	// Phantom says why the candidate takes capacity that no guest can have; Placement
	// does not know.
	Phantom string `json:"phantom,omitempty"`
}

type allocationAnswer struct {
	Resources map[placement.ResourceClass]int64 `json:"resources"`
}

type providerInSummary struct {
	Resources map[placement.ResourceClass]classInSummary `json:"resources"`
	Traits    []placement.Trait                          `json:"traits"`
	Parent    *placement.ProviderID                      `json:"parent_provider_uuid"`
	Root      placement.ProviderID                       `json:"root_provider_uuid"`
}

type classInSummary struct {
	Capacity int64 `json:"capacity"`
	Used     int64 `json:"used"`
}

func newCandidatesAnswer(found candidateList) candidatesAnswer {
	a := candidatesAnswer{Requests: []requestAnswer{}, Summaries: map[placement.ProviderID]providerInSummary{}}
	for _, c := range found.list {
		a.Requests = append(a.Requests, c.request())
	}
	for sum := range found.summaries {
		p := providerInSummary{Resources: map[placement.ResourceClass]classInSummary{}, Traits: []placement.Trait{}, Root: sum.Root.ID()}
		if sum.Parent != nil {
			id := sum.Parent.ID()
			p.Parent = &id
		}
		for _, iu := range sum.Resources {
			p.Resources[found.snap.ClassName(iu.Class)] = classInSummary{Capacity: iu.Capacity(), Used: iu.Used}
		}
		for _, t := range sum.Provider.TraitIDs() {
			p.Traits = append(p.Traits, found.snap.TraitName(t))
		}
		slices.Sort(p.Traits)
		a.Summaries[sum.Provider.ID()] = p
	}
	return a
}

// candidateList are candidates to print.
type candidateList struct {
	snap      *placement.Snapshot
	list      []candidate
	summaries iter.Seq[candidates.ProviderSummary]
}

// candidate is a candidate to print: one of Placement's, or what Nova makes of it.
type candidate struct {
	anchor      *placement.ResourceProvider
	parts       []candidates.Part
	problems    []string // of each part: why no guest can have what it takes, "" if one can
	phantom     string   // the same for all parts together
	allocations func() map[placement.ProviderID]map[placement.ResourceClass]int64
	mappings    func() map[string][]placement.ProviderID
}

// request returns the candidate as Placement answers it.
func (c candidate) request() requestAnswer {
	r := requestAnswer{Allocations: map[placement.ProviderID]allocationAnswer{}, Mappings: c.mappings(), Phantom: c.phantom}
	for id, resources := range c.allocations() {
		r.Allocations[id] = allocationAnswer{resources}
	}
	return r
}

// candidatesOf returns the candidates of Placement.
func candidatesOf(r *candidates.Result) candidateList {
	out := make([]candidate, r.Len())
	for i := range out {
		out[i] = candidate{
			anchor: r.Anchor(i), parts: r.Parts(i),
			allocations: func() map[placement.ProviderID]map[placement.ResourceClass]int64 { return r.Allocations(i) },
			mappings: func() map[string][]placement.ProviderID {
				by := map[string][]placement.ProviderID{}
				for suffix, providers := range r.Mappings(i) {
					for _, p := range providers {
						by[suffix] = append(by[suffix], p.ID())
					}
				}
				return by
			},
		}
	}
	return candidateList{r.Snapshot(), out, r.Summaries()}
}

// placesOf returns the places of an instance, which are not only Placement's candidates:
// on a host whose disks are in a shared pool, an instance booted from a volume still gets
// its disk from the host.
func placesOf(s *placement.Snapshot, places []ops.Place) candidateList {
	out := make([]candidate, len(places))
	for i, at := range places {
		root, _ := s.Provider(at.Root) // it was found in s
		out[i] = candidate{
			anchor: root, parts: at.Parts,
			allocations: func() map[placement.ProviderID]map[placement.ResourceClass]int64 { return at.Allocations },
			mappings:    func() map[string][]placement.ProviderID { return at.Mappings },
		}
	}
	return candidateList{s, out, treesOf(s, places)}
}

// treesOf yields the providers of each tree that a place takes something from, as
// candidates.Result.Summaries does.
func treesOf(s *placement.Snapshot, places []ops.Place) iter.Seq[candidates.ProviderSummary] {
	return func(yield func(candidates.ProviderSummary) bool) {
		seen := map[placement.ProviderID]bool{}
		for _, at := range places {
			for _, part := range at.Parts {
				root := s.Root(part.Provider)
				if seen[root.ID()] {
					continue
				}
				seen[root.ID()] = true
				for _, of := range s.Tree(root) {
					parent, _ := s.Parent(of)
					if !yield(candidates.ProviderSummary{Provider: of, Parent: parent, Root: root, Resources: of.Inventories()}) {
						return
					}
				}
			}
		}
	}
}

// phantomsLast orders candidates for an operator: those last that take capacity which no
// guest can have.
func phantomsLast(s *cloud.Snapshot, found []candidate) {
	phantoms := ops.NewPhantoms(s)
	for i := range found {
		c := &found[i]
		c.phantom, c.problems = phantoms.Of(c.parts), make([]string, len(c.parts))
		for k, part := range c.parts {
			c.problems[k] = phantoms.Of([]candidates.Part{part})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Compare(min(len(a.phantom), 1), min(len(b.phantom), 1))
	})
}

// explanationAnswer is an explanation in structured formats. The words are for people;
// everything else is for programs.
type explanationAnswer struct {
	Query      string        `json:"query"`
	Words      string        `json:"words"`
	Trees      int           `json:"trees"`
	Providers  int           `json:"providers"`
	Candidates int           `json:"candidates"`
	More       bool          `json:"more_candidates,omitempty"` // there may be more than Candidates
	Funnel     []stageAnswer `json:"funnel"`
	Misses     []missAnswer  `json:"nearest_misses"`
	Ways       []wayAnswer   `json:"ways_out"`
}

type stageAnswer struct {
	candidates.Condition
	Words     string        `json:"words"`
	Trees     int           `json:"trees_left"`
	Lost      int           `json:"trees_lost"`
	Providers int           `json:"providers_left"`
	Alone     int           `json:"trees_alone"`
	Ends      bool          `json:"ends"`
	Causes    []causeAnswer `json:"causes"`
}

type causeAnswer struct {
	Trees int    `json:"trees"`
	Words string `json:"words"`
}

type missAnswer struct {
	Provider placement.ProviderID `json:"resource_provider_uuid"`
	Name     string               `json:"resource_provider"`
	Root     placement.ProviderID `json:"root_provider_uuid"`
	Reasons  []reasonAnswer       `json:"reasons"`
}

type reasonAnswer struct {
	candidates.Condition
	Words    string                `json:"words"`
	Provider *placement.ProviderID `json:"resource_provider_uuid"`
	Free     *int64                `json:"free,omitempty"`
	Capacity *int64                `json:"capacity,omitempty"`
}

type wayAnswer struct {
	Words string   `json:"words"`
	Steps []string `json:"relaxations"`
	Query string   `json:"query"`
	Gives int      `json:"gives"`
	More  bool     `json:"more,omitempty"` // it may give more
}

func newReasonAnswer(r candidates.Reason) reasonAnswer {
	a := reasonAnswer{Condition: r.Condition, Words: r.Words()}
	if r.Provider != nil {
		id := r.Provider.ID()
		a.Provider = &id
	}
	if r.Refusal != "" && r.Refusal != placement.NoInventory {
		free, capacity := r.Has.Free(), r.Has.Capacity()
		a.Free, a.Capacity = &free, &capacity
	}
	return a
}

func newExplanationAnswer(e *candidates.Explanation) explanationAnswer {
	a := explanationAnswer{
		Query: e.Query.URL(), Words: e.Query.Words(), Trees: e.Trees, Providers: e.Providers, Candidates: e.Candidates, More: e.More,
		Funnel: []stageAnswer{}, Misses: []missAnswer{}, Ways: []wayAnswer{},
	}
	for _, st := range e.Stages {
		s := stageAnswer{
			Condition: st.Condition, Words: st.Condition.Words(),
			Trees: st.Trees, Lost: st.LostTrees, Providers: st.Providers, Alone: st.Alone, Ends: st.Ends, Causes: []causeAnswer{},
		}
		for _, c := range st.Causes {
			s.Causes = append(s.Causes, causeAnswer{c.Trees, c.Words()})
		}
		a.Funnel = append(a.Funnel, s)
	}
	for _, m := range e.Misses {
		miss := missAnswer{Provider: m.Provider.ID(), Name: m.Provider.Name(), Root: m.Anchor.ID(), Reasons: []reasonAnswer{}}
		for _, r := range m.Reasons {
			miss.Reasons = append(miss.Reasons, newReasonAnswer(r))
		}
		a.Misses = append(a.Misses, miss)
	}
	for _, w := range e.Ways {
		way := wayAnswer{Words: w.Words(), Steps: []string{}, Query: w.Query.URL(), Gives: w.Gives, More: w.More()}
		for _, r := range w.Relaxations {
			way.Steps = append(way.Steps, r.Words())
		}
		a.Ways = append(a.Ways, way)
	}
	return a
}

// printExcluded prints each provider that is not in the answer with all its obstacles.
func printExcluded(out *printer, e *candidates.Explanation) error {
	var rows []candidates.Verdict
	rows = slices.AppendSeq(rows, e.Excluded())
	return printList(out, []column[*candidates.Verdict]{
		text("resource_provider", func(v *candidates.Verdict) string { return v.Provider.Name() }),
		text("root_provider", func(v *candidates.Verdict) string { return v.Anchor.Name() }),
		number("failing", func(v *candidates.Verdict) int64 { return int64(len(v.Reasons)) }),
		text("first_condition", func(v *candidates.Verdict) string { return first(v).Condition.Words() }),
		text("reasons", func(v *candidates.Verdict) string { return candidates.ReasonWords(v.Reasons, v.Provider) }),
		text("resource_provider_uuid", func(v *candidates.Verdict) string { return v.Provider.ID().String() }),
	}, pointers(rows))
}

func first(v *candidates.Verdict) candidates.Reason {
	r, _ := v.First()
	return r
}

// printExplanation prints the funnel, the nearest misses and the ways out as tables; in
// the wide format every excluded provider with its reasons.
func printExplanation(out *printer, e *candidates.Explanation, after bool) error {
	section := func(print func() error) error {
		if after {
			if err := blank(out); err != nil {
				return err
			}
		}
		after = true
		return print()
	}
	err := section(func() error { return printFunnel(out, e) })
	if err == nil && len(e.Ways) > 0 {
		err = section(func() error {
			return printList(out, []column[*candidates.Way]{
				text("way_out", (*candidates.Way).Words),
				atLeast("gives", func(w *candidates.Way) (int, bool) { return w.Gives, w.More() }),
				wide(dim(text("query", func(w *candidates.Way) string { return w.Query.URL() }))),
			}, pointers(e.Ways))
		})
	}
	switch {
	case err != nil:
		return err
	case out.format == formatWide:
		return section(func() error { return printExcluded(out, e) })
	case len(e.Misses) > 0:
		return section(func() error { return printMisses(out, e.Misses) })
	}
	return nil
}

// stageRow is a printed stage of the funnel.
type stageRow struct {
	words, why string
	left, lost int
	emptied    bool
}

func printFunnel(out *printer, e *candidates.Explanation) error {
	rows := []stageRow{{words: "all trees", left: e.Trees}}
	for _, st := range e.Stages {
		row := stageRow{words: st.Condition.Words(), left: st.Trees, lost: st.LostTrees, emptied: st.Trees == 0 && st.LostTrees > 0}
		for i, c := range st.Causes {
			row.why += []string{"", ", "}[min(i, 1)] + c.Words()
		}
		rows = append(rows, row)
	}
	stage := text("stage", func(r *stageRow) string { return r.words })
	stage.token = func(r *stageRow) themes.Token {
		if r.emptied {
			return themes.Critical
		}
		return themes.Text
	}
	return printList(out, []column[*stageRow]{
		stage,
		number("left", func(r *stageRow) int64 { return int64(r.left) }),
		number("lost", func(r *stageRow) int64 { return int64(r.lost) }),
		dim(text("main_reasons", func(r *stageRow) string { return r.why })),
	}, pointers(rows))
}

func printMisses(out *printer, misses []candidates.Miss) error {
	return printList(out, []column[*candidates.Miss]{
		text("nearest_miss", func(m *candidates.Miss) string { return m.Provider.Name() }),
		number("failing", func(m *candidates.Miss) int64 { return int64(len(m.Reasons)) }),
		text("reasons", func(m *candidates.Miss) string { return candidates.ReasonWords(m.Reasons, m.Provider) }),
	}, pointers(misses))
}

// fitAnswer is how many copies of a query fit, in structured formats.
type fitAnswer struct {
	Query      string                `json:"query"`
	Copies     int                   `json:"copies"`
	More       bool                  `json:"more,omitempty"` // copies or more: some tree takes more than were packed
	AtMost     int                   `json:"at_most"`
	Trees      []fitTree             `json:"trees"`
	Aggregates []candidates.ZoneFit  `json:"aggregates"`
	Owners     []candidates.OwnerFit `json:"owners"`
}

type fitTree struct {
	Root   placement.ProviderID `json:"root_provider_uuid"`
	Name   string               `json:"root_provider"`
	Copies int                  `json:"copies"`
	More   bool                 `json:"more,omitempty"`
	Stops  string               `json:"stops"`
}

func newFitAnswer(f *candidates.Fit) fitAnswer {
	a := fitAnswer{
		Query: f.Query.URL(), Copies: f.Copies, More: f.More, AtMost: f.AtMost,
		Trees: []fitTree{}, Aggregates: append([]candidates.ZoneFit{}, f.Zones...), Owners: append([]candidates.OwnerFit{}, f.Owners...),
	}
	for _, t := range f.Trees {
		a.Trees = append(a.Trees, fitTree{Root: t.Anchor.ID(), Name: t.Anchor.Name(), Copies: t.Copies, More: t.More, Stops: t.Words()})
	}
	return a
}

// printFit prints the tables of a fit; as CSV only that of the trees.
func printFit(out *printer, a fitAnswer) error {
	if out.format == formatJSON || out.format == formatYAML {
		return out.value(a)
	}
	trees := []column[*fitTree]{
		text("root_provider", func(t *fitTree) string { return t.Name }),
		atLeast("copies", func(t *fitTree) (int, bool) { return t.Copies, t.More }),
		text("one_more_needs", func(t *fitTree) string { return t.Stops }),
		wide(dim(text("root_provider_uuid", func(t *fitTree) string { return t.Root.String() }))),
	}
	if out.format == formatCSV {
		return printList(out, trees, pointers(a.Trees))
	}
	sections := []func() error{
		func() error {
			return printList(out, []column[*fitAnswer]{
				atLeast("copies", func(a *fitAnswer) (int, bool) { return a.Copies, a.More }),
				number("at_most", func(a *fitAnswer) int64 { return int64(a.AtMost) }),
			}, []*fitAnswer{&a})
		},
		section(a.Trees, func() error { return printList(out, trees, pointers(a.Trees)) }),
		section(a.Aggregates, func() error {
			return printList(out, []column[*candidates.ZoneFit]{
				text("aggregate", func(z *candidates.ZoneFit) string { return z.Aggregate.String() }),
				number("trees", func(z *candidates.ZoneFit) int64 { return int64(z.Trees) }),
				atLeast("copies", func(z *candidates.ZoneFit) (int, bool) { return z.Copies, z.More }),
			}, pointers(a.Aggregates))
		}),
		section(a.Owners, func() error {
			return printList(out, []column[*candidates.OwnerFit]{
				text("need", func(o *candidates.OwnerFit) string { return o.Need }),
				text("owner", func(o *candidates.OwnerFit) string { return o.Owner.String() }),
				atLeast("copies", func(o *candidates.OwnerFit) (int, bool) { return o.Copies, o.More }),
			}, pointers(a.Owners))
		}),
	}
	return printSections(out, sections)
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
