package list

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/filter"
)

// Limits of completion: values are offered from the first mostRead rows of a long list,
// which takes a few milliseconds, and at most mostOffered at once.
const (
	mostRead    = 20_000
	mostOffered = 50
	mostMeant   = 4 // values that an empty list names
)

// valueCompletions are the values of a field in the rows, for completion.
type valueCompletions struct {
	of    *rows
	field string
	terms []string
}

// complete completes the last word of a filter: the name of a saved filter, of a field,
// or a value of a field in some row.
func (s *Screen) complete(text string) []string {
	at := strings.LastIndexAny(text, " (!|&") + 1
	begun := text[at:]
	if i := strings.IndexAny(begun, "=:"); i > 0 {
		return s.completions(text[:at]+begun[:i+1], begun[i+1:], s.valuesOf(strings.ToLower(begun[:i])))
	}
	if saved, ok := strings.CutPrefix(begun, "@"); ok {
		return s.completions(text[:at]+"@", saved, s.env.Memory.FilterNames())
	}
	if begun == "" || s.src == nil {
		return nil
	}
	var names []string
	for _, field := range s.fielded().Names() {
		if begins(field, begun) {
			names = append(names, field+s.comparison(field))
		}
	}
	return s.completions(text[:at], begun, names)
}

// completions returns those of words that begin with begun, ignoring case, each after
// before.
func (s *Screen) completions(before, begun string, words []string) (out []string) {
	for _, w := range words {
		if begins(w, begun) && len(out) < mostOffered {
			out = append(out, before+begun+w[len(begun):])
		}
	}
	return out
}

// begins reports whether a word begins with begun, ignoring case.
func begins(word, begun string) bool {
	return len(word) >= len(begun) && strings.EqualFold(word[:len(begun)], begun)
}

// meant says what values a field has, for a part of a filter that asks for one which no row
// has: "no row has type=MIG: type is MIGRATION". It is "" for any other part, and where there
// are too many to say, or not all are known.
func (s *Screen) meant(part string) string {
	field, value, ok := strings.Cut(part, "=")
	if !ok || field == "" || strings.HasSuffix(field, "!") || value == "" || strings.ContainsAny(value, `*?|()"& `) {
		return ""
	}
	values := s.valuesOf(strings.ToLower(field))
	if s.fielded().Field(strings.ToLower(field)) == nil || slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, value) }) {
		return ""
	}
	near := s.completions("", value, values)
	if len(near) == 0 && len(s.src.all) <= mostRead { // else there may be more
		near = values
	}
	if len(near) == 0 || len(near) > mostMeant {
		return ""
	}
	return "no row has " + part + ": " + field + " is " + strings.Join(near, " or ")
}

// fielded returns the shown rows as a filter sees them.
func (s *Screen) fielded() filterRows { return filterRows{s.form, s.src.all, s.src.at, s.env.Memory} }

// comparison returns the most usual operator after the name of a field: > for a number.
func (s *Screen) comparison(field string) string {
	if f, ok := s.form.field(field); ok && f.Type.Number() {
		return ">"
	}
	return "="
}

// valuesOf returns the values of a field of words, in filter syntax.
func (s *Screen) valuesOf(field string) []string {
	if s.src == nil {
		return nil
	}
	if s.offered.of == s.src.rows && s.offered.field == field {
		return s.offered.terms
	}
	s.offered = valueCompletions{of: s.src.rows, field: field}
	get := s.fielded().Field(field)
	if get == nil {
		return nil
	}
	known := map[string]bool{}
	for i := range min(len(s.src.all), mostRead) {
		for _, word := range get(i).Words() {
			if word != "" && !known[word] {
				known[word] = true
				s.offered.terms = append(s.offered.terms, strings.TrimPrefix(filter.Is(field, word), field+"="))
			}
		}
	}
	slices.Sort(s.offered.terms)
	return s.offered.terms
}
