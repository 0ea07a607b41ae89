package list

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// At is the moment at which a row is looked at. Code that draws, sorts or filters a
// row reads the rest of the cloud from Snap, which is the Snapshot of the row, or one
// that is Unchanged since. Of the functions of a Spec only those that get an Area or a
// Line run on the event loop; the others must not touch shared state.
type At = kinds.At

// Spec declares the screen of a list of R. Name, Thing, ID, Columns, and without a Kind
// Rows and Text must be there; all else may be left out.
type Spec[R any] struct {
	// Name is that of the screen, in the crumb line and in the ids of actions:
	// "consumers". Thing is one of what it lists: "consumer".
	Name, Thing string

	// Crumb stands in the crumb line in place of Name, where the list is about one thing.
	Crumb string

	// Kind describes the rows: its fields are what columns show, what filters name, and
	// what rows are sorted by. Of returns a row as the kind knows it; nil where that is
	// the row itself. Without a Kind, there are only Fields.
	Kind kinds.Name
	Of   func(at At) func(row R) kinds.Row

	// Across is set for rows of several clouds, which are *kinds.OfCloud to the Kind.
	Across bool
	// Rows returns all rows of a Snapshot; without it those of the Kind. It stops early when ctx ends, with rows
	// that nobody looks at. They are read from several goroutines, and must not
	// change once they are returned.
	Rows func(ctx context.Context, snap *cloud.Snapshot) []R
	// Common is set where Rows go by the Snapshot alone, so that dashboards of the same cloud
	// share them; rows of a Kind are shared anyhow.
	Common bool
	// Unchanged reports whether the list of two Snapshots is the same: rows, their
	// order, all that is drawn of them. Rows then stay. Without it each Snapshot
	// has its own rows.
	Unchanged func(old, new *cloud.Snapshot) bool
	// Count returns how many rows a Snapshot has, before they are made. Without it
	// the number is not told until then.
	Count func(snap *cloud.Snapshot) int
	// ID returns what names a row for ever; no two rows have the same.
	ID func(row R) string
	// Provider returns which provider a row is about, by its id; without it rows are about none.
	Provider func(id string) placement.ProviderID
	// Text returns what a filter without a field looks at, such as the name; without it
	// what the Kind says. Rows that are equal in their order go by it.
	Text func(row R) string

	// Under returns the id of the row that a row stands under, "" for one that stands by
	// itself. Rows under another follow it, and can be folded away: at first they are, but
	// with Open they are not, nor where a filter finds them. Without it all rows stand by
	// themselves. Place is quicker than Under, where rows have small numbers: it returns
	// that of the row, and that of what it stands under, -1 for nothing.
	Under func(row R) string
	Place func(row R) (own, under int)
	Open  bool
	// Heads is set where what others stand under is no more than their heading: it is
	// shown for those of them that match, and never matches itself. Without it, it is
	// shown faint where only what stands under it matches.
	Heads bool
	// Flat is set where rows can also be shown each by itself.
	Flat bool
	// Class returns the class that At is about until somebody chooses one. Without it
	// there is none.
	Class func(snap *cloud.Snapshot) placement.ResourceClass
	// Also are filters that a key goes round, beside the one that is typed.
	Also *Also

	// Notable is the filter that only rows worth a look pass, such as those with a problem: a
	// key adds it to what is typed, and takes it away again.
	Notable string

	// Columns are those of the table. The first is never left out; it shows the
	// folds where there are any.
	Columns []Column[R]
	// Orders are what the list can be sorted by; it starts with the first. Without
	// any, rows stay as Rows returns them. Sorted is set where that is the first order.
	Orders []Order[R]
	Sorted bool
	// Fields are what the list knows besides its Kind, or better. FilterHelp gives an
	// example of a filter: "name, project=ml-* type=INSTANCE".
	Fields     []Field[R]
	FilterHelp string
	// Live names the fields that change while the list is Unchanged: a list that is
	// sorted or filtered by one of them is made again all the same.
	Live []string
	// AtOnce is up to how many rows, by Count, the list is made on the event loop: as many
	// as take less than a fifth of a frame.
	AtOnce int
	// TopFirst is set where another order begins at its first row for who has not moved.
	TopFirst bool
	// Severity returns how bad the state of a row is, shown left of it.
	Severity func(row R, at At) style.Severity

	// Follows is set for a list to which rows are added on top, as to a journal: a key has
	// the cursor go to the newest whenever there is one.
	Follows bool

	// Actions returns what can be done, besides filter, order and moving about.
	Actions func(here Here[R]) []action.Action

	// Sum returns what rows come to together, in a few words: it is said of those that are
	// marked.
	Sum func(rows []R, at At) string

	// Top returns lines above the list, of all rows that it has; on is the one under the
	// cursor, -1 for none. They are left out where there are few lines.
	Top func(all []R, on int, a Area) []string
	// Title returns what the lines about a row are called, and what stands at the
	// end of their rule; Detail returns the lines. Those that have no room are left
	// out. They stand below the list; with Side and enough room right of it.
	Title  func(row R, at At) (title, note string)
	Detail func(row R, a Area) []string
	Side   bool
	// Half gives them half of the height, for a list whose rows need explaining; Lines that
	// many lines, 0 for some; both that many where the terminal is low. SideKeys stand at the foot of the pane right of the list, in
	// place of the note.
	Half     bool
	Lines    int
	SideKeys string

	// Empty says what it means that there are no rows, and what to do about it.
	// Nothing says it where that is not the same each time.
	Empty   []string
	Nothing func() []string
	// Unmatched says it where no row passes a filter that no person typed; nil says what any
	// filter is told.
	Unmatched func(expr string) []string
}

// Column is a column of a list: the field that its Key names, unless Cell draws it. It
// can be sorted by if an Order names it.
type Column[R any] struct {
	component.Column
	// Token is the colour, Blank for the usual one of the field's type; Tone is that of
	// a row where it depends on that.
	Token themes.Token
	Tone  func(row R, at At) themes.Token
	// Cell draws the column's cell of a row on l, whose current cell is as wide
	// as the column.
	Cell func(l *component.Line, row R, at At)
	// Wide is set for a column that is shown only where all columns are asked for.
	Wide bool
	// Tight is the least width in a narrow list. Where any column has one, only those that
	// have are shown there.
	Tight int
	// OfClass is set for the column of the class, which has its name for a title.
	OfClass bool
}

// Also is a row of filters that a key cycles through, in addition to the typed one:
// "owner:nova".
type Also struct {
	Name, Key, Help string
	Steps           []Step // the first is there at first
	// Aside is set where the first step goes without saying, and the key comes late among the
	// hints.
	Aside bool
}

// Owners returns the filters by owner that o goes round in a list whose rows have one; with
// others after them.
func Owners(aside bool, others ...Step) *Also {
	steps := []Step{{Name: "any"}}
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		steps = append(steps, Step{o.String(), "owner=" + o.String()})
	}
	return &Also{Name: "owner", Key: "o", Help: "owner filter: any, nova, cyborg, both, none", Steps: append(steps, others...), Aside: aside}
}

// Step is one of the filters that a key goes round.
type Step struct{ Name, Expr string }

// Order is something that a list can be sorted by: the field of its Name, or else of
// its Column, unless it has a Key. Times are sorted by age.
type Order[R any] struct {
	Name   string // in the crumb line: "age"
	Column string // the Key of the column that shows it; "" for the Name
	Desc   bool   // starts with the greatest
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
	Beside        bool // it is right of the list
}

// Line returns an empty line as wide as the area.
func (a Area) Line() *component.Line { return component.NewLine(a.Styles, a.Width) }

// Rule returns a line with a title in it, to separate sections.
func (a Area) Rule(title string) string {
	return component.Rule(a.Styles, a.Width, component.Label{Text: title})
}

// More returns the line for things that there was no room for: "⋮ 3 more providers".
// Thing is the singular.
func (a Area) More(n int, thing string) string {
	return a.Line().Space(1).Add(themes.Dim, a.Styles.Glyphs.More+" "+panel.Plural(n, "more "+thing)).String()
}
