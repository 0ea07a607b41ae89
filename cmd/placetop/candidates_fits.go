package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

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

// fits prints how many copies of q fit, and where.
func (p *program) fits(out *printer, q *candidates.Question) error {
	f := q.Fit()
	if err := printFit(out, newFitAnswer(f)); err != nil {
		return err
	}
	switch {
	case f.Copies == 0:
		return &exitError{code: exitNothingFits, err: errors.New("no copy fits"), hint: "see why with --explain"}
	case f.More:
		p.say("more than %d copies fit: packing stopped there; at most %d could fit", f.Copies, f.AtMost)
	case f.Copies < f.AtMost:
		p.say("%d copies were packed; at most %d could fit", f.Copies, f.AtMost)
	}
	return nil
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
	for i, print := range sections {
		if print == nil {
			continue
		}
		if i > 0 {
			if _, err := io.WriteString(out.w, "\n"); err != nil {
				return fmt.Errorf("write table: %w", err)
			}
		}
		if err := print(); err != nil {
			return err
		}
	}
	return nil
}

// section returns print, or nil if there are no rows.
func section[T any](rows []T, print func() error) func() error {
	if len(rows) == 0 {
		return nil
	}
	return print
}
