package sshd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestReview changes the files while clients are connected: a client with fewer rights is
// disconnected with the reason, one with more is told.
func TestReview(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(t *testing.T, keys, readers, line string) (later time.Duration)
		then   func(t *testing.T, keys, line string) // between two reviews; nil for nothing
		why    string                                // "" if the client stays
		told   string
	}{
		"as it was": {change: func(t *testing.T, keys, _, line string) time.Duration {
			write(t, keys, "# newer", line+" ann")
			return time.Second
		}},
		"taken out": {change: func(t *testing.T, keys, _, line string) time.Duration {
			write(t, keys, "# nobody")
			return time.Second
		}, why: "you may no longer log in: no user here has that key"},
		"the file is gone": {change: func(t *testing.T, keys, _, line string) time.Duration {
			must.Succeed(t, os.Remove(keys))
			return time.Second
		}, why: "the file that had the key cannot be read completely"},
		"expired": {change: func(t *testing.T, keys, _, line string) time.Duration {
			write(t, keys, `expiry-time="20360101Z" `+line+" ann")
			return 20 * 365 * 24 * time.Hour
		}, why: "ann: the key expired at 2036-01-01 00:00:00Z"},
		"a reader now": {change: func(t *testing.T, _, readers, line string) time.Duration {
			write(t, readers, line+" ann")
			return time.Second
		}, why: "you may now only log in as reader: reconnect"},
		"an admin now": {change: func(t *testing.T, keys, _, line string) time.Duration {
			write(t, filepath.Join(filepath.Dir(keys), "admins"), line+" ann")
			write(t, keys, "# nobody")
			return time.Second
		}, told: "you may now log in as admin: reconnect for that"},
		"for one command now": {change: func(t *testing.T, keys, _, line string) time.Duration {
			write(t, keys, `command="get events" `+line+" ann")
			return time.Second
		}, why: "what your key allows has changed"},
		"half written at the first review": {change: func(t *testing.T, keys, _, line string) time.Duration {
			write(t, keys, line[:len(line)/2])
			return time.Second
		}, then: func(t *testing.T, keys, line string) {
			write(t, keys, line+" ann")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ann, line := newKey(t)
			dir := t.TempDir()
			file := func(name string, lines ...string) string { return write(t, filepath.Join(dir, name), lines...) }
			keys, readers := file("keys", line+" ann"), file("readers")
			began := time.Now()
			var ahead atomic.Int64
			clock := func() time.Time { return began.Add(time.Duration(ahead.Load())) }
			gate, err := OpenGate(GateOptions{
				Keys: []KeyFile{{readers, Reader}, {keys, Operator}, {file("admins"), Admin}}, Clock: clock,
			})
			must.Succeed(t, err)
			host, _ := newKey(t)
			in, told := make(chan struct{}), make(chan string, 1)
			s := New(Options{HostKey: host, Gate: gate, Limits: usual(), Clock: time.Now, Log: slog.New(slog.DiscardHandler), Handle: func(ctx context.Context, s *Session) int {
				s.Show(shown(told))
				close(in)
				<-ctx.Done()
				fmt.Fprint(s.Stderr(), causeOf(ctx))
				return 1
			}})
			l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
			ctx, stop := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- s.Serve(ctx, l) }()
			defer func() {
				stop()
				if err := <-served; err != nil {
					t.Error(err)
				}
			}()
			c, err := ssh.Dial("tcp", l.Addr().String(), &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(ann)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
			must.Succeed(t, err)
			defer c.Close()
			one := must.Get(c.NewSession())(t)
			var said bytes.Buffer
			one.Stdout, one.Stderr = io.Discard, &said
			must.Succeed(t, one.Start(""))
			<-in
			ahead.Store(int64(test.change(t, keys, readers, line)))
			s.review()
			if test.then != nil {
				test.then(t, keys, line)
				ahead.Add(int64(reviewEvery - 50*time.Millisecond)) // a tick may be late while the next is not
			}
			s.review()
			if test.told != "" {
				must.Be(t, <-told, test.told)
			}
			if test.why == "" {
				s.mu.Lock()
				defer s.mu.Unlock()
				if len(s.open) != 1 {
					t.Errorf("there are %d connections", len(s.open))
				}
				return
			}
			_ = one.Wait() // it ends with 1, or with the connection
			if !strings.Contains(said.String(), test.why) {
				t.Errorf("said is %q, want %q", said.String(), test.why)
			}
		})
	}
}
