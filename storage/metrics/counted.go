package metrics

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/placetop/placetop/model/sorted"
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

// counted is what is counted as it happens. Any goroutine may count.
type counted struct {
	mu             sync.Mutex
	requests       map[answer]float64
	durations      map[answer]*histogram // of all statuses, which are 0
	conflicts      map[string]float64    // by route
	commits, syncs histogram
	changes        float64
}

// answer is what requests are told apart by.
type answer struct {
	route, method string
	status        int
}

// histogram counts durations by how long they are.
type histogram struct {
	within [len(seconds)]float64 // how many took no longer than that
	sum    float64               // seconds
	count  float64
}

func (h *histogram) observe(took time.Duration) {
	s := took.Seconds()
	for i := len(seconds) - 1; i >= 0 && s <= seconds[i]; i-- {
		h.within[i]++
	}
	h.sum += s
	h.count++
}

// samples returns h as it is told, under labels.
func (h *histogram) samples(labels string) []sample {
	var out []sample
	bucket := func(bound, n float64) {
		out = append(out, sample{suffix: "_bucket", labels: labels, bounds: "le", bound: bound, value: n})
	}
	for i, n := range h.within {
		bucket(seconds[i], n)
	}
	bucket(math.Inf(1), h.count)
	return append(out, sample{suffix: "_sum", labels: labels, value: h.sum}, sample{suffix: "_count", labels: labels, value: h.count})
}

// seconds are the bounds of histograms of durations: 50 µs to 10 s.
var seconds = [...]float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 10} //nolint:gochecknoglobals // read only

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
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests == nil {
		c.requests, c.durations, c.conflicts = map[answer]float64{}, map[answer]*histogram{}, map[string]float64{}
	}
	key := answer{route: r.Route, method: r.Method}
	if c.durations[key] == nil {
		c.durations[key] = new(histogram)
	}
	c.durations[key].observe(r.Took)
	key.status = r.Status
	c.requests[key]++
	if r.Conflict {
		c.conflicts[r.Route]++
	}
}

// Committed counts a commit.
func (c *counted) Committed(k Commit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits.observe(k.Took)
	c.syncs.observe(k.Disk)
	c.changes += float64(k.Changes)
}

// families returns what was counted until now.
func (c *counted) families() []family {
	c.mu.Lock()
	defer c.mu.Unlock()
	requests := family{name: "placetop_requests_total", help: "Requests that were answered, by route, method and status.", kind: counterKind}
	for a, n := range c.requests {
		requests.samples = append(requests.samples, sample{labels: a.labels(), value: n})
	}
	durations := family{name: "placetop_request_duration_seconds", help: "How long requests took until they were answered.", kind: histogramKind}
	for a, h := range c.durations {
		durations.samples = append(durations.samples, h.samples(a.labels())...)
	}
	conflicts := family{name: "placetop_conflicts_total", help: "Requests that were refused as somebody else had written in between.", kind: counterKind}
	for route, n := range c.conflicts {
		conflicts.samples = append(conflicts.samples, sample{labels: labelled([]string{"route"}, []string{route}), value: n})
	}
	out := []family{
		{name: "placetop_commit_duration_seconds", help: "How long it took to decide and keep what shares a commit.", kind: histogramKind, samples: c.commits.samples("")},
		{name: "placetop_fsync_duration_seconds", help: "The part of a commit that wrote to the disk and waited for it.", kind: histogramKind, samples: c.syncs.samples("")},
		one(counterKind, "placetop_changes_total", "Changes of the cloud that are on disk.", c.changes),
	}
	for _, f := range []family{requests, durations, conflicts} {
		if len(f.samples) > 0 {
			sorted.By(f.samples, func(a, b sample) int { return strings.Compare(a.labels, b.labels) })
			out = append(out, f)
		}
	}
	return out
}

// labels returns a as it is written: without a status where it has none.
func (a answer) labels() string {
	names, values := []string{"method", "route"}, []string{a.method, a.route}
	if a.status != 0 {
		names, values = append(names, "status"), append(values, strconv.Itoa(a.status))
	}
	return labelled(names, values)
}
