package list

import (
	"context"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
)

// looked returns the texts of all rows that filters search, if one of the filters searches
// text at all.
func (t *table) looked(ctx context.Context, f *form, at At, by []*filter.Filter) []string {
	if !slices.ContainsFunc(by, (*filter.Filter).Texts) {
		return t.texts
	}
	return t.searched(ctx, f, at)
}

// searched returns the texts that a filter searches: those of the list's columns, and the
// beginning of the id. They are made on first use, until ctx ends: the next goes on from there.
func (t *table) searched(ctx context.Context, f *form, at At) []string {
	t.saying.Lock()
	defer t.saying.Unlock()
	if len(t.said) == len(t.texts) {
		return t.said
	}
	says, id := t.says(f, at)
	if len(says) == 0 && id == nil {
		return t.texts
	}
	parts := make([]string, 0, len(says)+1)
	for i := len(t.said); i < len(t.texts) && (i%chunk > 0 || ctx.Err() == nil); i++ {
		text := t.texts[i]
		parts = append(parts[:0], text)
		for _, say := range says {
			if s := say(i); s != "" && !strings.EqualFold(s, text) {
				parts = append(parts, s)
			}
		}
		name := ""
		if id != nil {
			name = id(i)
		}
		t.said = append(t.said, filter.Key(name, parts...))
	}
	return t.said
}

// says returns functions that return what the text columns say of a row, by its number,
// and its uuid; nil if it has none.
func (t *table) says(f *form, at At) (says []func(i int) string, id func(i int) string) {
	if len(t.all) == 0 {
		return nil, nil
	}
	get := func(name string) func(i int) string {
		by, ok := f.field(name)
		if !ok || by.Type != kinds.Text && by.Type != kinds.Words && by.Type != kinds.Owner {
			return nil
		}
		of, asked, row := by.Get(at), by.Ask(at, name), f.rowsOf(by, at)
		return func(i int) string {
			says := of(row(t.all[i])).String()
			if more := asked(row(t.all[i])).Text; more != says { // a cell may show more than its value
				says += " " + more
			}
			return says
		}
	}
	names := slices.Clone(f.Says)
	for _, c := range f.Columns[:f.own] {
		names = append(names, c.Key)
	}
	for _, name := range names {
		if say := get(name); say != nil {
			says = append(says, say)
		}
	}
	if f.kind != nil {
		if by := f.kind.Field("uuid"); by != nil {
			of, row := by.Get(at), f.Of(at)
			id = func(i int) string { return of(row(t.all[i])).String() }
		}
	}
	return says, id
}
