package main

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestHandedOver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		env  map[string]string
		want []string
		bad  bool
	}{
		{map[string]string{}, nil, false},
		{map[string]string{"LISTEN_FDS": "2", "LISTEN_PID": "8"}, nil, false},
		{map[string]string{"LISTEN_FDS": "2", "LISTEN_PID": "7"}, []string{"", ""}, false},
		{map[string]string{"LISTEN_FDS": "2", "LISTEN_PID": "7", "LISTEN_FDNAMES": "ssh:http"}, []string{"ssh", "http"}, false},
		{map[string]string{"LISTEN_FDS": "x", "LISTEN_PID": "7"}, nil, true},
		{map[string]string{"LISTEN_FDS": "-1", "LISTEN_PID": "7"}, nil, true},
	} {
		got, err := handedOver(test.env, 7)
		if !slices.Equal(got, test.want) || (err != nil) != test.bad {
			t.Errorf("%v: %q, %v", test.env, got, err)
		}
	}
	for usec, want := range map[string]time.Duration{"": 0, "x": 0, "1": 0, "30000000": 15 * time.Second} {
		if got := watchdog(map[string]string{"WATCHDOG_USEC": usec}, 7); got != want {
			t.Errorf("%q: %v", usec, got)
		}
	}
	if watchdog(map[string]string{"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"}, 7) != 0 {
		t.Error("the watchdog of another process is told")
	}
}

// TestWanted takes of what is handed over what is meant for it, and of one socket no two.
func TestWanted(t *testing.T) {
	t.Parallel()
	http, ssh, beside := wanted{name: forHTTP}, wanted{name: forSSH}, wanted{name: forSSH, beside: true}
	for _, test := range []struct {
		want   wanted
		handed []string
		n      int
	}{
		{http, nil, -1},
		{http, []string{"placetop.socket"}, 0},
		{ssh, []string{""}, 0},
		{beside, []string{""}, -1},
		{http, []string{"http"}, 0},
		{beside, []string{"http"}, -1},
		{http, []string{"ssh"}, -1},
		{beside, []string{"ssh"}, 0},
		{http, []string{"ssh", "http"}, 1},
		{beside, []string{"ssh", "http"}, 0},
		{http, []string{"a", "b"}, -1},
	} {
		if n := test.want.of(test.handed); n != test.n {
			t.Errorf("%+v takes %d of %q, want %d", test.want, n, test.handed, test.n)
		}
	}
}

// TestOnlyHere tells sockets that others reach from those that only this machine does.
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

// TestWarnOfListeners warns of what is listened at, whatever --listen says.
func TestWarnOfListeners(t *testing.T) {
	t.Parallel()
	far, near := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	for _, test := range []struct {
		o    serveOptions
		at   net.Addr
		want bool
	}{
		{serveOptions{listen: defaultListen, auth: authTokens}, far, true},
		{serveOptions{listen: "0.0.0.0:8778", auth: authTokens}, near, false},
		{serveOptions{auth: authKeystone}, &net.UnixAddr{Name: "/run/s", Net: "unix"}, false},
		{serveOptions{auth: authTokens, cert: "c.pem"}, far, false},
		{serveOptions{auth: authNone}, far, false},
	} {
		var said strings.Builder
		(&program{stderr: &said}).warnOfListeners(test.o, test.at)
		if got := strings.Contains(said.String(), "tokens go to "+test.at.String()); got != test.want {
			t.Errorf("%+v at %s: %q", test.o, test.at, &said)
		}
	}
}

// TestSupervised tells systemd how it goes.
func TestSupervised(t *testing.T) {
	t.Parallel()
	where := filepath.Join(t.TempDir(), "n")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: where, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer systemd.Close()
	p := &program{env: map[string]string{"NOTIFY_SOCKET": where, "WATCHDOG_USEC": strconv.Itoa(2000)}, log: slog.New(slog.DiscardHandler)}
	p.settings.DB = "c.db"
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.supervise(ctx, func() {})
	}()
	buf := make([]byte, 100)
	for _, want := range []string{"READY=1\nSTATUS=serving c.db", "WATCHDOG=1"} {
		n, err := systemd.Read(buf)
		if err != nil || string(buf[:n]) != want {
			t.Fatalf("%q, %v; want %q", buf[:n], err, want)
		}
	}
	stop()
	<-done
	for {
		n, err := systemd.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if string(buf[:n]) == "STOPPING=1" {
			return
		}
	}
}
