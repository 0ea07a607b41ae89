package candidates

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// mostSuggestions is how many completions are offered.
const mostSuggestions = 50

// Complete returns the texts that the text of a query may be completed to: its last
// word becomes the name of a parameter, a class, a trait, an aggregate or a root
// provider. Names that the cloud uses come before those that it only knows.
func Complete(s *placement.Snapshot, text string) []string {
	from := strings.LastIndexByte(text, '&') + 1
	key, value, hasValue := strings.Cut(text[from:], "=")
	if !hasValue {
		return completions(text[:from], key, parameters(text))
	}
	stem, word := text[:from]+key+"=", value
	if i := strings.LastIndexAny(value, ",!"); i >= 0 {
		stem, word = stem+value[:i+1], value[i+1:]
	} else if rest, ok := strings.CutPrefix(value, "in:"); ok {
		stem, word = stem+"in:", rest
	}
	if rest, ok := strings.CutPrefix(word, "in:"); ok {
		stem, word = stem+"in:", rest
	}
	return completions(stem, word, values(s, text, key))
}

// completions returns stem followed by each of words that begins with start, ignoring
// case.
func completions(stem, start string, words []string) []string {
	var out []string
	for _, w := range words {
		if len(out) < mostSuggestions && len(w) > len(start) && strings.EqualFold(w[:len(start)], start) {
			out = append(out, stem+w)
		}
	}
	return out
}

// parameters returns the names of parameters that text may have, followed by "=",
// including those of the groups that it already names.
func parameters(text string) []string {
	out := []string{"resources=", "required=", "member_of=", "in_tree="}
	suffixes := suffixesOf(text)
	for _, suffix := range suffixes {
		out = append(out, "resources"+suffix+"=", "required"+suffix+"=", "member_of"+suffix+"=", "in_tree"+suffix+"=")
	}
	out = append(out, "root_required=", "limit=")
	if len(suffixes) > 1 {
		out = append([]string{"group_policy="}, out...)
	}
	if len(suffixes) > 0 {
		out = append(out, "same_subtree=")
	} else {
		out = append(out, "resources_")
	}
	return out
}

// suffixesOf returns the suffixes of the groups with resources in text, in order and
// without duplicates.
func suffixesOf(text string) []string {
	var out []string
	for param := range strings.SplitSeq(text, "&") {
		key, _, ok := strings.Cut(param, "=")
		suffix, is := strings.CutPrefix(key, "resources")
		if ok && is && suffix != "" && !slices.Contains(out, suffix) {
			out = append(out, suffix)
		}
	}
	return out
}

// values returns possible values of a parameter.
func values(s *placement.Snapshot, text, key string) []string {
	switch {
	case key == "group_policy":
		return []string{string(PolicyNone), string(PolicyIsolate)}
	case key == "same_subtree":
		return suffixesOf(text)
	case strings.HasPrefix(key, "resources"):
		return classWords(s)
	case key == "root_required", strings.HasPrefix(key, "required"):
		return traitWords(s)
	case strings.HasPrefix(key, "member_of"):
		var out []string
		for id := range s.Aggregates() {
			out = append(out, id.String())
		}
		return out
	case strings.HasPrefix(key, "in_tree"):
		var out []string
		for p := range s.Roots() {
			out = append(out, p.ID().String())
		}
		return out
	}
	return nil
}

// classWords returns the classes, each with the colon before the amount, those that some
// provider has first.
func classWords(s *placement.Snapshot) []string {
	var used, rest []string
	for id, class := range s.Classes() {
		if s.WithClass(id).Len() > 0 {
			used = append(used, string(class)+":")
		} else {
			rest = append(rest, string(class)+":")
		}
	}
	return append(used, rest...)
}

// traitWords returns the traits, those that some provider has first.
func traitWords(s *placement.Snapshot) []string {
	var used, rest []string
	for id, trait := range s.Traits() {
		if s.WithTrait(id).Len() > 0 {
			used = append(used, string(trait))
		} else {
			rest = append(rest, string(trait))
		}
	}
	slices.Sort(used)
	slices.Sort(rest)
	return append(used, rest...)
}
