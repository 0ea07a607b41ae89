package sshd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/tui/terminal"
)

// Session is what one channel of a client is used for.
type Session struct {
	Person  Person
	Address string // address of the client
	Since   time.Time
	// Command is what is to be run, "" for the dashboard.
	Command string

	// Env are the client's variables that are accepted: TERM and those in envNames.
	Env map[string]string
	// Terminal is that of the client, nil if it has none.
	Terminal *Terminal
	Log      *slog.Logger

	of      *connection
	id      uint64 // no other session has it at the same time
	from    netip.Addr
	channel ssh.Channel
	clock   func() time.Time
	done    chan struct{} // closed at its end
	idle    *time.Timer   // ends the session
	limit   time.Duration
	stop    context.CancelCauseFunc

	mu    sync.Mutex
	heard time.Time
	shown Shown
}

// Shown is what a session shows.
type Shown interface {
	// At says what others see of it. By default that is the command.
	At() string
	// Tell shows what the server says to all sessions.
	Tell(text string)
}

// Show says what the session shows from now on.
func (s *Session) Show(what Shown) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = what
}

func (s *Session) tell(text string) {
	s.mu.Lock()
	shown := s.shown
	s.mu.Unlock()
	if shown != nil {
		shown.Tell(text)
	}
}

func (s *Session) listing() Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Listing{ID: s.id, Person: s.Person, Address: s.Address, Since: s.Since, Heard: s.heard, What: s.Command}
	if s.shown != nil {
		l.What = s.shown.At()
	}
	return l
}

// hear notes a sign of life from the client.
func (s *Session) hear() {
	s.mu.Lock()
	s.heard = s.clock()
	s.mu.Unlock()
	s.idle.Reset(s.limit)
}

// The streams of a session. There is no line discipline for a terminal here: a new line
// starts with a carriage return.
type (
	input  struct{ s *Session }
	output struct {
		s      *Session
		to     io.Writer
		screen bool
	}
)

// Stdin returns what the client sends.
func (s *Session) Stdin() io.Reader { return input{s} }

// Stdout returns the output of the session, which the client shows or passes
// on.
func (s *Session) Stdout() io.Writer { return output{s, s.channel, s.Terminal != nil} }

// Stderr is like Stdout. On a terminal both are the same.
func (s *Session) Stderr() io.Writer {
	if s.Terminal != nil {
		return s.Stdout()
	}
	return output{s, s.channel.Stderr(), false}
}

// Read implements io.Reader.
func (i input) Read(p []byte) (int, error) {
	n, err := i.s.channel.Read(p)
	if n > 0 {
		i.s.hear()
	}
	return n, err
}

// IsTerminal reports whether the client has given a terminal.
func (i input) IsTerminal() bool { return i.s.Terminal != nil }

// IsTerminal reports whether the client has given a terminal.
func (o output) IsTerminal() bool { return o.screen }

// Width returns how many cells a line has, 0 if unknown.
func (o output) Width() int {
	if o.s.Terminal == nil {
		return 0
	}
	size, _ := o.s.Terminal.Size() // it never fails
	return size.Width
}

// Write implements io.Writer.
func (o output) Write(p []byte) (int, error) {
	if !o.screen {
		n, err := o.to.Write(p)
		if n > 0 {
			o.s.hear()
		}
		return n, err
	}
	if _, err := io.WriteString(o.to, strings.ReplaceAll(string(p), "\n", "\r\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// envNames are the variables that a client may set. Others are of no use here, and some
// would affect child processes.
func envNames() []string {
	return []string{"TERM", "LC_ALL", "LC_CTYPE", "LANG", "COLORTERM", "NO_COLOR"}
}

// Limits on what a client sends.
const (
	mostValue   = 256      // bytes of a variable
	mostCommand = 32 << 10 // bytes of a command
	mostRequest = mostCommand + 64
)

// session serves a channel until its request is done.
func (c *connection) session(ctx context.Context, channel ssh.Channel, requests <-chan *ssh.Request) {
	defer func() {
		_ = channel.Close()              // the client may have closed it
		go ssh.DiscardRequests(requests) // an unread request would hold up the connection
	}()
	now := c.server.o.Clock()
	s := &Session{
		of: c, Person: c.who, Address: c.from.String(), Since: now, heard: now, from: c.from, Env: map[string]string{},
		channel: channel, Log: c.log, clock: c.server.o.Clock, done: make(chan struct{}), limit: c.server.o.Limits.Idle,
	}
	if !c.from.IsValid() {
		s.Address = "this machine"
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.stop = stop
	began := c.prepare(ctx, s, requests)
	c.unbegun.Add(-1)
	if !began {
		return
	}
	c.used.Store(true)
	s.idle = time.AfterFunc(s.limit, func() { stop(&EndError{fmt.Sprintf("idle for %s", s.limit)}) })
	defer s.idle.Stop()
	if err := c.server.admit(s); err != nil {
		c.refused("session", slog.String("why", err.Error()))
		_, _ = fmt.Fprintf(s.Stderr(), "placetop: %s\n", err)
		exit(channel, 1)
		return
	}
	defer c.server.forget(s)
	defer close(s.done)
	defer context.AfterFunc(ctx, func() { c.cutOff(s) })()
	s.Log = c.log.With(slog.Uint64("session", s.id))
	go func() { // ends with the connection at the latest
		c.follow(s, requests, stop)
		stop(&EndError{"the client is gone"})
	}()
	s.Log.LogAttrs(ctx, slog.LevelInfo, "session", slog.String("command", s.Command), slog.Bool("terminal", s.Terminal != nil))
	status := c.handle(ctx, s)
	s.Log.LogAttrs(ctx, slog.LevelInfo, "session ended", slog.Int("status", status), slog.Any("why", causeOf(ctx)))
	exit(channel, status)
}

// lastWords is how long a session may take to end once told to.
const lastWords = 2 * time.Second

// cutOff ends a session that does not end when told to: its client reads nothing, so that
// writes to it block, for ever as long as the client still answers. Its channel is closed
// first, as other sessions may share the connection, which is closed if that does not
// help.
func (c *connection) cutOff(s *Session) {
	late := time.NewTimer(lastWords)
	defer late.Stop()
	for _, cut := range []io.Closer{s.channel, c.conn} {
		select {
		case <-s.done:
			return
		case <-late.C:
			s.Log.Warn("cut off, as the client does not read")
			_ = cut.Close() // it fails if the client has gone
			late.Reset(lastWords)
		}
	}
}

// handle runs a session. A panic ends only that session.
func (c *connection) handle(ctx context.Context, s *Session) (status int) {
	defer func() {
		if v := recover(); v != nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "session panicked", slog.String("error", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
			_, _ = fmt.Fprintf(s.Stderr(), "placetop: an internal error ended this session; see the server's log; what was confirmed is written\n")
			status = 1
		}
	}()
	return c.server.o.Handle(ctx, s)
}

// causeOf returns why a session was ended, "" if it ended by itself.
func causeOf(ctx context.Context) string {
	if end, ok := errors.AsType[*EndError](context.Cause(ctx)); ok {
		return end.Why
	}
	return ""
}

// exit sends the client the exit status.
func exit(channel ssh.Channel, status int) {
	_ = channel.CloseWrite() // the client may have gone
	_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
}

// mostPrepared is how many requests may come before the one that starts a session, and
// mostUnbegun how many channels of a connection may wait for theirs: what a client sends
// on them is kept in memory meanwhile.
const mostPrepared, mostUnbegun = 64, 10

// prepare handles a client's requests about a session until one starts it; false if none
// does, or it is refused, or ctx ends.
func (c *connection) prepare(ctx context.Context, s *Session, requests <-chan *ssh.Request) bool {
	late := time.NewTimer(loginTime)
	defer late.Stop()
	for range mostPrepared {
		var r *ssh.Request
		var open bool
		select {
		case r, open = <-requests:
		case <-late.C:
		case <-ctx.Done():
		}
		if !open {
			return false
		}
		ok, started := c.take(s, r)
		if r.WantReply {
			_ = r.Reply(ok, nil)
		}
		if started {
			return ok
		}
	}
	c.refused("more requests")
	return false
}

// take handles a request before the session has started, and reports whether it starts
// it.
func (c *connection) take(s *Session, r *ssh.Request) (ok, started bool) {
	if len(r.Payload) > mostRequest {
		c.refused(plainName(r.Type), slog.Int("bytes", len(r.Payload)))
		return false, r.Type == "exec"
	}
	switch r.Type {
	case "env":
		return c.setenv(s, r.Payload), false
	case "pty-req":
		return c.setTerminal(s, r.Payload), false
	case "shell":
		s.Command = s.Person.Command
		return true, true
	case "exec":
		var asked struct{ Command string }
		if err := ssh.Unmarshal(r.Payload, &asked); err != nil || len(asked.Command) > mostCommand {
			c.refused("exec", slog.Int("bytes", len(r.Payload)))
			return false, true
		}
		if s.Command = asked.Command; s.Person.Command != "" {
			s.Command = s.Person.Command
		}
		return true, true
	case "subsystem":
		var asked struct{ Name string }
		_ = ssh.Unmarshal(r.Payload, &asked) // it is only logged
		c.refused("subsystem " + plainName(asked.Name))
		return false, true
	default:
		c.refused(plainName(r.Type))
		return false, false
	}
}

// setenv sets a variable.
func (c *connection) setenv(s *Session, payload []byte) bool {
	var v struct{ Name, Value string }
	if err := ssh.Unmarshal(payload, &v); err != nil || !slices.Contains(envNames(), v.Name) || len(v.Value) > mostValue || strings.ContainsFunc(v.Value, notPlain) {
		c.refused("variable "+plainName(v.Name), slog.Int("bytes", len(payload)))
		return false
	}
	s.Env[v.Name] = v.Value
	return true
}

func notPlain(r rune) bool { return r < ' ' || r > '~' }

// setTerminal sets the client's terminal. Its modes are ignored: there is no line
// discipline here.
func (c *connection) setTerminal(s *Session, payload []byte) bool {
	var asked struct {
		Term                         string
		Columns, Rows, Width, Height uint32
		Modes                        string
	}
	err := ssh.Unmarshal(payload, &asked)
	switch {
	case err != nil, len(asked.Term) > mostValue, strings.ContainsFunc(asked.Term, notPlain):
		c.refused("pty-req", slog.Int("bytes", len(payload)))
		return false
	case s.Person.NoTerminal:
		c.refused("pty-req", slog.String("why", "the key is for commands only"))
		return false
	case s.Terminal != nil:
		return false
	}
	s.Env["TERM"] = asked.Term
	s.Terminal = newTerminal(s, sizeOf(asked.Columns, asked.Rows))
	return true
}

// follow handles requests while a session runs, until its channel is closed.
func (c *connection) follow(s *Session, requests <-chan *ssh.Request, stop context.CancelCauseFunc) {
	for r := range requests {
		var ok bool
		switch r.Type {
		case "window-change":
			var size struct{ Columns, Rows, Width, Height uint32 }
			if ok = s.Terminal != nil && ssh.Unmarshal(r.Payload, &size) == nil; ok {
				s.Terminal.resize(sizeOf(size.Columns, size.Rows))
			}
		case "signal":
			var asked struct{ Name string }
			ok = ssh.Unmarshal(r.Payload, &asked) == nil && slices.Contains([]string{"INT", "TERM", "HUP", "QUIT", "KILL"}, asked.Name)
			if ok {
				stop(&EndError{"ended by the signal " + asked.Name})
			}
		case "eow@openssh.com", "keepalive@openssh.com":
		default:
			c.refused(plainName(r.Type))
		}
		if r.WantReply {
			_ = r.Reply(ok, nil)
		}
	}
}

// sizeOf returns the size of a client's window: a client may send any numbers.
func sizeOf(columns, rows uint32) terminal.Size {
	const most = 1 << 16
	return terminal.Size{Width: int(min(columns, most)), Height: int(min(rows, most))}.Known(terminal.UsualSize())
}
