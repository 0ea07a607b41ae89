// Package metrics offers the activity of a store, and the state of its cloud, to
// Prometheus.
//
//	requests, commits ──► counters, histograms ──┐
//	                                             ├──► /metrics
//	Snapshot ──► package figures (kept) ─────────┘
//
// Requests and commits are counted as they happen. The figures of the cloud are made when they
// are asked for, once for all who ask, unless nothing has changed since: their revision is one
// of them. Those of a large cloud take long: a scrape that finds it changed gets the last ones at
// once, and the next gets those that are made meanwhile. No writer ever waits, as they are made
// of a Snapshot.
package metrics

import (
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
	// Inspect runs the rules on a Snapshot; nil leaves out the problems.
	Inspect func(*cloud.Snapshot) *audit.Report
	// Each adds series for each provider.
	Each bool
	// Ready reports whether the whole cloud has been read: before that there are no
	// figures of it. nil means always ready.
	Ready func() bool
	// Version is the release of this program.
	Version string
	// Failed is called with a fault in this program that left old figures in place,
	// and the stack where it happened; may be nil.
	Failed func(err error, stack []byte)
}

// Metrics are the metrics of a store that is served. Any goroutine may use them.
type Metrics struct {
	figures *cloudFigures
	numbers []Number
	version string
	began   time.Time
	*counted
}

// New returns metrics that have not counted anything yet.
func New(o Options) *Metrics {
	return &Metrics{figures: newCloudFigures(o), counted: newCounted(), version: o.Version, began: o.Clock()}
}

// Number is a figure without labels that is read at each scrape.
type Number struct {
	Name    string
	Help    string // what it says, in one sentence
	Counter bool   // it never falls
	Value   func() float64
}

// Register adds figures that other packages count. It must come before the first
// scrape.
func (m *Metrics) Register(all ...Number) { m.numbers = append(m.numbers, all...) }

// ServeHTTP answers a scrape with all figures known now.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ofCloud, _ := m.figures.get(r.Context()) // the last ones if there are no newer ones
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
	for _, part := range [][]byte{ofCloud, t} {
		if _, err := to.Write(part); err != nil {
			return // this client is gone, too
		}
	}
}

// Write writes the figures of the cloud once, as text: without those of a process,
// which the collector of the text already has.
func Write(ctx context.Context, w io.Writer, o Options) error {
	t, err := newCloudFigures(o).get(ctx)
	if err == nil {
		_, err = w.Write(t)
	}
	return err
}
