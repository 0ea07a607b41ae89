package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/storagetest"
)

// standIn is a fake Nova or Cyborg that answers from a script according to the API's
// documentation, for what a real one cannot be made to do on demand, such as losing
// answers. TestOpenStack checks a real Nova.
type standIn struct {
	*httptest.Server
	t *testing.T

	flavor  string    // of the server
	clock   time.Time // its own; zero if it tells none
	mu      sync.Mutex
	answers map[string]string                                 // by path
	wrote   []string                                          // requests that change something
	odd     func(w http.ResponseWriter, r *http.Request) bool // answers instead of the script
	on      func(body string)                                 // the effect of a write
	asked   func(path string)                                 // gets the path of each request; nil for nobody
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{t: t, flavor: "small", answers: map[string]string{
		"/os-services": `{"services":[]}`, "/flavors/detail": `{"flavors":[]}`, "/os-hypervisors/detail": `{"hypervisors":[]}`,
		"/os-aggregates": `{"aggregates":[]}`, "/servers/detail": `{"servers":[]}`, "/os-migrations": `{"migrations":[]}`,
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	if s.asked != nil {
		s.asked(r.URL.Path)
	}
	if w.Header()["Date"] = nil; !s.clock.IsZero() {
		w.Header().Set("Date", s.clock.Format(http.TimeFormat))
	}
	if r.Method != http.MethodGet {
		s.wrote = append(s.wrote, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(), body, r.Header.Get("Openstack-Api-Version"))))
	}
	if s.odd != nil && s.odd(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodGet {
		if s.on != nil {
			s.on(string(body))
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer, ok := s.answers[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		answer = `{"itemNotFound":{"code":404,"message":"it is not there"}}`
	}
	if r.URL.Query().Has("marker") { // the first page has all
		answer = `{"servers":[],"migrations":[]}`
	}
	if _, err := io.WriteString(w, answer); err != nil {
		s.t.Error(err)
	}
}

// says makes it answer with a value at a path.
func (s *standIn) says(path string, value any) {
	text := must.Get(json.Marshal(value))(s.t)
	s.answers[path] = string(text)
}

// written returns the requests that change something, since the last time.
func (s *standIn) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	wrote := strings.Join(s.wrote, "\n")
	s.wrote = nil
	return wrote
}

// openWith opens the Placement of a world beside a fake service.
func (w *world) openWith(t *testing.T, name api.Service, in *standIn, minor int) *Store {
	t.Helper()
	return w.openAt(t, name, in, &service{name: name, address: in.URL, minor: minor})
}

// openAt is openWith, with more known about the service.
func (w *world) openAt(t *testing.T, name api.Service, in *standIn, of *service, more ...*service) *Store {
	t.Helper()
	call := must.Get(dialEndpoint(t.Context(), w.URL, token(t, "secret\n"), DefaultInFlight, nil))(t)
	call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	call.services[name] = of
	for _, also := range more {
		call.services[also.name] = also
	}
	if name == api.Accelerator {
		call.services[name].address = versionedAt(in.URL, name)
		call.services[name].minor = must.Get(call.speaks(t.Context()))(t)
	}
	s := must.Get(newStore(t.Context(), call, options{scheme: "http", clock: storagetest.Clock(), can: cloud.Capabilities{Cannot: call.cannot}}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
