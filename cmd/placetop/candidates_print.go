package main

import (
	"cmp"
	"iter"
	"slices"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

// printCandidates prints the candidates in the printer's format: before them the
// request of Nova's and after them why, unless these are nil. not are hosts on which a
// boot takes none of them, for programs; cutAt is at how many the answer was cut, 0
// where these are all.
func printCandidates(out *print.Printer, found candidateList, why *candidates.Explanation, of *nova.Request, not []excludedHost, cutAt int) {
	switch {
	case out.Structured():
		answer := struct {
			Request *requestRecord `json:"request,omitempty"`
			candidatesAnswer
			LeftOut     []excludedHost     `json:"left_out,omitempty"`
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
		out.Value(answer)
	case out.Format == print.CSV && why != nil:
		out.List(nil, excludedList(why))
	case out.Format == print.CSV:
		out.List(nil, found.table(true))
	default:
		var tables []*print.List
		if of != nil {
			terms := print.Columns("term", "from")
			for _, t := range termsOf(of.Query) {
				terms.Row(t.Term, print.Dim(t.Origin))
			}
			tables = append(tables, terms)
		}
		tables = append(tables, found.table(false))
		if why != nil {
			tables = append(tables, explanationTables(why, out.Format == print.Wide)...)
		}
		out.Tables(tables...)
	}
}

// candidateList are candidates to print: Placement's, or what Nova makes of them.
type candidateList struct {
	snap      *placement.Snapshot
	list      []ops.Place
	summaries iter.Seq[candidates.ProviderSummary]
	problems  func([]candidates.Part) string // why no guest can have what is taken, "" if one can
}

// candidatesOf returns the candidates of Placement.
func candidatesOf(r *candidates.Result) ([]ops.Place, iter.Seq[candidates.ProviderSummary]) {
	out := make([]ops.Place, r.Len())
	for i := range out {
		out[i] = ops.Place{Root: r.Anchor(i).ID(), Parts: r.Parts(i), Allocations: r.Allocations(i), Mappings: map[string][]placement.ProviderID{}}
		for suffix, providers := range r.Mappings(i) {
			for _, p := range providers {
				out[i].Mappings[suffix] = append(out[i].Mappings[suffix], p.ID())
			}
		}
	}
	return out, r.Summaries()
}

// newCandidateList orders candidates for an operator: those last that take capacity which
// no guest can have.
func newCandidateList(s *cloud.Snapshot, places []ops.Place, summaries iter.Seq[candidates.ProviderSummary]) candidateList {
	l := candidateList{s.Placement(), slices.Clone(places), summaries, ops.NewPhantoms(s).Of}
	for i := range l.list {
		l.list[i].Phantom = l.problems(l.list[i].Parts)
	}
	slices.SortStableFunc(l.list, func(a, b ops.Place) int {
		return cmp.Compare(min(len(a.Phantom), 1), min(len(b.Phantom), 1))
	})
	return l
}

// table lists what each provider gives to each group of a candidate, and, with problems or
// where there are any, what the audit has against that.
func (l candidateList) table(problems bool) *print.List {
	list := print.Columns("candidate", "root_provider", "resource_provider", "resource_class", "amount", "group").WideColumns("resource_provider_uuid")
	for i, c := range l.list {
		root := l.snap.ProviderName(c.Root)
		for _, part := range c.Parts {
			problem := l.problems([]candidates.Part{part})
			problems = problems || problem != ""
			group := print.Cell{Text: part.Suffix, Shown: cmp.Or(part.Suffix, "-"), Token: themes.Dim}
			list.Row(i+1, root, part.Provider.Name(), part.Class, part.Amount, group, print.Dim(part.Provider.ID()), print.Colored(problem, themes.Warn))
		}
	}
	if problems {
		list.Columns("problem")
	}
	return list
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
		r := requestAnswer{Allocations: map[placement.ProviderID]allocationAnswer{}, Mappings: c.Mappings, Phantom: c.Phantom}
		for id, resources := range c.Allocations {
			r.Allocations[id] = allocationAnswer{resources}
		}
		a.Requests = append(a.Requests, r)
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

// excludedList lists each provider that is not in the answer with all its obstacles.
func excludedList(e *candidates.Explanation) *print.List {
	list := print.Columns("resource_provider", "root_provider", "failing", "first_condition", "reasons", "resource_provider_uuid")
	for v := range e.Excluded() {
		first, _ := v.First()
		list.Row(v.Provider.Name(), v.Anchor.Name(), len(v.Reasons), first.Condition.Words(), candidates.ReasonWords(v.Reasons, v.Provider), v.Provider.ID())
	}
	return list
}

// explanationTables returns the funnel, the ways out and the nearest misses, or every
// excluded provider with its reasons.
func explanationTables(e *candidates.Explanation, all bool) []*print.List {
	funnel := print.Columns("stage", "left", "lost", "main_reasons")
	funnel.Row("all trees", e.Trees, 0, "")
	for _, st := range e.Stages {
		token := themes.Text
		if st.Trees == 0 && st.LostTrees > 0 {
			token = themes.Critical
		}
		funnel.Row(print.Colored(st.Condition.Words(), token), st.Trees, st.LostTrees, print.Dim(joined(st.Causes, candidates.Cause.Words)))
	}
	ways := print.Columns("way_out", "gives").WideColumns("query")
	for _, w := range e.Ways {
		ways.Row(w.Words(), print.AtLeast(w.Gives, w.More()), print.Dim(w.Query.URL()))
	}
	if all {
		return []*print.List{funnel, ways, excludedList(e)}
	}
	misses := print.Columns("nearest_miss", "failing", "reasons")
	for _, m := range e.Misses {
		misses.Row(m.Provider.Name(), len(m.Reasons), candidates.ReasonWords(m.Reasons, m.Provider))
	}
	return []*print.List{funnel, ways, misses}
}

// fitAnswer is how many copies of a query fit, in structured formats.
type fitAnswer struct {
	Query  string    `json:"query"`
	Copies int       `json:"copies"`
	More   bool      `json:"more,omitempty"` // copies or more: some tree takes more than were packed
	Trees  []fitTree `json:"trees"`
}

type fitTree struct {
	Root   placement.ProviderID `json:"root_provider_uuid"`
	Name   string               `json:"root_provider"`
	Copies int                  `json:"copies"`
	More   bool                 `json:"more,omitempty"`
	Stops  string               `json:"stops"`
}

func newFitAnswer(f *candidates.Fit) fitAnswer {
	a := fitAnswer{Query: f.Query.URL(), Copies: f.Copies, More: f.More, Trees: []fitTree{}}
	for _, t := range f.Trees {
		a.Trees = append(a.Trees, fitTree{Root: t.Anchor.ID(), Name: t.Anchor.Name(), Copies: t.Copies, More: t.More, Stops: t.Words()})
	}
	return a
}

// printFit prints the tables of a fit; as CSV only that of the trees.
func printFit(out *print.Printer, a fitAnswer) {
	trees := print.Columns("root_provider", "copies", "one_more_needs").WideColumns("root_provider_uuid")
	for _, t := range a.Trees {
		trees.Row(t.Name, print.AtLeast(t.Copies, t.More), t.Stops, print.Dim(t.Root))
	}
	if !out.People() {
		out.List(a, trees)
		return
	}
	sum := print.Columns("copies")
	sum.Row(print.AtLeast(a.Copies, a.More))
	out.Tables(sum, trees)
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
