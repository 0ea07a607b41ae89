package ledger

import "github.com/placetop/placetop/model/versioned"

// Row is a record that a Ledger keeps. What a Ledger holds is never written
// again.
type Row interface {
	versioned.Record
	// Validate returns an error that matches placement.ErrInvalid and names the
	// field, unless the record may stand in a ledger. Texts need not be checked:
	// the Ledger refuses those that are not UTF-8.
	Validate() error
	// Texts calls visit with each text of the record that is not the key of a
	// map, as long as visit returns true.
	Texts(visit func(*string) bool)
	// Clone returns a record that can be changed without this one seeing it.
	Clone() Row
}

// Index finds the rows of a kind by something other than their key.
type Index struct {
	Name string
	// Keys returns what the row is found by: none, one or several texts.
	Keys func(Row) []string
}

// Kind is a kind of records of a ledger.
type Kind struct {
	Schema  versioned.Schema
	Indexes []Index
}
