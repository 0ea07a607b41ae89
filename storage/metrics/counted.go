package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Request is one that was answered.
type Request struct {
	Route    string // the path with its parameters, such as "/resource_providers/{uuid}"; "" for none that there is
	Method   string
	Status   int
	Conflict bool // somebody else wrote in between
	Took     time.Duration
}

// Commit is one that is on disk.
type Commit struct {
	Changes int           // that share it
	Took    time.Duration // from the first decision until it can be answered
	Disk    time.Duration // the part of it that wrote to the disk and waited for that
}

// counted is what is counted as it happens.
type counted struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	conflicts *prometheus.CounterVec
	commits   prometheus.Histogram
	syncs     prometheus.Histogram
	changes   prometheus.Counter
}

func newCounted() counted {
	return counted{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "placetop_requests_total", Help: "Requests that were answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "placetop_request_duration_seconds", Help: "How long requests took until they were answered.", Buckets: seconds(),
		}, []string{"route", "method"}),
		conflicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "placetop_conflicts_total", Help: "Requests that were refused as somebody else had written in between.",
		}, []string{"route"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "placetop_commit_duration_seconds", Help: "How long it took to decide and keep what shares a commit.", Buckets: seconds(),
		}),
		syncs: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "placetop_fsync_duration_seconds", Help: "The part of a commit that wrote to the disk and waited for it.", Buckets: seconds(),
		}),
		changes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "placetop_changes_total", Help: "Changes of the cloud that are on disk.",
		}),
	}
}

// seconds are the bounds of histograms of durations: 50 µs to 10 s.
func seconds() []float64 {
	return []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 10}
}

// elsewhere stands for what clients may choose at will: there is one series for all of
// it.
const elsewhere = "other"

// Answered counts a request.
func (c *counted) Answered(r Request) {
	if r.Route == "" {
		r.Route = elsewhere
	}
	switch r.Method {
	case http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodOptions, http.MethodPatch:
	default:
		r.Method = elsewhere
	}
	c.requests.WithLabelValues(r.Route, r.Method, strconv.Itoa(r.Status)).Inc()
	c.durations.WithLabelValues(r.Route, r.Method).Observe(r.Took.Seconds())
	if r.Conflict {
		c.conflicts.WithLabelValues(r.Route).Inc()
	}
}

// Committed counts a commit.
func (c *counted) Committed(k Commit) {
	c.commits.Observe(k.Took.Seconds())
	c.syncs.Observe(k.Disk.Seconds())
	c.changes.Add(float64(k.Changes))
}
