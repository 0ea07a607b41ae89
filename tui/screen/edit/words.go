package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// The help texts of fields.
const (
	inventoryAbout  = "total= reserved= ratio= min= max= step="
	traitsAbout     = "+CUSTOM_GOLD adds, -OWNER_NOVA removes"
	aggregatesAbout = "+az-1 adds, -az-2 removes, by name or uuid"
)

// signed parses words: a + adds, a - removes, as in "placetop set". What the one provider
// of a form has is not added again, and what it lacks not removed; has is nil for several
// providers, of which some have it.
func signed[T comparable](has []T, text string, read func(word string, add bool) (T, error)) (add, drop []T, err error) {
	at := 0
	for _, word := range strings.FieldsFunc(text, separates) {
		at += strings.Index(text[at:], word)
		name, removes := strings.TrimLeft(word, "+-"), word[0] == '-'
		x, err := read(name, !removes)
		fault := ""
		switch {
		case err != nil:
			fault = err.Error()
		case name == word:
			fault = "+" + name + " adds it, -" + name + " removes it"
		case slices.Contains(add, x) || slices.Contains(drop, x):
			fault = name + " is given twice"
		case has != nil && removes && !slices.Contains(has, x):
			fault = "it has no " + name + " to remove"
		case has != nil && !removes && slices.Contains(has, x):
			fault = "it has " + name + " already: -" + name + " removes it"
		}
		if fault != "" {
			return nil, nil, &form.Fault{At: utf8.RuneCountInString(text[:at]), Text: fault}
		}
		if removes {
			drop = append(drop, x)
		} else {
			add = append(add, x)
		}
		at += len(word)
	}
	return add, drop, nil
}

// signedFields returns the fields that add and remove traits and aggregates. Has is what the one
// provider of a form has, nothing for several.
func signedFields(st *style.Styles, snap **cloud.Snapshot, has *ops.ProviderState) (traits, aggregates *form.Field) {
	traits = form.NewField(st, "traits", traitsAbout, "", classLimit)
	traits.Check = func(text string) error { _, _, err := signedTraits(*snap, has.Traits, text); return err }
	traits.Note = func(text string) string {
		add, drop, err := signedTraits(*snap, has.Traits, text)
		return noteSigned(func(t placement.Trait) string { return string(t) }, add, drop, err)
	}
	traits.Complete = func(text string) []string { return completeTrait((*snap).Placement(), has.Traits, text) }
	aggregates = form.NewField(st, "aggregates", aggregatesAbout, "", classLimit)
	aggregates.Check = func(text string) error { _, _, err := signedAggregates(*snap, has.Aggregates, text); return err }
	aggregates.Note = func(text string) string {
		add, drop, err := signedAggregates(*snap, has.Aggregates, text)
		return noteSigned(func(id placement.AggregateID) string {
			return cmp.Or(kinds.Finder{Snapshot: *snap}.AggregateName(id), id.String())
		}, add, drop, err)
	}
	aggregates.Complete = func(text string) []string { return completeAggregate(*snap, has.Aggregates, text) }
	return traits, aggregates
}

func separates(r rune) bool { return r == ' ' || r == ',' || r == '\t' }

// signedTraits parses traits to add and to remove. A custom one to add need not exist
// yet.
func signedTraits(s *cloud.Snapshot, has []placement.Trait, text string) (add, drop []placement.Trait, err error) {
	pl := s.Placement()
	return signed(has, text, func(word string, add bool) (placement.Trait, error) {
		t := placement.Trait(strings.ToUpper(word))
		if _, ok := pl.TraitID(t); ok {
			return t, nil
		}
		if !t.IsCustom() || !add {
			return t, fmt.Errorf("no such trait: %s%s", t, cmp.Or(pl.TraitHint(t), "; a new one begins with CUSTOM_")) //nolint:err113 // said of a word
		}
		return t, t.Validate()
	})
}

// signedAggregates parses aggregates to add and to remove.
func signedAggregates(s *cloud.Snapshot, has []placement.AggregateID, text string) (add, drop []placement.AggregateID, err error) {
	return signed(has, text, func(word string, _ bool) (placement.AggregateID, error) {
		return kinds.Finder{Snapshot: s}.AggregateToBe(word)
	})
}

// changed returns a set with some added and some removed.
func changed[T comparable](has, add, drop []T) []T {
	return slices.DeleteFunc(slices.Concat(has, add), func(x T) bool { return slices.Contains(drop, x) })
}

// noteSigned says what words do, with the names of things.
func noteSigned[T any](name func(T) string, add, drop []T, err error) string {
	if err != nil {
		return ""
	}
	var parts []string
	for i, list := range [][]T{add, drop} {
		for _, x := range list {
			parts = append(parts, []string{"+", "-"}[i]+name(x))
		}
	}
	return strings.Join(parts, " ")
}

// completeTrait completes the last word of a text: first traits that begin with it, then
// those that contain it. After a - only those in has, else only others, unless has is nil.
func completeTrait(pl *placement.Snapshot, has []placement.Trait, text string) []string {
	sign, word, before := lastSigned(text)
	word = strings.ToUpper(word)
	if word == "" && sign != "-" {
		return nil
	}
	var begin, inside []string
	for _, t := range pl.Traits() {
		switch {
		case has != nil && slices.Contains(has, t) != (sign == "-"):
		case strings.HasPrefix(string(t), word):
			begin = append(begin, before+sign+string(t))
		case strings.Contains(string(t), word):
			inside = append(inside, before+sign+string(t))
		}
	}
	return form.First(append(begin, inside...))
}

// completeAggregate completes the last word of a text with the name of an aggregate: after
// a - only of those in has, else only of others, unless has is nil.
func completeAggregate(s *cloud.Snapshot, has []placement.AggregateID, text string) []string {
	sign, word, before := lastSigned(text)
	var out []string
	for a := range s.Nova().Aggregates() {
		if has != nil && slices.Contains(has, a.UUID) != (sign == "-") {
			continue
		}
		if strings.HasPrefix(a.Name, word) && !strings.ContainsAny(a.Name, " ,") {
			out = append(out, before+sign+a.Name)
		}
	}
	return form.First(out)
}

// lastSigned splits the last word of a text from its sign, + if it has none, and from what
// is before it.
func lastSigned(text string) (sign, word, before string) {
	at := form.LastWord(text)
	word = strings.TrimLeft(text[at:], "+-")
	return cmp.Or(text[at:len(text)-len(word)], "+"), word, text[:at]
}

// completeInventory completes the field of an inventory at the end of a text.
func completeInventory(text string) []string {
	at := form.LastWord(text)
	if text[at:] == "" || strings.Contains(text[at:], "=") {
		return nil
	}
	var out []string
	for _, name := range ops.InventoryWords() {
		if strings.HasPrefix(name, text[at:]) {
			out = append(out, text[:at]+name+"=")
		}
	}
	return out
}

// checkInventory refuses fields that cannot be parsed, or are invalid.
func checkInventory(inv placement.Inventory, text string) error {
	for at, word := range form.Words(text) {
		one := inv
		if err := ops.EditInventory(&one, word); err != nil {
			return &form.Fault{At: utf8.RuneCountInString(text[:at]), Text: form.Reason(err)}
		}
	}
	if err := ops.EditInventory(&inv, text); err != nil {
		return form.AsFault(err)
	}
	return form.AsFault(inv.Validate())
}

// has draws the traits and aggregates that a provider has, for words to refer to.
func has(st *style.Styles, s *cloud.Snapshot, id placement.ProviderID, w int) []string {
	p, ok := s.Placement().Provider(id)
	if !ok {
		return nil
	}
	var lines []string
	if all := p.Aggregates(); len(all) > 0 {
		lines = append(lines, component.Titled(st, w, fmt.Sprintf("AGGREGATES %d", len(all)), "as they are"))
		for _, a := range all {
			l := component.NewLine(st, w).Space(2).Add(themes.Dim, a.String())
			if name := (kinds.Finder{Snapshot: s}).AggregateName(a); name != "" && name != a.String() {
				l.Space(2).Add(themes.Text, name)
			}
			lines = append(lines, l.String())
		}
	}
	lines = append(lines, component.Titled(st, w, fmt.Sprintf("TRAITS %d", len(p.TraitIDs())), "as they are"))
	lines = append(lines, panel.Traits(st, s.Placement(), p, w)...)
	return lines
}
