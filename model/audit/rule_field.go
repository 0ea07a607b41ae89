package audit

import (
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
)

// At is when a row is looked at.
type At struct {
	Snap *cloud.Snapshot
	Now  time.Time
}

// Field is something of a row that filters and the rules of users name. The
// functions below return the fields of each kind of rows, for rows of any type
// that have what the fields are about: the lists of the dashboard, and the rules.
type Field[R any] = filter.Field[R, At]

// agoField returns a field that says how long ago something was; zero times are not
// known.
func agoField[R any](name string, when func(R) time.Time) Field[R] {
	return filter.NumberField(name, filter.Seconds, func(r R, at At) (float64, bool) {
		t := when(r)
		return at.Now.Sub(t).Seconds(), !t.IsZero()
	})
}

// textField returns a field that reads nothing but the row.
func textField[R any](name string, get func(R) string) Field[R] {
	return filter.TextField(name, func(r R, _ At) string { return get(r) })
}

// UnitOf returns what amounts of a class count.
func UnitOf(c placement.ResourceClass) filter.Unit {
	switch {
	case strings.HasSuffix(string(c), "_MB"):
		return filter.MB
	case strings.HasSuffix(string(c), "_GB"):
		return filter.GB
	default:
		return filter.Count
	}
}
