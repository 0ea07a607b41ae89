// Package metrics offers what goes on in a store, and how its cloud stands, to
// Prometheus.
//
//	requests, commits ──► counters, histograms ──┐
//	                                             ├──► /metrics
//	Snapshot ──► a pass of package figures ──────┘
//	              (kept; made anew beside the requests)
//
// What counts is counted as it happens. The figures of the cloud are made in passes: a
// scrape of a cloud that has not changed takes those of the last one, and of one that has
// begins the next, waits a moment for it, and else takes the last one's: its revision is
// one of the figures. So a scrape is answered at once at any size, nobody works for
// figures that nobody asks for, and no writer ever waits: a pass reads a Snapshot.
//
// Prometheus's own library would bring protobuf with it, 1 MB of machine code, and write
// each scrape anew from a tree of pointers; a pass keeps its labels as they are written.
package metrics

import (
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/sorted"
)

// Options of Metrics. Cloud and Clock are required.
type Options struct {
	Cloud cloud.Reader
	Clock func() time.Time
	// Inspect asks the rules about a Snapshot; nil leaves out the problems.
	Inspect func(context.Context, *cloud.Snapshot) *audit.Report
	// Each has series for each provider, too.
	Each bool
	// Ready reports whether the cloud is there as a whole: there are no figures of it
	// before; nil where it always is.
	Ready func() bool
	// Version is the release of this program.
	Version string
	// Patience is how long a scrape waits for figures of the newest Snapshot when there
	// are older ones; 0 for DefaultPatience.
	Patience time.Duration
	// Failed is told of a fault in this program that left figures as they were, with the
	// stack at which it happened; nil for nobody.
	Failed func(err error, stack []byte)
}

// DefaultPatience is well below what a scrape may take beyond the writing of it, and
// enough for a pass over some hundred hosts.
const DefaultPatience = 30 * time.Millisecond

// Metrics are those of a store that is served. Any goroutine may use them.
type Metrics struct {
	figures *passes
	version string
	others  []Other
	counted
}

// New returns metrics that have counted nothing yet.
func New(o Options) *Metrics { return &Metrics{figures: newPasses(o), version: o.Version} }

// Other is a figure that somebody else keeps.
type Other struct {
	Name, Help string
	Counter    bool // it only grows; else it is a gauge
	Value      func() float64
}

// Register adds figures that others keep, before the first scrape.
func (m *Metrics) Register(others ...Other) { m.others = append(m.others, others...) }

// Begin begins the first pass, for which the first scrape waits otherwise.
func (m *Metrics) Begin() { m.figures.begin() }

// Close ends the pass under way.
func (m *Metrics) Close() error {
	m.figures.close()
	return nil
}

// ServeHTTP implements http.Handler.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.figures.refresh(r.Context())
	open := wantsOpen(r.Header.Get("Accept"))
	w.Header().Set("Content-Type", typeText)
	if open {
		w.Header().Set("Content-Type", typeOpen)
	}
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		_ = write(w, m.all(), open) // who asked may have gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_ = write(z, m.all(), open)
	_ = z.Close()
}

// all returns all that is known now, by name.
func (m *Metrics) all() []family {
	all := slices.Concat(ofRuntime(), ofProcess(), m.families(), m.figures.told(), []family{{
		name: "placetop_build_info", help: "The release of placetop; always 1.", kind: gaugeKind,
		samples: []sample{{labels: labelled([]string{"version"}, []string{m.version}), value: 1}},
	}})
	for _, o := range m.others {
		k := gaugeKind
		if o.Counter {
			k = counterKind
		}
		all = append(all, one(k, o.Name, o.Help, o.Value()))
	}
	sorted.By(all, func(a, b family) int { return strings.Compare(a.name, b.name) })
	return all
}

// Write writes the figures of the cloud once, as text: without those of a process, which
// whoever collects the text has, too.
func Write(ctx context.Context, w io.Writer, o Options) error {
	p := newPasses(o)
	defer p.close()
	p.refresh(ctx)
	if err := cmp.Or(ctx.Err(), p.failure()); err != nil {
		return err
	}
	return write(w, p.told(), false)
}
