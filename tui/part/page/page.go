// Package page lays titled sections out on a screen: lines, small tables, and whole lists.
//
// On large terminals sections are in boxes side by side, as the page's rows say. On smaller
// ones they are one below the other, and those that share a place take turns, with the names
// of the others in the title. If they do not all fit, the focused one gets most of the room,
// and on the smallest terminals the whole body. Tab goes from section to section; keys go to
// the focused one.
//
// A Page is only the layout, for a screen that does the rest itself. A Screen follows one
// thing through the Snapshots, and is made from a declaration:
//
//	page.New(page.Spec[*nova.Instance]{
//		Name:  "instance",
//		Find:  func(s *cloud.Snapshot) (*nova.Instance, bool) { return s.Nova().Instance(id) },
//		Title: func(i *nova.Instance, _ list.At) string { return i.Name },
//		Facts: func(i *nova.Instance, _ list.At) []panel.Fact {
//			return []panel.Fact{{Name: "flavor", Text: i.Flavor}, {Name: "host", Text: i.Host}}
//		},
//		Parts: []page.Part[*nova.Instance]{
//			page.Lines("NOTES", notes),
//			page.Table("HOLDS", columns(), holdings, holding.id, func(h holding) place.Place {
//				return place.Provider{ID: h.provider}
//			}),
//		},
//	}, env, snap, name)
package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Row is a row of boxes on a large terminal.
type Row struct {
	Slots []Slot
	// Fits is set for a row that is only as high as its tallest box needs; the others
	// share the rest. Least is how many lines they keep at least, 0 for the usual.
	Fits  bool
	Least int
}

// Slot is a box in a Row: sections one below the other.
type Slot struct {
	// Title is that of the box; without one it has that of its first section.
	Title    string
	Sections []*Section
	Share    int // of the width of the row
}

// Box returns a slot with one section.
func Box(share int, s *Section) Slot { return Slot{Sections: []*Section{s}, Share: share} }

// Page is the layout of sections, with one that has the focus. Its fields are set before
// the first View.
type Page struct {
	Styles   *style.Styles
	Scope    string // of the ids of its actions
	Sections []*Section
	// Rows are the boxes on a terminal of at least WideW by WideH cells. On a smaller one of at
	// least RuledW by RuledH, Ruled are rows of sections below rules; 0 for none.
	Rows, Ruled    []Row
	WideW, WideH   int
	RuledW, RuledH int
	// Through is set where the cursor goes on beyond the end of a table, into the next one.
	Through bool
	// Focus is the index in Sections of the one that gets the keys.
	Focus int

	shows  int  // how often a section got the focus
	zoomed bool // the section about a row has the whole body
	whole  bool // one section had the whole body at the last View
	roomy  bool // there was room then for one that is Late, if there is one
	rules  bool // rows were below rules then
}

// Focused returns the section that gets the keys.
func (p *Page) Focused() *Section { return p.Sections[p.Focus] }

// Shows reports whether a section has the focus, or was drawn at the last View.
func (p *Page) Shows(section int) bool {
	return p.Focus == section || p.Sections[section].at != rect{}
}

// aside returns the index of the section about the row under the cursor, -1 if there is none.
func (p *Page) aside() int {
	return slices.IndexFunc(p.Sections, func(s *Section) bool { return s.aside })
}

// about returns what is known of the row under the cursor.
func (p *Page) about(w int) (title string, lines []string) {
	if f := p.Focused().About; f != nil {
		return f(w, p.zoomed)
	}
	return "", nil
}

// Aside adds the section about the row under the cursor, and returns it. It is shown in a box,
// or in the whole body once W asks for it; with below also under the section in turn.
func (p *Page) Aside(below bool) *Section {
	s := &Section{Title: "ABOUT", aside: true, below: below}
	s.Lines = func(w int) []string {
		title, lines := p.about(w)
		s.Title = cmp.Or(title, "ABOUT")
		return lines
	}
	p.Sections = append(p.Sections, s)
	return s
}

// Explain shows what is known of the row under the cursor in the whole body, or ends that.
func (p *Page) Explain(on bool) {
	p.zoomed = on
	p.Sections[p.aside()].scroll.Home()
}

// Show gives the focus to a section.
func (p *Page) Show(section int) {
	p.Focus = section
	p.shows++
	p.Sections[section].shown = p.shows
	if i := p.aside(); i >= 0 {
		p.Sections[i].scroll.Home()
	}
}

// Next gives the focus to the next section, or with a negative by to the previous one. It
// skips sections that are not shown, or that cannot be moved in, and ends what Explain began.
func (p *Page) Next(by int) {
	p.zoomed = false
	n := len(p.Sections)
	for step := 1; step <= n; step++ {
		i := ((p.Focus+by*step)%n + n) % n
		if s := p.Sections[i]; !s.aside && s.movable(p.whole) {
			p.Show(i)
			return
		}
	}
}

// each calls do for every list.
func (p *Page) each(do func(*list.Screen) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range p.Sections {
		if s.List != nil {
			cmds = append(cmds, do(s.List))
		}
	}
	return tea.Batch(cmds...)
}

// Init starts all lists.
func (p *Page) Init() tea.Cmd { return p.each((*list.Screen).Init) }

// Update passes a key to the focused section, and any other message to all lists.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	s := p.Focused()
	switch {
	case !ok:
		return p.each(func(l *list.Screen) tea.Cmd { return l.Update(msg) })
	case p.zoomed && !p.Typing() && panel.ScrollAction("").Keys.Has(key.String()):
		p.Sections[p.aside()].scroll.Key(key.String())
	case s.List != nil:
		return s.List.Update(msg)
	case key.Paste:
	case s.Key != nil:
		s.Key(key.String())
	case s.Grid != nil:
		if row, _ := s.Grid.Cursor(); s.Grid.Key(key.String()) && p.Through {
			p.goThrough(row, key.String())
		}
	default:
		s.scroll.Key(key.String())
	}
	return nil
}

// goThrough gives the focus to the next table, or the one before, if a key has not moved the
// cursor of this one from a row: that is at its end.
func (p *Page) goThrough(row int, key string) {
	by, from := map[string]int{"j": 1, "down": 1, "k": -1, "up": -1}[key], p.Focus
	if now, _ := p.Focused().Grid.Cursor(); now != row || by == 0 {
		return
	}
	if p.Next(by); (p.Focus-from)*by < 0 {
		p.Show(from) // it was the last one
	} else if g := p.Focused().Grid; g != nil {
		g.MoveToRow(max(-by, 0) * g.Len())
	}
}

// Typing implements screen.Typist.
func (p *Page) Typing() bool {
	l := p.Focused().List
	return l != nil && l.Typing()
}

// Back closes what explains a row, or what is open in the focused list.
func (p *Page) Back() (bool, tea.Cmd) {
	if p.zoomed {
		p.zoomed = false
		return true, nil
	}
	if l := p.Focused().List; l != nil {
		return l.Back()
	}
	return false, nil
}

// CursorID returns the id of the row under the cursor, with the number of its section; "" if
// there is none.
func (p *Page) CursorID() string {
	if id := p.Focused().cursorID(); id != "" {
		return strconv.Itoa(p.Focus) + " " + id
	}
	return ""
}

// HasRow reports whether the section that an id of CursorID names has the focus, and its row.
func (p *Page) HasRow(id string) bool {
	number, row, _ := strings.Cut(id, " ")
	i, err := strconv.Atoi(number)
	return err == nil && i == p.Focus && p.Sections[i].hasRow(row)
}

// Click gives the focus to the section at a cell of the last View, and puts its cursor on
// the row there.
func (p *Page) Click(x, y int) tea.Cmd {
	for i, s := range p.Sections {
		if x < s.at.x || x >= s.at.x+s.at.w || y < s.at.y || y >= s.at.y+s.at.h || s.aside {
			continue
		}
		p.Show(i)
		switch {
		case s.List != nil:
			return s.List.Click(x-s.at.x, y-s.at.y)
		case s.Grid != nil:
			if r := s.Grid.RowAt(y - s.at.y); r >= 0 {
				s.Grid.MoveToRow(r)
			}
		}
		break
	}
	return nil
}

// Status says how the focused list is filtered and sorted, for the crumb line.
func (p *Page) Status() string {
	l := p.Focused().List
	if l == nil {
		return ""
	}
	text := l.SortedBy()
	if expr := l.Expr(); expr != "" {
		text = strings.TrimSpace("/" + expr + "   " + text)
	}
	return text
}

// Actions returns the keys of the focused list, and those that move the focus.
func (p *Page) Actions() []action.Action {
	id := func(name string) action.ID { return action.ID(p.Scope + "." + name) }
	do := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return nil
		}
	}
	var all []action.Action
	if l := p.Focused().List; l != nil {
		all = l.Actions()
	}
	all = append(all,
		action.Action{ID: id("panel"), Keys: "tab", Title: "panel", Help: "go to the next panel", Priority: 82, Group: action.Move, Run: do(func() { p.Next(1) })},
		action.Action{ID: id("panel.back"), Keys: "shift+tab", Title: "previous panel", Help: "go to the previous panel", Group: action.Move, Run: do(func() { p.Next(-1) })})
	if i := p.aside(); i >= 0 {
		nothing := ""
		if f := p.Focused().About; f == nil {
			nothing = "nothing under the cursor"
		} else if _, lines := f(p.WideW, true); lines == nil {
			nothing = "nothing under the cursor"
		}
		all = append(all, action.Action{ID: id("explain"), Keys: "W", Title: "explain", Help: "what the row means, and what you can do about it", Priority: 72, Disabled: nothing, Run: do(func() { p.Explain(!p.zoomed) })})
	}
	return all
}

// shown moves the focus away from a section that is not shown.
func (p *Page) shown(w int) {
	if len(p.Sections) > 0 && !p.Focused().there(w) {
		p.Next(1)
	}
}

// note returns the text at the end of the title of a section: its own, and for the first of
// those that are shown together the names of those that it takes turns with, among some.
func (p *Page) note(s *Section, among []*Section) string {
	var names []string
	if note := s.note(); note != "" {
		names = append(names, note)
	}
	among = slices.DeleteFunc(slices.Clone(among), func(s *Section) bool { return s.Turn == 0 || !s.there(p.WideW) })
	if i := slices.IndexFunc(among, func(of *Section) bool { return of.Turn == s.Turn }); i >= 0 && among[i] == s {
		for _, other := range slices.Concat(among[i:], among[:i]) { // the next one first
			if other.Turn != s.Turn && !other.Bare {
				names = append(names, strings.ToLower(other.title()))
			}
		}
	}
	return strings.Join(names, "   ")
}

// rule draws the title of a section, with the cursor sign if it has the focus, and how
// much of it is in view. Alone is set if it has the whole body.
func (p *Page) rule(i, w int, alone string) string {
	s := p.Sections[i]
	title, note := s.title(), alone
	if alone == "" {
		note = p.note(s, p.Sections)
		if i == p.Focus {
			title = p.Styles.Glyphs.RowCursor + " " + title
		}
	}
	if s.Grid != nil && s.Grid.More() > 0 {
		note = strings.TrimSpace(component.Count(s.Grid.More()) + " more  " + note)
	}
	if s.Lines != nil {
		note = strings.TrimSpace(s.scroll.Position(alone != "", i == p.Focus) + "  " + note)
	}
	return component.Titled(p.Styles, w, title, note)
}
