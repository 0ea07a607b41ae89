package list

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// At is when a row is looked at. Whoever draws, sorts or filters a row reads the
// rest of the cloud from Snap, which is the Snapshot that the row is of, or one
// that is Unchanged since. Of the functions of a Spec only those that get an Area
// or a Line run on the event loop; all others must not touch what is not theirs.
type At = kinds.At

// Spec declares the screen of a list of R. Name, Thing, Rows, ID, Text and Columns
// must be there; all else may be left out.
type Spec[R any] struct {
	// Name is that of the screen, in the crumb line and in the ids of actions:
	// "consumers". Thing is one of what it lists: "consumer".
	Name, Thing string

	// Rows returns all rows of a Snapshot. It stops early when ctx ends, with rows
	// that nobody looks at. They are read from several goroutines, and must not
	// change once they are returned.
	Rows func(ctx context.Context, snap *cloud.Snapshot) []R
	// Unchanged reports whether the list of two Snapshots is the same: rows, their
	// order, all that is drawn of them. Rows then stay. Without it each Snapshot
	// has rows of its own.
	Unchanged func(old, new *cloud.Snapshot) bool
	// Count returns how many rows a Snapshot has, before they are made. Without it
	// the number is not told until then.
	Count func(snap *cloud.Snapshot) int
	// ID returns what names a row for ever; no two rows have the same.
	ID func(row R) string
	// Text returns what a filter without a field looks at, such as the name. Rows
	// that are equal in their order go by it.
	Text func(row R) string

	// Under returns the id of the row that a row stands under, "" for one that
	// stands by itself. Rows under another follow it, and can be folded away; they
	// are until somebody unfolds them, or a filter finds them. What others stand
	// under stands by itself, and is shown where one of these matches the filter.
	// Without it all rows stand by themselves.
	Under func(row R) string
	// Columns are those of the table. The first is never left out; it shows the
	// folds where there are any.
	Columns []Column[R]
	// Orders are what the list can be sorted by; it starts with the first. Without
	// any, rows stay as Rows returns them.
	Orders []Order[R]
	// Fields are what filters can name. FilterHelp gives an example: "name,
	// project=ml-* type=INSTANCE".
	Fields     []Field[R]
	FilterHelp string
	// Severity returns how bad the state of a row is, shown left of it.
	Severity func(row R, at At) style.Severity

	// Actions returns what can be done, besides filter, order and moving about.
	Actions func(here Here[R]) []action.Action

	// Top returns lines above the list, of all rows that it has. They are left out
	// where there are few lines.
	Top func(all []R, a Area) []string
	// Title returns what the lines about a row are called, and what stands at the
	// end of their rule; Detail returns the lines. Those that have no room are left
	// out. They stand below the list; with Side and enough room right of it.
	Title  func(row R, at At) (title, note string)
	Detail func(row R, a Area) []string
	Side   bool
	// Half gives them half of the height, for a list whose rows need explaining.
	Half bool

	// Empty says what it means that there are no rows, and what to do about it.
	// Nothing says it where that is not the same each time.
	Empty   []string
	Nothing func() []string
}

// Column is a column of a list. It can be sorted by where an Order names it.
type Column[R any] struct {
	component.Column
	// Cell draws the column's cell of a row on l, whose current cell is as wide
	// as the column.
	Cell func(l *component.Line, row R, at At)
	// Wide is set for a column that is shown only where all columns are asked for.
	Wide bool
}

// Order is something that a list can be sorted by.
type Order[R any] struct {
	Name   string // in the crumb line: "age"
	Column string // the Key of the column that shows it
	Desc   bool   // starts with the greatest
	Key    func(row R, at At) Key
}

// Key is what rows are compared by: Number first, then Text. Rows with None have
// nothing to compare; they stand at the end, whichever way the order goes.
type Key struct {
	None   bool
	Number float64
	Text   string
}

// Area is what the lines about a row are drawn on: Width cells, Height lines.
type Area struct {
	At
	Styles        *style.Styles
	Width, Height int
}

// Line returns an empty line as wide as the area.
func (a Area) Line() *component.Line { return component.NewLine(a.Styles, a.Width) }

// Rule returns a line with a title in it, to set a section apart.
func (a Area) Rule(title string) string {
	return component.Rule(a.Styles, a.Width, component.Label{Text: title})
}

// More returns the line that says how many things there was no room for:
// "⋮ 3 more providers". Thing is one of them.
func (a Area) More(n int, thing string) string {
	return a.Line().Space(1).Add(themes.Dim, a.Styles.Glyphs.More+" "+panel.Plural(n, "more "+thing)).String()
}
