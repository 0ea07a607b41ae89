package sshd

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
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
	// strangers is the most open connections that have not yet proved a key.
	strangers = 64
	// loginTime is how long a client may take to prove a key.
	loginTime = 20 * time.Second
	// mostTries is how many keys a client may offer on one connection.
	mostTries = 8
	// mostFailed is how many connections from one address may end within failedTime
	// without proving a key: then the address is refused for that long.
	mostFailed = 10
	failedTime = time.Minute
	// mostNets is how many addresses are tracked for failed attempts.
	mostNets = 4096
)

// fence counts open connections, and failed attempts.
type fence struct {
	clock func() time.Time

	mu        sync.Mutex
	strangers int
	failed    map[netip.Prefix]failures
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

// enter admits a stranger, or returns why not.
func (f *fence) enter(a netip.Addr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if is := f.failed[neighbours(a)]; is.n >= mostFailed && f.clock().Sub(is.since) < failedTime {
		return fmt.Errorf("%d tries from there have failed within %s", is.n, failedTime)
	}
	if f.strangers >= strangers {
		return fmt.Errorf("%d others have not authenticated yet", f.strangers)
	}
	f.strangers++
	return nil
}

// leave notes the end of a stranger's attempt. Clients without an address are not
// counted: one of them would lock out everyone who uses the same socket, which is
// protected by its mode.
func (f *fence) leave(a netip.Addr, in bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.strangers--
	of := neighbours(a)
	if in || !a.IsValid() {
		delete(f.failed, of)
		return
	}
	now := f.clock()
	is := f.failed[of]
	if now.Sub(is.since) >= failedTime {
		is = failures{since: now}
	}
	is.n++
	if len(f.failed) >= mostNets {
		f.forget(now)
	}
	f.failed[of] = is
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
