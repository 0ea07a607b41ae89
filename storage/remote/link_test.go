package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// fleet is a cloud of Placement, Nova and Cyborg, each of which can be made to fail.
type fleet struct {
	mu     sync.Mutex
	faults map[string]func(r *http.Request) (*http.Response, error) // by host; nil for none
}

func (f *fleet) fail(host string, with func(r *http.Request) (*http.Response, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faults == nil {
		f.faults = map[string]func(r *http.Request) (*http.Response, error){}
	}
	f.faults[host] = with
}

// RoundTrip implements http.RoundTripper with empty lists.
func (f *fleet) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	fault := f.faults[r.URL.Host]
	f.mu.Unlock()
	if fault != nil {
		return fault(r)
	}
	return f.answer(r)
}

// answer answers with an empty list.
func (f *fleet) answer(r *http.Request) (*http.Response, error) {
	return says(r, http.StatusOK, `{"resource_providers": [], "resource_classes": [], "traits": [], "usages": {}, "services": [], "flavors": [], "hypervisors": [],
		"aggregates": [], "servers": [], "migrations": [], "devices": [], "deployables": [], "device_profiles": [], "arqs": [], "version": {"version": "2.90"}}`), nil
}

func says(r *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

// hangs answers nothing until its client gives up, or until it is thawed.
func hangs(thawed <-chan struct{}, f *fleet) func(r *http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		late := time.NewTimer(headTime)
		defer late.Stop()
		select {
		case <-thawed:
			f.fail(r.URL.Host, nil)
			return f.RoundTrip(r)
		case <-late.C:
			return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: context.DeadlineExceeded}
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// trickle is the body of an answer that comes byte by byte, and to no end until it is
// thawed.
type trickle struct {
	ctx    context.Context //nolint:containedctx // of the request that it answers
	thawed <-chan struct{}
}

func (b *trickle) Read(p []byte) (int, error) {
	next := time.NewTimer(time.Second)
	defer next.Stop()
	select {
	case <-next.C:
		p[0] = ' '
		return 1, nil
	case <-b.thawed:
		return 0, io.ErrUnexpectedEOF
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (*trickle) Close() error { return nil }

func refuses(r *http.Request) (*http.Response, error) {
	return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: syscall.ECONNREFUSED}
}

func breaks(status int) func(r *http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) { return says(r, status, `{}`), nil }
}

// open opens the cloud, which is read every period.
func (f *fleet) open(t *testing.T, every time.Duration) *Store {
	t.Helper()
	call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{f}}, DefaultInFlight, nil)
	for _, of := range []api.Service{api.Placement, api.Compute, api.Accelerator} {
		call.services[of] = &service{name: of, address: "http://" + string(of), minor: 39}
	}
	can := cloud.Capabilities{Cannot: call.cannot}
	return must.Get(newStore(t.Context(), call, options{scheme: "http", clock: time.Now, every: every, soon: true, can: can}))(t)
}

// states returns how current each service is, such as "live slow stale".
func states(s *Store) string {
	synctest.Wait()
	l := s.Link()
	var out []string
	for _, of := range l.Services() {
		out = append(out, string(of.State(time.Now())))
	}
	return strings.Join(out, " ")
}

// TestEachServiceStandsForItself has each service fail in each way: within two periods it
// is stale, what rests on it is read-only, and the others are live with fresh data; once
// it answers again, so is this one.
func TestEachServiceStandsForItself(t *testing.T) {
	t.Parallel()
	const every = 30 * time.Second
	ops := []cloud.Op{placement.CreateTrait{Name: "CUSTOM_A"}, nova.ForceDownService{}, cyborg.DisableDevice{}}
	for i, of := range []api.Service{api.Placement, api.Compute, api.Accelerator} {
		for name, fault := range map[string]func(f *fleet, thawed chan struct{}) func(r *http.Request) (*http.Response, error){
			"hangs": func(f *fleet, thawed chan struct{}) func(r *http.Request) (*http.Response, error) {
				return hangs(thawed, f) //nolint:bodyclose // whoever sends the request closes it
			},
			"refuses": func(*fleet, chan struct{}) func(r *http.Request) (*http.Response, error) { return refuses },
			"500":     func(*fleet, chan struct{}) func(r *http.Request) (*http.Response, error) { return breaks(500) }, //nolint:bodyclose // as above
			"503":     func(*fleet, chan struct{}) func(r *http.Request) (*http.Response, error) { return breaks(503) }, //nolint:bodyclose // as above
			"hangs on one list": func(f *fleet, thawed chan struct{}) func(r *http.Request) (*http.Response, error) {
				return func(r *http.Request) (*http.Response, error) {
					if slices.Contains([]string{"/traits", "/servers/detail", "/deployables"}, r.URL.Path) {
						return hangs(thawed, f)(r)
					}
					return f.answer(r)
				}
			},
			"trickles": func(_ *fleet, thawed chan struct{}) func(r *http.Request) (*http.Response, error) {
				return func(r *http.Request) (*http.Response, error) {
					answer := says(r, http.StatusOK, "")
					answer.Body = &trickle{r.Context(), thawed}
					return answer, nil
				}
			},
		} {
			t.Run(string(of)+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := &fleet{}
					s := f.open(t, every)
					defer s.Close()
					if got := states(s); got != "live live live" {
						t.Fatal(got)
					}
					want := strings.Fields("live live live")
					want[i] = "stale"
					thawed := make(chan struct{})
					f.fail(string(of), fault(f, thawed)) //nolint:bodyclose // as above
					for began := time.Now(); time.Since(began) < 5*time.Minute; time.Sleep(time.Second) {
						got := states(s)
						if strings.Contains(strings.Join(append(strings.Fields(got)[:i:i], strings.Fields(got)[i+1:]...), " "), "s") {
							t.Fatalf("after %s: the others are %s", time.Since(began), got)
						}
						if time.Since(began) >= 2*every && got != strings.Join(want, " ") {
							t.Fatalf("after %s: %s, want %s", time.Since(began), got, want)
						}
						l := s.Link()
						for n, of := range l.Services() {
							if age := time.Since(of.At); n != i && age > every+time.Second {
								t.Fatalf("%s is %s old", of.Name, age)
							}
						}
					}
					for n, op := range ops {
						can := s.Capabilities()
						if err := can.Can(op); (err != nil) != (n == i || i == 0) {
							t.Errorf("%T: %v", op, err)
						}
					}
					if why := s.Capabilities().Servers.Cannot("resize"); (why != "") != (i == 1) {
						t.Errorf("servers: %q", why)
					}
					close(thawed)
					f.fail(string(of), nil)
					time.Sleep(every + time.Second)
					if got := states(s); got != "live live live" {
						t.Errorf("%s after %s is back: %+v", got, of, s.Link())
					}
					if err := s.Capabilities().Can(ops...); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// TestNovaDoesNotDelayPlacement opens a cloud whose Nova does not answer from the start, or
// answers with one page after another: within two periods it is slow, and then stale.
// Placement is live all the time, and read every period.
func TestNovaDoesNotDelayPlacement(t *testing.T) {
	t.Parallel()
	const every = 30 * time.Second
	for name, fault := range map[string]func(f *fleet) func(r *http.Request) (*http.Response, error){
		"hangs from the start": func(f *fleet) func(r *http.Request) (*http.Response, error) { return hangs(nil, f) }, //nolint:bodyclose // whoever sends the request closes it
		"hangs once the list has begun": func(f *fleet) func(r *http.Request) (*http.Response, error) {
			return func(r *http.Request) (*http.Response, error) {
				if r.URL.Query().Has("marker") {
					return hangs(nil, f)(r)
				}
				return unendingPage(r, 0)
			}
		},
		"one page after another": func(*fleet) func(r *http.Request) (*http.Response, error) {
			n := 0
			return func(r *http.Request) (*http.Response, error) {
				select {
				case <-time.After(every / 3):
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
				n++
				return unendingPage(r, n)
			}
		},
	} {
		for _, later := range []bool{false, true} {
			if name == "one page after another" && !later {
				continue // it answers, and how long a whole reading takes is not known yet
			}
			t.Run(fmt.Sprintf("%s %t", name, later), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f := &fleet{}
					if !later {
						f.fail(string(api.Compute), fault(f)) //nolint:bodyclose // as above
					}
					s := f.open(t, every)
					defer s.Close()
					if later {
						states(s)
						f.fail(string(api.Compute), fault(f)) //nolint:bodyclose // as above
					}
					var seen []string
					for began := time.Now(); time.Since(began) < 5*time.Minute; time.Sleep(time.Second) {
						is := strings.Fields(states(s))
						if is[0] != "live" || is[2] != "live" {
							t.Fatalf("after %s: %s", time.Since(began), is)
						}
						if age := time.Since(s.Link().At); age > every+6*time.Second {
							t.Fatalf("after %s Placement is %s old", time.Since(began), age)
						}
						if n := len(seen); n == 0 || seen[n-1] != is[1] {
							seen = append(seen, is[1])
						}
						if time.Since(began) >= 2*every && is[1] != "stale" {
							t.Fatalf("after %s: %s", time.Since(began), is)
						}
					}
					if got := strings.Join(seen[1:], " "); got != "slow stale" {
						t.Errorf("%s: then %s", seen[0], got)
					}
				})
			})
		}
	}
}

// unendingPage answers with page n of a list of servers that has no end, and with empty lists
// otherwise.
func unendingPage(r *http.Request, n int) (*http.Response, error) {
	if r.URL.Path != "/servers/detail" {
		return (&fleet{}).answer(r)
	}
	return says(r, http.StatusOK, fmt.Sprintf(`{"servers": [{"id": "%s"}], "servers_links": [{"rel": "next", "href": "http://elsewhere/"}]}`, storagetest.Consumer(uint64(n)))), nil
}
