package sshd

import (
	"bytes"
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

// wire is one end of an in-memory connection, in a test's time. A write does not wait for
// the other end to read, as both ends start by writing.
type wire struct {
	net.Conn
	out chan []byte
}

// newWire returns an end that sends through conn until ctx ends.
func newWire(ctx context.Context, conn net.Conn) wire {
	w := wire{conn, make(chan []byte, 1000)}
	go func() {
		for {
			select {
			case p := <-w.out:
				_, _ = conn.Write(p) // a closed one is read to its end
			case <-ctx.Done():
				return
			}
		}
	}()
	return w
}

func (wire) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2222} }

func (w wire) Write(p []byte) (int, error) {
	w.out <- bytes.Clone(p)
	return len(p), nil
}

// wired logs in over a wire, and leaves answering requests to the caller.
func (i *inn) wired() (ssh.Conn, <-chan ssh.NewChannel, <-chan *ssh.Request) {
	i.t.Helper()
	here, there := net.Pipe()
	ctx := i.t.Context()
	go i.connection(ctx, newWire(ctx, there))
	c, channels, requests, err := ssh.NewClientConn(newWire(ctx, here), "x", with(i.ann))
	if err != nil {
		i.t.Fatal(err)
	}
	return c, channels, requests
}

// TestClientsThatVanish ends the connection of a client that no longer answers, like a
// closed laptop, but not one that does nothing but answer.
func TestClientsThatVanish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := build(t, usual(), echo)
		began := time.Now()
		silent, _, _ := i.wired()
		idle := ssh.NewClient(i.wired())
		defer idle.Close()
		_ = silent.Wait()
		if after, want := time.Since(began), aliveEvery+mostSilent; after != want {
			t.Errorf("it ends after %s, want %s", after, want)
		}
		i.tells("connection lost")
		<-time.After(20 * aliveEvery)
		s, err := idle.NewSession()
		if err != nil {
			t.Fatalf("one that answers is gone: %v", err)
		}
		_ = s.Close()
	})
}
