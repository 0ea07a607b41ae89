package sshd

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits are how many sessions there may be at a time, and for how long.
type Limits struct {
	Sessions   int           // in all
	PerPerson  int           // of one key
	PerAddress int           // from one address
	Idle       time.Duration // a silent session is ended after this long
	Grace      time.Duration // how long sessions may continue once the server has said that it ends
}

// DefaultLimits are those of a bastion that a team works on.
func DefaultLimits() Limits {
	return Limits{Sessions: 200, PerPerson: 20, PerAddress: 50, Idle: 30 * time.Minute, Grace: 3 * time.Second}
}

const (
	// mostPending is the most open connections that have not yet proved a key, and
	// mostShare how many of them may be from one address.
	mostPending = 64
	mostShare   = 32
	// loginTime is how long a client may take to prove a key.
	loginTime = 20 * time.Second
	// mostTries is how many keys a client may offer on one connection.
	mostTries = 8
	// mostFailed is how many connections from one address may end within failedTime
	// without proving a key that they tried: then the address is refused for that long.
	mostFailed = 10
	failedTime = time.Minute
	// mostNets is how many addresses are tracked for failed attempts.
	mostNets = 4096
)

// fence limits connections that have not proved a key, and failed attempts. It never lets
// those who only hold a connection keep others out: when there are too many pending connections the
// oldest leaves, first of those who have said nothing.
type fence struct {
	clock func() time.Time

	mu      sync.Mutex
	pending []*pendingConn // the oldest first
	failed  map[netip.Prefix]failures
}

// pendingConn is a connection that has not proved a key yet.
type pendingConn struct {
	net.Conn
	of    netip.Prefix
	spoke atomic.Bool // the client has sent something
	tried atomic.Bool // it has offered a key
	out   atomic.Bool // it had to make room
}

// Read implements net.Conn.
func (s *pendingConn) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if n > 0 && !s.spoke.Load() {
		s.spoke.Store(true)
	}
	return n, err
}

// failures are failed attempts, and since when they are counted.
type failures struct {
	n     int
	since time.Time
}

func newFence(clock func() time.Time) *fence {
	return &fence{clock: clock, failed: map[netip.Prefix]failures{}}
}

// neighbours returns the addresses that are counted as one: the owner of one IPv6 address
// has its whole network.
func neighbours(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// enter admits a connection, or returns why not.
func (f *fence) enter(conn net.Conn) (*pendingConn, error) {
	s := &pendingConn{Conn: conn, of: neighbours(addressOf(conn.RemoteAddr()))}
	f.mu.Lock()
	defer f.mu.Unlock()
	if is := f.failed[s.of]; is.n >= mostFailed && f.clock().Sub(is.since) < failedTime {
		return nil, fmt.Errorf("%d tries from there have failed within %s", is.n, failedTime)
	}
	if f.count(s.of) >= mostShare {
		f.evict(s.of)
	} else if len(f.pending) >= mostPending {
		f.evict(f.largest())
	}
	f.pending = append(f.pending, s)
	return s, nil
}

// count returns how many pending connections are from one source.
func (f *fence) count(of netip.Prefix) (n int) {
	for _, s := range f.pending {
		if s.of == of {
			n++
		}
	}
	return n
}

// largest returns the source of most pending connections; of several the one with the oldest.
func (f *fence) largest() (of netip.Prefix) {
	most := 0
	for _, s := range f.pending {
		if n := f.count(s.of); n > most {
			most, of = n, s.of
		}
	}
	return of
}

// evict closes the connection of the oldest pending one from a source, if there is one of
// those who have said nothing.
func (f *fence) evict(of netip.Prefix) {
	at := slices.IndexFunc(f.pending, func(s *pendingConn) bool { return s.of == of && !s.spoke.Load() })
	if at < 0 {
		at = slices.IndexFunc(f.pending, func(s *pendingConn) bool { return s.of == of })
	}
	s := f.pending[at]
	f.pending = slices.Delete(f.pending, at, at+1)
	s.out.Store(true)
	_ = s.Close() // its login fails
}

// leave notes the end of a connection's attempt. Clients that have tried no key, such as
// health checks and scanners, have failed at nothing. Clients without an address are not
// counted either: one of them would lock out everyone who uses the same socket, which is
// protected by its mode.
func (f *fence) leave(s *pendingConn, in bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = slices.DeleteFunc(f.pending, func(other *pendingConn) bool { return other == s })
	switch {
	case in:
		delete(f.failed, s.of)
		return
	case !s.tried.Load() || !s.of.IsValid():
		return
	}
	now := f.clock()
	is := f.failed[s.of]
	if now.Sub(is.since) >= failedTime {
		is = failures{since: now}
	}
	is.n++
	if len(f.failed) >= mostNets {
		f.forget(now)
	}
	f.failed[s.of] = is
}

// forget makes room: it drops what is too old to count, or else anything.
func (f *fence) forget(now time.Time) {
	for of, is := range f.failed {
		if now.Sub(is.since) >= failedTime {
			delete(f.failed, of)
		}
	}
	for of := range f.failed {
		if len(f.failed) < mostNets {
			return
		}
		delete(f.failed, of)
	}
}

// addressOf returns the address of the other end, without its zone; zero if there is
// none, as at a Unix socket.
func addressOf(c net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(c.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
