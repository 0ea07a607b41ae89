package remote

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// How long a service may take, and the limits on the size of an answer and of a whole
// cloud. 10,000 hosts with 30,000 providers are a list of 20 MB; a thousand servers are 3
// to 6 MB without user data.
const (
	dialTime   = 10 * time.Second
	headTime   = 60 * time.Second
	wholeTime  = 3 * time.Minute
	mostAnswer = 64 << 20  // bytes of a list of the whole cloud
	mostPage   = 16 << 20  // bytes of a page of such a list, or of the consumers of one provider
	mostServer = 96 << 20  // bytes of a page of servers, which come with up to 64 KiB of user data each
	mostSmall  = 1 << 20   // bytes of an answer about one thing
	mostFault  = 64 << 10  // bytes of a refusal
	mostInAll  = 2 << 30   // bytes of all pages of a list
	mostRows   = 250_000   // of an answer
	mostHeld   = 1_000_000 // allocations that are read in one reading
)

// Limits implements engine.Limited.
func (Cloud) Limits() []string {
	return []string{
		fmt.Sprintf("A list of the whole cloud: %d MiB, and %d rows.", mostAnswer>>20, mostRows),
		fmt.Sprintf("A page of a list: %d MiB, and %d MiB if it is of servers, as they come with user data.", mostPage>>20, mostServer>>20),
		fmt.Sprintf("An answer about one provider: %d MiB.", mostSmall>>20),
		fmt.Sprintf("All pages of a list: %d MiB.", mostInAll>>20),
		fmt.Sprintf("Allocations of the whole cloud: %d.", mostHeld),
	}
}

// mostOf returns the limit on the length of an answer.
func mostOf(path string) int64 {
	switch path {
	case "/resource_providers", "/resource_classes", "/traits", "/allocation_candidates", "/os-services", "/os-aggregates",
		"/devices", "/deployables", "/device_profiles", "/accelerator_requests":
		return mostAnswer
	case "/servers/detail":
		return mostServer
	case "/flavors/detail", "/os-hypervisors/detail", "/os-migrations", "/projects", "/users":
		return mostPage
	}
	if strings.HasPrefix(path, "/resource_providers/") && strings.HasSuffix(path, "/allocations") {
		return mostPage
	}
	return mostSmall
}

// mostKey is the key of mostOf in the context of a request. Requests of gophercloud
// itself, such as for a token, have none, and their answers are short.
type mostKey struct{}

// newHTTP returns a client that follows no redirect and limits the length of bodies.
func newHTTP(config *tls.Config, inFlight int) http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = config
	t.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout = dialTime, headTime
	t.MaxIdleConnsPerHost = inFlight
	return http.Client{
		Transport: bodyLimit{t}, Timeout: wholeTime,
		// A token is for the service that it is sent to, and no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// basicAuth sends a user and a password with each request, none of which is redirected.
type basicAuth struct {
	next           http.RoundTripper
	user, password string
}

// RoundTrip implements http.RoundTripper.
func (b basicAuth) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // it must not be changed
	r.SetBasicAuth(b.user, b.password)
	return b.next.RoundTrip(r)
}

// bodyLimit limits bodies.
type bodyLimit struct{ next http.RoundTripper }

func (b bodyLimit) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		most, ok := r.Context().Value(mostKey{}).(int64)
		if !ok {
			most = mostSmall
		}
		if answer.StatusCode >= http.StatusMultipleChoices {
			most = mostFault
		}
		answer.Body = &cutBody{answer.Body, most, most}
	}
	return answer, err
}

// cutBody is a body that fails after a number of bytes.
type cutBody struct {
	io.ReadCloser
	left, most int64
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, &FaultError{Why: fmt.Sprintf("the answer is longer than %d MiB; it was not read", c.most>>20), Hint: hintLong, final: true}
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// waitingBody is a body that waits for its turn before reading beyond a short length.
type waitingBody struct {
	io.Reader
	read int64
	wait func() error // nil once it has its turn
}

func (w *waitingBody) Read(p []byte) (int, error) {
	if w.wait != nil && w.read >= mostSmall {
		if err := w.wait(); err != nil {
			return 0, err
		}
		w.wait = nil
	}
	n, err := w.Reader.Read(p)
	w.read += int64(n)
	return n, err
}

// closeIdle closes the idle connections.
func closeIdle(c *http.Client) {
	if b, ok := c.Transport.(bodyLimit); ok {
		if t, ok := b.next.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
}
