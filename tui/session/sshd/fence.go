package sshd

import (
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
)

// fence limits connections that have not proved a key. It never lets those who only hold a
// connection keep others out: when there are too many pending connections the oldest leaves,
// first of those who have said nothing. Failed attempts are not counted: a key cannot be
// guessed, and a team may come from one address.
type fence struct {
	mu      sync.Mutex
	pending []*pendingConn // the oldest first
}

// pendingConn is a connection that has not proved a key yet.
type pendingConn struct {
	net.Conn
	of    netip.Prefix
	spoke atomic.Bool // the client has sent something
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

// enter admits a connection.
func (f *fence) enter(conn net.Conn) *pendingConn {
	s := &pendingConn{Conn: conn, of: neighbours(addressOf(conn.RemoteAddr()))}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count(s.of) >= mostShare {
		f.evict(s.of)
	} else if len(f.pending) >= mostPending {
		f.evict(f.largest())
	}
	f.pending = append(f.pending, s)
	return s
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

// leave notes the end of a connection's attempt.
func (f *fence) leave(s *pendingConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = slices.DeleteFunc(f.pending, func(other *pendingConn) bool { return other == s })
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
