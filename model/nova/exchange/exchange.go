// Package exchange turns the rows of Nova's ledger into the versioned objects that
// services of different releases send each other, and back:
//
//	row --Object--> object --Registry--> envelope, lowered for an older reader
//	row <---Row---- object <--Registry-- envelope of any older version
//
// What a row has but no object carries, such as which provider serves which request
// group, stays when an object is applied; so does what an older writer did not know. What
// an object carries but no column has is kept in addition to the columns and sent again
// unchanged: see nova.Kept.
//
// Source: nova/objects; nova/conductor/manager.py, object_backport_versions.
package exchange

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

// Classes returns the names of the classes whose objects are rows, sorted.
func Classes() []string {
	return []string{"ComputeNode", "Flavor", "Instance", "Migration", "Service"}
}

// Registry returns the classes of Nova's objects. What an older reader demands and an
// object does not say is looked for in s.
func Registry(s *nova.Snapshot) *object.Registry {
	return objects.NewRegistry(objects.Source{ComputeNode: func(host string) (*objects.ComputeNode, bool) {
		for row := range s.ComputeNodesOf(host) {
			if node, err := computeNode(s, row); err == nil {
				return node, true
			}
		}
		return nil, false
	}})
}

// Object returns the object that a row is of s. Errors are those of
// tracker.ReadNode, and placement.ErrInvalid for a row of which there is no class.
func Object(s *nova.Snapshot, row ledger.Row) (object.Object, error) {
	if row, ok := row.(*nova.ComputeNode); ok {
		return computeNode(s, row)
	}
	o, err := columns(s, row)
	if err != nil {
		return nil, err
	}
	return o, recall(o, row)
}

// recall sets the fields of an object that its row keeps in addition to its columns.
func recall(o object.Object, row ledger.Row) error {
	if err := objects.Bare().Recall(o, string(*keptOf(row))); err != nil {
		return fmt.Errorf("the kept fields of %s %q: %w, or upgrade placetop", row.RecordKind(), versioned.Title(row), err)
	}
	o.ObjectHeader().ResetAllChanges()
	return nil
}

// keptOf returns where a row keeps the fields of objects for which it has no column.
func keptOf(row ledger.Row) *nova.Kept {
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
		return new(nova.Kept)
	}
}

// columns returns the object for the columns of a row.
func columns(s *nova.Snapshot, row ledger.Row) (object.Object, error) {
	switch row := row.(type) {
	case *nova.ComputeNode:
		return newestNode(row)
	case *nova.Flavor:
		return flavor(row)
	case *nova.Instance:
		return instance(s, row)
	case *nova.Migration:
		return migration(s, row)
	case *nova.Service:
		return service(row)
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
// those of tracker.ReadNode about the row that is there.
func Row(s *nova.Snapshot, o object.Object) (ledger.Row, error) {
	row, err := columnsRow(s, o)
	if err != nil {
		return nil, err
	}
	base, err := columns(s, row)
	if err != nil {
		return nil, err
	}
	kept, registry := keptOf(row), objects.Bare()
	switch o := o.(type) {
	case *objects.Service:
		registry = Registry(s) // an older one embeds its compute node
	case *objects.ComputeNode:
		if err := agree(s, row.(*nova.ComputeNode), base.(*objects.ComputeNode), o); err != nil {
			return nil, err
		}
	}
	text, err := registry.Keep(string(*kept), o, base)
	*kept = nova.Kept(text)
	return row, err
}

// columnsRow returns the row of an object, with its columns set.
func columnsRow(s *nova.Snapshot, o object.Object) (ledger.Row, error) {
	switch o := o.(type) {
	case *objects.ComputeNode:
		return computeNodeRow(s, o)
	case *objects.Flavor:
		return flavorRow(s, o)
	case *objects.Instance:
		return instanceRow(s, o)
	case *objects.Migration:
		return migrationRow(s, o)
	case *objects.Service:
		return serviceRow(s, o)
	default:
		return nil, &placement.InvalidError{
			Field: "object", Value: o.ObjectHeader().ClassName(), Why: fmt.Sprintf("must be one of %v", AllClasses()),
		}
	}
}

// text is the value of a field that may be null.
func text[T ~string](s T) any {
	if s == "" {
		return nil
	}
	return string(s)
}

// moment is the value of a field for a time in milliseconds since 1970, null for 0.
func moment(ms int64) any {
	if ms == 0 {
		return nil
	}
	return versioned.Time(ms)
}

// take copies a field, if the object has it set.
func take[T any](to *T, from *object.Field[T]) {
	if from.IsSet() {
		*to = from.Get()
	}
}

// takeText is take for a named text type.
func takeText[T ~string](to *T, from *object.Field[string]) {
	if from.IsSet() {
		*to = T(from.Get())
	}
}

// takeTime is take for a time in milliseconds since 1970. Objects have whole seconds: a
// time within the same second is kept.
func takeTime(to *int64, from *object.Field[time.Time]) {
	if !from.IsSet() {
		return
	}
	if ms := versioned.Millis(from.Get()); ms/1000 != *to/1000 {
		*to = ms
	}
}

// needs refuses an object without all the fields that a row needs.
func needs(o object.Object, fields ...string) error {
	if missing := object.Missing(o, fields...); len(missing) > 0 {
		return &placement.InvalidError{Field: o.ObjectHeader().ClassName() + "." + missing[0], Why: "is required, but not set"}
	}
	return nil
}

// oneOf refuses a word that is not one of words.
func oneOf[T ~string](field string, word T, words ...T) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return &placement.InvalidError{Field: field, Value: string(word), Why: fmt.Sprintf("must be one of %v", words)}
}
