package main

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strconv"
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
