// Package flavors is the screen of what instances may ask for: what each flavor
// really asks of Placement, how many more fit now and what prevents more, and the
// page of one with every term and who added it.
//
// How many fit is computed off the event loop, for visible rows; numbers appear as they
// are found, and outdated ones stay, dimmed, until they are replaced.
package flavors

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
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
		screen.List[place.Flavors](New).On("9").Called("flavors", "flavor", "fl").FoundBy("no valid host novalidhost scheduler filters extra specs why not pinned pinning dedicated cpu_dedicated pcpu numa pci alias pci_passthrough:alias cores ram memory vgpu gpu many fit more room hugepages huge pages image az zone").
			For("What each flavor asks Placement for, of which owner, and how many more fit."),
		screen.Declare(OpenFlavor),
		screen.Declare(OpenDeleteFlavor),
		screen.Declare(func(env screen.Env, at place.Flavor) (screen.Screen, error) {
			return Open(env, env.Cloud.Snapshot(), at.Ref)
		}),
	}
}

// Screen is the list of flavors. It is made by New.
type Screen struct {
	list.Screen
	env     screen.Env
	indexer *candidates.Indexer
	known   fitCache
	seeks   screen.Task[map[string]fit]
	rounds  int // of seek
}

// New returns the list over a Snapshot, narrowed by a filter. One that cannot be
// read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	s := &Screen{env: env, indexer: env.Indexer()}
	s.seeks.Clock = env.Clock
	list.Make(&s.Screen, list.Spec[*flavor]{
		Name: "flavors", Thing: "flavor", Kind: kinds.Flavors,
		Of:   func(list.At) func(*flavor) kinds.Row { return func(f *flavor) kinds.Row { return f.Flavor } },
		Rows: flavors,
		Unchanged: func(old, now *cloud.Snapshot) bool {
			return old.Nova() == now.Nova() && old.Cyborg() == now.Cyborg() && old.Placement() == now.Placement()
		},
		ID:         func(f *flavor) string { return f.Name },
		Columns:    s.columns(),
		Orders:     list.By[*flavor]("name fits -vms owner asks blocker"),
		Fields:     s.fields(),
		FilterHelp: "name, owner=cyborg fits=0 profile=t4-* asks:VGPU vms>0",
		Severity:   s.severity,
		Actions:    func(h list.Here[*flavor]) []action.Action { return actions(env, h) },
		Title:      title,
		Detail:     s.detail,
		Empty:      []string{"not connected to nova: no flavors are known here", "try: n, or `placetop create flavor NAME`, adds one by hand"},
	}, env, snap, filter)
	return s
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	found, ok, next := s.seeks.Take(msg)
	if ok {
		s.rounds++
		s.known.learn(found, s.rounds)
		return tea.Batch(next, s.Learn("fits", "blocker"), s.seek())
	}
	cmd := s.Screen.Update(msg)
	return tea.Batch(next, cmd, s.seek())
}

func (s *Screen) columns() list.Columns {
	return list.Show("name=FLAVOR:10-36+1~ asks=ASKS_FOR:28-90+6 owner=OWN vms:4> fits:5> blocker:14-70+3", "vms blocker", list.Cells[*flavor]{
		"asks": func(l *component.Line, f *flavor, _ list.At) {
			if f.wanted.asks == "" {
				l.Add(themes.Faint, "-")
				return
			}
			if component.Width(l.Styles(), f.wanted.brief[0]) > l.Left() {
				text := f.wanted.brief[1]
				if component.Width(l.Styles(), text) > l.Left() {
					text = strings.ReplaceAll(text, " disk", "")
				}
				panel.AddAmounts(l, themes.Text, text)
				return
			}
			l.AddFitting(themes.Text, f.wanted.asks, f.wanted.brief[0])
		},
		"owner": func(l *component.Line, f *flavor, _ list.At) { panel.AskedOfBadge(l, f.wanted.of) },
		"fits":  s.drawFits,
		"blocker": func(l *component.Line, f *flavor, at list.At) {
			text := s.blocked(f, at)
			what, _, _ := strings.Cut(text, ": ") // which class or trait it is
			l.AddFitting(cmp.Or(s.severity(f, at).Token(), themes.Text), text, what)
		},
	}).In(themes.Dim, "vms")
}

// drawFits draws how many fit: an ellipsis while that is computed, dim if it is of an
// older state.
func (s *Screen) drawFits(l *component.Line, f *flavor, at list.At) {
	if f.wanted.url == "" {
		l.Add(themes.Faint, "-")
		return
	}
	got, ok := s.known.of(f)
	if !ok || got.err != nil {
		l.Add(themes.Faint, l.Styles().Glyphs.Ellipsis)
		return
	}
	token := themes.Text
	switch {
	case got.of != at.Snap.Placement():
		token = themes.Faint
	case got.copies == 0:
		token = themes.Warn
	}
	text := component.Count(got.copies)
	if got.more {
		text += "+"
	}
	l.Add(token, text)
}

// severity marks flavors that cannot be requested, and those that fit nowhere.
func (s *Screen) severity(f *flavor, _ list.At) style.Severity {
	got, ok := s.known.of(f)
	switch {
	case f.wanted.trouble() != "", ok && got.nobody:
		return style.SeverityCritical
	case len(f.wanted.faults) > 0, ok && got.copies == 0:
		return style.SeverityWarn
	case f.Disabled:
		return style.SeverityInfo
	}
	return style.SeverityNone
}

func (s *Screen) fields() []*kinds.Field {
	return []*kinds.Field{
		kinds.TextField("asks", (*flavor).asks),
		kinds.TextField("blocker", s.blocked),
		kinds.NumberField("fits", component.UnitCount, func(f *flavor, _ list.At) (float64, bool) {
			got, ok := s.known.of(f)
			return float64(got.copies), ok
		}),
		kinds.TextField("owner", (*flavor).owner),
		kinds.NumberField("vms", component.UnitCount, func(f *flavor, at list.At) (float64, bool) { return float64(f.vms), at.Knows(cloud.Instances) }),
	}
}

func actions(env screen.Env, h list.Here[*flavor]) []action.Action {
	about, nothing := place.WhatIf{}, h.Nothing
	if nothing == "" {
		about.Flavor = h.Row.Ref()
		nothing = h.Row.wanted.trouble()
	}
	return slices.Concat([]action.Action{
		h.Leads(action.Action{ID: "flavors.open", Keys: "enter", Title: "open", Help: "open the page of the flavor: every term of its query, and who added it", Priority: 90}, func(f *flavor) place.Place { return place.Flavor{Ref: f.Ref()} }),
		h.Leads(action.Action{ID: "flavors.instances", Keys: "i", Title: "instances", Help: "list the instances that have the flavor", Priority: 50}, func(f *flavor) place.Place { return place.Instances{Filter: filter.Is("flavor", f.Name)} }),
	}, panel.Asking("flavors", about, nothing), []action.Action{newFlavor(), h.List.OwnerKey("flavors", 48)}, ofMarked(env, h, changes("flavors", h.Row.Flavor, h.Nothing)))
}

// title returns the name of a flavor, and its id if that differs.
func title(f *flavor, _ list.At) (name, id string) {
	if f.FlavorID == f.Name {
		return f.Name, ""
	}
	return f.Name, f.FlavorID
}

// detail shows the problems of a flavor, what prevents it from fitting, and its request:
// if there is room, with every term and its origin.
func (s *Screen) detail(f *flavor, a list.Area) []string {
	lines := faultLines(f.Flavor, &f.wanted, a)
	if got, ok := s.known.of(f); ok && got.err == nil {
		l := a.Line().Space(1).Add(themes.Strong, component.Count(got.copies)).Add(themes.Text, map[bool]string{true: " more fit, or more", false: " more fit"}[got.more])
		if got.blocker != "" {
			l.Add(themes.Dim, "   no host meets ").Add(themes.Warn, got.blocker)
		}
		if got.cause != "" {
			l.Add(themes.Dim, ": "+got.cause)
		}
		lines = append(lines, l.String())
	}
	lines = append(lines, groupLines(&f.wanted, a, f.DeviceProfile())...)
	lines = append(lines, noteLines(f.wanted.notes, a)...)
	for _, part := range []struct {
		title string
		lines []string
	}{
		{"ASKS PLACEMENT FOR", panel.TermLines(a.Styles, a.Width, f.wanted.request.Query)},
		{"PRE-FILTERS", filterLines(&f.wanted, a)},
		{"EXTRA SPECS", specLines(f.Flavor, &f.wanted, a)},
	} {
		if n := len(part.lines); n > 0 && len(lines)+1+n <= a.Height {
			lines = append(append(lines, a.Head(part.title)), part.lines...)
		}
	}
	return lines[:min(len(lines), max(cmp.Or(a.Height, 1), 0))]
}
