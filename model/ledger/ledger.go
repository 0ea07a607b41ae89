package ledger

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/placetop/placetop/model/internal/ordered"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Layout says what a service's ledger is made of.
type Layout struct {
	service string // as named in messages
	kinds   []Table
	byKind  map[versioned.Kind]int
}

// NewLayout returns the layout of the ledger of a service, such as "Nova". Kinds
// come in an order in which records only refer to kinds before theirs. It panics
// when a kind is given twice, which only a mistake in this program can do.
func NewLayout(service string, kinds ...Table) *Layout {
	l := &Layout{service: service, kinds: kinds, byKind: make(map[versioned.Kind]int, len(kinds))}
	for n, k := range kinds {
		if _, twice := l.byKind[k.Schema.Kind]; twice {
			panic("ledger: kind " + string(k.Schema.Kind) + " is given twice")
		}
		l.byKind[k.Schema.Kind] = n
	}
	return l
}

// Schemas returns how the records of the layout are written and read.
func (y *Layout) Schemas() []versioned.Schema {
	out := make([]versioned.Schema, len(y.kinds))
	for n, k := range y.kinds {
		out[n] = k.Schema
	}
	return out
}

// Ledger is all records of a service as an immutable value.
type Ledger struct {
	layout *Layout
	fork   sync.Mutex // copying marks the original, which only one goroutine may do at a time
	tables []table    // by kind
}

// table holds the rows of a kind.
type table struct {
	rows    ordered.Map[string, Row]
	indexes []ordered.Map[string, struct{}] // keys made by entry, without values
}

// Empty returns a ledger without records.
func (y *Layout) Empty() *Ledger {
	l := &Ledger{layout: y, tables: make([]table, len(y.kinds))}
	for n, k := range y.kinds {
		l.tables[n] = table{rows: ordered.NewMap[string, Row](0), indexes: make([]ordered.Map[string, struct{}], len(k.Indexes))}
		for i := range k.Indexes {
			l.tables[n].indexes[i] = ordered.NewMap[string, struct{}](0)
		}
	}
	return l
}

// copy returns a Ledger that may be changed without changing l.
func (l *Ledger) copy() *Ledger {
	l.fork.Lock()
	defer l.fork.Unlock()
	next := &Ledger{layout: l.layout, tables: make([]table, len(l.tables))}
	for n, t := range l.tables {
		next.tables[n] = table{rows: t.rows.Copy(), indexes: make([]ordered.Map[string, struct{}], len(t.indexes))}
		for i, ix := range t.indexes {
			next.tables[n].indexes[i] = ix.Copy()
		}
	}
	return next
}

// entry is what an index holds for a row. Texts have no zero byte, so that all entries of
// one text are adjacent, by key.
func entry(text, key string) string { return text + "\x00" + key }

// reindex has a row found as it is, and no longer as it was; nil for none. Most writes
// alter nothing that a row is found by, or add a text.
func (l *Ledger) reindex(kind int, key string, was, is Row) {
	for i, ix := range l.layout.kinds[kind].Indexes {
		before, after := ix.texts(was), ix.texts(is)
		same := 0
		for same < min(len(before), len(after)) && before[same] == after[same] {
			same++
		}
		if same < len(before) {
			for _, text := range before[same:] {
				l.tables[kind].indexes[i].Delete(entry(text, key))
			}
			same = 0 // a text may be there twice
		}
		for _, text := range after[same:] {
			l.tables[kind].indexes[i].Set(entry(text, key), struct{}{})
		}
	}
}

// Held implements intent.Holder.
func (l *Ledger) Held(r versioned.Record) versioned.Record {
	kind, ok := l.layout.byKind[r.RecordKind()]
	if !ok {
		return nil
	}
	if row, ok := l.tables[kind].rows.Get(string(r.RecordKey())); ok {
		return row
	}
	return nil
}

// Len returns how many records of a kind there are.
func (l *Ledger) Len(kind versioned.Kind) int {
	return l.tables[l.layout.byKind[kind]].rows.Len()
}

// Records yields the whole ledger as records, in the order of Schemas, by key.
func (l *Ledger) Records() iter.Seq[versioned.Record] {
	return func(yield func(versioned.Record) bool) {
		for _, t := range l.tables {
			more := true
			t.rows.Scan(func(_ string, r Row) bool {
				more = yield(r)
				return more
			})
			if !more {
				return
			}
		}
	}
}

// Get returns the row of a kind with the given key. It must not be changed.
func Get[R Row](l *Ledger, kind versioned.Kind, key string) (R, bool) {
	row, ok := l.tables[l.layout.byKind[kind]].rows.Get(key)
	if !ok {
		var none R
		return none, false
	}
	r, ok := row.(R)
	return r, ok
}

// All yields the rows of a kind by key. They must not be changed.
func All[R Row](l *Ledger, kind versioned.Kind) iter.Seq[R] {
	return func(yield func(R) bool) {
		l.tables[l.layout.byKind[kind]].rows.Scan(func(_ string, row Row) bool {
			r, ok := row.(R)
			return !ok || yield(r)
		})
	}
}

// By yields the rows of a kind that the named index finds by text, in the order of
// their keys. They must not be changed.
func By[R Row](l *Ledger, kind versioned.Kind, index, text string) iter.Seq[R] {
	n := l.layout.byKind[kind]
	i := slices.IndexFunc(l.layout.kinds[n].Indexes, func(ix Index) bool { return ix.Name == index })
	return func(yield func(R) bool) {
		if i < 0 {
			return
		}
		prefix := entry(text, "")
		l.tables[n].indexes[i].Ascend(prefix, func(e string, _ struct{}) bool {
			key, ok := strings.CutPrefix(e, prefix)
			if !ok {
				return false
			}
			r, ok := Get[R](l, l.layout.kinds[n].Schema.Kind, key)
			return !ok || yield(r)
		})
	}
}

// load implements Rules.Load.
func (y *Layout) load(records []versioned.Record) (*Ledger, error) {
	l := y.Empty()
	for _, r := range records {
		row, ok := r.(Row)
		if !ok {
			return nil, placement.Invalid("records", fmt.Sprintf("%T", r), "no kind of "+y.service+"'s records")
		}
		kind, ok := y.byKind[row.RecordKind()]
		if !ok {
			return nil, placement.Invalid("records", string(row.RecordKind()), "no kind of "+y.service+"'s records")
		}
		err := row.Validate()
		if err == nil {
			err = checkTexts(row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", versioned.Title(r), err)
		}
		key := string(row.RecordKey())
		if _, taken := l.tables[kind].rows.Load(key, row); taken {
			return nil, fmt.Errorf("%s is given twice: %w", versioned.Title(r), placement.ErrConflict)
		}
	}
	for n, k := range y.kinds {
		for i, ix := range k.Indexes {
			entries := l.entries(n, ix)
			slices.Sort(entries)
			for _, e := range entries {
				l.tables[n].indexes[i].Load(e, struct{}{})
			}
		}
	}
	return l, nil
}

// entries returns the entries of an index of a kind, in the order of the rows.
func (l *Ledger) entries(kind int, ix Index) []string {
	entries := make([]string, 0, l.tables[kind].rows.Len()) // most rows have one
	l.tables[kind].rows.Scan(func(key string, r Row) bool {
		for _, text := range ix.Keys(r) {
			entries = append(entries, entry(text, key))
		}
		return true
	})
	return entries
}
