package kinds

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
)

// At is the moment and the context in which rows are looked at.
type At struct {
	Snap *cloud.Snapshot
	Now  time.Time
	// Class is the one of which a provider's amounts are; "" for the only one that it
	// has.
	Class placement.ResourceClass
	// Nested is set if rows are under others: amounts of a provider are then those of all
	// below it, too.
	Nested bool
}

// Knows reports whether all of a part of the cloud was read, so that a count of it that is
// 0 means that there is none.
func (at At) Knows(p cloud.Part) bool { return at.Snap == nil || at.Snap.Gap(p) == "" }

// Row is one thing of a kind, as the ledgers keep it, such as a *nova.Service.
type Row any

// Grade is how bad a value is.
type Grade uint8

// The grades.
const (
	Plain  Grade = iota
	Notice       // worth a look, but nothing is wrong
	Warn
	Critical
)

// Field is something of a row: a member of its JSON, a column, what it is sorted by,
// and what filters name. The functions below make one. Its unexported methods describe it
// further: they change it, and return it for the next one.
type Field struct {
	Name string // as JSON and CSV have it; tables have it in upper case
	// Short is another name for it in filters, "" if there is none.
	Short string
	Type  Type
	Help  string // what it is, if the name does not say

	// open returns a getter for rows. The getter is for one goroutine, and the words of a
	// Value are valid until the next call.
	open func(at At) func(Row) Value
	part cloud.Part // what it counts; "" if it is of the row itself
	// json returns what JSON shows instead of the value; nil for the value.
	json func(at At) func(Row) any
	// shown returns what tables show instead of the value; nil for the value.
	shown func(at At) func(Row) string
	// asked returns what filters compare instead of the value, under the short name if
	// there is one; nil for the value.
	asked func(at At) func(Row) filter.Value
	grade func(Row, Value) Grade

	where place
	// timed is set if what is shown changes as time passes; it need not be set for a
	// Time.
	timed bool
	ours  bool // a Time is of our clock
}

// place is where a field is left out.
type place uint8

const (
	notJSON   place = 1 << iota // only in columns and filters
	omitEmpty                   // JSON leaves it out if it is empty
	ofOne                       // only in the JSON of a thing that was asked for by name
	apart                       // not among the facts about a row, which show it in a way of their own
)

// opened returns a field of any type; open is called once for all rows.
func opened[R any](name string, t Type, open func(at At) func(R) Value) *Field {
	return &Field{Name: name, Type: t, open: func(at At) func(Row) Value {
		get := open(at)
		return func(row Row) Value { return get(row.(R)) } // the rows of a kind have one type
	}}
}

// recordFields makes the field that the JSON of a record has under a name, or if it is a time
// under the name with _ms behind it; a short name may follow a colon. It panics if there is none.
type recordFields func(name string) *Field

// with returns the fields that an order names, such as "uuid hostname:host address": of others
// the one with a name, and else that of the record. What the order does not name comes last.
func (record recordFields) with(order string, others ...*Field) []*Field {
	var out []*Field
	for _, name := range strings.Fields(order) {
		if i := slices.IndexFunc(others, func(f *Field) bool { return f.Name == name }); i >= 0 {
			out, others = append(out, others[i]), slices.Delete(others, i, i+1)
		} else {
			out = append(out, record(name))
		}
	}
	return append(out, others...)
}

// recorded returns what makes the fields of a type of records.
func recorded[R any]() recordFields {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[tag] = f
	}
	return func(name string) *Field {
		if name, short, ok := strings.Cut(name, ":"); ok {
			return recorded[R]()(name).short(short)
		}
		f, ok := fields[name]
		moments, timed := fields[name+"_ms"]
		if timed {
			f = moments
		}
		of := func(r Row) reflect.Value { return reflect.ValueOf(r).Elem().FieldByIndex(f.Index) }
		switch {
		case timed:
			return moment(name, func(r Row) int64 { return of(r).Int() })
		case !ok:
			panic("there is no " + name + " in the record of a kind")
		}
		switch f.Type.Kind() {
		case reflect.String:
			return text(name, func(r Row) string { return of(r).String() })
		case reflect.Bool:
			return yes(name, func(r Row) bool { return of(r).Bool() })
		case reflect.Float64:
			return plain(name, Ratio, func(r Row) Value { return ratioValue(of(r).Float()) })
		case reflect.Array:
			return id(name, func(r Row) [16]byte { return [16]byte(of(r).Bytes()) })
		case reflect.Map:
			return propertiesField(name, func(r Row) map[string]string { return of(r).Interface().(map[string]string) })
		case reflect.Slice:
			return words(name, func(_ At, r Row, words []string) []string {
				for _, v := range of(r).Seq2() {
					words = append(words, v.String())
				}
				return words
			})
		default:
			return count(name, func(r Row) int64 { return of(r).Int() })
		}
	}
}

// plain returns a field that reads nothing but the row.
func plain[R any](name string, t Type, get func(R) Value) *Field {
	return opened(name, t, func(At) func(R) Value { return get })
}

func text[R any, T ~string](name string, get func(R) T) *Field {
	return plain(name, Text, func(r R) Value { return textValue(string(get(r))) })
}

// textAt is text for a getter that reads the rest of the cloud.
func textAt[R any](name string, get func(at At, r R) string) *Field {
	return opened(name, Text, func(at At) func(R) Value {
		return func(r R) Value { return textValue(get(at, r)) }
	})
}

// id returns a field for a uuid; nothing for the zero one.
func id[R any, T ~[16]byte](name string, get func(R) T) *Field {
	return idAt(name, func(_ At, r R) T { return get(r) })
}

func count[R any, T ~int | ~int64 | ~int32 | ~uint64](name string, get func(R) T) *Field {
	return plain(name, Count, func(r R) Value { return countValue(int64(get(r)), filter.Count) }) // counts
}

func countAt[R any](name string, get func(at At, r R) int64) *Field {
	return opened(name, Count, func(at At) func(R) Value {
		return func(r R) Value { return countValue(get(at, r), filter.Count) }
	})
}

func yes[R any](name string, get func(R) bool) *Field {
	return plain(name, Bool, func(r R) Value { return boolValue(get(r)) })
}

// moment returns a field for a time that a record has in milliseconds since 1970.
func moment(name string, get func(Row) int64) *Field {
	return plain(name, Time, func(r Row) Value { return momentValue(get(r)) }).omit()
}

func when[R any](name string, get func(R) time.Time) *Field {
	return plain(name, Time, func(r R) Value { return timeValue(get(r)) }).omit()
}

func words[R any](name string, get func(at At, r R, words []string) []string) *Field {
	return opened(name, Words, func(at At) func(R) Value {
		var last []string // of the last row asked for
		return func(r R) Value {
			last = get(at, r, last[:0])
			return wordsValue(last)
		}
	})
}

// counted returns a field for a list: JSON has all of it, filters compare each word under
// the short name, and columns show the count.
func counted[R any](name, short string, n func(R) int, list func(at At, r R, words []string) []string) *Field {
	return count(name, n).short(short).as(inJSON(func(at At, r R) any { return list(at, r, []string{}) })).askedAs(words("", list))
}

// askedAs makes filters compare the value of another field.
func (f *Field) askedAs(other *Field) *Field {
	f.asked = func(at At) func(Row) filter.Value { return other.Ask(at, "") }
	return f
}

// nested returns a field that is an object in JSON and text in a column.
func nested[R any](name string, get func(at At, r R) any, cell func(at At, r R) string) *Field {
	return textAt(name, cell).as(func(at At) func(Row) any {
		return func(row Row) any { return get(at, row.(R)) } // as opened
	})
}

// joined returns f, whose columns have its words in one text, with by between them.
// Filters compare each word.
func (f *Field) joined(by string) *Field {
	each := *f
	f.askedAs(&each).open = func(at At) func(Row) Value {
		get := each.open(at)
		return func(r Row) Value { return textValue(strings.Join(get(r).words, by)) }
	}
	return f
}

func (f *Field) short(name string) *Field { f.Short = name; return f }

func (f *Field) help(text string) *Field { f.Help = text; return f }

func (f *Field) in(u filter.Unit) *Field {
	open := f.open
	f.open = func(at At) func(Row) Value {
		get := open(at)
		return func(r Row) Value {
			v := get(r)
			v.unit = u
			return v
		}
	}
	return f
}

// sized makes a number one of units of a class.
func sized[R any](f *Field, class func(At, R) placement.ResourceClass) *Field {
	open := f.open
	f.open = func(at At) func(Row) Value {
		get := open(at)
		return func(row Row) Value {
			v := get(row)
			v.unit = UnitOf(class(at, row.(R))) // as opened
			return v
		}
	}
	return f
}

func (f *Field) omit() *Field   { f.where |= omitEmpty; return f }
func (f *Field) hidden() *Field { f.where |= notJSON; return f }
func (f *Field) ofOne() *Field  { f.where |= ofOne; return f }
func (f *Field) apart() *Field  { f.where |= apart; return f }

// byUs marks a field with a time of our own.
func (f *Field) byUs() *Field { f.ours = true; return f }

// timely marks a field whose value changes as time passes.
func (f *Field) timely() *Field { f.timed = true; return f }

func (f *Field) as(json func(at At) func(Row) any) *Field { f.json = json; return f }

// counting says which part of the cloud a field counts: if that was not read it is
// nothing, and tables have a dash.
func (f *Field) counting(p cloud.Part) *Field {
	open := f.open
	f.open = func(at At) func(Row) Value {
		if !at.Knows(p) {
			return func(Row) Value { return Value{} }
		}
		return open(at)
	}
	f.part = p
	return f
}

func (f *Field) graded(grade func(Row, Value) Grade) *Field { f.grade = grade; return f }

// showing returns the field with what tables show instead of its value.
func showing[R any](f *Field, cell func(at At, r R) string) *Field {
	f.shown = func(at At) func(Row) string {
		return func(row Row) string { return cell(at, row.(R)) } // as opened
	}
	return f
}

// anyIs grades a field that says what is wrong: it has a value only then.
func anyIs(g Grade) func(Row, Value) Grade {
	return func(_ Row, v Value) Grade {
		if v.Empty() {
			return Plain
		}
		return g
	}
}

// bad grades one word.
func bad(word string, g Grade) func(Row, Value) Grade {
	return func(_ Row, v Value) Grade {
		if v.text == word {
			return g
		}
		return Plain
	}
}

// Asked returns what filters and orders call the field: its short name if it has one.
func (f *Field) Asked() string { return cmp.Or(f.Short, f.Name) }

// Get returns a function that gets the field's value from a row; for one goroutine. A
// value is valid until the next, see Value.Kept.
func (f *Field) Get(at At) func(Row) Value { return f.open(at) }

// Ask returns a function that gets from a row what a filter compares when it names the
// field this way; for one goroutine.
func (f *Field) Ask(at At, name string) func(Row) filter.Value {
	if f.asked != nil && (f.Short == "" || f.Short == name) {
		return f.asked(at)
	}
	get := f.open(at)
	return func(row Row) filter.Value { return get(row).filter(f.Clock(at)) }
}

// Clock returns what the clock shows by which a time of the field goes: that of Nova, which a live
// cloud's records have, or for the journal ours.
func (f *Field) Clock(at At) time.Time {
	if f.ours || at.Snap == nil {
		return at.Now
	}
	return at.Snap.NovasTime(at.Now)
}

// Fact reports whether the field is one of the facts about a row: not one that is only for
// columns and filters, of what JSON has otherwise, nor one that is shown in a way of its own.
func (f *Field) Fact() bool {
	return f.where&(notJSON|apart) == 0 || f.Type == Owner
}

// Inside returns what JSON shows of a row if tables may only have the number of it: the words of
// a list, or what there is of each class; nil for neither.
func (f *Field) Inside(at At, row Row) (words []string, amounts map[placement.ResourceClass]int64) {
	if f.json == nil {
		return f.open(at)(row).Kept().words, nil
	}
	inside := f.json(at)(row)
	words, _ = inside.([]string)
	amounts, _ = inside.(map[placement.ResourceClass]int64)
	return words, amounts
}

// Timely reports whether the result of Draw changes as time passes.
func (f *Field) Timely() bool { return f.timed }

// CellValue is what a table or a list shows of one field of a row.
type CellValue struct {
	Value
	Text  string // in place of the value; "" for the value itself
	Grade Grade  // how bad that is
}

// Draw returns a function that gets what tables and lists show of a row; for one
// goroutine.
func (f *Field) Draw(at At) func(Row) CellValue {
	if !at.Knows(f.part) {
		return func(Row) CellValue { return CellValue{Text: "-"} }
	}
	get := f.open(at)
	shown := func(Row) string { return "" }
	if f.shown != nil {
		shown = f.shown(at)
	}
	return func(row Row) CellValue {
		d := CellValue{Value: get(row), Text: shown(row)}
		if f.grade != nil {
			d.Grade = f.grade(row, d.Value)
		}
		return d
	}
}

// Cell returns a function that gets what a table shows of a row, and how bad that is.
func (f *Field) Cell(at At) func(Row) (string, Grade) {
	get := f.Draw(at)
	return func(row Row) (string, Grade) {
		d := get(row)
		if f.shown != nil || d.Text != "" {
			return d.Text, d.Grade
		}
		return d.String(), d.Grade
	}
}

// inJSON makes what JSON shows instead of a field's value.
func inJSON[R any](get func(at At, r R) any) func(at At) func(Row) any {
	return func(at At) func(Row) any {
		return func(row Row) any { return get(at, row.(R)) } // as opened
	}
}

// idAt is id for a getter that reads the rest of the cloud.
func idAt[R any, T ~[16]byte](name string, get func(at At, r R) T) *Field {
	return opened(name, ID, func(at At) func(R) Value {
		return func(r R) Value {
			if u := get(at, r); u != (T{}) {
				return textValue(idText(u))
			}
			return Value{}
		}
	})
}

func yesAt[R any](name string, get func(at At, r R) bool) *Field {
	return opened(name, Bool, func(at At) func(R) Value {
		return func(r R) Value { return boolValue(get(at, r)) }
	})
}

// ownerAt returns the field for an owner.
func ownerAt[R any](get func(at At, r R) placement.Owner) *Field {
	f := textAt("owner", func(at At, r R) string { return get(at, r).String() })
	f.Type = Owner
	return f
}

// TextField returns a field of a list's own rows that holds a word.
func TextField[R any](name string, get func(row R, at At) string) *Field {
	return textAt(name, func(at At, row R) string { return get(row, at) })
}

// NumberField is TextField for a number of units; get reports whether a row has one.
func NumberField[R any](name string, unit filter.Unit, get func(row R, at At) (float64, bool)) *Field {
	return opened(name, Count, func(at At) func(R) Value {
		return func(row R) Value {
			if n, ok := get(row, at); ok {
				return countValue(int64(n), unit)
			}
			return Value{}
		}
	})
}

// WordsField is TextField for several words, which get appends to words.
func WordsField[R any](name string, get func(row R, at At, words []string) []string) *Field {
	return words(name, func(at At, row R, words []string) []string { return get(row, at, words) })
}

// properties writes keys and values in one cell, by key.
func properties[V ~string](m map[string]V) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+"="+string(m[k]))
	}
	return strings.Join(parts, " ")
}

// propertiesField returns a field for keys and values: filters compare each "key=value".
func propertiesField(name string, get func(Row) map[string]string) *Field {
	f := nested(name, func(_ At, r Row) any { return copied(get(r)) }, func(_ At, r Row) string { return properties(get(r)) })
	return f.askedAs(words("", func(_ At, r Row, words []string) []string {
		for k, v := range get(r) {
			words = append(words, k+"="+v)
		}
		return words
	}))
}

// copied returns m, or an empty map if it is nil, so that JSON has {} and not null.
func copied(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// filled returns list, or an empty one if it is nil, so that JSON has [] and not null.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
