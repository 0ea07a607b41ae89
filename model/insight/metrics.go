package insight

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
)

// Family is a metric with its name, help and labels. It is immutable.
type Family struct {
	Name   string
	Help   string   // what it says, in one sentence
	Labels []string // the names of the labels that distinguish its points
	// Untyped says that it is not a gauge: its name, which comes from another
	// exporter, ends as a counter's does, but its value may fall.
	Untyped bool
	// Each says that it has a point for each provider. There may be tens of thousands.
	Each bool
}

// Series is a Family with its points.
type Series struct {
	Family
	Points []Point
}

// Point is one value of a Family.
type Point struct {
	Values []string // of the labels, in their order
	Value  float64
}

// Input is what the figures are computed from.
type Input struct {
	Snapshot *cloud.Snapshot
	Now      time.Time     // the time from which ages are counted
	Found    *audit.Report // what the rules found; nil leaves out the problems
	Room     *Room         // of the flavors; nil leaves out how many more fit
	Each     bool          // have points for each provider, too
}

// Metrics returns the figures of in, by name. Families without points are left out.
func Metrics(in Input) []Series {
	v := newView(in)
	var out []Series
	for _, f := range table() {
		if f.Each && !in.Each {
			continue
		}
		s := Series{Family: f.Family}
		f.points(v, func(value float64, labels ...string) {
			s.Points = append(s.Points, Point{Values: labels, Value: value})
		})
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// figure is a row of a table: a Family, and where its points come from.
type figure struct {
	Family
	points func(v *view, add add)
}

// add takes a point: its value, and those of its labels.
type add func(value float64, labels ...string)

// table returns all figures, by name.
func table() []figure {
	all := slices.Concat(ownTable(), exporterTable(), capacityTable())
	byName(all)
	return all
}

// view is an Input, with what several figures derive from it.
type view struct {
	Input
	totals Summary
	zones  []ZoneTotal
	owners Ownership
	gate   Readiness
	stands Activity
}

func newView(in Input) *view {
	v := &view{Input: in, totals: Totals(in.Snapshot), zones: Zones(in.Snapshot), owners: Owners(in.Snapshot), stands: ActivityOf(in.Snapshot)}
	v.gate = ReadinessOf(in.Snapshot, v.owners, in.Now)
	return v
}
