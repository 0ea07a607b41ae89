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
	ca, authority := newKey(t)
	for name, test := range map[string]struct {
		cert   bool
		change func(t *testing.T, keys, readers, revoked, line string) (later time.Duration)
		then   func(t *testing.T, keys, line string) // between two reviews; nil for nothing
		why    string                                // "" if the client stays
		told   string
	}{
		"as it was": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			write(t, keys, "# newer", line+" ann")
			return time.Second
		}},
		"taken out": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			write(t, keys, "# nobody")
			return time.Second
		}, why: "you may no longer log in: no user here has that key"},
		"the file is gone": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			must.Succeed(t, os.Remove(keys))
			return time.Second
		}, why: "the file that had the key cannot be read completely"},
		"expired": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			write(t, keys, `expiry-time="20360101Z" `+line+" ann")
			return 20 * 365 * 24 * time.Hour
		}, why: "ann: the key expired at 2036-01-01 00:00:00Z"},
		"a reader now": {change: func(t *testing.T, _, readers, _, line string) time.Duration {
			write(t, readers, line+" ann")
			return time.Second
		}, why: "you may now only log in as reader: reconnect"},
		"an admin now": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			write(t, filepath.Join(filepath.Dir(keys), "admins"), line+" ann")
			write(t, keys, "# nobody")
			return time.Second
		}, told: "you may now log in as admin: reconnect for that"},
		"for one command now": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			write(t, keys, `command="get events" `+line+" ann")
			return time.Second
		}, why: "what your key allows has changed"},
		"revoked": {change: func(t *testing.T, _, _, revoked, line string) time.Duration {
			write(t, revoked, line)
			return time.Second
		}, why: "the key was revoked"},
		"nobody knows who is revoked": {change: func(t *testing.T, _, _, revoked, line string) time.Duration {
			write(t, revoked, "serial: none")
			return time.Second
		}},
		"taken out while nobody knows who is revoked": {change: func(t *testing.T, keys, _, revoked, _ string) time.Duration {
			write(t, revoked, "serial: none")
			write(t, keys, "# nobody")
			return time.Second
		}, why: "no user here has that key"},
		"a reader now while nobody knows who is revoked": {change: func(t *testing.T, _, readers, revoked, line string) time.Duration {
			write(t, revoked, "serial: none")
			write(t, readers, line+" ann")
			return time.Second
		}, why: "you may now only log in as reader"},
		"half written at the first review": {change: func(t *testing.T, keys, _, _, line string) time.Duration {
			write(t, keys, line[:len(line)/2])
			return time.Second
		}, then: func(t *testing.T, keys, line string) {
			write(t, keys, line+" ann")
		}},
		"the certificate ended": {cert: true, change: func(*testing.T, string, string, string, string) time.Duration { return time.Hour + time.Second }, why: "cert has expired"},
		"the certificate was revoked": {cert: true, change: func(t *testing.T, _, _, revoked, _ string) time.Duration {
			write(t, revoked, "serial: 5-9")
			return time.Second
		}, why: `the certificate "ann" was revoked`},
		"the authority is trusted no more": {cert: true, change: func(t *testing.T, keys, _, _, _ string) time.Duration {
			_, other := newKey(t)
			write(t, filepath.Join(filepath.Dir(keys), "ca"), other)
			return time.Second
		}, why: "from an authority that is not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ann, line := newKey(t)
			dir := t.TempDir()
			file := func(name string, lines ...string) string { return write(t, filepath.Join(dir, name), lines...) }
			keys, readers, revoked := file("keys", line+" ann"), file("readers"), file("revoked")
			began := time.Now()
			var ahead atomic.Int64
			clock := func() time.Time { return began.Add(time.Duration(ahead.Load())) }
			gate, err := OpenGate(GateOptions{
				Keys:        []KeyFile{{readers, Reader}, {keys, Operator}, {file("admins"), Admin}},
				Authorities: []string{file("ca", authority)}, Revoked: []string{revoked}, Principals: DefaultPrincipals(), Clock: clock,
			})
			must.Succeed(t, err)
			if test.cert {
				cert := certify(t, ca, ann, func(c *ssh.Certificate) {
					c.Serial, c.ValidAfter, c.ValidBefore = 7, uint64(began.Add(-time.Hour).Unix()), uint64(began.Add(time.Hour).Unix())
				})
				if ann, err = ssh.NewCertSigner(cert, ann); err != nil {
					t.Fatal(err)
				}
			}
			host, _ := newKey(t)
			in, told := make(chan struct{}), make(chan string, 1)
			s := New(Options{HostKey: host, Gate: gate, Limits: usual(), Clock: time.Now, Log: slog.New(slog.DiscardHandler), Handle: func(ctx context.Context, s *Session) int {
				s.Told(func(text string) { told <- text })
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
			ahead.Store(int64(test.change(t, keys, readers, revoked, line)))
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

// TestRevoked reads lists of revoked keys.
func TestRevoked(t *testing.T) {
	t.Parallel()
	ca, authority := newKey(t)
	key, line := newKey(t)
	cert := certify(t, ca, key, func(c *ssh.Certificate) { c.Serial = 7 })
	name := filepath.Join(t.TempDir(), "revoked")
	for text, want := range map[string]struct{ key, cert, wrong string }{
		"# none":                         {},
		line + " ann":                    {key: "the key was", cert: "the key was"},
		"key: " + line:                   {key: "the key was", cert: "the key was"},
		"sha256: " + fingerprint(cert):   {key: "the key was", cert: "the key was"},
		authority:                        {cert: "the authority was"},
		"serial: 7":                      {cert: "the certificate"},
		"serial: 0x7":                    {cert: "the certificate"},
		"serial: 1-7":                    {cert: "the certificate"},
		"serial: 8-9":                    {},
		"id: ann":                        {cert: "the certificate"},
		"id: bob\n" + line:               {key: "the key was", cert: "the key was"},
		"serial: 9-8":                    {wrong: "revoked:1: has"},
		"serial: -":                      {wrong: "not a serial number"},
		"id:":                            {wrong: "names no certificate"},
		"ssh-ed25519 AAAA":               {wrong: "is not a key"},
		"serial: x\n" + line:             {key: "the key was", cert: "the key was", wrong: "revoked:1"},
		magicKRL + "\x00\x00\x00\x01":    {wrong: "made by ssh-keygen -k"},
		strings.Repeat("# \n", mostFile): {wrong: "more than"},
	} {
		got, err := readRevoked(write(t, name, text))
		if got.has(key.PublicKey()) != "" != (want.key != "") || !strings.Contains(got.has(key.PublicKey()), want.key) {
			t.Errorf("%.40q: the key: %q", text, got.has(key.PublicKey()))
		}
		if got.has(cert) != "" != (want.cert != "") || !strings.Contains(got.has(cert), want.cert) {
			t.Errorf("%.40q: the certificate: %q", text, got.has(cert))
		}
		if (err != nil) != (want.wrong != "") || err != nil && !strings.Contains(err.Error(), want.wrong) || got.unread != (err != nil) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func FuzzRevoked(f *testing.F) {
	key, line := newKey(f)
	ca, _ := newKey(f)
	cert := certify(f, ca, key, nil)
	f.Add("serial: 3-5")
	f.Add("id: ann")
	f.Add("sha256: " + fingerprint(cert))
	f.Add("key: " + line)
	f.Fuzz(func(t *testing.T, text string) {
		r := revoked{keys: map[string]bool{}, prints: map[string]bool{}, names: map[string]bool{}}
		for l := range strings.Lines(text) {
			_ = r.take(l)
		}
		if why := r.has(key.PublicKey()); why != "" && !strings.Contains(text, line) && !strings.Contains(text, fingerprint(cert)[7:]) {
			if len(r.keys) == 0 {
				t.Errorf("%q: %s", text, why)
			}
		}
		_ = r.has(cert)
	})
}
