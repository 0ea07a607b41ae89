// Package vocabulary is the screens of resource classes and traits: which providers have
// them, and which flavors ask for them.
package vocabulary

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.List[place.Classes](NewClasses).Called("classes", "class", "rc").Titled("resource classes").
			For("Which resource classes there are, how much of each, and who uses it."),
		screen.List[place.Traits](NewTraits).Called("traits", "trait").
			For("Which traits there are, which providers have them, which flavors ask for them."),
	}
}

// unchanged reports whether two Snapshots have the same words, with the same holders and
// requests.
func unchanged(old, now *cloud.Snapshot) bool {
	return old.Placement() == now.Placement() && old.Nova() == now.Nova() && old.Cyborg() == now.Cyborg()
}

// usedOrAll leaves out words that nothing has or requests, until all are wanted.
func usedOrAll() *list.Also {
	return &list.Also{Name: "show", Key: ".", Help: "only what a provider has or a flavor asks for, or all known", Steps: []list.Step{
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
		Unchanged: unchanged,
		ID:        func(t trait) string { return string(t.Name) },
		Columns:   traitColumns(),
		Orders: []list.Order[trait]{
			{Name: "name"},
			{Name: "provs", Desc: true},
			{Name: "consumers", Desc: true},
			{Name: "flavors", Desc: true},
			{Name: "note"},
		},
		Also:       usedOrAll(),
		FilterHelp: "name, custom=true provs=0 flavor:gpu ns=HW note:nobody",
		Severity: func(t trait, _ list.At) style.Severity {
			switch note, grade := t.Note(); {
			case grade == kinds.Critical:
				return style.SeverityCritical
			case note != "" && t.Providers == 0:
				return style.SeverityInfo
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[trait]) []action.Action {
			name, holders := "", int64(0)
			if h.Nothing == "" {
				name, holders = string(h.Row.Name), h.Row.Providers
			}
			return append(words("traits", h, name, place.Providers{Filter: "trait=" + name}, place.WhatIf{Query: "required=" + name}, place.Flavors{Filter: "trait=" + name}),
				edits(env, h, traitSort(), func(t trait) string { return string(t.Name) }, holders)...)
		},
		Title: func(t trait, _ list.At) (string, string) { return string(t.Name), t.Namespace() },
		Detail: func(t trait, a list.Area) []string {
			lines := []string{count(a, "it", "has", "have", t.Providers, "provider")}
			if note, grade := t.Note(); note != "" {
				lines = append(lines, panel.Text(a.Styles, a.Width, token(grade), " "+note))
			}
			lines = append(lines, asked(a, t.Flavors(), t.Profiles())...)
			return fit(append(lines, holders(a, a.Snap.Placement().WithTrait(t.ID))...), a)
		},
		Side: true,
	}, env, snap, filter)
}

func traitColumns() []*list.Column[*kinds.Trait] {
	shows := list.Shows[*kinds.Trait]
	note := shows("note", "NOTE", 12, 40, 2, 3)
	note.Cell = func(l *component.Line, t *kinds.Trait, _ list.At) {
		text, _ := t.Note()
		short, _, _ := strings.Cut(text, ",")
		l.AddFitting(themes.Dim, text, short)
	}
	return []*list.Column[*kinds.Trait]{
		shows("name", "TRAIT", 38, 60, 3, 0).ByEnds(),
		shows("provs", "PROVS", 6, 0, 0, 0),
		shows("consumers", "CONSUMERS", 9, 0, 0, 2),
		shows("flavors", "FLAVORS", 7, 0, 0, 1),
		shows("device_profiles", "PROFILES", 8, 0, 0, 4),
		note,
		shows("custom", "CUSTOM", 6, 0, 0, 9).OnlyWide(),
	}
}

func token(g kinds.Grade) themes.Token {
	switch g {
	case kinds.Critical:
		return themes.Critical
	case kinds.Warn:
		return themes.Warn
	case kinds.Plain:
	}
	return themes.Dim
}

// words are the keys on a word of requests: what has it, what requests it, what it gives.
func words[R any](scope string, h list.Here[R], name string, holders, try, askers place.Place) []action.Action {
	id := func(s string) action.ID { return action.ID(scope + "." + s) }
	to := func(p place.Place) func(R) tea.Msg {
		return func(R) tea.Msg { return screen.Goto{To: p} }
	}
	return []action.Action{
		h.About(action.Action{ID: id("open"), Keys: []string{"enter"}, Title: "who has it", Help: "list the providers that have it", Priority: 90}, to(holders)),
		h.About(action.Action{ID: id("whatif"), Keys: []string{"w"}, Title: "what-if", Help: "ask for allocation candidates with it", Priority: 70}, to(try)),
		h.About(action.Action{ID: id("flavors"), Keys: []string{"i"}, Title: "flavors", Help: "list the flavors that ask for it", Priority: 65}, to(askers)),
		h.Copying("name", func(R) (what, text string) { return name, name }),
	}
}

// count draws a line that says how many things do something.
func count(a list.Area, it, does, do string, n int64, thing string) string {
	text := component.Plural(int(n), thing)
	switch n {
	case 0:
		text = "no " + thing
	case 1:
	default:
		does = do
	}
	return a.Line().Space(1).Add(themes.Strong, text).Add(themes.Dim, " "+does+" "+it).String()
}

// asked says which flavors and device profiles request a word.
func asked(a list.Area, flavors, profiles []string) []string {
	var lines []string
	for _, by := range []struct {
		thing string
		names []string
	}{{"flavor", flavors}, {"device profile", profiles}} {
		if len(by.names) > 0 {
			lines = append(lines, count(a, "for it", "asks", "ask", int64(len(by.names)), by.thing))
			lines = append(lines, wrapped(a, by.names)...)
		}
	}
	if len(flavors)+len(profiles) == 0 {
		lines = append(lines, panel.Text(a.Styles, a.Width, themes.Faint, " no flavor and no device profile asks for it"))
	}
	return lines
}

// mostLines is the most lines of names.
const mostLines = 6

// wrapped draws names on a limited number of lines.
func wrapped(a list.Area, names []string) []string {
	lines := component.Wrap(a.Styles, strings.Join(names, "  "), a.Width-4)
	more := len(lines) - mostLines
	lines = lines[:min(len(lines), mostLines)]
	for i, text := range lines {
		lines[i] = panel.Text(a.Styles, a.Width, themes.Text, "   "+text)
	}
	if more > 0 {
		lines = append(lines, a.More(more, "line"))
	}
	return lines
}

// holders lists the providers in a set, as many as fit on a few lines.
func holders(a list.Area, s placement.Set) []string {
	const most = 60
	var names []string
	for n := range s.All() {
		if len(names) == most {
			break
		}
		names = append(names, a.Snap.Placement().ProviderAt(n).Name())
	}
	if len(names) == 0 {
		return nil
	}
	lines := append([]string{panel.Text(a.Styles, a.Width, themes.Dim, " held by")}, wrapped(a, names)...)
	if left := s.Len() - len(names); left > 0 {
		lines = append(lines, a.More(left, "provider"))
	}
	return lines
}

// fit cuts lines to an area.
func fit(lines []string, a list.Area) []string { return lines[:min(len(lines), max(a.Height, 0))] }
