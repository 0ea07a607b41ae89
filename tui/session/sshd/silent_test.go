package sshd

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

// wires is a network in memory, whose time is that of a test.
type wires struct {
	dialed chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (w *wires) Accept() (net.Conn, error) {
	select {
	case c := <-w.dialed:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wires) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

func (w *wires) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2222} }

// wire is one end of a connection there. It takes what is written before the other end
// reads it, as both begin with a line of their own.
type wire struct {
	net.Conn
	w    *wires
	out  chan []byte
	over chan struct{}
	once *sync.Once
}

func (w *wires) end(c net.Conn) wire {
	e := wire{c, w, make(chan []byte, 1000), make(chan struct{}), new(sync.Once)}
	go func() {
		for {
			select {
			case p := <-e.out:
				if _, err := c.Write(p); err != nil {
					_ = e.Close()
				}
			case <-e.over:
				return
			}
		}
	}()
	return e
}

func (c wire) RemoteAddr() net.Addr { return c.w.Addr() }
func (c wire) LocalAddr() net.Addr  { return c.w.Addr() }

func (c wire) Write(p []byte) (int, error) {
	select {
	case c.out <- bytes.Clone(p):
		return len(p), nil
	case <-c.over:
		return 0, net.ErrClosed
	}
}

func (c wire) Close() error {
	c.once.Do(func() { close(c.over) })
	return c.Conn.Close()
}

// dial comes in with a key, and leaves it to the caller to answer what it is asked.
func (w *wires) dial(t *testing.T, key ssh.Signer) (ssh.Conn, <-chan ssh.NewChannel, <-chan *ssh.Request) {
	t.Helper()
	here, there := net.Pipe()
	w.dialed <- w.end(there)
	c, channels, requests, err := ssh.NewClientConn(w.end(here), "x", with(key))
	if err != nil {
		t.Fatal(err)
	}
	return c, channels, requests
}

// TestClientsThatVanish ends the connection of a client that is not heard of any more, as
// one whose laptop is shut, and not of one that does nothing but answer.
func TestClientsThatVanish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wires{dialed: make(chan net.Conn), closed: make(chan struct{})}
		i := openOn(t, w, usual(), echo)
		began := time.Now()
		silent, _, _ := w.dial(t, i.ann)
		idle := ssh.NewClient(w.dial(t, i.ann))
		defer idle.Close()
		_ = silent.Wait()
		if after, want := time.Since(began), aliveEvery+mostSilent; after != want {
			t.Errorf("it ends after %s, want %s", after, want)
		}
		i.tells("gone without a word")
		<-time.After(20 * aliveEvery)
		s, err := idle.NewSession()
		if err != nil {
			t.Fatalf("one that answers is gone: %v", err)
		}
		_ = s.Close()
	})
}
