package metrics

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
)

// TestAnyFamilyIsReadBack has Prometheus's own parser read what is written: whatever
// stands in labels and helps, and whatever the figures are.
func TestAnyFamilyIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.String(), 2, 2).Draw(t, "values")
		help, figure := rapid.String().Draw(t, "help"), rapid.Float64().Draw(t, "figure")
		k := rapid.SampledFrom([]kind{counterKind, gaugeKind, untypedKind}).Draw(t, "kind")
		var b bytes.Buffer
		some := family{name: "some_total", help: help, kind: k, samples: []sample{{labels: labelled([]string{"b", "a"}, values), value: figure}}}
		if err := write(&b, []family{some}, false); err != nil {
			t.Fatal(err)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(&b)
		if err != nil {
			t.Fatal(err)
		}
		f := families["some_total"]
		if !strings.EqualFold(f.GetType().String(), string(k)) {
			t.Errorf("%s is read as %s", k, f.GetType())
		}
		m := f.GetMetric()[0]
		if l := m.GetLabel(); l[0].GetName() != "a" || l[0].GetValue() != values[1] || l[1].GetValue() != values[0] {
			t.Errorf("labels %q are read as %v", values, l)
		}
		if got := m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue(); got != figure && !math.IsNaN(figure) {
			t.Errorf("%v is read as %v", figure, got)
		}
	})
}

// TestOpenMetrics writes what is unlike in the two forms.
func TestOpenMetrics(t *testing.T) {
	t.Parallel()
	var h histogram
	h.observe(2 * time.Second)
	var b bytes.Buffer
	err := write(&b, []family{
		one(counterKind, "x_total", `a "quoted" \ word`, 3),
		{name: "y", kind: untypedKind, samples: []sample{{labels: `z="1"`, value: 1e30}}},
		{name: "h", kind: histogramKind, samples: h.samples("")[12:]},
	}, true)
	want := `# HELP x a \"quoted\" \\ word
# TYPE x counter
x_total 3.0
# HELP y 
# TYPE y unknown
y{z="1"} 1e+30
# HELP h 
# TYPE h histogram
h_bucket{le="0.5"} 0
h_bucket{le="1.0"} 0
h_bucket{le="2.5"} 1
h_bucket{le="10.0"} 1
h_bucket{le="+Inf"} 1
h_sum 2.0
h_count 1
# EOF
`
	if err != nil || b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestWantsOpen(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "text/html, */*": false, "nonsense;;;": false, "text/plain": false,
		"application/openmetrics-text":                                                        true,
		"application/openmetrics-text;q=0":                                                    false,
		"application/openmetrics-text; version=1.0.0; q=0.2, text/plain; q=0.5":               false,
		"application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*": true,
		"application/vnd.google.protobuf;q=0.7,application/openmetrics-text;q=0.6,*/*;q=0.1":  true,
		"application/vnd.google.protobuf;encoding=delimited, text/plain;version=0.0.4;q=0.3":  false,
	} {
		if got := wantsOpen(accept); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

// TestCompressed scrapes as Prometheus does, and finds what the process tells.
func TestCompressed(t *testing.T) {
	t.Parallel()
	m := New(Options{Cloud: empty{}, Clock: time.Now, Patience: time.Hour})
	defer m.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"\ngo_goroutines ", "\ngo_gc_duration_seconds_count ", "\ngo_memstats_alloc_bytes ", "\nplacetop_build_info{version=\"\"} 1\n"}
	if runtime.GOOS == "linux" {
		want = append(want, "\nprocess_cpu_seconds_total ", "\nprocess_max_fds ", "\nprocess_open_fds ", "\nprocess_resident_memory_bytes ", "\nprocess_start_time_seconds 1")
	}
	for _, name := range want {
		if !strings.Contains(string(text), name) {
			t.Errorf("nobody is told %q", name)
		}
	}
}

type empty struct{}

func (empty) Snapshot() *cloud.Snapshot { return cloud.Empty() }
