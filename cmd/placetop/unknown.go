package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/filter"
)

// unknownWord returns the error for a word that is not a command of parent, with what may be
// meant.
func unknownWord(parent *cobra.Command, what, word string) error {
	return unknownOf(parent, what, word, `see "`+parent.CommandPath()+` --help"`)
}

// unknownOf is unknownWord, with a hint if nothing else may be meant.
func unknownOf(parent *cobra.Command, what, word, hint string) error {
	parent.SuggestionsMinimumDistance = min(2, len(word)-1) // letters that may differ
	like := parent.SuggestionsFor(word)
	if known := meant(parent, word); len(known) > 0 {
		like = known
	}
	if len(like) > 0 {
		hint = "did you mean " + strings.Join(like, " or ") + "?"
	}
	return usageErrorf(hint, "no %s %q", what, word)
}

// alsoSaid returns the words of other tools and of operators for commands that are called
// otherwise, by the path of the command.
func alsoSaid() map[string]string {
	return map[string]string{
		"candidates":       "allocation allocation_candidates why fit where",
		"check":            "audit problems findings doctor health repair status",
		"diff":             "compare",
		"export":           "dump save",
		"get":              "list show resource openstack",
		"get aggregates":   "az zone zones",
		"get computenodes": "hosts host nodes",
		"get devices":      "cards card gpus gpu",
		"get events":       "history log",
		"get inventories":  "overcommit ratio capacity",
		"get pcidevices":   "cards card gpus gpu",
		"get projects":     "quota quotas tenants tenant",
		"heal":             "heal_allocations",
		"migrate":          "move",
		"delete provider":  "compute host node hypervisor",
		"delete service":   "compute host node hypervisor",
		"set inventory":    "ratio reserved overcommit",
		"set service":      "disable enable drain maintenance",
		"terminate":        "instance server vm",
	}
}

// meant returns at most three commands that are called by a word or, if none is, whose purpose
// has it: of those below parent, or else of all.
func meant(parent *cobra.Command, word string) []string {
	word = strings.ToLower(word)
	var named, about []string
	said := alsoSaid()
	var walk func(of *cobra.Command)
	walk = func(of *cobra.Command) {
		for _, c := range of.Commands() {
			name := strings.TrimPrefix(c.CommandPath(), parent.CommandPath()+" ")
			_, path, _ := strings.Cut(c.CommandPath(), " ")
			switch {
			case c.Name() == word || c.HasAlias(word) || slices.Contains(strings.Fields(said[path]), word):
				named = append(named, name)
			case filter.WordRank(strings.ToLower(c.Short), word) == 0:
				about = append(about, name)
			}
			walk(c)
		}
	}
	walk(parent)
	if len(named) == 0 {
		named = about
	}
	if len(named) == 0 && parent.HasParent() {
		return meant(parent.Root(), word)
	}
	return named[:min(len(named), 3)]
}
