package main

import (
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
)

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
