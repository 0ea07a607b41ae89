// Package metrics offers what goes on in a store, and how its cloud stands, to
// Prometheus.
//
//	requests, commits ──► counters, histograms ──┐
//	                                             ├──► /metrics
//	Snapshot ──► a pass of package figures ──────┘
//	              (kept; made again beside the requests)
//
// What counts is counted as it happens. The figures of the cloud are made in passes: a
// scrape of a cloud that has not changed takes those of the last one, and of one that has
// begins the next, waits a moment for it, and else takes the last one's: its revision is
// one of the figures. So a scrape is answered at once at any size, nobody works for
// figures that nobody asks for, and no writer ever waits: a pass reads a Snapshot.
package metrics

import (
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
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
	// stack at which it happened; may be nil.
	Failed func(err error, stack []byte)
}

// DefaultPatience is well below what a scrape may take, and enough for a pass over some hundred hosts.
const DefaultPatience = 30 * time.Millisecond

// Metrics are those of a store that is served. Any goroutine may use them.
type Metrics struct {
	figures *passes
	numbers []Number
	version string
	began   time.Time
	*counted
}

// New returns metrics that have counted nothing yet.
func New(o Options) *Metrics {
	return &Metrics{figures: newPasses(o), counted: newCounted(), version: o.Version, began: o.Clock()}
}

// Number is a figure without labels that is asked for at each scrape.
type Number struct {
	Name    string
	Help    string // what it says, in one sentence
	Counter bool   // it never falls
	Value   func() float64
}

// Register adds what others count, before the first scrape.
func (m *Metrics) Register(all ...Number) { m.numbers = append(m.numbers, all...) }

// Begin begins the first pass, for which the first scrape waits otherwise.
func (m *Metrics) Begin() { m.figures.begin() }

// Close ends the pass under way.
func (m *Metrics) Close() error {
	m.figures.close()
	return nil
}

// ServeHTTP answers a scrape, with all that is known now.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.figures.refresh(r.Context())
	var t text
	m.counted.write(&t)
	for _, n := range m.numbers {
		k := gauge
		if n.Counter {
			k = counter
		}
		t.number(n.Name, n.Help, k, n.Value())
	}
	t.family("placetop_build_info", "The release of placetop, as a label; always 1.", gauge)
	t.sample("placetop_build_info", pairs("version", m.version), 1)
	t.process(m.began)

	w.Header().Set("Content-Type", contentType)
	var to io.Writer = w
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		defer z.Close() //nolint:errcheck // a client that is gone
		to = z
	}
	for _, part := range [][]byte{m.figures.text(), t} {
		if _, err := to.Write(part); err != nil {
			return // so is this one
		}
	}
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
	_, err := w.Write(p.text())
	return err
}
