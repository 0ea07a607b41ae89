// Package providers is the screen of all resource providers, as a tree or flat:
// how full each is, whose it is, what is wrong with it.
//
//	keys, snapshots -> request -> build -> list -> source -> grid
//
// What a person wants to see is a wish. A list is made for one Snapshot and one
// wish, off the event loop where the cloud is large, and then shown; until then
// the list before it stays, on the Snapshot that it was made of. While only
// claims change, the list stays and its rows are read from the newest Snapshot.
package providers

import (
	"context"
	"maps"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// Screen is the list of providers. It is made by New.
type Screen struct {
	env  screen.Env
	snap *cloud.Snapshot // the newest
	wish wish            // what is asked for; that of src may be an older one
	auto bool            // the class was not chosen by a person

	src     *source // what is shown; nil before the first list is there
	grid    *component.Grid
	version uint64
	layout  layout
	first   bool                    // the cursor goes to the first row of the next list
	full    bool                    // all columns are wanted
	titled  placement.ResourceClass // whose column it is
	split   list.Split

	folded folds // without a filter
	hidden folds // with the one there is: a filter opens what it finds

	line   list.FilterLine
	before wish // to go back to when the filter line is cancelled

	findings map[placement.ProviderID][]audit.Finding
	lists    screen.Task[*listing]
	audits   screen.Task[map[placement.ProviderID][]audit.Finding]
	after    tea.Cmd
}

// bigList is from how many providers on lists are made off the event loop. Up to
// it one takes less than a fifth of a frame.
const bigList = 10_000

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) *Screen {
	s := &Screen{env: env, snap: snap, folded: folds{}, hidden: folds{}, auto: true, layout: normal}
	s.lists.Clock, s.audits.Clock = env.Clock, env.Clock
	s.wish = wish{tree: true, class: panel.MainClass(snap.Placement())}
	s.grid = component.NewGrid(env.Styles, nil, columns(s.wish.class, s.layout))
	s.titled = s.wish.class
	if filter == "" {
		return s
	}
	if err := s.setFilter(filter); err != nil {
		s.before = s.wish
		s.line.Refuse(env.Styles, filter, err)
	}
	return s
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return tea.Batch(s.request(), s.audit()) }

// Title implements screen.Screen.
func (s *Screen) Title() string { return "providers" }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	all := component.Count(int64(s.snap.Placement().ProviderCount()))
	if s.src == nil {
		return "reading " + all
	}
	w := s.wish
	parts := []string{"flat"}
	if w.tree {
		parts[0] = "tree"
	}
	if w.expr != "" {
		parts = append(parts, "/"+w.expr)
	}
	parts = append(parts, "owner:"+ownerName(w.owner), component.Count(int64(s.src.matched))+" of "+all)
	arrow := s.env.Styles.Glyphs.SortUp
	if w.desc {
		arrow = s.env.Styles.Glyphs.SortDown
	}
	return strings.Join(append(parts, "sort "+w.sort.String()+" "+arrow), "   ")
}

// Typing implements screen.Typist.
func (s *Screen) Typing() bool { return s.line.Typing() }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return s.follow(msg.Snapshot)
	case tea.KeyMsg:
		if s.line.Typing() {
			return s.lineKey(msg)
		}
		if !msg.Paste {
			return s.key(msg.String())
		}
		return nil
	}
	l, ok, cmd := s.lists.Take(msg)
	if ok {
		s.show(l)
		return cmd
	}
	found, ok, next := s.audits.Take(msg)
	if ok {
		return tea.Batch(next, s.found(found))
	}
	return tea.Batch(cmd, next)
}

// follow takes a newer Snapshot. Where only claims changed, rows stay and the
// next frame shows the new values.
func (s *Screen) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == s.snap && (s.src != nil || s.lists.Busy()) {
		return nil
	}
	s.snap = snap
	pl := snap.Placement()
	same := s.src != nil && pl.Shape() == s.src.ix.shape
	if same {
		s.touch()
	}
	if same && !s.wish.byValue() {
		return s.audit()
	}
	if !same && s.auto {
		s.wish.class = panel.MainClass(pl)
	}
	return tea.Batch(s.requestLater(), s.audit())
}

// touch draws the rows from the newest Snapshot.
func (s *Screen) touch() {
	s.version++
	s.src.touch(s.snap, s.findings, s.version)
}

// found takes what an audit found.
func (s *Screen) found(found map[placement.ProviderID][]audit.Finding) tea.Cmd {
	s.findings = found
	if s.src == nil {
		return nil
	}
	s.version++
	s.src.touch(s.src.snap, found, s.version)
	if s.wish.byProblem() {
		return s.requestLater()
	}
	return nil
}

// audit looks for what is wrong.
func (s *Screen) audit() tea.Cmd {
	env, snap := s.env, s.snap
	return s.audits.Follow(s.env.Context, func(context.Context) map[placement.ProviderID][]audit.Finding {
		return panel.Findings(env.Inspect(snap).Open())
	})
}

// job returns the work that makes the list that is wished for.
func (s *Screen) job() func(context.Context) *listing {
	r := request{snap: s.snap, wish: s.wish, folds: maps.Clone(s.foldSet()), found: s.findings}
	if s.src != nil {
		r.ix = s.src.ix
	}
	return func(ctx context.Context) *listing { return build(ctx, r) }
}

// request makes the list because a person asked for another one.
func (s *Screen) request() tea.Cmd {
	if s.small() {
		return nil
	}
	return s.lists.Start(s.env.Context, s.job())
}

// requestLater makes the list because the data changed.
func (s *Screen) requestLater() tea.Cmd {
	if s.small() {
		return nil
	}
	return s.lists.Follow(s.env.Context, s.job())
}

// small makes the list at once where that is quick, and reports whether it was.
func (s *Screen) small() bool {
	if s.snap.Placement().ProviderCount() > bigList {
		return false
	}
	s.lists.Drop()
	s.show(s.job()(s.env.Context))
	return true
}

// show puts a list on the grid.
func (s *Screen) show(l *listing) {
	snap := l.snap
	if l.ix.shape == s.snap.Placement().Shape() {
		snap = s.snap
	}
	s.version++
	s.src = newSource(l, snap, s.findings, s.version)
	s.setColumns()
	r, _ := s.grid.Cursor()
	s.grid.SetSource(s.src)
	if s.first && l.wish == s.wish {
		if r <= 0 { // who has moved since then is where they want to be
			s.grid.MoveToRow(0)
		}
		s.first = false
	}
	s.line.Matched(l.matched)
}

// setColumns makes the columns fit what is shown.
func (s *Screen) setColumns() {
	lay, class := s.layout, s.wish.class
	if s.full && lay != small {
		lay = wide
	}
	if s.src != nil {
		class = s.src.wish.class
	}
	cols := columns(class, lay)
	if len(cols) != len(s.grid.Columns()) || class != s.titled || cols[colName].Min != s.grid.Columns()[colName].Min {
		s.grid.SetColumns(cols)
		s.titled = class
	}
	if s.src == nil {
		return
	}
	list.ShowOrder(s.grid, s.src.wish.sort.column(), s.src.wish.desc)
}

// foldSet returns the folds that count now.
func (s *Screen) foldSet() folds {
	if s.wish.narrow() {
		return s.hidden
	}
	return s.folded
}

// setFilter reads a filter. One that cannot be read changes nothing. A term
// class=X chooses the class of the bars, too.
func (s *Screen) setFilter(expr string) error {
	w := s.wish
	w.expr = strings.TrimSpace(expr)
	class, chosen := classTerm(w.expr)
	if chosen {
		if _, chosen = s.snap.Placement().ClassID(class); chosen {
			w.class = class
		}
	}
	if _, err := filter.Compile(w.expr, fieldsOf(nil, nil, s.snap)); err != nil {
		return err
	}
	if w.expr != s.wish.expr {
		s.hidden = folds{}
	}
	s.wish = w
	s.auto = s.auto && !chosen
	return nil
}

// classTerm returns the class of a term class=X.
func classTerm(expr string) (placement.ResourceClass, bool) {
	for _, word := range strings.Fields(expr) {
		if c, ok := strings.CutPrefix(strings.TrimLeft(word, "("), "class="); ok {
			c, _, _ = strings.Cut(strings.TrimRight(c, ")"), "|")
			return placement.ResourceClass(strings.ToUpper(strings.Trim(c, `"`))), true
		}
	}
	return "", false
}

// current returns the provider under the cursor, as it is in the Snapshot that is
// shown.
func (s *Screen) current() (*placement.ResourceProvider, bool) {
	if s.src == nil {
		return nil, false
	}
	r, id := s.grid.Cursor()
	if id == "" {
		return nil, false
	}
	return s.src.provider(r), true
}

// Back implements screen.Backer: esc first drops a range, marks, the filter, the
// owner.
func (s *Screen) Back() bool {
	switch {
	case s.grid.DropRange() || s.grid.ClearMarks():
		return true
	case s.wish.expr != "":
		s.wish.expr = ""
	case s.wish.owner > 0:
		s.wish.owner = 0
	default:
		return false
	}
	s.hidden = folds{}
	s.after = s.request()
	return true
}

// AfterBack implements screen.AfterBacker.
func (s *Screen) AfterBack() tea.Cmd {
	cmd := s.after
	s.after = nil
	return cmd
}

// openLine opens the filter line with the filter there is.
func (s *Screen) openLine() tea.Cmd {
	s.before = s.wish
	s.line.Open(s.env.Styles, s.wish.expr)
	return nil
}

// lineKey is a key for the filter line. The list follows what is typed.
func (s *Screen) lineKey(msg tea.KeyMsg) tea.Cmd {
	switch s.line.Key(msg, s.setFilter) {
	case list.FilterChanged:
		return s.request()
	case list.FilterUndone:
		if s.wish != s.before {
			s.wish, s.hidden = s.before, folds{}
			return s.request()
		}
	case list.FilterNone:
	}
	return nil
}
