package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Address is where a server listens.
type Address struct {
	Network string // "tcp" or "unix"
	Where   string // host and port, or the path of a socket
}

// ParseAddress reads "HOST:PORT", "unix:PATH" or a path with a slash.
func ParseAddress(text string) (Address, error) {
	refuse := func(why string) (Address, error) {
		return Address{}, &ListenError{Address: text, Why: why, Hint: "give HOST:PORT such as 127.0.0.1:8778, or unix:PATH"}
	}
	if path, ok := strings.CutPrefix(text, "unix:"); ok || strings.Contains(text, "/") {
		switch {
		case path == "":
			return refuse("it has no path")
		case len(path) > mostSocketPath:
			return refuse(fmt.Sprintf("the path of a socket has at most %d bytes", mostSocketPath))
		}
		return Address{"unix", path}, nil
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil || port == "" {
		return refuse("it has no host and port")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return refuse("the port is not a number from 0 to 65535")
	}
	return Address{"tcp", text}, nil
}

// mostSocketPath is the longest path of a socket that every supported system allows.
const mostSocketPath = 103

// Local reports whether a can only be reached from this machine. A name is looked up.
func (a Address) Local(ctx context.Context) (bool, error) {
	if a.Network == "unix" {
		return true, nil
	}
	host, _, err := net.SplitHostPort(a.Where)
	if err != nil || host == "" {
		return false, err
	}
	ips, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	if err != nil {
		return false, &ListenError{Address: a.Where, Why: "the host cannot be found", Hint: "use another host", Err: err}
	}
	for _, ip := range ips {
		if !ip.IsLoopback() {
			return false, nil
		}
	}
	return len(ips) > 0, nil
}

// MayName reports whether a request whose header Host is host can be meant for a
// server that listens at a. For a server that only this machine can reach that is more
// than a formality: a hostile page can make the browser look up the page's own name
// again, get 127.0.0.1, and talk to whatever listens there; the name in the request
// gives it away.
func (a Address) MayName(host string) bool {
	if a.Network == "unix" || host == "" {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	own, _, _ := net.SplitHostPort(a.Where)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.EqualFold(host, own) || net.ParseIP(host).IsLoopback()
}

// socketMode lets the user who runs the server, and their group, connect.
const socketMode = 0o660

// Listen starts to listen at a. A socket that no process listens at any longer, as a
// killed server leaves it, is replaced.
//
// Errors: *ListenError.
func (a Address) Listen(ctx context.Context) (net.Listener, error) {
	if a.Network == "unix" {
		if err := a.clear(ctx); err != nil {
			return nil, err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, a.Network, a.Where)
	if err != nil {
		return nil, a.failed(err)
	}
	if a.Network == "unix" {
		if err := os.Chmod(a.Where, socketMode); err != nil {
			return nil, errors.Join(a.failed(err), l.Close())
		}
	}
	return l, nil
}

// clear removes the socket of a server that has ended.
func (a Address) clear(ctx context.Context) error {
	info, err := os.Lstat(a.Where)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return a.failed(err)
	case info.Mode().Type() != fs.ModeSocket:
		return &ListenError{Address: a.Where, Why: "something that is not a socket is there", Hint: "use another path"}
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, a.Network, a.Where)
	if err == nil {
		_ = c.Close() // nothing was sent on it
		return a.failed(syscall.EADDRINUSE)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return a.failed(err)
	}
	if err := os.Remove(a.Where); err != nil {
		return a.failed(err)
	}
	return nil
}

// failed returns what to do about an error of the system.
func (a Address) failed(err error) error {
	e := &ListenError{Address: a.Where, Err: err, Why: err.Error()}
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		e.Why, e.Hint = "something is already listening there", "stop that, or use another address"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		e.Why, e.Hint = "this machine has no such address", "use one of its own"
	case errors.Is(err, fs.ErrPermission):
		e.Why, e.Hint = "permission denied", "use a port from 1024 on, or a writable folder"
	case errors.Is(err, fs.ErrNotExist):
		e.Why, e.Hint = "there is no such folder", "create it, or use another path"
	case errors.As(err, &dns):
		e.Why, e.Hint = "the host cannot be found", "use another host"
	}
	return e
}

// URL returns the URL of the server that listens at l.
func (a Address) URL(l net.Listener, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	if a.Network == "unix" {
		return scheme + "+unix:" + a.Where
	}
	return scheme + "://" + l.Addr().String()
}
