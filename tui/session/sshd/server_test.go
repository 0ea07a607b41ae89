package sshd

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/terminal"
)

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// inn is a server in tests, with a user who may log in.
type inn struct {
	*Server
	t    *testing.T
	at   string
	ann  ssh.Signer
	log  *logged
	stop context.CancelFunc
	done chan error
}

// open serves until the end of the test.
func open(t *testing.T, limits Limits, handle func(context.Context, *Session) int) *inn {
	t.Helper()
	i := build(t, limits, handle)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	i.at = l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	i.stop = stop
	go func() { i.done <- i.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-i.done; err != nil {
			t.Error(err)
		}
	})
	return i
}

// build makes an inn that does not serve yet.
func build(t *testing.T, limits Limits, handle func(context.Context, *Session) int) *inn {
	t.Helper()
	ann, line := newKey(t)
	i := &inn{t: t, ann: ann, log: &logged{}, done: make(chan error, 1)}
	gate := must.Get(OpenGate(GateOptions{Keys: []KeyFile{{write(t, filepath.Join(t.TempDir(), "keys"), line+" ann"), Operator}}, Clock: time.Now}))(t)
	host, _ := newKey(t)
	i.Server = New(Options{HostKey: host, Gate: gate, Limits: limits, Clock: time.Now, Log: slog.New(slog.NewTextHandler(i.log, nil)), Handle: handle})
	return i
}

// dial logs in with a key.
func (i *inn) dial(key ssh.Signer) (*ssh.Client, error) { return ssh.Dial("tcp", i.at, with(key)) }

func with(key ssh.Signer) *ssh.ClientConfig {
	return &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}
}

// client is a user who has logged in.
func (i *inn) client() *ssh.Client {
	i.t.Helper()
	c, err := i.dial(i.ann)
	if err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { _ = c.Close() })
	return c
}

// session returns a session of that user.
func (i *inn) session() *ssh.Session {
	i.t.Helper()
	s, err := i.client().NewSession()
	if err != nil {
		i.t.Fatal(err)
	}
	return s
}

// tells fails if the log lacks one of texts.
func (i *inn) tells(texts ...string) {
	i.t.Helper()
	for _, text := range texts {
		if !strings.Contains(i.log.String(), text) {
			i.t.Errorf("the log does not tell %s:\n%s", text, i.log.String())
		}
	}
}

func usual() Limits { return Limits{Sessions: 9, PerPerson: 9, PerAddress: 9, Idle: time.Hour} }

// echo prints the request, and sends back what it receives.
func echo(_ context.Context, s *Session) int {
	fmt.Fprintf(s.Stdout(), "%s: %s %v\n", s.Person.Name, s.Command, s.Env)
	_, _ = io.Copy(s.Stdout(), s.Stdin())
	_, _ = io.WriteString(s.Stderr(), "done\n")
	return 7
}

func TestCommand(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), echo)
	s := i.session()
	for name, want := range map[string]bool{"LANG": true, "LC_ALL": true, "LC_CTYPE": true, "NO_COLOR": true, "LC_TIME": false, "LD_PRELOAD": false, "PLACETOP_DB": false} {
		if err := s.Setenv(name, "v"); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Setenv("COLORTERM", strings.Repeat("x", mostValue+1)); err == nil {
		t.Error("a long value is taken")
	}
	var out, wrong bytes.Buffer
	s.Stdin, s.Stdout, s.Stderr = strings.NewReader("in\n"), &out, &wrong
	err := s.Run("get providers")
	var exit *ssh.ExitError
	if !errors.As(err, &exit) || exit.ExitStatus() != 7 {
		t.Error(err)
	}
	if got, want := out.String(), "ann: get providers map[LANG:v LC_ALL:v LC_CTYPE:v NO_COLOR:v]\nin\n"; got != want || wrong.String() != "done\n" {
		t.Errorf("%q, %q", got, wrong.String())
	}
	i.tells("variable LD_PRELOAD", "variable PLACETOP_DB", "variable COLORTERM", `command="get providers"`, "person=ann", ssh.FingerprintSHA256(i.ann.PublicKey()))
}

// TestRefusals requests what is not supported.
func TestRefusals(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), echo)
	stranger, _ := newKey(t)
	if _, err := i.dial(stranger); err == nil {
		t.Error("a stranger comes in")
	}
	if _, err := ssh.Dial("tcp", i.at, &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.Password("p")}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}); err == nil {
		t.Error("a password is taken")
	}
	c := i.client()
	if _, err := c.Dial("tcp", "127.0.0.1:1"); err == nil {
		t.Error("connections are passed on")
	}
	if _, err := c.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("it listens for clients")
	}
	for what, ask := range map[string]func(*ssh.Session) error{
		"subsystem sftp":             func(s *ssh.Session) error { return s.RequestSubsystem("sftp") },
		"auth-agent-req@openssh.com": func(s *ssh.Session) error { return asked(s.SendRequest("auth-agent-req@openssh.com", true, nil)) },
		"x11-req":                    func(s *ssh.Session) error { return asked(s.SendRequest("x11-req", true, []byte{0})) },
		"pty-req":                    func(s *ssh.Session) error { return s.RequestPty("x\x1b", 1, 1, nil) },
		"exec":                       func(s *ssh.Session) error { return s.Start(strings.Repeat("x", mostCommand+1)) },
	} {
		s := must.Get(c.NewSession())(t)
		if err := ask(s); err == nil {
			t.Errorf("%s is done", what)
		}
		_ = s.Close()
		i.tells(what)
	}
	i.tells("key refused", ssh.FingerprintSHA256(stranger.PublicKey()), "no user here has that key", "channel direct-tcpip", "tcpip-forward")
}

// asked returns an error for a refusal.
func asked(ok bool, err error) error {
	if err == nil && !ok {
		err = errors.New("refused")
	}
	return err
}

// TestTerminal reports what the client's terminal is like.
func TestTerminal(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), func(ctx context.Context, s *Session) int {
		for s.Terminal != nil {
			size, _ := s.Terminal.Size()
			fmt.Fprintf(s.Stdout(), "%s %dx%d\n", s.Env["TERM"], size.Width, size.Height)
			select {
			case <-s.Terminal.Resized(ctx):
			case <-ctx.Done():
				return 1
			}
		}
		return 2
	})
	s := i.session()
	out := must.Get(s.StdoutPipe())(t)
	must.Succeed(t, s.RequestPty("foot", 24, 80, nil))
	must.Succeed(t, s.Shell())
	read := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(out, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	read("foot 80x24\r\n")
	must.Succeed(t, s.WindowChange(1<<20, 160))
	read("foot 160x500\r\n")
	must.Succeed(t, s.Signal(ssh.SIGHUP))
	var exit *ssh.ExitError
	if err := s.Wait(); !errors.As(err, &exit) || exit.ExitStatus() != 1 {
		t.Error(err)
	}
}

// TestPanic ends one session, and not the other.
func TestPanic(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), func(ctx context.Context, s *Session) int {
		if s.Command == "break" {
			panic("broken")
		}
		return echo(ctx, s)
	})
	other := i.session()
	in := must.Get(other.StdinPipe())(t)
	must.Succeed(t, other.Start("go on"))
	var exit *ssh.ExitError
	if err := i.session().Run("break"); !errors.As(err, &exit) || exit.ExitStatus() != 1 {
		t.Error(err)
	}
	i.tells("session panicked", "error=broken", "server_test.go")
	_ = in.Close()
	if err := other.Wait(); !errors.As(err, &exit) || exit.ExitStatus() != 7 {
		t.Error(err)
	}
}

// hang waits for its end, and prints the reason.
func hang(ctx context.Context, s *Session) int {
	told := make(chan string, 1)
	s.Show(shown(told))
	fmt.Fprintln(s.Stdout(), "up")
	select {
	case text := <-told:
		fmt.Fprintln(s.Stdout(), text)
	case <-ctx.Done():
	}
	<-ctx.Done()
	fmt.Fprintln(s.Stdout(), context.Cause(ctx))
	return 1
}

// started starts a session that hangs.
func (i *inn) started() (*ssh.Session, io.Reader) {
	i.t.Helper()
	s := i.session()
	out, err := s.StdoutPipe()
	if err != nil {
		i.t.Fatal(err)
	}
	if err := s.Start("hang"); err != nil {
		i.t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("up\n"))); err != nil {
		i.t.Fatal(err)
	}
	return s, out
}

// ends checks the last output of a session.
func ends(t *testing.T, out io.Reader, want string) {
	t.Helper()
	got, err := io.ReadAll(out)
	if err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	limits := usual()
	limits.Idle = time.Millisecond
	_, out := open(t, limits, hang).started()
	ends(t, out, "idle for 1ms\n")
}

func TestEndOfTheServer(t *testing.T) {
	t.Parallel()
	limits := usual()
	limits.Grace = time.Millisecond
	i := open(t, limits, hang)
	_, one := i.started()
	_, two := i.started()
	if got := i.Sessions(); len(got) != 2 || got[0].Person.Name != "ann" || got[0].ID == got[1].ID {
		t.Errorf("%+v", got)
	}
	i.stop()
	for _, out := range []io.Reader{one, two} {
		ends(t, out, "the server stops in 1ms\nthe server has stopped; what was confirmed is written\n")
	}
}

// TestClientsHangUpThemselves leaves clients the time to read how their session has
// ended.
func TestClientsHangUpThemselves(t *testing.T) {
	t.Parallel()
	limits := usual()
	limits.Grace = time.Millisecond
	begun := make(chan struct{})
	i := open(t, limits, func(ctx context.Context, _ *Session) int {
		close(begun)
		<-ctx.Done()
		return 3
	})
	c := i.client()
	s := must.Get(c.NewSession())(t)
	must.Succeed(t, s.Start("wait"))
	<-begun // a server that is ending starts no new session
	i.stop()
	var exit *ssh.ExitError
	if err := s.Wait(); !errors.As(err, &exit) || exit.ExitStatus() != 3 {
		t.Errorf("%v, want the status 3", err)
	}
	if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err != nil {
		t.Errorf("it was hung up on the client: %v", err)
	}
}

// TestEndOfOneWhoReadsNothing ends the server although a client reads nothing, such as
// one that is stopped, or whose terminal is.
func TestEndOfOneWhoReadsNothing(t *testing.T) {
	t.Parallel()
	wrote := make(chan struct{})
	i := open(t, usual(), func(_ context.Context, s *Session) int {
		close(wrote)
		for {
			if _, err := s.Stdout().Write(make([]byte, 1<<16)); err != nil {
				return 1
			}
		}
	})
	s := i.session()
	must.Get(s.StdoutPipe())(t)
	must.Succeed(t, s.Start("export -"))
	<-wrote
	i.stop()
	if err := <-i.done; err != nil {
		t.Error(err)
	}
	i.tells("the client does not read")
	i.done <- nil // for the end of the test
}

// TestMostSessions refuses one more session, by each of the limits.
func TestMostSessions(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*Limits){
		"there are 1 sessions, the maximum":                func(l *Limits) { l.Sessions = 1 },
		"you have 1 sessions, the maximum":                 func(l *Limits) { l.PerPerson = 1 },
		"there are 1 sessions from 127.0.0.1, the maximum": func(l *Limits) { l.PerAddress = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := usual()
			set(&limits)
			i := open(t, limits, hang)
			first, _ := i.started()
			s := i.session()
			var wrong bytes.Buffer
			s.Stderr = &wrong
			var exit *ssh.ExitError
			if err := s.Run("more"); !errors.As(err, &exit) || wrong.String() != "placetop: "+name+"\n" {
				t.Errorf("%v, %q", err, wrong.String())
			}
			must.Succeed(t, first.Signal(ssh.SIGTERM))
			_ = first.Wait()
		})
	}
}

// TestEndWithTheClient ends a session whose client has vanished.
func TestEndWithTheClient(t *testing.T) {
	t.Parallel()
	why := make(chan string, 1)
	i := open(t, usual(), func(ctx context.Context, _ *Session) int {
		<-ctx.Done()
		why <- causeOf(ctx)
		return 1
	})
	c := i.client()
	s := must.Get(c.NewSession())(t)
	must.Succeed(t, s.Start("wait"))
	_ = c.Close()
	must.Be(t, <-why, "the client is gone")
}

// from is a connection from an address.
type from struct {
	net.Conn
	addr   net.Addr
	closed bool
}

func (c *from) RemoteAddr() net.Addr { return c.addr }
func (c *from) Close() error         { c.closed = true; return nil }

func at(ip string) *from { return &from{addr: &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}} }

// fails has connections offer a wrong key.
func (f *fence) fails(t *testing.T, c net.Conn, times int) {
	t.Helper()
	for range times {
		s := must.Get(f.enter(c))(t)
		s.tried.Store(true)
		f.leave(s, false)
	}
}

// TestFailedTriesAtASocket locks no one out: all clients of a socket have the same
// address.
func TestFailedTriesAtASocket(t *testing.T) {
	t.Parallel()
	f := newFence(noon)
	f.fails(t, &from{addr: &net.UnixAddr{Net: "unix"}}, mostFailed+1)
	if len(f.failed) > 0 {
		t.Errorf("counted: %v", f.failed)
	}
}

func TestFailedTriesAreTurnedAway(t *testing.T) {
	t.Parallel()
	now := noon()
	f := newFence(func() time.Time { return now })
	f.fails(t, at("2001:db8::1"), mostFailed)
	if _, err := f.enter(at("2001:db8::2")); err == nil {
		t.Error("a neighbour comes in")
	}
	must.Get(f.enter(at("192.0.2.1")))(t)
	now = now.Add(failedTime)
	must.Get(f.enter(at("2001:db8::1")))(t)
}

// TestEmptyConnectionsFailAtNothing: a health check that connects and leaves shut its
// address out.
func TestEmptyConnectionsFailAtNothing(t *testing.T) {
	t.Parallel()
	f := newFence(noon)
	for range 3 * mostFailed {
		f.leave(must.Get(f.enter(at("192.0.2.1")))(t), false)
	}
	must.Get(f.enter(at("192.0.2.1")))(t)
}

// TestStrangersMakeRoom lets everybody in while some only hold connections: the oldest
// silent one goes out, of the address that has the most.
func TestStrangersMakeRoom(t *testing.T) {
	t.Parallel()
	f := newFence(noon)
	var silent []*from
	for n := range 5 * mostPending {
		c := at(fmt.Sprintf("192.0.2.%d", n%3))
		silent = append(silent, c)
		must.Get(f.enter(c))(t)
	}
	if n := len(f.pending); n != mostPending {
		t.Errorf("%d strangers, want %d", n, mostPending)
	}
	if !silent[0].closed || silent[len(silent)-1].closed {
		t.Error("it is not the oldest who went out")
	}
	neighbour := at("192.0.2.1")
	s := must.Get(f.enter(neighbour))(t)
	s.spoke.Store(true)
	alone := at("203.0.113.1")
	must.Get(f.enter(alone))(t)
	for range 5 * mostPending {
		must.Get(f.enter(at("192.0.2.1")))(t)
	}
	if neighbour.closed || alone.closed {
		t.Error("one who is logging in had to make room for a silent one, or one address for another")
	}
	if n := f.count(s.of); n > mostShare {
		t.Errorf("one address has %d places", n)
	}
}

// TestLoginDuringAFlood logs in while hundreds of connections from the same address say
// nothing, and after as many that left again.
func TestLoginDuringAFlood(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), echo)
	for range 2 * mostPending {
		c := must.Get(net.Dial("tcp", i.at))(t)
		_ = c.Close()
	}
	for range 2 * mostPending {
		c := must.Get(net.Dial("tcp", i.at))(t)
		defer c.Close()
	}
	for range 3 {
		must.Get(i.client().NewSession())(t)
	}
}

// TestHostKeysForFIPS lets clients in that have only what FIPS 140 allows, if the host key
// is one that they can use, and not otherwise (cloudfoundry/diego-ssh 43, golang/go 75061).
func TestHostKeysForFIPS(t *testing.T) {
	t.Parallel()
	signer := func(key any, err error) ssh.Signer {
		must.Succeed(t, err)
		host, why := hostSigner(must.Get(ssh.NewSignerFromKey(key))(t))
		must.Be(t, why, "")
		return host
	}
	ann, line := newKey(t)
	gate := must.Get(OpenGate(GateOptions{Keys: []KeyFile{{write(t, filepath.Join(t.TempDir(), "keys"), line+" ann"), Operator}}, Clock: time.Now}))(t)
	login := func(host ssh.Signer, exchange string) (algorithm string, err error) {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		ctx, stop := context.WithCancel(t.Context())
		s := New(Options{HostKey: host, Gate: gate, Limits: usual(), Clock: time.Now, Log: slog.New(slog.DiscardHandler), Handle: echo})
		ended := make(chan error)
		go func() { ended <- s.Serve(ctx, l) }()
		config := with(ann)
		config.KeyExchanges = []string{exchange}
		config.HostKeyCallback = func(_ string, _ net.Addr, key ssh.PublicKey) error { algorithm = key.Type(); return nil }
		c, err := ssh.Dial("tcp", l.Addr().String(), config)
		if err == nil {
			_ = c.Close()
		}
		stop()
		must.Succeed(t, <-ended)
		return algorithm, err
	}
	fips := []string{ssh.KeyExchangeECDHP256, ssh.KeyExchangeECDHP384, ssh.KeyExchangeDH14SHA256, ssh.KeyExchangeDH16SHA512}
	p256 := signer(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	for host, want := range map[ssh.Signer]string{
		p256: ssh.KeyAlgoECDSA256,
		signer(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)): ssh.KeyAlgoECDSA384,
		signer(rsa.GenerateKey(rand.Reader, leastHostRSA)):      ssh.KeyAlgoRSA,
	} {
		for _, exchange := range fips {
			if got, err := login(host, exchange); err != nil || got != want {
				t.Errorf("%s, %s: %s, %v", want, exchange, got, err)
			}
		}
	}
	if _, err := login(p256, ssh.KeyExchangeCurve25519); err != nil {
		t.Error(err)
	}
	usual, _ := newKey(t)
	for _, exchange := range fips {
		if _, err := login(usual, exchange); err == nil {
			t.Errorf("%s is offered beside ed25519, to which ssh-audit objects", exchange)
		}
	}
	weak := must.Get(ssh.NewSignerFromKey(must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)))(t)
	if _, why := hostSigner(weak); !strings.Contains(why, "2048 bits, fewer than 3072") {
		t.Errorf("an RSA key of 2048 bits: %q", why)
	}
}

// deaf is a channel that nothing reads.
type deaf struct{ ssh.Channel }

func (deaf) Write(p []byte) (int, error) { return len(p), nil }

// FuzzRequests sends arbitrary requests before a session starts.
func FuzzRequests(f *testing.F) {
	f.Add("pty-req", ssh.Marshal(struct {
		Term       string
		A, B, C, D uint32
		Modes      string
	}{"xterm", 80, 24, 0, 0, "\x00"}))
	f.Add("env", ssh.Marshal(struct{ A, B string }{"LANG", "C"}))
	f.Add("exec", ssh.Marshal(struct{ A string }{"get"}))
	f.Add("subsystem", []byte{0, 0, 0, 200})
	c := &connection{log: slog.New(slog.DiscardHandler)}
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		s := &Session{Env: map[string]string{}, channel: deaf{}}
		ok, started := c.take(s, &ssh.Request{Type: kind, Payload: payload})
		if ok && started && len(s.Command) > mostCommand {
			t.Errorf("a command of %d bytes", len(s.Command))
		}
		for name, value := range s.Env {
			if len(value) > mostValue || strings.ContainsFunc(value, notPlain) {
				t.Errorf("%s is %q", name, value)
			}
		}
		if s.Terminal != nil && (s.Terminal.size.Known(terminal.UsualSize()) != s.Terminal.size) {
			t.Errorf("%+v", s.Terminal.size)
		}
	})
}

// ask sends requests on a channel without waiting.
func ask(t *testing.T, ch ssh.Channel, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		if _, err := ch.SendRequest(kind, false, ssh.Marshal(struct{ Text string }{"x"})); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}

// TestRequestsThatComeTooLate checks that further requests on a refused channel hold up
// neither the connection nor the end of the server.
func TestRequestsThatComeTooLate(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), echo)
	c := i.client()
	ch, in, err := c.OpenChannel("session", nil)
	must.Succeed(t, err)
	go ssh.DiscardRequests(in)
	ask(t, ch, append([]string{"subsystem"}, slices.Repeat([]string{"env"}, 100)...)...)
	if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err != nil {
		t.Error(err)
	}
}

// TestEndOfThoseWhoNeverBegin ends the server although a client keeps opening channels
// without saying what they are for.
func TestEndOfThoseWhoNeverBegin(t *testing.T) {
	t.Parallel()
	i := open(t, usual(), echo)
	c := i.client()
	var ended sync.WaitGroup
	opened := make(chan struct{}, 2)
	for range cap(opened) {
		ended.Go(func() {
			for n := 0; ; n++ {
				ch, in, err := c.OpenChannel("session", nil)
				if err != nil {
					return
				}
				if n == 0 {
					opened <- struct{}{}
				}
				go ssh.DiscardRequests(in)
				_, _ = io.Copy(io.Discard, ch) // until it is closed
			}
		})
	}
	for range cap(opened) {
		<-opened
	}
	i.stop()
	ended.Wait()
}

// TestSessionsThatStartAsTheConnectionEnds checks that whoever waits for the sessions of a
// connection misses none: each has ended by then, or never starts.
func TestSessionsThatStartAsTheConnectionEnds(t *testing.T) {
	t.Parallel()
	for range 100 {
		c := &connection{}
		var ran atomic.Bool
		started := make(chan bool)
		go func() { started <- c.start(func() { ran.Store(true) }) }()
		c.close()
		c.work.Wait()
		if ran, started := ran.Load(), <-started; ran != started {
			t.Fatalf("started %t, has run %t", started, ran)
		}
	}
}

// TestMostChannelsThatHaveNotBegun refuses more of them than clients need.
func TestMostChannelsThatHaveNotBegun(t *testing.T) {
	t.Parallel()
	c := open(t, usual(), echo).client()
	var refused *ssh.OpenChannelError
	for n := range 2 * mostUnbegun {
		if _, _, err := c.OpenChannel("session", nil); errors.As(err, &refused) {
			if n < mostUnbegun {
				t.Errorf("the one after %d is refused: %v", n, err)
			}
			return
		}
	}
	t.Error("none is refused")
}

// TestMostConnections refuses a user who has many connections, even if they are idle.
func TestMostConnections(t *testing.T) {
	t.Parallel()
	limits := usual()
	limits.PerPerson = 1
	i := open(t, limits, echo)
	var in *ssh.Client
	for range perSession {
		in = i.client()
		_, _, _ = in.SendRequest("keepalive@openssh.com", true, nil) // once it is answered, the connection is counted
	}
	if more, err := i.dial(i.ann); err == nil {
		_ = more.Wait() // until it is closed
	}
	i.tells("they have 2 connections, the maximum")
	if _, _, err := in.SendRequest("keepalive@openssh.com", true, nil); err != nil {
		t.Error(err)
	}
}

// shown passes on what the server tells a session.
type shown chan string

func (shown) At() string         { return "" }
func (s shown) Tell(text string) { s <- text }
