package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
	"github.com/placetop/placetop/storage/rest/server"
)

// options are those of a server that answers every request with api.
func options(api http.HandlerFunc) server.Options {
	return server.Options{API: api, Auth: auth.None{}, Limits: server.DefaultLimits(), Clock: time.Now, NewID: uuid.New}
}

// serve starts a server on a port of this machine until the end of the test. It returns
// its URL, and a function that stops it and waits for its end.
func serve(t *testing.T, o server.Options) (url string, stop func() error) {
	t.Helper()
	l := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	return "http://" + l.Addr().String(), serveAt(t, o, l)
}

// serveAt is serve on a listener.
func serveAt(t *testing.T, o server.Options, l net.Listener) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.New(o).Serve(ctx, l) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

// ask sends a request with headers "Name: value", and returns its answer.
func ask(t *testing.T, method, url string, headers ...string) (status int, body string, header http.Header) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, nil))(t)
	for _, h := range headers {
		if name, value, ok := strings.Cut(h, ": "); ok {
			if r.Header.Set(name, value); name == "Host" {
				r.Host = value
			}
		}
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	must.Succeed(t, err)
	defer resp.Body.Close()
	b := must.Get(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(b), resp.Header
}

// hello answers with the sender and the id of the request.
func hello(w http.ResponseWriter, r *http.Request) {
	who, ok := rest.CallerOf(r.Context())
	fmt.Fprintf(w, "%s %t", who.User, ok)
}

// TestRoutes checks which paths the server answers itself, and that it passes on the rest
// with the sender.
func TestRoutes(t *testing.T) {
	t.Parallel()
	o := options(hello)
	o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "figures") })
	o.Ready = func(context.Context) error { return errors.New("not yet") }
	url, _ := serve(t, o)
	for _, test := range []struct {
		method, path, header string
		status               int
		body                 string // its beginning
	}{
		{http.MethodGet, "/healthz", "", 200, "ok\n"},
		{http.MethodHead, "/healthz", "", 200, ""},
		{http.MethodPost, "/healthz", "", 405, `{"errors":[{"detail":"The method is not allowed`},
		{http.MethodGet, "/readyz", "", 503, "not yet\n"},
		{http.MethodGet, "/metrics", "", 401, `{"errors":[{"detail":"Metrics need a token`},
		{http.MethodGet, "/metrics", "X-Auth-Token: ada", 403, `{"errors":[{"detail":"Metrics need a role that may read`},
		{http.MethodGet, "/metrics", "X-Auth-Token: admin", 200, "figures"},
		{http.MethodGet, "/metrics", "Authorization: Bearer admin", 200, "figures"},
		{http.MethodDelete, "/metrics", "X-Auth-Token: admin", 405, ""},
		{http.MethodGet, "/", "", 200, " false"},
		{http.MethodGet, "/traits", "X-Auth-Token: ada:p", 200, "ada true"},
		{http.MethodPut, "/healthz/x", "", 200, " false"},
	} {
		status, body, header := ask(t, test.method, url+test.path, test.header)
		if status != test.status || !strings.HasPrefix(body, test.body) {
			t.Errorf("%s %s with %q: %d %s, want %d %s", test.method, test.path, test.header, status, body, test.status, test.body)
		}
		if strings.HasPrefix(body, `{"errors"`) && !strings.Contains(body, header.Get("X-Openstack-Request-Id")) {
			t.Errorf("%s %s: %s has no request id", test.method, test.path, body)
		}
	}
	o.MayName = server.Address{Network: "tcp", Where: "127.0.0.1:0"}.MayName
	url, _ = serve(t, o)
	for _, path := range []string{"/healthz", "/metrics", "/traits"} {
		if status, body, _ := ask(t, http.MethodGet, url+path, "Host: evil.example"); status != 403 || !strings.Contains(body, "a host other than this machine") {
			t.Errorf("%s of a page that had its own name point here: %d %s", path, status, body)
		}
	}
	if status, _, _ := ask(t, http.MethodGet, url+"/healthz"); status != 200 {
		t.Errorf("a request for this machine: %d", status)
	}
	o.MayName, o.OpenMetrics = nil, true
	url, _ = serve(t, o)
	if status, body, _ := ask(t, http.MethodGet, url+"/metrics"); status != 200 || body != "figures" {
		t.Errorf("open metrics: %d %s", status, body)
	}
	o.Challenge = `Token realm="x"`
	url, _ = serve(t, o)
	for path, want := range map[string]int{"/": 200, "/traits": 401, "//": 401} {
		status, body, header := ask(t, http.MethodGet, url+path)
		if status != want || want == 401 && (header.Get("WWW-Authenticate") != o.Challenge ||
			body != `{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}`) {
			t.Errorf("%s of nobody: %d %s", path, status, body)
		}
	}
	o.Challenge, o.Metrics, o.Auth = "", nil, away{}
	url, _ = serve(t, o)
	if status, _, _ := ask(t, http.MethodGet, url+"/metrics"); status != 404 {
		t.Errorf("no metrics: %d", status)
	}
	if status, body, _ := ask(t, http.MethodGet, url+"/traits"); status != 503 || strings.Contains(body, "10.0.0.7") {
		t.Errorf("nobody can say who asks: %d %s", status, body)
	}
}

// away is an authenticator that cannot reach its service.
type away struct{ auth.None }

func (away) Authenticate(*http.Request) (rest.Caller, bool, error) {
	return rest.Caller{}, false, errors.New("10.0.0.7 does not answer")
}

// TestAccessLog logs each request, even one whose handler panics.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	o := options(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "short")
	})
	o.Access = slog.New(slog.NewJSONHandler(&log, nil))
	url, stop := serve(t, o)
	ask(t, http.MethodGet, url+"/a?b=c", "X-Auth-Token: ada", "OpenStack-API-Version: placement 1.39")
	if resp, err := http.Get(url + "/panic"); err == nil {
		resp.Body.Close()
		t.Error("a request whose handler panics was answered")
	}
	must.Succeed(t, stop())
	var got []map[string]any
	for dec := json.NewDecoder(strings.NewReader(log.String())); ; {
		line := map[string]any{}
		if dec.Decode(&line) != nil {
			break
		}
		got = append(got, line)
	}
	if len(got) != 2 {
		t.Fatalf("the log:\n%s", log.String())
	}
	for key, want := range map[string]any{
		"msg": "request", "user": "ada", "method": "GET", "path": "/a", "query": "b=c", "microversion": "placement 1.39", "status": 418.0, "bytes": 5.0,
	} {
		if got[0][key] != want {
			t.Errorf("%s is %v, want %v", key, got[0][key], want)
		}
	}
	if id, _ := got[0]["request_id"].(string); !strings.HasPrefix(id, "req-") || got[1]["status"] != 500.0 {
		t.Errorf("got %v", got)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestStopAnswersWhatIsUnderWay answers the request under way when the server is stopped,
// and accepts no other.
func TestStopAnswersWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	in, goOn := make(chan bool), make(chan bool)
	url, stop := serve(t, options(func(w http.ResponseWriter, _ *http.Request) {
		in <- true
		<-goOn
		fmt.Fprint(w, "done")
	}))
	answered := make(chan string)
	go func() {
		_, body, _ := ask(t, http.MethodGet, url+"/x")
		answered <- body
	}()
	<-in
	stopped := make(chan error)
	go func() { stopped <- stop() }()
	for { // until nothing listens any more
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			break
		}
		c.Close()
	}
	goOn <- true
	if body := <-answered; body != "done" {
		t.Errorf("the request under way got %q", body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestStopDoesNotWaitForEver cuts off requests that are not done within the grace period,
// and says so.
func TestStopDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	in := make(chan bool)
	o := options(func(_ http.ResponseWriter, r *http.Request) {
		in <- true
		<-r.Context().Done()
	})
	o.Limits.Grace = time.Millisecond
	url, stop := serve(t, o)
	go func() {
		resp, err := http.Get(url + "/x")
		if err == nil {
			resp.Body.Close()
		}
	}()
	<-in
	if err := stop(); err == nil || !strings.Contains(err.Error(), "took longer than 1ms") {
		t.Error(err)
	}
}

// TestSlowClientsAreClosed closes connections on which headers, a body or reading the
// answer takes too long, and idle ones.
func TestSlowClientsAreClosed(t *testing.T) {
	t.Parallel()
	const soon = 50 * time.Millisecond
	failed := make(chan error, 1)
	o := options(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			failed <- err
			return
		}
		if r.URL.Path == "/large" {
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					failed <- err
					return
				}
			}
		}
	})
	o.Limits.Head, o.Limits.Request, o.Limits.Answer, o.Limits.Idle = soon, soon, soon, soon
	url, _ := serve(t, o)
	for name, says := range map[string]string{
		"nothing":      "",
		"half a head":  "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"half a body":  "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
		"then nothing": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c := dial(t, url)
		fmt.Fprint(c, says)
		if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%s: %v", name, err)
		}
	}
	<-failed // half a body
	c := dial(t, url)
	fmt.Fprint(c, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n") // without reading
	if err := <-failed; err == nil {
		t.Error("an answer that nobody takes was written for ever")
	}
}

// dial opens a connection, which is closed at the end of the test.
func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	c := must.Get((&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://")))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// TestLargeBodyIsCutOff reads no more of a body of 1 GB than is allowed, and tells the
// sender so.
func TestLargeBodyIsCutOff(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	o := options(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		read.Store(n)
		if err == nil {
			t.Error("the body was read to its end")
		}
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	})
	o.Limits.Body = 2 << 20
	url, _ := serve(t, o)
	sent := &zeros{left: 1 << 30}
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPut, url+"/reshaper", io.NopCloser(sent)))(t)
	if resp, err := http.DefaultClient.Do(r); err == nil {
		if resp.Body.Close(); resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	if read.Load() != 2<<20 || sent.sent() > 256<<20 {
		t.Errorf("%d bytes were read, %d sent", read.Load(), sent.sent())
	}
}

// zeros is a body of zeros.
type zeros struct {
	mu   sync.Mutex
	left int
}

func (z *zeros) Read(p []byte) (int, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	z.left -= n
	return n, nil
}

func (z *zeros) sent() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return 1<<30 - z.left
}

// TestLargeHeadIsRefused answers 431 to headers that are too long.
func TestLargeHeadIsRefused(t *testing.T) {
	t.Parallel()
	o := options(hello)
	o.Limits.Header = 1 << 10
	url, _ := serve(t, o)
	if status, _, _ := ask(t, http.MethodGet, url+"/", "X-Long: "+strings.Repeat("x", 10<<10)); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", status)
	}
}

// TestTooManyRequestsWait has more requests than may be under way: they wait their turn,
// and get 503 if it does not come in time. Health checks never wait.
func TestTooManyRequestsWait(t *testing.T) {
	t.Parallel()
	in, goOn := make(chan bool, 8), make(chan bool)
	o := options(func(http.ResponseWriter, *http.Request) {
		in <- true
		<-goOn
	})
	o.Limits.Requests, o.Limits.Wait = 1, time.Millisecond
	url, _ := serve(t, o)
	first := make(chan int)
	go func() {
		status, _, _ := ask(t, http.MethodGet, url+"/x")
		first <- status
	}()
	<-in
	status, body, header := ask(t, http.MethodGet, url+"/x")
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, "1 other requests are under way") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, _ := ask(t, http.MethodGet, url+"/healthz"); status != 200 {
		t.Errorf("health: %d", status)
	}
	goOn <- true
	must.Be(t, <-first, 200)
}

// TestLargeBodiesTakeTurns reads a limited number of large bodies at a time, and small
// ones beside them.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	type reading struct {
		path string
		n    int64
		err  error
	}
	read, goOn := make(chan reading), make(chan bool)
	o := options(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		read <- reading{r.URL.Path, n, err}
		if r.URL.Path == "/first" {
			<-goOn
		}
		fmt.Fprint(w, n)
	})
	o.Limits.Large, o.Limits.Wait = 1, time.Millisecond
	url, _ := serve(t, o)
	put := func(path string, size int) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+path, bytes.NewReader(make([]byte, size)))
		if err != nil {
			t.Error(err)
			return
		}
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}
	go put("/first", 3<<20)
	if got := <-read; got.err != nil || got.n != 3<<20 {
		t.Errorf("%+v", got)
	}
	go put("/small", 1000)
	if got := <-read; got.err != nil || got.n != 1000 {
		t.Errorf("%+v", got)
	}
	go put("/second", 3<<20)
	if got := <-read; !errors.Is(got.err, rest.ErrCrowded) || got.n > 2<<20 {
		t.Errorf("beside a large one: %+v", got)
	}
	goOn <- true
}

// pipes is a listener of in-memory connections.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial opens a connection.
func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// TestTenThousandIdleConnections opens connections and sends nothing on them: all but a
// limited number are closed, the longest idle first, and requests are still answered.
func TestTenThousandIdleConnections(t *testing.T) {
	t.Parallel()
	const most, all = 50, 10_000
	in, goOn := make(chan bool), make(chan bool)
	o := options(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			in <- true
			<-goOn
		}
		hello(w, r)
	})
	o.Limits.Connections = most
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	serveAt(t, o, p)
	answered := func(c net.Conn) bool {
		line, err := bufio.NewReader(c).ReadString('\n')
		return err == nil && strings.HasPrefix(line, "HTTP/1.1 200")
	}
	busy := p.dial()
	fmt.Fprint(busy, "GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
	<-in
	var open atomic.Int64
	closed := make(chan struct{}, all)
	for range all {
		c := p.dial()
		open.Add(1)
		go func() {
			_, _ = c.Read(make([]byte, 1)) // it sends nothing until it closes
			open.Add(-1)
			closed <- struct{}{}
		}()
	}
	for range all - most + 1 { // all but those that may stay beside the busy one
		<-closed
	}
	if n := open.Load(); n > most-1 {
		t.Errorf("%d idle connections are open", n)
	}
	c := p.dial()
	fmt.Fprint(c, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
	if !answered(c) {
		t.Error("nobody else is answered")
	}
	goOn <- true
	if !answered(busy) {
		t.Error("a connection with a request under way was closed")
	}
}
