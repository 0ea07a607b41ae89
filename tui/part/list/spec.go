package list

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// At is the moment at which a row is looked at. Code that draws, sorts or filters a
// row reads the rest of the cloud from Snap, which is the Snapshot of the row, or one
// that is Unchanged since. Of the functions of a Spec only those that get an Area or a
// Line run on the event loop; the others must not touch shared state.
type At = kinds.At

// Spec declares the screen of a list of R, a pointer to a row. Name, Thing, ID, Columns, and
// without a Kind Rows and Text must be set; all else is optional.
type Spec[R any] struct {
	// Name is the name of the screen, in the crumb line and in the ids of actions:
	// "consumers". Thing is the noun for one row: "consumer".
	Name, Thing string

	// Crumb replaces Name in the crumb line if the list is about one thing.
	Crumb string

	// Kind describes the rows: its fields are what columns show, what filters name, and
	// what rows are sorted by. Of returns a row in the kind's form; nil if that is the
	// row itself. Without a Kind, there are only Fields.
	Kind kinds.Name
	Of   func(at At) func(row R) kinds.Row

	// Rows returns all rows of a Snapshot; the default is those of the Kind. It stops
	// early when ctx ends, with rows that are not used. They are read from several
	// goroutines, and must not change once they are returned.
	Rows func(ctx context.Context, snap *cloud.Snapshot) []R
	// Common is set if Rows depends only on the Snapshot, so that dashboards of the same
	// cloud share them; rows of a Kind are always shared.
	Common bool
	// Unchanged reports whether the list of two Snapshots is the same: rows, order, and
	// everything drawn of them. Rows then stay. Without it each Snapshot has its own
	// rows, unless they are those of the Kind, which knows.
	Unchanged func(old, new *cloud.Snapshot) bool
	// Count returns how many rows a Snapshot has, before they are made. Without it the
	// number is not shown until then.
	Count func(snap *cloud.Snapshot) int
	// ID returns a permanent and unique id of a row.
	ID func(row R) string
	// Provider returns the provider that a row is about, by the row's id; nil if rows are
	// not about providers.
	Provider func(id string) placement.ProviderID
	// Text returns what a filter without a field searches, such as the name; the default
	// is the Kind's. Rows that are equal in the order are sorted by it.
	Text func(row R) string

	// Place returns a small number of a row, and that of its parent, -1 for none. Nested
	// rows follow their parent, and can be folded away: initially they are, unless Open is
	// set, or a filter finds them. Without it rows are not nested.
	Place func(row R) (own, under int)
	Open  bool
	// Heads is set if parents are only headings: a heading is shown if a row below it
	// matches, and never matches itself. Otherwise a parent is shown faint if only rows
	// below it match.
	Heads bool
	// Number returns the number that a row is shown with, from 1: its digit does what enter
	// does with the row.
	Number func(row R) int
	// Flat is set if rows can also be shown without nesting.
	Flat bool
	// Class returns the class that At is about until the user chooses one. Without it
	// there is none.
	Class func(snap *cloud.Snapshot) placement.ResourceClass
	// Also are filters that a key cycles through, in addition to the typed one.
	Also *FilterCycle

	// Notable is the filter that only rows worth a look pass, such as those with a
	// problem: a key adds it to the typed one, and removes it again.
	Notable string

	// Columns are the columns of the table. The first is never left out; it shows the
	// folds if there are any.
	Columns Columns
	// Orders are what the list can be sorted by; the first is the initial one. Without
	// any, rows stay as Rows returns them. Sorted is set if that is the first order.
	Orders []Order[R]
	Sorted bool
	// Fields are fields that the Kind lacks, or that replace the Kind's. FilterHelp gives
	// an example of a filter: "name, project=ml-* type=INSTANCE".
	Fields     []*kinds.Field
	FilterHelp string
	// Says are fields that the words of a filter find, though no column shows them.
	Says []string
	// Live names the fields that change while the list is Unchanged: a list that is
	// sorted or filtered by one of them is still made again.
	Live []string
	// AtOnce is up to how many rows, by Count, the list is made on the event loop: as many
	// as take less than a fifth of a frame.
	AtOnce int
	// Reads is set if Rows reads from elsewhere than the Snapshot: such a list is never made
	// on the event loop.
	Reads bool
	// TopFirst is set if another order begins at its first row unless the user has moved
	// the cursor.
	TopFirst bool
	// Severity returns the severity of a row, shown to its left; the default is how bad the
	// Kind says that it is.
	Severity func(row R, at At) style.Severity
	// Found returns what rules found wrong with a row: that is in the field problem, makes
	// the row Notable, adds to its Severity, and comes first in the lines about it.
	Found func(row R) []audit.Finding

	// Newest is set if the first order, downwards, has the newest rows first. They also come
	// first by age: the cursor then stays on the first row as others come on top.
	Newest bool

	// Picks is set for a list to choose one row of: letters and digits are typed into the
	// filter, and enter chooses.
	Picks bool

	// Actions returns the actions other than filter, order and moving.
	Actions func(here Here[R]) []action.Action

	// Sum returns totals of rows, in a few words: it is shown for the marked ones.
	Sum func(rows []R, at At) string

	// Top returns lines above the list, given all its rows; on is the one under the
	// cursor, -1 for none. They are left out if there are few lines.
	Top func(all []R, on int, a Area) []string
	// Title returns the title of the lines about a row, and a note for the end of its
	// rule; Detail returns the lines. Those that do not fit are left out. They are below
	// the list; with Side and enough room to its right. The defaults are the name, the uuid,
	// and all that the Kind knows of the row, after More lines of the list's own.
	Title  func(row R, at At) (title, note string)
	Detail func(row R, a Area) []string
	More   func(row R, a Area) []string
	Side   bool
	// Half gives them half of the height, for a list whose rows need explaining; Lines
	// that many lines, 0 for some; both that many if the terminal is low.
	Half  bool
	Lines int

	// Empty says what it means that there are no rows, and what to do. Nothing does so if
	// that varies.
	Empty   []string
	Nothing func() []string
	// Unmatched does so if no row passes a filter that the user did not type; nil means
	// the usual text.
	Unmatched func(expr string) []string
}

// Column is a column of a list: the field that its Key names, unless Cell draws it. An
// Order that names it sorts by it.
type Column struct {
	component.Column
	// Token is the colour, Blank for the usual one of the field's type.
	Token themes.Token
	// Cell draws the column's cell of a row on l, whose current cell is as wide
	// as the column.
	Cell func(l *component.Line, row any, at At)
	// Wide is set for a column that is shown only when all columns are wanted.
	Wide bool
	// Tight is the least width in a narrow list. If any column has one, only those that
	// have are shown there.
	Tight int
	// OfClass is set for the column of the class, whose title is the name of the class.
	OfClass bool
}

// FilterCycle is a row of filters that a key cycles through, in addition to the typed one:
// "owner:nova".
type FilterCycle struct {
	Name, Key, Help string
	Steps           []Step // the first is the initial one
	// Aside is set if the first step need not be shown, and the key comes late among the
	// hints.
	Aside bool
}

// Owners returns the filters by owner that o cycles through in a list whose rows have
// owners; others follow them.
func Owners(aside bool, others ...Step) *FilterCycle {
	steps := []Step{{Name: "any"}}
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		steps = append(steps, Step{o.String(), "owner=" + o.String()})
	}
	return &FilterCycle{Name: "owner", Key: "o", Help: "owner filter: any, nova, cyborg, both, none", Steps: append(steps, others...), Aside: aside}
}

// Step is one of the filters that a key cycles through.
type Step struct{ Name, Expr string }

// Order is something that a list can be sorted by: the field of its Name, else that of
// its Column, unless it has a Key. Times are sorted by age.
type Order[R any] struct {
	Name   string // in the crumb line: "age"
	Column string // the Key of the column that shows it; "" for the Name
	Desc   bool   // starts with the largest
	Key    func(row R, at At) Key
}

// Key is what rows are compared by: Number first, then Text. Rows with None come last
// in either direction.
type Key struct {
	None   bool
	Number float64
	Text   string
}

// Area is where the lines about a row are drawn: Width cells, Height lines.
type Area struct {
	At
	Styles        *style.Styles
	Width, Height int
	Beside        bool // it is to the right of the list
}

// Line returns an empty line as wide as the area.
func (a Area) Line() *component.Line { return component.NewLine(a.Styles, a.Width) }

// Head returns the title of a section. Beside a list it has no rule: sections are on other
// lines for each row, so that rules would be most of what each step of the cursor writes.
func (a Area) Head(title string) string {
	if a.Beside {
		return a.Line().Add(themes.Title, title).String()
	}
	return component.Rule(a.Styles, a.Width, component.Label{Text: title})
}

// Fit returns as many lines as there is room for, the last of which says how many more there
// are.
func (a Area) Fit(lines []string) []string {
	if more := len(lines) - a.Height; more > 0 && a.Height > 0 {
		return append(lines[:a.Height-1:a.Height-1], a.More(more+1, "line"))
	}
	return lines[:min(len(lines), max(a.Height, 0))]
}

// More returns the line for things that do not fit: "⋮ 3 more providers". Thing is the
// singular.
func (a Area) More(n int, thing string) string {
	return a.Line().Space(1).Add(themes.Dim, a.Styles.Glyphs.More+" "+component.Plural(n, "more "+thing)).String()
}
