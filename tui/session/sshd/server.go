package sshd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// Options are what a Server is made of.
type Options struct {
	HostKey ssh.Signer
	// Gate says who is let in. If it is nil everybody is, without any proof, in the
	// role Unproved.
	Gate     *Gate
	Unproved Role
	Limits   Limits
	Clock    func() time.Time
	Log      *slog.Logger
	// Handle runs a session and returns its exit status. It is called in the session's
	// goroutine, ends with ctx, whose cause is an *EndError, and may panic.
	Handle func(ctx context.Context, s *Session) (status int)
}

// Server lets people in by SSH.
type Server struct {
	o      Options
	config *ssh.ServerConfig
	fence  *fence

	reviewing sync.Mutex

	mu       sync.Mutex
	sessions []*Session // in order of start
	open     []*connection
	ending   bool
	work     sync.WaitGroup
}

// EndError is why a session was ended by the server.
type EndError struct{ Why string }

// Error implements error.
func (e *EndError) Error() string { return e.Why }

// provenKey is the key of the proof in the permissions of a connection.
type provenKey struct{}

// proof says who has proved to hold which key; nobody if no proof was required.
type proof struct {
	who Person
	key ssh.PublicKey
}

// New returns a server. Serve has it listen.
func New(o Options) *Server {
	s := &Server{o: o, fence: newFence(o.Clock)}
	s.config = &ssh.ServerConfig{
		// Left out is what ssh-audit objects to: SHA-1, small groups, MACs of unencrypted
		// data and, unless the host key asks for them, NIST curves.
		Config: ssh.Config{
			KeyExchanges: keyExchanges(o.HostKey.PublicKey()),
			Ciphers:      []string{ssh.CipherAES256GCM, ssh.CipherAES128GCM, ssh.CipherChaCha20Poly1305, ssh.CipherAES256CTR, ssh.CipherAES192CTR, ssh.CipherAES128CTR},
			MACs:         []string{ssh.HMACSHA256ETM, ssh.HMACSHA512ETM},
		},
		PublicKeyAuthAlgorithms: []string{
			ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
			ssh.KeyAlgoECDSA256, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		},
		MaxAuthTries:  mostTries,
		ServerVersion: "SSH-2.0-placetop",
	}
	s.config.AddHostKey(o.HostKey)
	if o.Gate == nil {
		s.config.NoClientAuth = true
		s.config.NoClientAuthCallback = func(c ssh.ConnMetadata) (*ssh.Permissions, error) {
			name := plainName(c.User())
			return &ssh.Permissions{ExtraData: map[any]any{provenKey{}: proof{who: Person{Name: name, Role: o.Unproved}}}}, nil
		}
		return s
	}
	s.config.PublicKeyCallback = func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		who, err := o.Gate.Known(key, addressOf(c.RemoteAddr()))
		if err != nil {
			s.o.Log.Warn("key refused", slog.String("remote", c.RemoteAddr().String()), slog.String("user", plainName(c.User())),
				slog.String("key", ssh.FingerprintSHA256(key)), slog.String("why", err.Error()))
			return nil, err
		}
		return &ssh.Permissions{ExtraData: map[any]any{provenKey{}: proof{who, key}}}, nil
	}
	return s
}

// Serve serves whoever connects to l, until ctx ends or l fails. Then it says so in every
// session, and returns once all have ended; those that are left after Limits.Grace are
// ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	serving, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	closing := context.AfterFunc(ctx, func() { _ = l.Close() }) // makes Accept fail
	defer closing()
	if s.o.Gate != nil {
		s.work.Go(func() { s.reviewAll(serving) })
	}
	var failed error
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			if err == nil {
				_ = conn.Close() // it came too late
			} else if ctx.Err() == nil {
				failed = err
			}
			break
		}
		if err != nil { // for example because there are too many open files
			s.o.Log.ErrorContext(ctx, "logins are paused for a moment", slog.String("error", err.Error()))
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			continue
		}
		s.work.Go(func() { s.connection(serving, conn) })
	}
	s.end(stop)
	return failed
}

// end tells all sessions that the server ends, and ends them after the grace period.
func (s *Server) end(stop context.CancelCauseFunc) {
	s.mu.Lock()
	s.ending = true
	open := slices.Clone(s.sessions)
	s.mu.Unlock()
	s.o.Log.Info("ending", slog.Int("sessions", len(open)))
	left := time.After(s.o.Limits.Grace)
	for _, one := range open {
		one.tell(fmt.Sprintf("the server stops in %s", s.o.Limits.Grace))
	}
wait:
	for _, one := range open {
		select {
		case <-one.done:
		case <-left:
			break wait
		}
	}
	stop(&EndError{"the server has stopped; what was confirmed is written"})
	s.work.Wait()
}

// Listing is a session as others see it.
type Listing struct {
	ID      uint64
	Person  Person
	Address string
	Since   time.Time
	Heard   time.Time // when something was last heard from it
	What    string    // the command, or what its screen shows
}

// Sessions returns who is there, in the order in which they came.
func (s *Server) Sessions() []Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Listing, len(s.sessions))
	for i, one := range s.sessions {
		out[i] = one.listing()
	}
	return out
}

// admit adds a session, or returns why there cannot be one more.
func (s *Server) admit(one *Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return errors.New("the server is stopping")
	}
	if n := s.o.Limits.Sessions; len(s.sessions) >= n {
		return fmt.Errorf("there are %d sessions, the maximum", n)
	}
	ofPerson, ofAddress := 0, 0
	for _, other := range s.sessions {
		if other.Person.Key == one.Person.Key && other.Person.Name == one.Person.Name {
			ofPerson++
		}
		if other.from == one.from && one.from.IsValid() {
			ofAddress++
		}
	}
	switch {
	case ofPerson >= s.o.Limits.PerPerson:
		return fmt.Errorf("you have %d sessions, the maximum", ofPerson)
	case ofAddress >= s.o.Limits.PerAddress:
		return fmt.Errorf("there are %d sessions from %s, the maximum", ofAddress, one.from)
	}
	if n := len(s.sessions); n > 0 {
		one.id = s.sessions[n-1].id
	}
	one.id++
	s.sessions = append(s.sessions, one)
	return nil
}

// forget notes the end of a session.
func (s *Server) forget(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other *Session) bool { return other == one })
}

// perSession is how many connections are allowed for each allowed session: most have one,
// and nothing else limits those without a session.
const perSession = 2

// connect adds a connection, or returns why there cannot be one more.
func (s *Server) connect(c *connection) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := perSession * s.o.Limits.Sessions; len(s.open) >= n {
		return fmt.Errorf("there are %d connections, the maximum", n)
	}
	ofPerson := 0
	for _, other := range s.open {
		if other.who == c.who {
			ofPerson++
		}
	}
	if n := perSession * s.o.Limits.PerPerson; ofPerson >= n {
		return fmt.Errorf("they have %d connections, the maximum", n)
	}
	s.open = append(s.open, c)
	return nil
}

// disconnect notes the end of a connection.
func (s *Server) disconnect(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(other *connection) bool { return other == c })
}

// connection serves an accepted connection.
func (s *Server) connection(ctx context.Context, raw net.Conn) {
	defer raw.Close() //nolint:errcheck // nothing is left to be said
	from := addressOf(raw.RemoteAddr())
	remote := slog.String("remote", raw.RemoteAddr().String())
	guest, err := s.fence.enter(raw)
	if err != nil {
		s.o.Log.WarnContext(ctx, "refused", remote, slog.String("why", err.Error()))
		return
	}
	cut := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	_ = raw.SetDeadline(s.o.Clock().Add(loginTime)) // on a closed connection, the following fails
	config := *s.config
	config.AuthLogCallback = func(_ ssh.ConnMetadata, method string, _ error) {
		if method == "publickey" {
			guest.tried.Store(true)
		}
	}
	conn, channels, requests, err := ssh.NewServerConn(guest, &config)
	s.fence.leave(guest, err == nil)
	cut()
	if guest.out.Load() {
		err = errors.New("too many clients have not authenticated yet")
		if conn != nil {
			_ = conn.Close()
		}
	}
	if err != nil {
		s.o.Log.WarnContext(ctx, "login failed", remote, slog.String("why", err.Error()))
		return
	}
	_ = raw.SetDeadline(time.Time{})
	has, ok := conn.Permissions.ExtraData[provenKey{}].(proof)
	if !ok {
		return
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	who := has.who
	c := &connection{server: s, conn: conn, who: who, key: has.key, from: from, stop: stop}
	c.log = s.o.Log.With(remote, slog.String("person", who.Name), slog.String("key", who.Key), slog.String("role", who.Role.String()))
	if err := s.connect(c); err != nil {
		s.o.Log.WarnContext(ctx, "refused", remote, slog.String("person", who.Name), slog.String("key", who.Key), slog.String("why", err.Error()))
		_ = conn.Close()
		go ssh.DiscardRequests(requests)
		for range channels { // those that have arrived already
		}
		return
	}
	defer s.disconnect(c)
	c.log.LogAttrs(ctx, slog.LevelInfo, "logged in", slog.String("user", plainName(conn.User())), slog.String("client", plainName(string(conn.ClientVersion()))))
	c.serve(ctx, channels, requests)
	c.log.LogAttrs(ctx, slog.LevelInfo, "left", slog.Any("why", conn.Wait()))
}

// connection is one on which a client has proved a key.
type connection struct {
	server *Server
	conn   *ssh.ServerConn
	who    Person
	key    ssh.PublicKey // the proven key; nil for none
	from   netip.Addr
	log    *slog.Logger
	stop   context.CancelCauseFunc

	mu     sync.Mutex // orders the start of a session and the end of the connection
	closed bool       // no session may start any more
	work   sync.WaitGroup

	doubted bool // at the last review
	raised  Role // the role that they were told of

	unbegun atomic.Int32 // sessions that have not said yet what they are for
	used    atomic.Bool  // whether any has
}

// aliveEvery is how long a silent client is left alone before it is asked whether it is
// there, and mostSilent how long it may take to answer.
const (
	aliveEvery = 30 * time.Second
	mostSilent = 90 * time.Second
)

// toHangUp is how long a client whose sessions were ended has to disconnect by itself.
const toHangUp = time.Second

// serve handles a client's requests until it disconnects.
func (c *connection) serve(ctx context.Context, channels <-chan ssh.NewChannel, requests <-chan *ssh.Request) {
	gone := make(chan struct{})
	closing := context.AfterFunc(ctx, func() {
		c.close()
		c.work.Wait() // sessions have said why they end
		c.hangUp(gone)
	})
	defer closing()
	go c.refuseAll(requests)
	go c.ask(ctx)
	for asked := range channels {
		if kind := asked.ChannelType(); kind != "session" {
			c.refused("channel " + plainName(kind))
			_ = asked.Reject(ssh.Prohibited, "placetop does no forwarding: there are only the dashboard and its commands")
			continue
		}
		if ctx.Err() != nil || c.unbegun.Load() >= mostUnbegun {
			c.refused("session", slog.Int("unbegun", int(c.unbegun.Load())))
			_ = asked.Reject(ssh.ResourceShortage, "the server is stopping, or other sessions have yet to send a request")
			continue
		}
		channel, in, err := asked.Accept()
		if err != nil {
			continue
		}
		c.unbegun.Add(1) // here, as the next one is asked for before this one runs
		if !c.start(func() { c.session(ctx, channel, in) }) {
			_ = channel.Close()
			go ssh.DiscardRequests(in)
		}
	}
	close(gone)
	c.stop(&EndError{"the client is gone"})
	c.work.Wait()
}

// start runs a session in its own goroutine, unless the connection is about to end: whoever
// waits for the sessions then must not miss one.
func (c *connection) start(session func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.work.Go(session)
	return true
}

// close lets no session start any more.
func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// hangUp closes the connection, once the client has, or has had time to: it may still
// have to read how its sessions ended.
func (c *connection) hangUp(gone <-chan struct{}) {
	if c.used.Load() {
		select {
		case <-gone:
		case <-time.After(toHangUp):
		}
	}
	_ = c.conn.Close()
}

// refuseAll refuses requests about the connection as a whole, such as to listen.
func (c *connection) refuseAll(requests <-chan *ssh.Request) {
	for r := range requests {
		switch r.Type {
		case "keepalive@openssh.com", "no-more-sessions@openssh.com", "hostkeys-prove-00@openssh.com":
		default:
			c.refused(plainName(r.Type))
		}
		if r.WantReply {
			_ = r.Reply(false, nil) // a client that has gone needs no answer
		}
	}
}

// refused logs a refused request.
func (c *connection) refused(what string, more ...any) {
	c.log.Warn("refused", append([]any{slog.String("what", what)}, more...)...)
}

// ask regularly asks the client whether it is there, and closes the connection if it does
// not answer. One question at a time is enough, over TCP.
func (c *connection) ask(ctx context.Context) {
	for after(ctx, aliveEvery) {
		answered := make(chan struct{})
		go func() {
			defer close(answered) // also if the connection has ended, as ctx has then
			_, _, _ = c.conn.SendRequest("keepalive@openssh.com", true, nil)
		}()
		select {
		case <-answered:
		case <-ctx.Done():
			return
		case <-time.After(mostSilent):
			c.log.LogAttrs(ctx, slog.LevelWarn, "connection lost")
			_ = c.conn.Close()
			return
		}
	}
}

// after waits for d, and reports whether ctx is still alive.
func after(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
