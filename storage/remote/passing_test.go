package remote

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/wire"
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
				call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bounded{roundTrip(func(r *http.Request) (*http.Response, error) {
					if tries++; tries <= 2 {
						return c.fault(r)
					}
					return says(r, http.StatusOK, `{"usages": {}}`), nil
				})}}, DefaultInFlight, nil)
				call.services[wire.Compute] = &service{name: wire.Compute, address: "http://nova"}
				var answer struct{ Usages map[string]int64 }
				began := time.Now()
				err := call.get(t.Context(), wire.Compute, "/usages", 1, &answer)
				want := 3
				if c.final {
					want = 1
				}
				if (err != nil) != c.final || tries != want || time.Since(began) < c.least {
					t.Errorf("%v after %d tries and %s", err, tries, time.Since(began))
				}
				for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
					tries = 0
					if err := call.once(t.Context(), wire.Compute, method, "/os-services/1", `{}`, 1, &answer); err == nil || tries != 1 {
						t.Errorf("%s: %v after %d tries", method, err, tries)
					}
				}
			})
		})
	}
}

// endsWith is a body that ends with an error.
type endsWith struct{ err error }

func (b *endsWith) Read([]byte) (int, error) { return 0, b.err }
