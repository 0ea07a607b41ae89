package panel

import (
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
)

// Asked returns what a request group asks for in short, without what pre-filters
// add: "VGPU 1 +CUSTOM_A100 -HW_OLD".
func Asked(g candidates.Group) string {
	return strings.TrimSpace(strings.Join(append([]string{AskedAmounts(g)}, askedTraits(g)...), " "))
}

// AskedBriefly is Asked with traits only counted: "VGPU 1 +1 trait".
func AskedBriefly(g candidates.Group) string {
	text := AskedAmounts(g)
	if n := len(askedTraits(g)); n > 0 {
		text += " +" + component.Plural(n, "trait")
	}
	return text
}

// askedTraits returns the traits that a group requires and forbids, with signs.
func askedTraits(g candidates.Group) []string {
	var words []string
	for _, t := range g.Required {
		if nova.IsPrefilter(t.Origin) {
			continue
		}
		names := make([]string, len(t.Names))
		for i, n := range t.Names {
			names[i] = string(n)
		}
		words = append(words, "+"+strings.Join(names, "|"))
	}
	for _, t := range g.Forbidden {
		if !nova.IsPrefilter(t.Origin) {
			words = append(words, "-"+string(t.Name))
		}
	}
	return words
}

// AskedAmounts returns which amounts a request group asks for.
func AskedAmounts(g candidates.Group) string {
	amounts := map[placement.ResourceClass]int64{}
	for _, r := range g.Resources {
		amounts[r.Class] += r.Amount
	}
	return Amounts(amounts)
}
