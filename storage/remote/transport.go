package remote

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// How long a service may take, and how much it may say.
const (
	dialTime   = 10 * time.Second
	headTime   = 60 * time.Second
	wholeTime  = 3 * time.Minute
	mostAnswer = 64 << 20 // bytes: thirty thousand providers are some twenty million
	mostSmall  = 4 << 20  // bytes of what is asked of one thing
	mostFault  = 64 << 10 // bytes of a refusal
)

// mostOf returns how long an answer may be: what is asked of one thing is short, but for
// who holds what of a pool. So as many as are asked at a time take bounded memory.
func mostOf(path string) int64 {
	of, last, _ := strings.Cut(strings.TrimPrefix(path, "/resource_providers/"), "/")
	switch {
	case path == "/", strings.HasPrefix(path, "/allocations/"), of != "" && slices.Contains([]string{"inventories", "traits", "aggregates"}, last):
		return mostSmall
	}
	return mostAnswer
}

// newHTTP returns a client that takes no redirect and no more of a body than mostAnswer.
func newHTTP(config *tls.Config, inFlight int) http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = config
	t.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout = dialTime, headTime
	t.MaxIdleConnsPerHost = inFlight
	return http.Client{
		Transport: bounded{t}, Timeout: wholeTime,
		// A token is for the service that it is sent to, and no other.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded cuts bodies off.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		most := int64(mostAnswer)
		if answer.StatusCode >= http.StatusMultipleChoices {
			most = mostFault
		}
		answer.Body = cut(answer.Body, most)
	}
	return answer, err
}

// cutBody is a body that ends with an error after so many bytes.
type cutBody struct {
	io.ReadCloser
	left, most int64
}

// cut returns a body that ends with an error after so many bytes.
func cut(body io.ReadCloser, most int64) *cutBody { return &cutBody{body, most, most} }

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, &FaultError{Why: fmt.Sprintf("the answer is longer than %d MiB", c.most>>20), Hint: "look at what answers there", final: true}
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// closeIdle closes the connections that nobody uses.
func closeIdle(c *http.Client) {
	if b, ok := c.Transport.(bounded); ok {
		if t, ok := b.next.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
}
