package object

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Classes returns the names of the classes whose objects are rows of Nova's or records of
// Placement's, sorted.
func Classes() []string {
	all := Order()
	slices.Sort(all)
	return all
}

// Order returns the names of Classes, each after those that its objects refer to.
func Order() []string {
	return []string{"ResourceProvider", "Inventory", "Flavor", "Service", "ComputeNode", "Instance", "Migration", "Allocation"}
}

// Of returns the object that a row is of s. A compute node is in the version of the
// release that wrote its row, all others are in the newest. Errors are those of
// CheckComputeNode, and placement.ErrInvalid for a row of which there is no class.
func Of(s *nova.Snapshot, row ledger.Row) (*Object, error) {
	if row, ok := row.(*nova.ComputeNode); ok {
		return computeNode(s, row)
	}
	o, err := columns(s, row)
	if err != nil {
		return nil, err
	}
	return o, recallOf(o, row)
}

// recallOf sets the fields of an object that its row keeps in addition to its columns.
func recallOf(o *Object, row ledger.Row) error {
	k, err := readKept(*keptOf(row), o)
	if err != nil {
		return fmt.Errorf("the kept fields of %s %q: %w, or upgrade placetop", row.RecordKind(), versioned.Title(row), err)
	}
	maps.Copy(o.Data, k.Data)
	return nil
}

// keptOf returns where a row keeps the fields of objects for which it has no column.
func keptOf(row ledger.Row) *nova.ExtraFields {
	switch row := row.(type) {
	case *nova.ComputeNode:
		return &row.Kept
	case *nova.Flavor:
		return &row.Kept
	case *nova.Instance:
		return &row.Kept
	case *nova.Migration:
		return &row.Kept
	case *nova.Service:
		return &row.Kept
	default:
		return new(nova.ExtraFields)
	}
}

// columns returns the object for the columns of a row, in the newest version.
func columns(s *nova.Snapshot, row ledger.Row) (*Object, error) {
	switch row := row.(type) {
	case *nova.ComputeNode:
		return Columns(row)
	case *nova.Flavor:
		return New("Flavor", fieldsOf(flavorColumns(row), nil)), nil
	case *nova.Instance:
		more, err := instanceMore(s, row)
		return New("Instance", fieldsOf(instanceColumns(row), more)), err
	case *nova.Migration:
		return New("Migration", fieldsOf(migrationColumns(row), migrationMore(s, row))), nil
	case *nova.Service:
		return New("Service", fieldsOf(serviceColumns(row), nil)), nil
	default:
		return nil, &placement.InvalidError{Field: "record", Value: string(row.RecordKind()), Why: "is not a Nova object"}
	}
}

// Row returns the row that an object, which a service has sent, is to be in s: with
// what s has of it already where the object does not say. Errors are
// placement.ErrInvalid for an object without what a row needs, or of a class that is
// no row; placement.ErrNotFound for a flavor that s does not have;
// placement.ErrExists for a compute node of the host and name of another;
// *nova.ServiceTooOldError for a new service without the version that others have; and
// those of CheckComputeNode about the row that is there.
func Row(s *nova.Snapshot, o *Object) (ledger.Row, error) {
	row, err := columnsRow(s, o)
	if err != nil {
		return nil, err
	}
	base, err := columns(s, row)
	if err != nil {
		return nil, err
	}
	if row, ok := row.(*nova.ComputeNode); ok {
		agree(s, row, base, o)
	}
	kept := keptOf(row)
	*kept, err = Keep(s, *kept, o, base)
	return row, err
}

// columnsRow returns the row of an object, with its columns set.
func columnsRow(s *nova.Snapshot, o *Object) (ledger.Row, error) {
	switch o.Class {
	case "ComputeNode":
		return computeNodeRow(s, o)
	case "Flavor":
		return flavorRow(s, o)
	case "Instance":
		return instanceRow(s, o)
	case "Migration":
		return migrationRow(s, o)
	case "Service":
		return serviceRow(s, o)
	default:
		return nil, &placement.InvalidError{Field: "object", Value: o.Class, Why: fmt.Sprintf("must be one of %v", Classes())}
	}
}

// oneOf refuses a word that is not one of words.
func oneOf[T ~string](field string, word T, words ...T) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return &placement.InvalidError{Field: field, Value: string(word), Why: fmt.Sprintf("must be one of %v", words)}
}
