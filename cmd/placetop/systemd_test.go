package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
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

// TestWanted checks that each service takes the socket meant for it, and that no two take
// the same.
func TestWanted(t *testing.T) {
	t.Parallel()
	web, ssh, beside := neededSocket{name: forHTTP}, neededSocket{name: forSSH}, neededSocket{name: forSSH, beside: true}
	for _, test := range []struct {
		want   neededSocket
		handed []string
		n      int
	}{
		{web, nil, -1},
		{web, []string{"placetop.socket"}, 0},
		{ssh, []string{""}, 0},
		{beside, []string{""}, -1},
		{web, []string{"http"}, 0},
		{beside, []string{"http"}, -1},
		{web, []string{"ssh"}, -1},
		{beside, []string{"ssh"}, 0},
		{web, []string{"ssh", "http"}, 1},
		{beside, []string{"ssh", "http"}, 0},
		{web, []string{"a", "b"}, -1},
	} {
		if n := test.want.of(test.handed); n != test.n {
			t.Errorf("%+v takes %d of %q, want %d", test.want, n, test.handed, test.n)
		}
	}
}

// TestGoesByTheSocket checks that the reported address, and the hosts that requests may
// name, are those of the socket that systemd has opened, whatever --listen says.
func TestGoesByTheSocket(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, test := range []struct {
		network, at, listen string
		scheme              string // in the URL
		status              int    // of the answer to a request that names another host
	}{
		{"tcp", "127.0.0.1:0", "unix:" + filepath.Join(folder, "none"), "http://", http.StatusForbidden},
		{"unix", filepath.Join(folder, "s"), "127.0.0.1:0", "http+unix:", http.StatusOK},
	} {
		l := must.Get(net.Listen(test.network, test.at))(t)
		defer l.Close()
		f := must.Get(l.(interface{ File() (*os.File, error) }).File())(t)
		defer f.Close()
		cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$@"`, "sh",
			"placetop", "serve", "--db", filepath.Join(folder, test.network+".db"), "--listen", test.listen, "--auth", "none")
		cmd.Env, cmd.ExtraFiles = append(os.Environ(), "LISTEN_FDS=1"), []*os.File{f}
		is := must.Get(startServing(cmd))(t)
		if want := test.scheme + l.Addr().String(); is.url != want {
			t.Errorf("it says that it serves at %s, want %s", is.url, want)
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, test.network, l.Addr().String())
		}}}
		resp, err := client.Get("http://elsewhere.example/")
		must.Succeed(t, err)
		resp.Body.Close()
		if resp.StatusCode != test.status {
			t.Errorf("%s, --listen %s: %s, want %d", test.network, test.listen, resp.Status, test.status)
		}
		if err := is.stop(); err != nil {
			t.Errorf("%v\n%s", err, is.text())
		}
	}
}

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

// TestSupervised checks what systemd is told.
func TestSupervised(t *testing.T) {
	t.Parallel()
	where := filepath.Join(t.TempDir(), "n")
	systemd := must.Get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: where, Net: "unixgram"}))(t)
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
	for {
		n := must.Get(systemd.Read(buf))(t)
		if string(buf[:n]) == "STOPPING=1" {
			break
		}
	}
	<-done
}

// TestDeafSystemd ends a service whose systemd reads nothing: the socket is full.
func TestDeafSystemd(t *testing.T) {
	t.Parallel()
	where := filepath.Join(t.TempDir(), "n")
	address := &net.UnixAddr{Name: where, Net: "unixgram"}
	systemd := must.Get(net.ListenUnixgram("unixgram", address))(t)
	defer systemd.Close()
	other := must.Get(net.DialUnix("unixgram", nil, address))(t)
	defer other.Close()
	must.Succeed(t, other.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
	for full := false; !full; {
		_, err := other.Write([]byte("STATUS=busy"))
		full = err != nil
	}
	p := &program{env: map[string]string{"NOTIFY_SOCKET": where}, log: slog.New(slog.DiscardHandler)}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	p.supervise(ctx, func() {})
}
