package list

import (
	"context"
	"reflect"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
)

// erase returns a Spec for rows of any type, which must be of R.
func erase[R any](s Spec[R]) Spec[any] {
	out := Spec[any]{
		Name: s.Name, Thing: s.Thing, Crumb: s.Crumb, Kind: s.Kind, Of: ofAt(s.Of), Common: s.Common, Unchanged: s.Unchanged, Count: s.Count,
		ID: of(s.ID), Provider: s.Provider, Text: of(s.Text), Open: s.Open, Heads: s.Heads, Number: of(s.Number), Flat: s.Flat, Class: s.Class, Also: s.Also,
		Notable: s.Notable, Sorted: s.Sorted, FilterHelp: s.FilterHelp, Says: s.Says, Live: s.Live, AtOnce: s.AtOnce, Reads: s.Reads, TopFirst: s.TopFirst,
		Fields: s.Fields, Columns: s.Columns, Severity: with(s.Severity), Found: of(s.Found), Newest: s.Newest, Detail: with(s.Detail), More: with(s.More), Side: s.Side, Picks: s.Picks, Half: s.Half, Lines: s.Lines,
		Empty: s.Empty, Nothing: s.Nothing, Unmatched: s.Unmatched,
	}
	for _, o := range s.Orders {
		out.Orders = append(out.Orders, Order[any]{o.Name, o.Column, o.Desc, with(o.Key)})
	}
	if s.Rows != nil {
		out.Rows = func(ctx context.Context, snap *cloud.Snapshot) []any {
			rows := s.Rows(ctx, snap)
			all := make([]any, len(rows))
			for i, row := range rows {
				all[i] = row
			}
			return all
		}
	}
	if s.Place != nil {
		out.Place = func(row any) (own, under int) { return s.Place(row.(R)) }
	}
	if s.Title != nil {
		out.Title = func(row any, at At) (title, note string) { return s.Title(row.(R), at) }
	}
	if s.Sum != nil {
		out.Sum = func(rows []any, at At) string { return s.Sum(typed[R](rows), at) }
	}
	if s.Top != nil {
		out.Top = func(all []any, on int, a Area) []string { return s.Top(typed[R](all), on, a) }
	}
	if s.Actions != nil {
		out.Actions = func(h Here[any]) []action.Action {
			row, ok := h.Row.(R)
			if r := reflect.TypeFor[R](); !ok && r.Kind() == reflect.Pointer {
				row = reflect.New(r.Elem()).Interface().(R) // that is R
			}
			return s.Actions(Here[R]{h.At, row, h.Nothing, h.List})
		}
	}
	return out
}

// typed returns rows with their type.
func typed[R any](rows []any) []R {
	out := make([]R, len(rows))
	for i, row := range rows {
		out[i] = row.(R)
	}
	return out
}

// of returns a function of an R as one of any row; nil for none.
func of[R, V any](f func(row R) V) func(row any) V {
	if f == nil {
		return nil
	}
	return func(row any) V { return f(row.(R)) }
}

// with is of for a function with one more argument.
func with[R, A, V any](f func(row R, a A) V) func(row any, a A) V {
	if f == nil {
		return nil
	}
	return func(row any, a A) V { return f(row.(R), a) }
}

// ofAt is of for a function that is made for some moment.
func ofAt[R, V any](f func(at At) func(row R) V) func(at At) func(row any) V {
	if f == nil {
		return nil
	}
	return func(at At) func(row any) V { return of(f(at)) }
}
