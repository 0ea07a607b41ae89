// Package vocabulary is the screens of resource classes, traits and aggregates: which providers
// have them, and which flavors ask for them; and of the pools that hosts share through aggregates.
package vocabulary

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Classes](NewClasses).Called("classes", "class", "rc").FoundBy("cores ram memory network bandwidth custom unused create delete rename").Titled("resource classes").
			For("Which resource classes there are, how much of each, and who uses it."),
		screen.List[place.Traits](NewTraits).Called("traits", "trait").FoundBy("capability capabilities required forbidden typo custom unused create delete remove").
			For("Which traits there are, which providers have them, which flavors ask for them."),
		screen.List[place.Aggregates](NewAggregates).Called("aggregates", "agg").FoundBy("az azs zones availability zone host-aggregate sync synced").
			For("Which providers are grouped, and what is free among them."),
		screen.List[place.Pools](NewPools).Called("pools", "sharing").FoundBy("shared storage ceph nfs rbd disk").Titled("sharing pools").
			For("Which pools are shared, and with which hosts."),
		screen.List[place.Shares](NewShares).Called("shares").AsDetail().Titled("shares of hosts in pools").
			For("Each host's share of the pools it uses."),
	}
}

// usedOrAll leaves out words that nothing has or requests, until all are wanted.
func usedOrAll() *list.FilterCycle {
	return &list.FilterCycle{Name: "show", Key: ".", Help: "only what a provider has or a flavor asks for, or all known", Steps: []list.Step{
		{Name: "used", Expr: "(provs>0 | flavors>0 | device_profiles>0 | custom=true)"},
		{Name: "all"},
	}}
}

// NewTraits returns the list of traits over a Snapshot, narrowed by a filter. One that
// cannot be read is put into the filter line, with what is wrong with it.
func NewTraits(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	type trait = *kinds.Trait
	return list.New(list.Spec[trait]{
		Name: "traits", Thing: "trait", Kind: kinds.Traits,
		ID: func(t trait) string { return string(t.Name) },
		Columns: list.Show("name=TRAIT:38-60+3~ provs:6 consumers flavors device_profiles=PROFILES note:12-40+2 | custom", "device_profiles note consumers flavors", list.Cells[trait]{
			"note": func(l *component.Line, t trait, _ list.At) {
				text, _ := t.Note()
				short, _, _ := strings.Cut(text, ",")
				l.AddFitting(themes.Dim, text, short)
			},
		}),
		Orders:     list.By[trait]("name -provs -consumers -flavors note"),
		Also:       usedOrAll(),
		FilterHelp: "name, custom=true provs=0 flavor:gpu ns=HW note:nobody",
		Actions: func(h list.Here[trait]) []action.Action {
			name, holders := "", int64(0)
			if h.Nothing == "" {
				name, holders = string(h.Row.Name), h.Row.Providers
			}
			return append(words("traits", h, place.Providers{Filter: "trait=" + name}, place.WhatIf{Query: "required=" + name}, place.Flavors{Filter: "trait=" + name}),
				edits(env, h, traitSort(), func(t trait) string { return string(t.Name) }, holders)...)
		},
		Side: true,
	}, env, snap, filter)
}

// words are the keys on a word of requests: what has it, what requests it, what it gives.
func words[R any](scope string, h list.Here[R], holders, try, askers place.Place) []action.Action {
	id := func(s string) action.ID { return action.ID(scope + "." + s) }
	to := func(p place.Place) func(R) tea.Msg {
		return func(R) tea.Msg { return screen.Goto{To: p} }
	}
	return []action.Action{
		h.About(action.Action{ID: id("open"), Keys: "enter", Title: "who has it", Help: "list the providers that have it", Priority: 90}, to(holders)),
		h.About(action.Action{ID: id("whatif"), Keys: "w", Title: "what-if", Help: "ask for allocation candidates with it", Priority: 70}, to(try)),
		h.About(action.Action{ID: id("flavors"), Keys: "i", Title: "flavors", Help: "list the flavors that ask for it", Priority: 65}, to(askers)),
	}
}
