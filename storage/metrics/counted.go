package metrics

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/placetop/placetop/storage/engine"
)

// Request is a request that was answered.
type Request struct {
	Route    string // the path with its parameters, such as "/resource_providers/{uuid}"; "" for none
	Method   string
	Status   int
	Conflict bool // another writer was faster
	Took     time.Duration
}

// counted is what is counted as it happens.
type counted struct {
	requests  tallies
	durations tallies
	conflicts tallies
	commits   tallies
	syncs     tallies
	changes   tallies
}

func newCounted() *counted {
	c := &counted{
		requests: tallies{
			name: "placetop_requests_total", help: "Requests answered, by route, method and status.", kind: counter,
		},
		durations: tallies{
			name: "placetop_request_duration_seconds", help: "How long requests took until they were answered.", kind: histogram,
		},
		conflicts: tallies{
			name: "placetop_conflicts_total", help: "Requests refused because somebody else had written in between.", kind: counter,
		},
		commits: tallies{
			name: "placetop_commit_duration_seconds", help: "How long it took to apply and save the changes of a commit.", kind: histogram,
		},
		syncs: tallies{
			name: "placetop_fsync_duration_seconds", help: "The part of that spent on writing to disk.", kind: histogram,
		},
		changes: tallies{
			name: "placetop_changes_total", help: "Changes saved to disk.", kind: counter,
		},
	}
	// Families without labels are there from the start, as 0.
	for _, t := range []*tallies{&c.commits, &c.syncs, &c.changes} {
		t.of("")
	}
	return c
}

// write writes all counters.
func (c *counted) write(t *text) {
	for _, of := range []*tallies{&c.requests, &c.durations, &c.conflicts, &c.commits, &c.syncs, &c.changes} {
		of.write(t)
	}
}

// elsewhere replaces values that clients choose freely: they share one series.
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
	c.requests.add(pairs("method", r.Method, "route", r.Route, "status", strconv.Itoa(r.Status)), 1)
	c.durations.add(pairs("method", r.Method, "route", r.Route), r.Took.Seconds())
	if r.Conflict {
		c.conflicts.add(pairs("route", r.Route), 1)
	}
}

// Committed counts a commit.
func (c *counted) Committed(k engine.Commit) {
	c.commits.add("", k.Took.Seconds())
	c.syncs.add("", k.Disk.Seconds())
	c.changes.add("", float64(k.Changes))
}

// tallies are a family of counters or of histograms of durations. Any goroutine may add.
type tallies struct {
	name, help string
	kind       kind

	mu       sync.Mutex
	byLabels map[string]*tally
}

// tally is one counter or histogram of a family.
type tally struct {
	sum     float64
	count   int
	buckets [bounds]int // how many durations were at most this bound, and above the one before
}

// seconds are the bounds of histograms of durations: 50 µs to 10 s.
func seconds() [bounds]float64 {
	return [...]float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1, 2.5, 10}
}

const bounds = 16

// of returns the tally with labels.
func (t *tallies) of(labels string) *tally {
	if t.byLabels[labels] == nil {
		if t.byLabels == nil {
			t.byLabels = make(map[string]*tally)
		}
		t.byLabels[labels] = new(tally)
	}
	return t.byLabels[labels]
}

// add adds value to the tally with labels, in the form of pairs.
func (t *tallies) add(labels string, value float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.of(labels)
	of.sum += value
	of.count++
	longest := seconds()
	if n, _ := slices.BinarySearch(longest[:], value); n < bounds {
		of.buckets[n]++
	}
}

// write writes the family, unless nothing was counted.
func (t *tallies) write(to *text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byLabels) > 0 {
		to.family(t.name, t.help, t.kind)
	}
	for _, labels := range slices.Sorted(maps.Keys(t.byLabels)) {
		of := t.byLabels[labels]
		if t.kind == counter {
			to.sample(t.name, labels, of.sum)
			continue
		}
		atMost, more := 0, labels
		if more != "" {
			more += ","
		}
		for n, bound := range seconds() {
			atMost += of.buckets[n]
			to.sample(t.name+"_bucket", more+pairs("le", strconv.FormatFloat(bound, 'g', -1, 64)), float64(atMost))
		}
		to.sample(t.name+"_bucket", more+pairs("le", "+Inf"), float64(of.count))
		to.sample(t.name+"_sum", labels, of.sum)
		to.sample(t.name+"_count", labels, float64(of.count))
	}
}
