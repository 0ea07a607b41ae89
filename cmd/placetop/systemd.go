package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/storage/rest/server"
)

// firstHanded is the descriptor of the first socket that systemd passes.
//
// Source: sd_listen_fds(3).
const firstHanded = 3

// The names of sockets, in FileDescriptorName=.
const (
	forHTTP = "http"
	forSSH  = "ssh"
)

// neededSocket says which socket is needed.
type neededSocket struct {
	name    string // forHTTP or forSSH
	beside  bool   // another socket is the main one of the process
	anybody bool   // anyone who connects may write
}

// listen listens at an address, or takes the socket that systemd has opened for that, and
// returns which. If anyone may write, only this machine must be able to reach it.
func (p *program) listen(ctx context.Context, at server.Address, want neededSocket) (net.Listener, server.Address, error) {
	handed, err := handedOver(p.env, os.Getpid())
	if err != nil {
		return nil, at, failed(err, "")
	}
	n := want.of(handed)
	if n < 0 {
		l, err := at.Listen(ctx)
		if err != nil {
			return nil, at, failed(err, "")
		}
		return l, at, nil
	}
	f := os.NewFile(uintptr(firstHanded+n), want.name)
	defer f.Close() //nolint:errcheck // the listener has its own descriptor
	l, err := net.FileListener(f)
	if err != nil {
		return nil, at, failed(fmt.Errorf("what systemd passes as %s is not a socket to listen on: %w", want.name, err), "check the unit of the socket")
	}
	if want.anybody && !onlyHere(l.Addr()) {
		return nil, at, errors.Join(
			usageErrorf("change the unit of the socket, or ask for keys or tokens", "whoever reaches %s, which systemd passes as %s, could write", l.Addr(), want.name), l.Close())
	}
	return l, server.Address{Network: l.Addr().Network(), Where: l.Addr().String()}, nil
}

// of returns which of the passed sockets, given by name, to take: the one with the wanted
// FileDescriptorName=, or the only one, unless that is for something else. It is below 0
// for none.
func (w neededSocket) of(handed []string) int {
	n := slices.Index(handed, w.name)
	if n < 0 && len(handed) == 1 && !w.beside && handed[0] != forHTTP && handed[0] != forSSH {
		return 0
	}
	return n
}

// onlyHere reports whether only this machine can reach an address.
func onlyHere(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// handedOver returns the names of the sockets that systemd has passed to a process.
func handedOver(env map[string]string, pid int) ([]string, error) {
	if env["LISTEN_FDS"] == "" || env["LISTEN_PID"] != strconv.Itoa(pid) {
		return nil, nil
	}
	n, err := strconv.Atoi(env["LISTEN_FDS"])
	if err != nil || n < 0 || n > 16 {
		return nil, fmt.Errorf("LISTEN_FDS=%q is not a number of sockets", env["LISTEN_FDS"])
	}
	names := strings.Split(env["LISTEN_FDNAMES"], ":")
	for len(names) < n {
		names = append(names, "")
	}
	return names[:n], nil
}

// supervise tells systemd that the service is up, that it is well as long as alive
// returns, and that it ends. It returns when ctx ends.
//
// Source: sd_notify(3), sd_watchdog_enabled(3).
func (p *program) supervise(ctx context.Context, alive func()) {
	where := p.env["NOTIFY_SOCKET"]
	if where == "" {
		return
	}
	if where[0] == '@' {
		where = "\x00" + where[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: where, Net: "unixgram"})
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelWarn, "systemd cannot be notified", slog.String("error", err.Error()))
		return
	}
	defer conn.Close() //nolint:errcheck // nothing is left to be said
	defer context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Now().Add(lastNotice)) })()
	tell := func(text string) {
		if _, err := conn.Write([]byte(text)); err != nil && !errors.Is(err, net.ErrClosed) {
			p.log.LogAttrs(ctx, slog.LevelWarn, "systemd is not notified", slog.String("what", text), slog.String("error", err.Error()))
		}
	}
	tell("READY=1\nSTATUS=serving " + oneLine(p.settings.DB))
	tick := watchdog(p.env, os.Getpid())
	var again <-chan time.Time
	if tick > 0 {
		t := time.NewTicker(tick)
		defer t.Stop()
		again = t.C
	}
	for {
		select {
		case <-ctx.Done():
			tell("STOPPING=1")
			return
		case <-again:
			alive() // no report while the service hangs
			tell("WATCHDOG=1")
		}
	}
}

// lastNotice is how long the end of a service waits for a systemd that reads nothing: its
// socket holds only a few messages, and a write to a full one blocks.
const lastNotice = 500 * time.Millisecond

// watchdog returns how often systemd wants to hear that a process is well: twice within
// its time limit. 0 means never.
func watchdog(env map[string]string, pid int) time.Duration {
	if of := env["WATCHDOG_PID"]; of != "" && of != strconv.Itoa(pid) {
		return 0
	}
	usec, err := strconv.ParseInt(env["WATCHDOG_USEC"], 10, 64)
	if err != nil || usec < 2 {
		return 0
	}
	return time.Duration(usec) * time.Microsecond / 2
}
