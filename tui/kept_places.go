package tui

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// names are the commands that name filters and places.
func (a *App) names() []command {
	if a.env.Memory == nil {
		return nil
	}
	return []command{
		{name: "save", what: "save this list's filter under a name: /@name applies it", run: a.saveFilter},
		{name: "filters", what: "saved filters, to apply or delete", run: func(string) tea.Cmd { return a.openMenu(a.filterMenu()) }},
		{name: "bookmark", also: []string{"mark"}, what: "bookmark this place under a name", run: a.bookmark},
	}
}

// placesAction is the key of the list of named places: the user's own, and the screens
// without a digit.
func (a *App) placesAction() action.Action {
	return action.Action{ID: "app.bookmarks", Keys: []string{"'"}, Title: "places", Help: "go to a bookmark, or to a screen without a digit; :bookmark NAME sets one", Run: func() tea.Cmd { return a.openMenu(a.placesMenu()) }}
}

// nameable matches valid names of filters and places: one word of a filter.
var nameable = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// refuse says why a command does nothing.
func (a *App) refuse(text, hint string) tea.Cmd {
	return a.toast(component.Toast{Severity: style.SeverityWarn, Text: text, Hint: hint})
}

// filtered returns the screen with a filter, below any pages over it.
func (a *App) filtered() (screen.Filtered, *entry) {
	for _, e := range slices.Backward(a.stack) {
		if f, ok := e.screen.(screen.Filtered); ok {
			return f, e
		}
	}
	return nil, nil
}

// saveFilter names the current filter.
func (a *App) saveFilter(name string) tea.Cmd {
	f, _ := a.filtered()
	switch {
	case f == nil || f.Expr() == "":
		return a.refuse("save: there is no filter here", "/ types one")
	case !nameable.MatchString(name):
		return a.refuse("save: give a name of letters and digits", ":save gpu")
	}
	m := a.env.Memory
	if m.Filters == nil {
		m.Filters = map[string]string{}
	}
	m.Filters[name] = f.Expr()
	return screen.Batch(a.keepMemory(), a.toast(component.Toast{Severity: style.SeverityOK, Text: "saved: /@" + name + " is " + f.Expr()}))
}

// filterMenu lists the named filters.
func (a *App) filterMenu() menu.Spec {
	m := a.env.Memory
	return menu.Spec{
		Name: "filters", Title: "filters", Verb: "use", Empty: "no filter is saved yet: type one with /, then :save NAME",
		Items: func() []menu.Item {
			var items []menu.Item
			for _, name := range slices.Sorted(maps.Keys(m.Filters)) {
				items = append(items, menu.Item{ID: name, Name: "@" + name, Note: m.Filters[name]})
			}
			for _, name := range slices.Sorted(maps.Keys(m.Given)) {
				if _, hidden := m.Filters[name]; !hidden {
					items = append(items, menu.Item{ID: name, Name: "@" + name, Note: m.Given[name] + "   from config.toml"})
				}
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd {
			f, e := a.filtered()
			if f == nil {
				return a.refuse("filters: this screen has no filter", "go to a list first")
			}
			return a.call(e, func() tea.Cmd { return f.Filter("@" + i.ID) })
		},
		Actions: func(i menu.Item) []action.Action {
			forget := forget("filters", func() tea.Cmd {
				delete(m.Filters, i.ID)
				return a.keepMemory()
			})
			if _, own := m.Filters[i.ID]; !own && i.ID != "" {
				forget.Disabled = "@" + i.ID + " is from config.toml: remove it there"
			}
			return []action.Action{forget}
		},
	}
}

// forget returns the key that deletes a name.
func forget(scope string, run func() tea.Cmd) action.Action {
	return action.Action{ID: action.ID(scope + ".forget"), Keys: []string{"D"}, Title: "forget", Help: "delete the name", Priority: 50, Run: run}
}

// here returns the current place, as far as it can be returned to, with its typed filter.
func (a *App) here() (at place.Place, title string) {
	f, of := a.filtered()
	for i, e := range slices.Backward(a.stack) {
		if e.place == nil || a.opener(e.place) == nil {
			continue
		}
		at, title = e.place, strings.Join(a.crumbs()[:i+1], crumbJoin)
		if of == e && f.Expr() != "" {
			if now, err := place.Parse(e.place, "/"+f.Expr()); err == nil {
				at, title = now, title+" /"+f.Expr()
			}
		}
		return at, title
	}
	return nil, ""
}

// bookmark names the current place.
func (a *App) bookmark(name string) tea.Cmd {
	at, title := a.here()
	switch {
	case at == nil:
		return a.refuse("bookmark: this page cannot be bookmarked", "")
	case !nameable.MatchString(name):
		return a.refuse("bookmark: give a name of letters and digits", ":bookmark night")
	}
	m := a.env.Memory
	if m.Bookmarks == nil {
		m.Bookmarks = map[string]screen.Bookmark{}
	}
	m.Bookmarks[name] = screen.Bookmark{Title: title, Code: place.Code(at)}
	return screen.Batch(a.keepMemory(), a.toast(component.Toast{Severity: style.SeverityOK, Text: "' " + name + " leads to " + title}))
}

// sorts returns the kinds of places.
func (a *App) sorts() []place.Place {
	var out []place.Place
	for _, d := range a.cfg.Screens {
		out = append(out, d.Of)
	}
	return out
}

// placesMenu lists the bookmarks, and below them the screens without a digit.
func (a *App) placesMenu() menu.Spec {
	m := cmp.Or(a.env.Memory, new(screen.Memory))
	screens := map[string]screen.Declaration{}
	for _, d := range a.byName() {
		screens[":"+d.Names[0]] = d // no bookmark begins with a colon
	}
	return menu.Spec{
		Name: "bookmarks", Title: "places", Verb: "go",
		Items: func() []menu.Item {
			var items []menu.Item
			for _, name := range slices.Sorted(maps.Keys(m.Bookmarks)) {
				items = append(items, menu.Item{ID: name, Name: name, Note: m.Bookmarks[name].Title})
			}
			for _, d := range a.byName() {
				items = append(items, menu.Item{ID: ":" + d.Names[0], Name: ":" + d.Names[0], Note: d.What})
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd {
			if d, ok := screens[i.ID]; ok {
				return a.comeBack(d.Of)
			}
			to, err := place.Decode(m.Bookmarks[i.ID].Code, a.sorts())
			if err != nil {
				return a.refuse("bookmark "+i.ID+": "+err.Error(), "D in ' deletes it")
			}
			return a.visit(to)
		},
		Actions: func(i menu.Item) []action.Action {
			forget := forget("bookmarks", func() tea.Cmd {
				delete(m.Bookmarks, i.ID)
				return a.keepMemory()
			})
			if _, ok := screens[i.ID]; ok {
				forget.Disabled = i.ID + " is not a bookmark: :bookmark NAME sets one"
			}
			return []action.Action{forget}
		},
	}
}

// keepMemory saves what was arranged now, because names must not be lost.
func (a *App) keepMemory() tea.Cmd {
	if a.cfg.Remember == nil || a.env.Memory == nil {
		return nil
	}
	if err := a.cfg.Remember(a.env.Memory); err != nil {
		return a.refuse("the layout was not saved: "+err.Error(), "")
	}
	return nil
}

// known returns the memory's key for the cloud. A cloud in memory is never taken for the
// one at its place.
func (a *App) known() string {
	if a.cfg.Store == inMemory {
		return a.cfg.Name
	}
	return cmp.Or(a.cfg.Place, a.cfg.Name)
}

// restore returns where the last session ended; nil if unknown. A cloud in memory is a
// different one each time, so for it this is always nil.
func (a *App) restore() place.Place {
	m := a.env.Memory
	if m == nil || a.cfg.Store == inMemory {
		return nil
	}
	to, err := place.Decode(m.At[a.known()], a.sorts())
	if err != nil {
		return nil
	}
	return to
}

// leaveOff saves where the session ends.
func (a *App) leaveOff() {
	m := a.env.Memory
	if m == nil {
		return
	}
	if lines := a.prompt.History(); len(lines) > 0 {
		m.Commands = lines[max(len(lines)-keptCommands, 0):]
	}
	if a.cfg.Cloud == nil || a.cfg.Store == inMemory || len(a.stack) == 0 {
		return
	}
	a.keepVisit()
	at := a.stack[min(1, len(a.stack)-1)].place // pages above it come and go
	if at == nil || a.opener(at) == nil {
		return
	}
	if m.At == nil {
		m.At = map[string]string{}
	}
	m.At[a.known()] = place.Code(at)
}

// keepVisit saves the problems at the end of the session, if they are known.
func (a *App) keepVisit() {
	if a.env.Keeper == nil {
		return
	}
	pass := a.env.Keeper.Last()
	if pass == nil || pass.Unread != "" {
		return
	}
	v, ok := screen.NewVisit(a.env.Clock(), pass.Open())
	if !ok {
		delete(a.env.Memory.Visits, a.known())
		return
	}
	if a.env.Memory.Visits == nil {
		a.env.Memory.Visits = map[string]screen.Visit{}
	}
	a.env.Memory.Visits[a.known()] = v
}

// lastVisit gives screens the memory's key for the cloud, and the problems at the user's
// last visit.
func (a *App) lastVisit() {
	a.env.Known, a.env.Before = a.known(), screen.Visit{}
	if m := a.env.Memory; m != nil && a.cfg.Store != inMemory {
		a.env.Before = m.Visits[a.known()]
	}
}

// keptCommands is how many lines of the prompt are saved for the next session.
const keptCommands = 100
