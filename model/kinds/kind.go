package kinds

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Name is the name of a kind, in the plural.
type Name string

// The kinds.
const (
	Providers    Name = "providers"
	Inventories  Name = "inventories"
	Usages       Name = "usages"
	Allocations  Name = "allocations"
	Consumers    Name = "consumers"
	Traits       Name = "traits"
	Aggregates   Name = "aggregates"
	Classes      Name = "classes"
	Pools        Name = "pools"
	PoolShares   Name = "shares"
	Projects     Name = "projects"
	Users        Name = "users"
	Flavors      Name = "flavors"
	Instances    Name = "instances"
	Migrations   Name = "migrations"
	Services     Name = "services"
	Cells        Name = "cells"
	ComputeNodes Name = "computenodes"
	PCIDevices   Name = "pcidevices"
	Profiles     Name = "profiles"
	Devices      Name = "devices"
	ARQs         Name = "arqs"
	Config       Name = "config"
	Events       Name = "events"
)

// Kind describes things of one kind: their fields, how to list them, how to find one.
type Kind struct {
	Name    Name
	Aliases []string
	Things  string // in words, where Name is none: "accelerator requests"
	Short   string // one line of help
	What    string // what the name of one is
	ID      string // the field that OpenStack knows one by, if that is no uuid; "" for uuid, or else name
	// Fields are in the order of JSON. Columns names those of a table, in their order:
	// each "|" begins those that are there only if all columns are asked for, or ends
	// them, and one with a "?" behind it is there else only where some row has something
	// in it. CSV has all of them.
	Fields  []*Field
	Columns string
	// Flags are the flags that pick some, see Pick. Limit is how many are shown unless
	// told otherwise, 0 for all.
	Flags []string
	Limit int

	// Rows yields all rows, in the order in which they are shown; with those that were
	// deleted or replaced where gone is set. It is nil if the store keeps them.
	Rows func(at At, gone bool) iter.Seq[Row]
	// Find returns the row that a name names, or where Several is set its rows.
	Find    func(f Finder, name string) ([]Row, error)
	Several bool
	// Only is set if there is one thing, which has no name.
	Only bool
	// Told are the parts of a cloud that tell about them: without one of those, that there are
	// none says nothing.
	Told []cloud.Part
	// Also are the parts that say more of them, such as a name or a sum.
	Also []cloud.Part
	// Asks are the parts that say more of them to a filter or an order, which may name fields
	// that are not shown.
	Asks []cloud.Part
	// Names returns what Find may be asked, for the completion of words; nil if it
	// is seldom known by heart.
	Names func(f Finder) []string
	// Text returns what a filter without a field looks at; nil for the first column.
	Text func(at At, row Row) string
	// Under returns the row above a row, nil if there is none; it is nil if no rows are
	// under others.
	Under func(at At, row Row) Row
	// Parts are what one thing is made of, shown in tables below it.
	Parts []Part
	// Edits returns a row as people edit it, as YAML in their own editor; nil for none
	// of the kind, or none of the row.
	Edits func(row Row) ops.Editable
	// Check says what of a row cannot be read, and is left out.
	Check func(row Row) error

	// holds yields the providers and classes that a row is about.
	holds func(at At, row Row, yield func(hold) bool)
	// by returns the kind and the rows of the sums that Pick.Project and Pick.Type ask
	// for; nil if it has none.
	by func(at At, p Pick) (*Kind, []Row, error)
}

// Part is a list of things that belong to one thing.
type Part struct {
	*Kind
	Of func(at At, row Row) []Row
}

// constructor makes the Kind with a name.
type constructor struct {
	name Name
	make func() *Kind
}

// all returns the kinds in the order in which they are listed.
func all() []constructor {
	return []constructor{
		{Providers, providers},
		{Inventories, inventories},
		{Usages, usages},
		{Allocations, allocations},
		{Consumers, consumers},
		{Traits, traits},
		{Aggregates, aggregates},
		{Classes, classes},
		{Pools, pools},
		{PoolShares, poolShares},
		{Projects, projects},
		{Users, users},
		{Flavors, flavors},
		{Instances, instances},
		{Migrations, migrations},
		{Services, services},
		{Cells, cells},
		{ComputeNodes, computeNodes},
		{PCIDevices, pciDevices},
		{Profiles, profiles},
		{Devices, devices},
		{ARQs, arqs},
		{Config, config},
		{Events, events},
	}
}

// Editable returns the kind with a name or alias if its things can be edited, else
// nil.
func Editable(name string) *Kind {
	for _, k := range All() {
		if k.Edits != nil && (string(k.Name) == name || slices.Contains(k.Aliases, name)) {
			return k
		}
	}
	return nil
}

// All returns the kinds in the order in which they are listed.
func All() []*Kind {
	var out []*Kind
	for _, k := range all() {
		out = append(out, k.make())
	}
	return out
}

// Of returns the kind with a name. It panics if there is none.
func Of(name Name) *Kind {
	for _, k := range all() {
		if k.name == name {
			return k.make()
		}
	}
	panic("there is no kind " + string(name))
}

// Field returns the field with a name, short names first; nil for none.
func (k *Kind) Field(name string) *Field {
	named := func(is func(f *Field) bool) *Field {
		for _, f := range k.Fields {
			if is(f) {
				return f
			}
		}
		return nil
	}
	if f := named(func(f *Field) bool { return f.Short == name && name != "" }); f != nil {
		return f
	}
	return named(func(f *Field) bool { return f.Name == name })
}

// Needs returns the parts of a cloud that must be read to answer q: those of Placement only
// if its things or what is shown of them rest on it.
func (k *Kind) Needs(q Query) []cloud.Part {
	out := slices.Concat(k.Told, k.Also)
	if q.Where != "" || q.Sort != "" || q.Pick.Aggregate != "" {
		out = append(out, k.Asks...)
	}
	if len(k.Told) == 0 || slices.ContainsFunc(cloud.PlacementParts(), k.RestsOn) {
		out = append(out, cloud.PlacementParts()...)
	}
	return out
}

// Lacking returns the parts of which it is said beside the things that they were not read completely:
// those that tell about them or, where Placement does, the names of projects and users.
func (k *Kind) Lacking() []cloud.Part {
	if len(k.Told) == 0 && slices.Contains(k.Also, cloud.Identities) {
		return []cloud.Part{cloud.Identities}
	}
	return k.Told
}

// RestsOn reports whether the things, or details of them, come from a part of a cloud.
func (k *Kind) RestsOn(p cloud.Part) bool {
	return slices.Contains(k.Told, p) || slices.Contains(k.Also, p)
}

// Unchanged reports whether two Snapshots have the same rows, of which the same is shown:
// whether the ledgers that the kind rests on are the same.
func (k *Kind) Unchanged(old, new *cloud.Snapshot) bool {
	rests := func(parts ...cloud.Part) bool {
		return slices.ContainsFunc(k.Needs(Query{Where: "any"}), func(p cloud.Part) bool { return slices.Contains(parts, p) })
	}
	return (old.Placement() == new.Placement() || !rests(cloud.PlacementParts()...)) &&
		(old.Nova() == new.Nova() || !rests(append(cloud.NovaParts(), cloud.Identities)...)) &&
		(old.Cyborg() == new.Cyborg() || !rests(cloud.CyborgParts()...))
}

// Graded reports whether a row may be bad.
func (k *Kind) Graded() bool {
	return slices.ContainsFunc(k.Fields, func(f *Field) bool { return f.grade != nil })
}

// Grade returns a function that says how bad the worst field of a row is; for one goroutine.
func (k *Kind) Grade(at At) func(Row) Grade {
	var all []func(Row) Grade
	for _, f := range k.Fields {
		if f.grade != nil && at.Knows(f.part) {
			get := f.open(at)
			all = append(all, func(row Row) Grade { return f.grade(row, get(row)) })
		}
	}
	return func(row Row) Grade {
		worst := Plain
		for _, of := range all {
			worst = max(worst, of(row))
		}
		return worst
	}
}

// Plural returns the things in words: "accelerator requests".
func (k *Kind) Plural() string {
	if k.Things != "" {
		return k.Things
	}
	return string(k.Name)
}

// Column is a field as a column of a table.
type Column struct {
	*Field
	Wide bool // only if all columns are asked for
	// Filled is set if a plain table only has it if some row has something in it.
	Filled bool
}

// TableColumns returns the columns of a table.
func (k *Kind) TableColumns() []Column {
	var out []Column
	wide := false
	for _, name := range strings.Fields(k.Columns) {
		if name == "|" {
			wide = !wide
			continue
		}
		name, filled := strings.CutSuffix(name, "?")
		i := slices.IndexFunc(k.Fields, func(f *Field) bool { return f.Name == name })
		if i < 0 {
			panic(fmt.Sprintf("%s have no field %s", k.Name, name))
		}
		out = append(out, Column{k.Fields[i], wide, filled})
	}
	return out
}

// Any reports whether the column has something in any of rows.
func (c Column) Any(at At, rows []Row) bool {
	get := c.Get(at)
	return slices.ContainsFunc(rows, func(row Row) bool { return !get(row).Empty() })
}

// Words returns a getter for the text that a filter without a field searches.
func (k *Kind) Words(at At) func(Row) string {
	if k.Text != nil {
		return func(row Row) string { return k.Text(at, row) }
	}
	get := k.TableColumns()[0].Get(at)
	return func(row Row) string { return get(row).String() }
}

// Query asks for rows of a kind. A zero value, except for At, asks for all.
type Query struct {
	At
	Name string // "" for all
	Pick Pick
	// Where is a filter in the language of package filter, Sort the field to sort by:
	// "free", or "-free" for the greatest first.
	Where, Sort string
	Limit       int // 0 for no limit
	// Filter returns what @name means in Where.
	Filter func(name string) (expr string, ok bool)
}

// Answer is the result of a Query.
type Answer struct {
	Kind *Kind // the one of the rows: sums have one of their own
	At   At
	Rows []Row
	All  int // how many there are without the limit
	// One is set if one thing was asked for by its name, Sorted if an order was.
	One, Sorted bool
}

// Records returns the rows for printing.
func (a Answer) Records() Records { return Records{Kind: a.Kind, At: a.At, Rows: a.Rows, One: a.One} }

// Get returns the rows that q asks for.
//
// Errors: placement.ErrNotFound and *NameError for its name and what it picks,
// *WhereError, *SortError.
func (k *Kind) Get(q Query) (Answer, error) {
	a := Answer{Kind: k, At: q.At, One: (q.Name != "" || k.Only) && !k.Several}
	if k.by != nil && (q.Pick.Project != "" || q.Pick.Type != "") {
		if q.Name != "" {
			q.Pick.Provider = q.Name
		}
		var err error
		if a.Kind, a.Rows, err = k.by(q.At, q.Pick); err != nil {
			return a, err
		}
		return a.narrow(q)
	}
	if len(q.Pick.Class) == 1 && q.Class == "" {
		q.Class = placement.ResourceClass(q.Pick.Class[0])
		a.At = q.At
	}
	pick, err := k.picks(q.At, q.Pick)
	if err != nil {
		return a, err
	}
	rows := func(yield func(Row) bool) {}
	switch {
	case q.Name != "":
		found, err := k.Find(Finder{q.Snap}, q.Name)
		if err != nil {
			return a, err
		}
		rows = slices.Values(found)
	case k.Rows != nil:
		rows = k.Rows(q.At, q.Pick.All)
	}
	for row := range rows {
		if pick(row) {
			a.Rows = append(a.Rows, row)
		}
	}
	return a.narrow(q)
}

// Choose is Get for rows that the caller has: of a kind that the store keeps.
func (k *Kind) Choose(q Query, rows []Row) (Answer, error) {
	return Answer{Kind: k, At: q.At, Rows: rows, One: q.Name != ""}.narrow(q)
}

// narrow filters, sorts and limits the rows as q asks.
func (a Answer) narrow(q Query) (Answer, error) {
	var err error
	if q.Where != "" {
		if a.Rows, err = a.Kind.where(a.At, a.Rows, q.Where, q.Filter); err != nil {
			return a, err
		}
	}
	if q.Sort != "" {
		if err := a.Kind.sort(a.At, a.Rows, q.Sort); err != nil {
			return a, err
		}
		a.Sorted = true
	}
	a.All = len(a.Rows)
	if q.Limit > 0 {
		a.Rows = a.Rows[:min(q.Limit, a.All)]
	}
	return a, nil
}

// Key returns a function that gets, in lower case, what a filter without a field looks
// at.
func (k *Kind) Key(at At) func(Row) string {
	text := k.Words(at)
	return func(row Row) string { return strings.ToLower(text(row)) }
}

// where returns the rows that match a filter, which may refer to other filters by name.
func (k *Kind) where(at At, rows []Row, expr string, filters func(string) (string, bool)) ([]Row, error) {
	f, err := filter.Compile(expr, namedFilterRows{k.Fielded(at, rows), filters})
	if err != nil {
		return nil, &WhereError{Expr: expr, Cause: err}
	}
	key := k.Key(at)
	var out []Row
	for i, row := range rows {
		if f.Match(i, key(row)) {
			out = append(out, row)
		}
	}
	return out, nil
}

// sort sorts rows by a field; it is stable.
func (k *Kind) sort(at At, rows []Row, by string) error {
	name, down := strings.CutPrefix(by, "-")
	f := k.Field(name)
	if f == nil {
		return &SortError{Field: name, Known: k.Asked()}
	}
	type keyed struct {
		Value
		row Row
	}
	get := f.Get(at)
	keys := make([]keyed, len(rows))
	for i, row := range rows {
		keys[i] = keyed{get(row).Kept(), row}
	}
	slices.SortStableFunc(keys, func(a, b keyed) int {
		if down && !a.None() && !b.None() {
			a, b = b, a
		}
		return a.Compare(b.Value)
	})
	for i := range keys {
		rows[i] = keys[i].row
	}
	return nil
}

// Asked returns the names of fields in filters and orders, sorted: the short name of
// each that has one.
func (k *Kind) Asked() []string {
	var out []string
	for _, f := range k.Fields {
		out = append(out, f.Asked())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// FilterRows are rows as a filter sees them. It implements filter.Fields; without rows it
// can only tell whether a filter is sound.
type FilterRows struct {
	kind *Kind
	at   At
	rows []Row
}

// Fielded returns rows as a filter sees them.
func (k *Kind) Fielded(at At, rows []Row) FilterRows { return FilterRows{k, at, rows} }

// namedFilterRows are rows for a filter that may refer to other filters by name. It implements
// filter.Named.
type namedFilterRows struct {
	FilterRows
	filter func(name string) (expr string, ok bool)
}

// Filter implements filter.Named.
func (n namedFilterRows) Filter(name string) (string, bool) {
	if n.filter == nil {
		return "", false
	}
	return n.filter(name)
}

// Names implements filter.Fields.
func (r FilterRows) Names() []string { return r.kind.Asked() }

// Field implements filter.Fields.
func (r FilterRows) Field(name string) func(row int) filter.Value {
	f := r.kind.Field(name)
	switch {
	case f == nil:
		return nil
	case len(r.rows) == 0:
		return func(int) filter.Value { return filter.Value{} } // there may be no row to open the field with
	}
	get := f.Ask(r.at, name)
	return func(row int) filter.Value { return get(r.rows[row]) }
}
