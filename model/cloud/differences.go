package cloud

import (
	"iter"
	"maps"
	"reflect"
	"slices"

	"github.com/placetop/placetop/model/versioned"
)

// Differences returns the changes that turn the records of a cloud, or of some of its
// ledgers, into others: new and changed ones in the order of records, then deleted ones.
func Differences(was iter.Seq[versioned.Record], records []versioned.Record) []versioned.Change {
	key := func(r versioned.Record) string { return string(r.RecordKind()) + "\x00" + string(r.RecordKey()) }
	before := map[string]versioned.Record{}
	for r := range was {
		before[key(r)] = r
	}
	var out []versioned.Change
	for _, r := range records {
		k := key(r)
		has := before[k]
		delete(before, k)
		switch {
		case has == nil:
			out = append(out, versioned.Change{After: r})
		case !reflect.DeepEqual(has, r):
			out = append(out, versioned.Change{Before: has, After: r})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(before)) {
		out = append(out, versioned.Change{Before: before[k]})
	}
	return out
}
