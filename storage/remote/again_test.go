package remote

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
)

// TestAsksAgain gives up soon on a service that answers nothing, and later on one that
// has answered before.
func TestAsksAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	s := w.mustOpen(t)
	asked := func(path string) int {
		return len(slices.DeleteFunc(w.requests(), func(r string) bool { return r != "GET "+path }))
	}
	busy := func(path string, times int) {
		w.requests()
		w.answer(func(out http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, path) || times == 0 {
				return false
			}
			times--
			out.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
	}
	for _, c := range []struct {
		name, path   string
		times, tries int
		lost         bool
	}{
		{"amid others", "/resource_classes", 7, 8, false},
		{"amid others, and for good", "/resource_classes", 100, 8, true},
		{"from the beginning", "/resource_providers", 100, 4, true},
	} {
		busy(c.path, c.times)
		if err := s.Refresh(t.Context()); (err != nil) != c.lost {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := asked(c.path); n != c.tries {
			t.Errorf("%s: asked %d times, not %d", c.name, n, c.tries)
		}
	}
}

// TestLate distinguishes kinds of timeouts: a service that was not reached may be the
// next time; one that takes a minute to answer will again.
func TestLate(t *testing.T) {
	t.Parallel()
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer silent.Close()
	address := silent.Addr().String()
	for name, c := range map[string]struct {
		with        *http.Transport
		scheme, why string
		again       bool
	}{
		"not reached": {&http.Transport{DialContext: (&net.Dialer{Timeout: time.Nanosecond}).DialContext}, "http", " did not answer in time; " + hintDown, true},
		"reached":     {&http.Transport{ResponseHeaderTimeout: time.Millisecond}, "http", " did not answer in time; " + hintDown, false},
		"no TLS":      {&http.Transport{TLSHandshakeTimeout: time.Millisecond}, "https", " does not answer the TLS handshake; " + hintHTTP, true},
	} {
		client := http.Client{Transport: c.with}
		answer, err := client.Get(c.scheme + "://" + address)
		if err == nil {
			answer.Body.Close()
			t.Fatal("somebody answered")
		}
		c.with.CloseIdleConnections()
		err = faultOf("placement", "GET /", err)
		if want := "placement GET /: " + address + c.why; err.Error() != want || mayRetry(err) != c.again {
			t.Errorf("%s: %v, worth another try: %v; want %s", name, err, mayRetry(err), want)
		}
	}
}

// TestOnceIsEnough does not retry if the next answer would be the same, however the error
// is worded.
func TestOnceIsEnough(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	trusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer trusted.Close()
	trusted.Config.ErrorLog = log.New(io.Discard, "", 0) // the client hangs up
	for name, c := range map[string]struct {
		address string
		again   bool
	}{
		"another CA":   {trusted.URL, false},
		"no TLS":       {strings.Replace(plain.URL, "http://", "https://", 1), false},
		"nobody there": {"http://127.0.0.1:1", true},
	} {
		resp, err := (&http.Client{Transport: &http.Transport{}}).Get(c.address)
		if err == nil {
			_ = resp.Body.Close()
		}
		if err = faultOf("placement", "GET /", err); mayRetry(err) != c.again {
			t.Errorf("%s: %v, worth another try: %v", name, err, mayRetry(err))
		}
	}
	unnamed := &net.OpError{Op: "dial", Err: &net.DNSError{Name: "nowhere", Err: "no such host"}}
	if err := faultOf("placement", "GET /", unnamed); mayRetry(err) {
		t.Errorf("%v: worth another try", err)
	}
	long := &FaultError{Why: "too long", final: true}
	if err := garbled("placement", "GET /", "application/json", long); mayRetry(err) {
		t.Errorf("%v: worth another try", err)
	}
}

// TestAsking checks which service is named as waited for: of two asked at a time, the one
// that has not answered.
func TestAsking(t *testing.T) {
	t.Parallel()
	var told []string
	a := pendingServices{tell: func(whom string) { told = append(told, whom) }}
	a.begin("placement")
	a.begin("compute")
	a.begin("compute")
	a.end("compute")
	a.end("compute")
	a.end("placement")
	if want := []string{"placement", "compute", "compute", "compute", "placement", ""}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// TestOpensWithoutNova opens a cloud whose Nova is down, with what Placement reports, and
// reads the rest once Nova is back.
func TestOpensWithoutNova(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 1), newStandIn(t)
	away := true
	in.says("/", object{"versions": []any{object{"max_version": "2.90"}}})
	in.says("/flavors/detail", object{"flavors": []any{object{"id": "1", "name": "small", "ram": 512, "vcpus": 1, "disk": 1}}})
	in.odd = func(out http.ResponseWriter, _ *http.Request) bool {
		if away {
			out.WriteHeader(http.StatusServiceUnavailable)
		}
		return away
	}
	s := w.openAt(t, api.Compute, in, &service{name: api.Compute, address: in.URL, unmet: true})
	without := s.Link().Without
	if s.Snapshot().Placement().ProviderCount() == 0 || len(without) != len(cloud.NovaParts()) || !strings.Contains(without[0], "compute GET /: 503") {
		t.Fatalf("%d providers without %q", s.Snapshot().Placement().ProviderCount(), without)
	}
	in.mu.Lock()
	away = false
	in.mu.Unlock()
	must.Succeed(t, s.Refresh(t.Context()))
	_, read := s.Snapshot().Nova().FlavorNamed("small")
	if minor := s.Capabilities().Servers.Minor; !read || len(s.Link().Without) > 0 || minor != computeNewest {
		t.Errorf("flavors %v, without %q, microversion %d", read, s.Link().Without, minor)
	}
}
