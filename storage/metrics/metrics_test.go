package metrics_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/metrics"
)

// shelf is a cloud whose Snapshot a test replaces.
type shelf struct{ atomic.Pointer[cloud.Snapshot] }

func (s *shelf) Snapshot() *cloud.Snapshot { return s.Load() }

func shelfWith(s *cloud.Snapshot) *shelf {
	out := new(shelf)
	out.Store(s)
	return out
}

func clock() time.Time { return modeltest.At(0) }

// get scrapes m.
func get(t *testing.T, m http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// TestUnseenIsEscaped: what people name their things may steer no terminal that shows a
// scrape, and no line of it may be forged.
func TestUnseenIsEscaped(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{Cloud: shelfWith(cloud.Empty()), Clock: clock, Version: "v\x1b[31m\r\u202e\u009b\"\\\n\xff"})
	if text, want := get(t, m), `placetop_build_info{version="v\\u001b[31m\\u000d\\u202e\\u009b\"\\\n`+"\uFFFD\"} 1\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// TestScrape reads a scrape as Prometheus does: figures of the cloud, counters, and
// figures of the process.
func TestScrape(t *testing.T) {
	t.Parallel()
	s := demotest.Snapshot(t, demo.Options{Now: clock()})
	m := metrics.New(metrics.Options{Cloud: shelfWith(s), Clock: clock, Version: "v1", Each: true})
	m.Answered(metrics.Request{Route: "/allocations/{uuid}", Method: http.MethodPut, Status: 409, Conflict: true, Took: time.Millisecond})
	m.Answered(metrics.Request{Method: "BREW", Status: 404})
	m.Committed(engine.Commit{Changes: 3, Took: 2 * time.Millisecond, Disk: time.Millisecond})
	text := get(t, m)
	families := samples(t, text)
	if n := families["openstack_placement_resource_usage"]; n < s.Placement().ProviderCount() {
		t.Errorf("%d series of usage", n)
	}
	for _, of := range []string{"go_goroutines", "go_memstats_alloc_bytes", "process_start_time_seconds"} {
		if families[of] != 1 {
			t.Errorf("%d samples of %s", families[of], of)
		}
	}
	for _, line := range []string{
		`placetop_requests_total{method="PUT",route="/allocations/{uuid}",status="409"} 1`,
		`placetop_requests_total{method="other",route="other",status="404"} 1`,
		`placetop_conflicts_total{route="/allocations/{uuid}"} 1`,
		`placetop_request_duration_seconds_count{method="PUT",route="/allocations/{uuid}"} 1`,
		`placetop_commit_duration_seconds_bucket{le="0.0025"} 1`,
		`placetop_fsync_duration_seconds_sum 0.001`,
		`placetop_changes_total 3`,
		`placetop_build_info{version="v1"} 1`,
		fmt.Sprintf("placetop_revision %d", s.Revision()),
		"# TYPE openstack_free_capacity_by_flavor_total untyped",
		"# TYPE placetop_resource_used gauge",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("nobody is told %s", line)
		}
	}
}

// TestScrapeCompressed unpacks the answer to a client that accepts gzip, as Prometheus
// does.
func TestScrapeCompressed(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{Cloud: shelfWith(demotest.Snapshot(t, demo.Options{Now: clock()})), Clock: clock, Version: "a \\ \"b\"\nc\xff"})
	m.Register(metrics.Number{Name: "placetop_cloud_up", Help: "Whether it is\nup.", Value: func() float64 { return math.Inf(1) }})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept-Encoding", "deflate, gzip")
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	z := must.Get(gzip.NewReader(w.Body))(t)
	unpacked := must.Get(io.ReadAll(z))(t)
	text := string(unpacked)
	samples(t, text)
	for _, line := range []string{
		`placetop_build_info{version="a \\ \"b\"\nc` + "\uFFFD" + `"} 1`,
		`# HELP placetop_cloud_up Whether it is\nup.`,
		`placetop_cloud_up +Inf`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("nobody is told %s", line)
		}
	}
}

// samples parses a text line by line, and counts the samples of each family. It fails if
// a sample is outside its family, or a family or a sample occurs twice.
func samples(t *testing.T, text string) map[string]int {
	t.Helper()
	var (
		head    = regexp.MustCompile(`^# (HELP|TYPE) ([a-z_]+) (.+)$`)
		sample  = regexp.MustCompile(`^([a-z_]+?)(_bucket|_sum|_count)?(\{[a-z_]+="(?:[^"\\]|\\[\\n"])*"(?:,[a-z_]+="(?:[^"\\]|\\[\\n"])*")*\})? (\+Inf|[-0-9.e+]+)$`)
		counts  = make(map[string]int)
		seen    = make(map[string]bool)
		in, typ string
	)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := head.FindStringSubmatch(line); m != nil {
			if seen[m[1]+m[2]] {
				t.Errorf("twice: %s", line)
			}
			seen[m[1]+m[2]], in, typ = true, m[2], m[3]
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("not in the format: %s", line)
			continue
		}
		name := m[1] + m[2]
		if typ == "histogram" || typ == "summary" {
			name = m[1]
		}
		id := m[1] + m[2] + m[3]
		if name != in || seen[id] {
			t.Errorf("in family %s, seen before %t: %s", in, seen[id], line)
		}
		seen[id] = true
		counts[name]++
	}
	return counts
}

// TestScrapesShareFigures has one client leave while figures take long, and several others ask
// meanwhile: they are made once, to their end.
func TestScrapesShareFigures(t *testing.T) {
	t.Parallel()
	s := demotest.Snapshot(t, demo.Options{Now: clock()})
	begun, goOn := make(chan int, 8), make(chan struct{})
	m := metrics.New(metrics.Options{
		Cloud: shelfWith(s), Clock: clock,
		Inspect: func(*cloud.Snapshot) *audit.Report {
			begun <- 1
			<-goOn
			return &audit.Report{}
		},
	})
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan string)
	go func() {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequestWithContext(leaving, http.MethodGet, "/metrics", nil))
		left <- w.Body.String()
	}()
	<-begun
	leave()
	if text := <-left; strings.Contains(text, "placetop_revision") {
		t.Error("there are figures that were not made to their end")
	}
	const clients = 3
	texts := make(chan string, clients)
	for range clients {
		go func() { texts <- get(t, m) }()
	}
	close(goOn)
	for range clients {
		if text := <-texts; !strings.Contains(text, fmt.Sprintf("\nplacetop_revision %d\n", s.Revision())) {
			t.Error("a client has no figures")
		}
	}
	must.Be(t, len(begun), 0)
}

// TestLongFiguresComeNext changes a cloud whose figures take a second: a scrape does not wait
// for the new ones, and a later one gets them. Once the last ones are stale, it waits.
func TestLongFiguresComeNext(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	goOn := make(chan struct{}, 1)
	before, after := cloud.Empty(), demotest.Snapshot(t, demo.Options{Now: clock()})
	kept := shelfWith(before)
	m := metrics.New(metrics.Options{
		Cloud: kept, Clock: func() time.Time { return clock().Add(time.Duration(now.Load())) },
		Inspect: func(*cloud.Snapshot) *audit.Report {
			<-goOn
			now.Add(int64(time.Second))
			return &audit.Report{}
		},
	})
	has := func(s *cloud.Snapshot) bool {
		return strings.Contains(get(t, m), fmt.Sprintf("\nplacetop_revision %d\n", s.Revision()))
	}
	goOn <- struct{}{}
	must.Be(t, has(before), true)
	kept.Store(after)
	must.Be(t, has(before), true) // nobody has let the new ones be made
	now.Add(int64(time.Minute))
	goOn <- struct{}{}
	must.Be(t, has(after), true)
}

// TestKeepsFiguresOfTheSameCloud makes no new pass for an unchanged cloud until a minute
// has passed.
func TestKeepsFiguresOfTheSameCloud(t *testing.T) {
	t.Parallel()
	now := clock()
	passes := 0
	m := metrics.New(metrics.Options{
		Cloud: shelfWith(cloud.Empty()), Clock: func() time.Time { return now },
		Inspect: func(*cloud.Snapshot) *audit.Report { passes++; return &audit.Report{} },
	})
	for range 3 {
		get(t, m)
	}
	now = now.Add(time.Minute)
	get(t, m)
	must.Be(t, passes, 2)
}

// TestWriteOnce prints the figures of the cloud, and none of the process.
func TestWriteOnce(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	s := demotest.Snapshot(t, demo.Options{Now: clock()})
	must.Succeed(t, metrics.Write(t.Context(), &b, metrics.Options{Cloud: shelfWith(s), Clock: clock}))
	if text := b.String(); strings.Contains(text, "go_") || strings.Contains(text, "hostname") || !strings.Contains(text, "\nplacetop_flavor_fits{flavor=") {
		t.Errorf("got\n%s", text)
	}
}

// BenchmarkScrape scrapes 10,000 hosts: the cost of a scrape once there are figures, and, as
// ms-changed, of the first one after a change.
func BenchmarkScrape(b *testing.B) {
	s := demotest.Snapshot(b, demo.Options{Hosts: 10_000, Now: clock()})
	changed, _, err := s.Apply(cloud.Change{At: clock(), Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_ANOTHER"}}})
	must.Succeed(b, err)
	for name, each := range map[string]bool{"cloud": false, "providers": true} {
		b.Run(name, func(b *testing.B) {
			kept := shelfWith(s)
			m := metrics.New(metrics.Options{Cloud: kept, Clock: time.Now, Each: each})
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/metrics", nil)
			m.ServeHTTP(httptest.NewRecorder(), r)
			for b.Loop() {
				m.ServeHTTP(discard{}, r)
			}
			kept.Store(changed)
			began := time.Now()
			m.ServeHTTP(discard{}, r)
			b.ReportMetric(float64(time.Since(began).Microseconds())/1e3, "ms-changed")
		})
	}
}

// discard is a client that reads fast.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }
func (discard) WriteHeader(int)             {}

// A fault in a rule does not end the server: the figures stay as they were, and the fault
// is reported.
func TestFaultIsTold(t *testing.T) {
	t.Parallel()
	s := demotest.Snapshot(t, demo.Options{Now: clock()})
	var told error
	o := metrics.Options{
		Cloud: shelfWith(s), Clock: clock,
		Inspect: func(*cloud.Snapshot) *audit.Report { panic("a rule that fell over") },
		Failed:  func(err error, _ []byte) { told = err },
	}
	err := metrics.Write(t.Context(), io.Discard, o)
	if err == nil || told == nil || !strings.Contains(err.Error(), "a rule that fell over") {
		t.Errorf("written with %v, told of %v", err, told)
	}
}
