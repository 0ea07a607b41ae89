//go:build etcd

package etcd_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
)

// link is a way to a member that is slow, or is cut off.
type link struct {
	net.Listener
	to    string
	delay time.Duration // each way
	rate  int           // bytes a second, each way; 0 for any

	mu  sync.Mutex
	cut chan struct{} // closed when the link is whole; nil if it is
}

// through returns a place of the etcd to which there is no other way than by links, and these.
func (c *cluster) through(t testing.TB, prefix string, delay time.Duration, rate int) (place string, links []*link) {
	t.Helper()
	var hosts []string
	for _, host := range c.hosts() {
		l := &link{Listener: must.Get(net.Listen("tcp", "127.0.0.1:0"))(t), to: host, delay: delay, rate: rate}
		t.Cleanup(func() { _ = l.Close() })
		go l.serve()
		hosts, links = append(hosts, l.Addr().String()), append(links, l)
	}
	return "etcd://" + strings.Join(hosts, ",") + "/" + prefix, links
}

func (l *link) serve() {
	for {
		a, err := l.Accept()
		if err != nil {
			return
		}
		b, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = a.Close()
			continue
		}
		go l.carry(a, b)
		go l.carry(b, a)
	}
}

// carry carries what one side says to the other.
func (l *link) carry(from, to net.Conn) {
	type said struct {
		what []byte
		due  time.Time
	}
	line := make(chan said, 64)
	go func() {
		defer to.Close()
		for s := range line {
			time.Sleep(time.Until(s.due))
			if _, err := to.Write(s.what); err != nil {
				_ = from.Close()
			}
		}
	}()
	defer close(line)
	for {
		what := make([]byte, 8<<10)
		n, err := from.Read(what)
		if cut := l.isCut(); cut != nil {
			<-cut
		}
		if l.rate > 0 {
			time.Sleep(time.Duration(n) * time.Second / time.Duration(l.rate))
		}
		line <- said{what[:n], time.Now().Add(l.delay)}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				_ = from.Close()
			}
			return
		}
	}
}

func (l *link) isCut() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

// sever lets nothing through any more, and says so to nobody.
func (l *link) sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = make(chan struct{})
}

// mend lets everything through again.
func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.cut)
	l.cut = nil
}
