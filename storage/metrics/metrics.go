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
package metrics

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

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

// DefaultPatience is well below what a scrape may take beyond the library's own work, and
// enough for a pass over some hundred hosts.
const DefaultPatience = 30 * time.Millisecond

// Metrics are those of a store that is served. Any goroutine may use them.
type Metrics struct {
	registry *prometheus.Registry
	figures  *passes
	handler  http.Handler
	counted
}

// New returns metrics that have counted nothing yet.
func New(o Options) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), figures: newPasses(o), counted: newCounted()}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(o.Version), m.requests, m.durations, m.conflicts, m.commits, m.syncs, m.changes,
	)
	m.handler = promhttp.HandlerFor(m, promhttp.HandlerOpts{EnableOpenMetrics: true})
	return m
}

// Register adds what others count.
func (m *Metrics) Register(c prometheus.Collector) { m.registry.MustRegister(c) }

// Begin begins the first pass, for which the first scrape waits otherwise.
func (m *Metrics) Begin() { m.figures.begin() }

// Close ends the pass under way.
func (m *Metrics) Close() error {
	m.figures.close()
	return nil
}

func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.figures.refresh(r.Context())
	m.handler.ServeHTTP(w, r)
}

// Gather implements prometheus.Gatherer: all that is known now.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) {
	all, err := m.registry.Gather()
	all = append(all, m.figures.families()...)
	sorted.By(all, func(a, b *dto.MetricFamily) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all, err
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
	enc := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range p.families() {
		if err := enc.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

// buildInfo tells which release runs.
func buildInfo(version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "placetop_build_info", Help: "The release of placetop; always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	g.Set(1)
	return g
}
