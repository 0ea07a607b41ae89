package list

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screen is a list, whatever its rows are. It is made by New.
type Screen struct {
	screen.Outbox
	form *form
	env  screen.Env
	snap *cloud.Snapshot // the newest
	wish wish            // the wished list; src may be an older one

	src    *source // the shown list; nil before there is one
	grid   *component.Grid
	full   bool     // all columns are shown, on the full width
	narrow bool     // there is little room
	above  int      // rows that are newer than the cursor's, and came since
	picked []string // the columns that the user picked, in order; nil for the default
	auto   bool     // the class was not chosen by the user
	asked  bool     // another list than the shown one is wanted, which no key must be about
	first  bool     // the cursor goes to the first row of the next list
	open   folds
	sought func(row any) bool // what the cursor goes to once there are rows; nil for nothing
	made   string             // the id of what the cursor goes to once it is listed, unless a key comes first
	hides  string             // the id of what was made and the filter hides, once that was said
	back   bool               // marks of rows that are gone are dropped once the list is made
	hidden screen.ToastMsg    // says so

	topRows int // lines above the list at the last View

	line  filterLine
	known screen.View // how it is shown, as the memory has it
	split split
	acts  []action.Action // of the last time

	offered valueCompletions // values for completing a filter

	lists screen.Task[*rows]
}

// New returns the screen over a Snapshot, narrowed by a filter. An invalid filter is put
// into the filter line, with what is wrong with it.
func New[R any](spec Spec[R], env screen.Env, snap *cloud.Snapshot, expr string) *Screen {
	s := &Screen{}
	Make(s, spec, env, snap, expr)
	return s
}

// Make makes the list that a screen embeds, as New does. It is embedded by value: methods of
// an embedded pointer would be compiled twice, for the screen and for the pointer to it.
func Make[R any](s *Screen, spec Spec[R], env screen.Env, snap *cloud.Snapshot, expr string) {
	s.make(newForm(erase(spec), reflect.TypeFor[R]()), env, snap, expr)
}

func (s *Screen) make(f *form, env screen.Env, snap *cloud.Snapshot, expr string) {
	*s = Screen{form: f, env: env, snap: snap, auto: true}
	if f.Class != nil {
		s.wish.class = f.Class(snap)
	}
	s.lists.Clock = env.Clock
	s.wish.desc = len(f.orders) > 0 && f.orders[0].Desc
	expr = s.recall(expr)
	s.grid = component.NewGrid(env.Styles, s.gridColumns())
	if err := s.setFilter(expr); err != nil {
		s.refuse(expr, err)
	}
}

// columns returns the shown columns.
func (s *Screen) columns() []int {
	if s.picked != nil {
		return s.pickedColumns()
	}
	out := make([]int, 0, len(s.form.Columns))
	for i := range s.form.Columns {
		if s.form.spare(i) || s.tight() && s.form.Columns[i].Tight == 0 || !s.full && s.form.Columns[i].Wide {
			continue
		}
		out = append(out, i)
	}
	return out
}

// gridColumns returns the shown columns for the grid.
func (s *Screen) gridColumns() []component.Column {
	var out []component.Column
	for _, i := range s.columns() {
		c := s.form.Columns[i].Column
		if s.tight() {
			c.Min, c.Priority = s.form.Columns[i].Tight, 0
		}
		if i == s.form.ofClass {
			c.Title = string(s.wish.class)
			if s.src != nil {
				c.Title = string(s.src.wish.class)
			}
		}
		out = append(out, c)
	}
	return out
}

// tight reports whether the columns are those of a narrow list.
func (s *Screen) tight() bool { return s.narrow && s.form.tightened }

// setColumns adapts the columns to what is shown.
func (s *Screen) setColumns() {
	if cols := s.gridColumns(); !slices.Equal(cols, s.grid.Columns()) {
		s.grid.SetColumns(cols)
	}
	if s.src != nil {
		s.src.columns = s.columns()
		if o := s.form.orders; len(o) > 0 {
			s.grid.SortedBy, s.grid.Desc = o[s.src.wish.order].Column, s.src.wish.desc
		}
	}
}

// Looking implements screen.Looker, for rows that are about providers.
func (s *Screen) Looking() []placement.ProviderID {
	if s.form.Provider == nil {
		return nil
	}
	top, shown, _ := s.grid.Position()
	out := make([]placement.ProviderID, 0, max(shown, 0))
	for i := range shown {
		out = append(out, s.form.Provider(s.src.ID(top+i)))
	}
	return out
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.request() }

// Title implements screen.Screen.
func (s *Screen) Title() string { return s.form.Crumb }

// count returns the number of rows without a filter, in words, "" if it is not known yet.
func (s *Screen) count() string {
	switch {
	case s.form.Count != nil:
		return component.Count(s.form.Count(s.snap))
	case s.src != nil:
		return component.Count(s.src.things())
	}
	return ""
}

// Status implements screen.Stater.
func (s *Screen) Status() string {
	if s.src == nil {
		return strings.TrimSpace("reading " + s.count())
	}
	var parts []string
	if marked := s.marked(); marked != "" {
		parts = append(parts, marked)
	}
	if s.form.Flat {
		parts = append(parts, map[bool]string{false: "tree", true: "flat"}[s.wish.flat])
	}
	if s.wish.expr != "" {
		parts = append(parts, "/"+s.wish.expr)
	}
	if also := s.form.Also; also != nil && (s.wish.also > 0 || !also.Aside) {
		parts = append(parts, s.form.Also.word(s.wish.also))
	}
	if s.form.ofClass >= 0 && !slices.Contains(s.columns(), s.form.ofClass) { // otherwise its heading says it
		parts = append(parts, "class:"+string(s.wish.class))
	}
	parts = append(parts, component.Count(s.matched())+" of "+s.count())
	if s.above > 0 {
		parts = append(parts, component.Count(s.above)+" new above")
	}
	if by := s.SortedBy(); by != "" {
		parts = append(parts, by)
	}
	return strings.Join(parts, "   ")
}

// SortedBy says what the rows are sorted by, "" if they have only one order.
func (s *Screen) SortedBy() string {
	if len(s.form.orders) == 0 {
		return ""
	}
	arrow := s.env.Styles.Glyphs.SortUp
	if s.wish.desc {
		arrow = s.env.Styles.Glyphs.SortDown
	}
	return "sort " + s.form.orders[s.wish.order].Name + " " + arrow
}

// Typing implements screen.Typist.
func (s *Screen) Typing() bool { return s.line.prompt != nil }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return s.follow(msg.Snapshot)
	case screen.ResumeMsg:
		s.back = true
		s.dropGone()
	case screen.MadeMsg:
		s.made = msg.ID
		return s.toMade()
	case tea.KeyMsg:
		s.made = ""
		switch {
		case s.Typing():
			return s.lineKey(msg)
		case s.Picks(msg):
			s.openLine()
			s.line.chooses = true
			return s.lineKey(msg)
		case msg.Paste || s.src == nil:
		case s.toNumber(msg.String()):
			s.choose()
		case s.src.nested != nil && foldKey(msg.String()):
			return s.foldBy(msg.String())
		default:
			s.grid.Key(msg.String())
			s.moved()
		}
		return nil
	}
	l, ok, cmd := s.lists.Take(msg)
	if ok {
		s.show(l)
		cmd = tea.Batch(cmd, s.seek(), s.toMade())
	}
	return cmd
}

// follow takes a newer Snapshot. If the list is unchanged, the rows stay and only the
// lines about the current one are redrawn.
func (s *Screen) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == s.snap && (s.src != nil || s.lists.Busy()) {
		return nil
	}
	s.snap = snap
	same := s.src != nil && s.form.unchanged(s.src.of, snap)
	live := len(s.form.Live) > 0
	if same && (live || !s.lists.Busy()) {
		s.src.at.Snap = snap
		if !live || !s.form.goesBy(s.wish, s.form.Live) {
			return nil
		}
	}
	if !same && s.auto && s.form.Class != nil {
		s.wish.class = s.form.Class(snap)
	}
	return s.later(live)
}

// job returns the function that makes the wished list. With anew it sorts, even if
// nothing suggests that the order has changed.
func (s *Screen) job(anew bool) func(context.Context) *rows {
	r := request{anew: anew, memory: s.env.Memory.Copy(), common: s.env.Shared(), form: s.form, wish: s.wish, open: s.open.clone()}
	r.at = s.at()
	r.at.Nested = s.form.nested && !s.wish.flat
	if s.src != nil {
		r.old = s.src.rows
	}
	return func(ctx context.Context) *rows { return makeRows(ctx, r) }
}

// request makes the list because the user asked for another one.
func (s *Screen) request() tea.Cmd {
	if s.atOnce() || !s.form.Reads && screen.Small(s.snap) {
		return s.now(false)
	}
	s.asked = true
	return s.lists.Start(s.env.Context, s.job(false))
}

// later makes the list because the data has changed.
func (s *Screen) later(anew bool) tea.Cmd {
	if s.atOnce() {
		return s.now(anew)
	}
	return s.lists.Follow(s.env.Context, s.job(anew))
}

// atOnce reports whether the list is so small that it is made on the event loop.
func (s *Screen) atOnce() bool { return s.form.AtOnce > 0 && s.form.Count(s.snap) <= s.form.AtOnce }

func (s *Screen) now(anew bool) tea.Cmd {
	s.lists.Drop()
	s.show(s.job(anew)(s.env.Context))
	return tea.Batch(s.seek(), s.toMade())
}

// show puts a list on the grid.
func (s *Screen) show(l *rows) {
	s.asked = false
	old := s.src
	s.src = &source{rows: l, form: s.form, at: l.at, columns: s.columns()}
	if s.form.unchanged(l.of, s.snap) {
		s.src.at.Snap = s.snap
	}
	s.setColumns()
	r, _ := s.grid.Cursor()
	newest := s.OnNewest()
	s.grid.Show(s.src.forGrid())
	s.arrive(old, newest)
	if s.first && l.wish == s.wish {
		if r <= 0 { // a user who has moved since is where they want to be
			s.grid.MoveToRow(0)
		}
		s.first = false
	}
	if old == nil || old.wish.expr != l.wish.expr || old.wish.also != l.wish.also {
		s.toMatch()
	}
	s.sayMatched()
	s.dropGone()
	s.keep()
}

// stayFirst puts the cursor on the first row of the next list if it is on the first of
// this one: a user who has not moved wants to see what comes first.
func (s *Screen) stayFirst() {
	r, id := s.grid.Cursor()
	s.first = s.form.TopFirst && id != "" && r == 0
}

// count returns how many rows there are that are not headings, of those that pass which.
func (s *source) count(which func(row int32) bool) int {
	n := 0
	for i := range s.all {
		heading := s.form.Heads && s.hierarchy != nil && s.size[i] > 1
		if !heading && which(int32(i)) { // rows are fewer
			n++
		}
	}
	return n
}

// things returns how many rows there are that are not headings.
func (s *source) things() int { return s.count(func(int32) bool { return true }) }

// matched returns how many rows pass the filter, headings not counted, but those that are
// folded away.
func (s *Screen) matched() int {
	if !s.form.Heads {
		return s.src.matched
	}
	return s.src.count(s.src.matches)
}

// Learn makes the list again if it is sorted or filtered by one of some fields: for a list
// that learns something about its rows after they were made.
func (s *Screen) Learn(fields ...string) tea.Cmd {
	if s.src == nil || !s.form.goesBy(s.wish, fields) {
		return nil
	}
	return s.later(true)
}

// Near returns up to n rows around the cursor, which are likely visible, in the order
// of the list, with their moment. The list must be of R.
func Near[R any](s *Screen, n int) (At, []R) {
	at, near := s.near(n)
	var out []R
	for _, i := range near {
		out = append(out, s.src.all[i].(R))
	}
	return at, out
}

// at returns the moment of the list, even if it has no rows yet.
func (s *Screen) at() At {
	return At{Snap: s.snap, Now: s.env.Now(), Class: s.wish.class}
}

// near returns the rows around the cursor.
func (s *Screen) near(n int) (At, []int32) {
	if s.src == nil {
		return s.at(), nil
	}
	r, _ := s.grid.Cursor()
	from := max(min(r-n/2, len(s.src.shown)-n), 0)
	return s.src.at, s.src.shown[from:min(from+n, len(s.src.shown))]
}

// sortAt sorts by a column of the grid, or reverses the order if it is sorted by that already.
func (s *Screen) sortAt(col int) tea.Cmd {
	i := slices.IndexFunc(s.form.orders, func(o order) bool { return col >= 0 && o.Column == s.grid.Columns()[col].Key })
	switch i {
	case -1:
		return nil
	case s.wish.order:
		s.wish.desc = !s.wish.desc
	default:
		s.wish.order, s.wish.desc = i, s.form.orders[i].Desc
	}
	return s.request()
}

// setFilter parses and sets a filter. An invalid one changes nothing.
func (s *Screen) setFilter(expr string) error {
	expr = strings.TrimSpace(expr)
	if _, err := filter.Compile(expr, filterRows{s.form, nil, At{}, s.env.Memory}); err != nil {
		return err
	}
	if expr != s.wish.expr {
		s.open.found = nil
	}
	s.wish.expr = expr
	if class, ok := classTerm(expr); ok && s.form.Class != nil {
		if _, ok := s.snap.Placement().ClassID(class); ok {
			s.wish.class, s.auto = class, false
		}
	}
	return nil
}

// classTerm returns the class in a term class=X, which also selects that class.
func classTerm(expr string) (placement.ResourceClass, bool) {
	for word := range strings.FieldsSeq(expr) {
		if c, ok := strings.CutPrefix(strings.TrimLeft(word, "("), "class="); ok {
			c, _, _ = strings.Cut(strings.TrimRight(c, ")"), "|")
			return placement.ResourceClass(strings.ToUpper(strings.Trim(c, `"`))), true
		}
	}
	return "", false
}

// Back implements screen.Backer: esc first drops a range, marks, the filter.
func (s *Screen) Back() (bool, tea.Cmd) {
	switch {
	case s.grid.ClearMarks():
		return true, nil
	case s.wish.expr != "":
		s.wish.expr = ""
	case s.wish.also > 0:
		s.wish.also = 0
	default:
		return false, nil
	}
	s.open.found = nil
	return true, s.request()
}

// Picks implements screen.Picker.
func (s *Screen) Picks(key tea.KeyMsg) bool {
	return s.form.Picks && len(key.Runes) == 1 && !key.Alt && !key.Paste && (unicode.IsLetter(key.Runes[0]) || unicode.IsDigit(key.Runes[0]))
}

// toNumber moves the cursor to the row with a number, and reports whether there is one.
func (s *Screen) toNumber(key string) bool {
	if s.form.Number == nil {
		return false
	}
	for r, i := range s.src.shown {
		if strconv.Itoa(s.form.Number(s.src.all[i])) == key {
			s.grid.MoveToRow(r)
			s.moved()
			return true
		}
	}
	return false
}

// choose does what enter does with the row under the cursor, or says why that is impossible.
func (s *Screen) choose() {
	switch a, _ := action.Find("enter", s.Actions()); {
	case a.Disabled != "":
		s.Post(screen.ToastMsg{Severity: style.SeverityInfo, Text: a.Title + ": " + a.Disabled})
	case a.Request != nil:
		s.Post(a.Request())
	}
}

// CursorID returns the id of the row under the cursor, or "" if there is none.
func (s *Screen) CursorID() string {
	_, id := s.grid.Cursor()
	return id
}

// HasRow reports whether the list has a row with that id.
func (s *Screen) HasRow(id string) bool { return s.src != nil && s.src.Find(id) >= 0 }

// Current returns the row under the cursor with its moment, and false if there is
// none. The list must be of R.
func Current[R any](s *Screen) (at At, row R, ok bool) {
	at, i, ok := s.current()
	if ok {
		row = s.src.all[i].(R)
	}
	return at, row, ok
}

// current returns the row under the cursor.
func (s *Screen) current() (at At, i int, ok bool) {
	r, id := s.grid.Cursor()
	if s.src == nil || id == "" {
		return s.at(), 0, false
	}
	return s.src.at, s.src.row(r), true
}
