package remote

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
)

// roundTrip is a function as a transport.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPassingFaults has each fault that may pass happen twice: what only reads is tried
// again until it succeeds, after the time that the service asks for, and what writes is
// not.
func TestPassingFaults(t *testing.T) {
	t.Parallel()
	status := func(code int, header ...string) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			answer := says(r, code, `{"computeFault": {"message": "it broke"}}`)
			for i := 0; i < len(header); i += 2 {
				answer.Header.Set(header[i], header[i+1])
			}
			return answer, nil
		}
	}
	fails := func(err error) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: err}
		}
	}
	body := func(of io.Reader) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			answer := says(r, http.StatusOK, "")
			answer.Body = io.NopCloser(of)
			return answer, nil
		}
	}
	cut := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"usages": {`), &endsWith{io.ErrUnexpectedEOF})
	}
	const date, later = "Sat, 28 Nov 2026 10:00:00 GMT", "Sat, 28 Nov 2026 10:00:07 GMT"
	for name, c := range map[string]struct {
		fault roundTrip
		least time.Duration // that two tries more take
		final bool          // it is not tried again
	}{
		"408":                    {fault: status(408)},
		"429":                    {fault: status(429)},
		"413 with a delay":       {fault: status(413, "Retry-After", "9"), least: 18 * time.Second},
		"429 with a delay":       {fault: status(429, "Retry-After", "9"), least: 18 * time.Second},
		"503 with a date":        {fault: status(503, "Date", date, "Retry-After", later), least: 14 * time.Second},
		"503 with nonsense":      {fault: status(503, "Retry-After", "soon")},
		"500":                    {fault: status(500)},
		"502":                    {fault: status(502)},
		"503":                    {fault: status(503)},
		"504":                    {fault: status(504)},
		"refused":                {fault: fails(syscall.ECONNREFUSED)},
		"reset":                  {fault: fails(syscall.ECONNRESET)},
		"closed":                 {fault: fails(io.EOF)},
		"a body that is cut":     {fault: body(cut())},
		"a body that is reset":   {fault: body(&endsWith{syscall.ECONNRESET})},
		"a body that is garbled": {fault: body(strings.NewReader("{{"))},
		"something else":         {fault: body(strings.NewReader(`{"usages": 17}`)), final: true},
		"400":                    {fault: status(400), final: true},
		"403":                    {fault: status(403), final: true},
		"404":                    {fault: status(404), final: true},
		"409":                    {fault: status(409), final: true},
		"501":                    {fault: status(501), final: true},
		"a minute of silence":    {fault: fails(context.DeadlineExceeded), final: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{roundTrip(func(r *http.Request) (*http.Response, error) {
					if tries++; tries <= 2 {
						return c.fault(r)
					}
					return says(r, http.StatusOK, `{"usages": {}}`), nil
				})}}, DefaultInFlight, nil)
				call.patience = 0
				call.services[api.Compute] = &service{name: api.Compute, address: "http://nova"}
				var answer struct{ Usages map[string]int64 }
				began := time.Now()
				err := call.get(t.Context(), api.Compute, "/usages", 1, &answer)
				want := 3
				if c.final {
					want = 1
				}
				if (err != nil) != c.final || tries != want || time.Since(began) < c.least {
					t.Errorf("%v after %d tries and %s", err, tries, time.Since(began))
				}
				for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
					tries = 0
					if err := call.once(t.Context(), api.Compute, method, "/os-services/1", `{}`, 1, &answer); err == nil || tries != 1 {
						t.Errorf("%s: %v after %d tries", method, err, tries)
					}
				}
			})
		})
	}
}

// TestWhatFailsIsAskedOnce asks again, and again in a later reading, for what a service that
// answers all else does not answer: the second reading does not wait for it.
func TestWhatFailsIsAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down, tries := true, 0
		call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != "/os-hypervisors/detail" {
				return says(r, http.StatusOK, `{}`), nil
			}
			if tries++; down {
				return says(r, http.StatusInternalServerError, `{}`), nil
			}
			return says(r, http.StatusOK, `{}`), nil
		})}}, DefaultInFlight, nil)
		call.patience = 0
		call.services[api.Compute] = &service{name: api.Compute, address: "http://nova"}
		var answer struct{}
		reading := func() (int, error) {
			tries = 0
			must.Succeed(t, call.get(t.Context(), api.Compute, "/os-services", 1, &answer))
			err := call.get(t.Context(), api.Compute, "/os-hypervisors/detail?limit=100", 1, &answer)
			return tries, err
		}
		for i, want := range []int{8, 1, 1} {
			if n, err := reading(); err == nil || n != want {
				t.Errorf("reading %d: %v after %d tries, want %d", i+1, err, n, want)
			}
		}
		down = false
		must.Be(t, must.Get(reading())(t), 1)
		down = true
		if n, _ := reading(); n != 8 {
			t.Errorf("after it had answered it was asked %d times", n)
		}
	})
}

// TestOpensNoLongerThanPatience opens a cloud whose Placement tells its versions and answers
// all else with 503: that fails within seconds, and says what was answered, how often it was
// asked and, if that is too long to wait, when it is to be asked again.
func TestOpensNoLongerThanPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after       string
		soon        bool
		least, most time.Duration
		tries       []int // that are possible, as clients wait different times
		want        string
	}{
		"for good":                  {least: time.Second, most: openPatience, tries: []int{4, 5}, want: "placement GET /resource_providers: 503 Service Unavailable: it broke (asked %d times); see its log"},
		"with a short delay":        {after: "2", least: 4 * time.Second, most: openPatience, tries: []int{3}, want: "placement GET /resource_providers: 503 Service Unavailable: it broke (asked %d times; it is to be asked again in 2s); see its log"},
		"with a long delay":         {after: "20", tries: []int{1}, want: "placement GET /resource_providers: 503 Service Unavailable: it broke (it is to be asked again in 20s); see its log"},
		"in the background of both": {soon: true, least: 9 * time.Second, most: time.Minute, tries: []int{8}, want: "placement GET /resource_providers: 503 Service Unavailable: it broke (asked %d times); see its log"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{roundTrip(func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/" {
						return says(r, http.StatusOK, `{"versions": [{"max_version": "1.39"}]}`), nil
					}
					tries++
					answer := says(r, http.StatusServiceUnavailable, `{"errors": [{"detail": "it broke"}]}`)
					answer.Header.Set("Retry-After", c.after)
					return answer, nil
				})}}, DefaultInFlight, nil)
				call.services[api.Placement] = &service{name: api.Placement, address: "http://placement", unmet: true}
				must.Succeed(t, call.meet(t.Context(), api.Placement))
				began := time.Now()
				_, err := newStore(t.Context(), call, options{scheme: "http", clock: time.Now, soon: c.soon})
				if took := time.Since(began); took < c.least || took > c.most || !slices.Contains(c.tries, tries) {
					t.Errorf("it took %s and %d tries", took, tries)
				}
				want := c.want
				if strings.Contains(want, "%d") {
					want = fmt.Sprintf(want, tries)
				}
				if err == nil || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
			})
		})
	}
}

// TestPatienceIsWithTheService goes on with one request while the service answers others.
func TestPatienceIsWithTheService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/traits" {
				return says(r, http.StatusOK, `{"traits": []}`), nil
			}
			if tries++; tries < 8 {
				return says(r, http.StatusServiceUnavailable, `{}`), nil
			}
			return says(r, http.StatusOK, `{"usages": {}}`), nil
		})}}, DefaultInFlight, nil)
		call.services[api.Placement] = &service{name: api.Placement, address: "http://placement"}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var into struct{}
		must.Succeed(t, call.get(ctx, api.Placement, "/traits", 1, &into))
		go func() {
			for storage.Pause(ctx, time.Second) == nil {
				_ = call.get(ctx, api.Placement, "/traits", 1, &into)
			}
		}()
		must.Succeed(t, call.get(ctx, api.Placement, "/usages", 1, &into))
		if tries != 8 {
			t.Errorf("it took %d tries", tries)
		}
	})
}

// endsWith is a body that ends with an error.
type endsWith struct{ err error }

func (b *endsWith) Read([]byte) (int, error) { return 0, b.err }
