package main

import (
	"net"
	"strings"
	"testing"
)

// TestOnlyHere distinguishes sockets that others can reach from those that only this
// machine can.
func TestOnlyHere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		at   net.Addr
		want bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, true},
		{&net.TCPAddr{IP: net.IPv6loopback, Port: 1}, true},
		{&net.TCPAddr{IP: net.IPv4zero, Port: 1}, false},
		{&net.TCPAddr{Port: 1}, false},
		{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, false},
		{&net.UnixAddr{Name: "/run/s", Net: "unix"}, true},
		{&net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}, false},
	} {
		if got := onlyHere(test.at); got != test.want {
			t.Errorf("%s: %v", test.at, got)
		}
	}
}

// TestWarnOfListeners warns by the actual listener, whatever --listen says.
func TestWarnOfListeners(t *testing.T) {
	t.Parallel()
	far, near := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	for _, test := range []struct {
		o    serveOptions
		at   net.Addr
		want bool
	}{
		{serveOptions{Listen: defaultListen, Auth: authTokens}, far, true},
		{serveOptions{Listen: "0.0.0.0:8778", Auth: authTokens}, near, false},
		{serveOptions{Auth: authKeystone}, &net.UnixAddr{Name: "/run/s", Net: "unix"}, false},
		{serveOptions{Auth: authTokens, Cert: "c.pem"}, far, false},
		{serveOptions{Auth: authNone}, far, false},
	} {
		var said strings.Builder
		(&program{stderr: &said}).warnOfListeners(test.o, test.at)
		if got := strings.Contains(said.String(), "tokens go to "+test.at.String()); got != test.want {
			t.Errorf("%+v at %s: %q", test.o, test.at, &said)
		}
	}
}
