package ledger

import (
	"slices"

	"github.com/placetop/placetop/model/versioned"
)

// Row is a record that a Ledger keeps. What a Ledger holds is never written
// again.
type Row interface {
	versioned.Record
	// Validate returns an error that matches placement.ErrInvalid and names the field,
	// unless the record may be in a ledger. Texts need not be checked: the Ledger refuses
	// those that are not UTF-8.
	Validate() error
}

// Index finds the rows of a kind by something other than their key.
type Index struct {
	Name string
	// Keys returns what the row is found by: none, one or several texts.
	Keys func(Row) []string
}

// texts returns what a row is found by; none for nil.
func (ix Index) texts(r Row) []string {
	if r == nil {
		return nil
	}
	return ix.Keys(r)
}

// ByTexts returns the index called name, by which a row is found under each text
// that of returns.
func ByTexts[R Row](name string, of func(R) []string) Index {
	return Index{Name: name, Keys: func(r Row) []string { return of(r.(R)) }}
}

// ByText is ByTexts for one text; a row is not found under an empty one.
func ByText[R Row](name string, of func(R) string) Index {
	return ByTexts(name, func(r R) []string {
		if text := of(r); text != "" {
			return []string{text}
		}
		return nil
	})
}

// ID is a uuid.
type ID interface {
	comparable
	String() string
}

// ByID is ByText for a uuid, written as text: the bytes of one may hold a zero,
// its text does not. A row is not found under the uuid of zeros.
func ByID[R Row, I ID](name string, of func(R) I) Index {
	return ByText(name, func(r R) string {
		var none I
		if id := of(r); id != none {
			return id.String()
		}
		return ""
	})
}

// Table is the records of one kind in a ledger, as its Layout describes them.
type Table struct {
	Schema  versioned.Schema
	Indexes []Index
}

// First returns the kind called name in its first version, which came on date, as
// YYYY-MM-DD, to say why: records of type T.
func First[T any, R interface {
	*T
	Row
}](name versioned.Kind, date, why string, indexes ...Index) Table {
	return first(name, date, why, func() versioned.Record { return R(new(T)) }, indexes)
}

func first(name versioned.Kind, date, why string, empty func() versioned.Record, indexes []Index) Table {
	v1 := versioned.Version{Major: 1}
	return Table{
		Schema:  versioned.Schema{Kind: name, Version: v1, New: empty, History: []versioned.Note{{Version: v1, Date: date, Why: why}}},
		Indexes: indexes,
	}
}

// Then returns t in its next minor version, which came on date, as YYYY-MM-DD, to say why:
// its records have fields more, which may be empty.
func (t Table) Then(date, why string) Table {
	t.Schema.Version.Minor++
	t.Schema.History = append(slices.Clip(t.Schema.History), versioned.Note{Version: t.Schema.Version, Date: date, Why: why})
	return t
}
