package describe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Compare returns the page that shows what differs between two things of a kind, side by
// side: for lists, what only one of them has.
func Compare(st *style.Styles, a, b Subject) *Page {
	p := &Page{st: st, title: "diff " + a.name() + " " + b.name(), copied: "what differs between " + a.name() + " and " + b.name()}
	p.lines = append(p.lines, line{token: themes.Strong, label: "only what differs", text: a.name(), other: b.name(), two: true})
	alike := p.differ("", document(a), document(b))
	p.lines = append(p.lines, line{token: themes.Faint, text: component.Plural(alike, "value") + " alike"})
	return p
}

// document returns a thing as decoded JSON, with the lists that are only for filters, such as
// the traits that a flavor asks for.
func document(t Subject) any {
	var doc map[string]any
	for _, c := range panel.Copies(t.Kind, t.At, t.Row) {
		if c.What == "JSON" {
			_ = json.Unmarshal([]byte(c.Text), &doc) // it was encoded just before
		}
	}
	for _, f := range t.Kind.Fields {
		if names, _ := f.Inside(t.At, t.Row); f.Type == kinds.Words && !f.Fact() && len(names) > 0 {
			all := make([]any, len(names))
			for i, name := range names {
				all[i] = name
			}
			doc[f.Name] = all
		}
	}
	return doc
}

// differ adds the differences at a path of two documents, and returns how many values are
// equal.
func (p *Page) differ(path string, a, b any) (alike int) {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	switch {
	case (isX || a == nil) && (isY || b == nil) && (isX || isY):
		keys := slices.Sorted(maps.Keys(x))
		for _, key := range slices.Sorted(maps.Keys(y)) {
			if _, both := x[key]; !both {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			if path == "" && (key == "name" || key == "ref" || strings.HasSuffix(key, "uuid")) {
				continue // their names differ, which need not be said
			}
			alike += p.differ(strings.TrimPrefix(path+" "+spaced(key), " "), x[key], y[key])
		}
		return alike
	case said(a) == said(b):
		return 1
	}
	left, right := words(a), words(b)
	both := 0
	for _, w := range left {
		if slices.Contains(right, w) {
			both++
		}
	}
	label := path
	if both > 0 {
		label += ", " + component.Count(both) + " alike"
	}
	p.lines = append(p.lines, line{token: themes.Text, label: label, text: without(left, right), other: without(right, left), two: true})
	return both
}

// words returns the values of a list, or the single value.
func words(v any) []string {
	list, is := v.([]any)
	if !is {
		return []string{said(v)}
	}
	out := make([]string, len(list))
	for i, each := range list {
		out[i] = said(each)
	}
	return out
}

// said returns a value in words.
func said(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return format.Harmless(v)
	case map[string]any, []any:
		text, _ := json.Marshal(v)
		return string(text)
	}
	return fmt.Sprint(v)
}

// without returns the words that are not among others.
func without(words, others []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) }), "  ")
}
