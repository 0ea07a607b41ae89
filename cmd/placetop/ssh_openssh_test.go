//go:build openssh

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/tuitest"
)

// tool runs a program of OpenSSH, which must be installed.
func tool(t *testing.T, name string, args ...string) (out string, code int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	b, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		t.Fatalf("%s: %v", name, err)
	}
	return string(b), code
}

// TestOpenSSH logs in with the OpenSSH client, and tries what is refused.
func TestOpenSSH(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"ann", "eve"} {
		if out, code := tool(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file(name)); code != 0 {
			t.Fatal(out)
		}
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	i := openInn(t, func(o *sshOptions) {
		o.listen, o.AuthorizedKeys = "127.0.0.1:"+port, []string{file("ann.pub")}
	})
	i.network, i.at = "tcp", "127.0.0.1:"+port
	i.dial("rob") // it is up
	as := func(who string, args ...string) []string {
		return append([]string{
			"-F", "none", "-i", file(who), "-p", port, "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes",
			"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=" + file("known"), "-o", "LogLevel=ERROR", "x@127.0.0.1",
		}, args...)
	}
	options := func(who string, more ...string) []string { return append(more, as(who)...) }
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a command":             {as("ann", "get", "providers", "-o", "csv"), 0, "cmp-001,"},
		"a stranger":            {as("eve", "get", "providers"), 255, "Permission denied (publickey)"},
		"-W":                    {options("ann", "-W", "127.0.0.1:22"), 255, "stdio forwarding failed"},
		"-R":                    {options("ann", "-N", "-R", "0:127.0.0.1:22", "-o", "ExitOnForwardFailure=yes"), 255, "remote port forwarding failed"},
		"-A":                    {append(options("ann", "-A"), "version"), 0, "placetop"},
		"a subsystem":           {append(options("ann", "-s"), "sftp"), 255, "subsystem request failed"},
		"a variable that kills": {append(options("ann", "-o", "SetEnv=LD_PRELOAD=/tmp/x"), "version"), 0, "placetop"},
		"a shell":               {as("ann", "/bin/sh"), 2, "no command"},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := tool(t, "ssh", test.args...)
			if code != test.code || !strings.Contains(out, test.says) {
				t.Errorf("%d\n%.500s", code, out)
			}
		})
	}
	if out, code := tool(t, "sftp", "-F", "none", "-P", port, "-i", file("ann"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile="+file("known"), "x@127.0.0.1:/etc/passwd", file("got")); code == 0 {
		t.Errorf("sftp: %s", out)
	}
	t.Run("-L", func(t *testing.T) {
		free := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		at := free.Addr().String()
		_ = free.Close()
		cmd := exec.CommandContext(t.Context(), "ssh", options("ann", "-N", "-L", at+":127.0.0.1:"+port)...)
		must.Succeed(t, cmd.Start())
		defer cmd.Wait()         //nolint:errcheck // it is killed
		defer cmd.Process.Kill() //nolint:errcheck // it may have ended
		for range 6000 {         // a minute, however busy the machine is
			c, err := net.Dial("tcp", at)
			if err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			if n, _ := c.Read(make([]byte, 1)); n != 0 {
				t.Error("something is passed on")
			}
			_ = c.Close()
			return
		}
		t.Error("ssh does not listen")
	})
	t.Run("a terminal", func(t *testing.T) {
		term := tuitest.OpenPTY(t, 80, 24)
		cmd := exec.CommandContext(t.Context(), "ssh", as("ann")...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = term.TTY, term.TTY, term.TTY
		cmd.Env = append(os.Environ(), "TERM=xterm-256color")
		must.Succeed(t, cmd.Start())
		term.WaitForText("RW")
		term.Type("2")
		term.WaitForText("cmp-001")
		term.Type("\x03")
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Run("ssh-audit", func(t *testing.T) {
		if _, err := exec.LookPath("ssh-audit"); err != nil {
			t.Skip("it is not there")
		}
		if out, _ := tool(t, "ssh-audit", "-n", "127.0.0.1:"+port); !strings.Contains(out, "curve25519") || strings.Contains(out, "[fail]") {
			t.Error(out)
		}
	})
}

// TestSSHStorm has 200 sessions at once, some of which write, for the time in
// PLACETOP_SSH_STORM.
func TestSSHStorm(t *testing.T) {
	lasts := 10 * time.Second
	if said := os.Getenv("PLACETOP_SSH_STORM"); said != "" {
		lasts = must.Get(time.ParseDuration(said))(t)
	}
	const people = 200
	i := openInn(t, func(o *sshOptions) {
		o.MaxSessions, o.limits.PerPerson, o.limits.PerAddress = people+8, people+8, people+8
	})
	end := time.Now().Add(lasts)
	var work sync.WaitGroup
	clients := map[string]*ssh.Client{"ann": i.dial("ann"), "rob": i.dial("rob"), "ada": i.dial("ada")}
	for n := range people {
		who := []string{"ann", "rob", "ada", "rob"}[n%4]
		if n%8 == 0 { // writes
			c := i.dial(who) // a connection can have only a few sessions that have not started
			work.Go(func() {
				for k := 0; time.Now().Before(end); k++ {
					s, err := c.NewSession()
					if err != nil {
						t.Error(err)
						return
					}
					var wrong bytes.Buffer
					s.Stderr = &wrong
					if err := s.Run(fmt.Sprintf("create provider p-%d-%d", n, k)); err != nil {
						t.Errorf("%v: %s", err, &wrong)
						return
					}
				}
			})
			continue
		}
		s := must.Get(clients[who].NewSession())(t)
		e := tuitest.NewEmulator(80, 24)
		s.Stdout = e
		in, err := s.StdinPipe()
		must.Succeed(t, errors.Join(err, s.RequestPty("xterm-256color", 24, 80, nil), s.Shell()))
		work.Go(func() {
			defer e.Close() //nolint:errcheck // nothing is left of it
			for k := 0; time.Now().Before(end); k++ {
				if _, err := in.Write([]byte{"1234567jk"[k%9]}); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(200 * time.Millisecond)
			}
			_ = s.Signal(ssh.SIGHUP)
			_ = s.Wait() // it was ended
		})
	}
	work.Wait()
	out, _, _ := i.run("rob", "verify", "")
	events, _, code := i.run("rob", "get events -o csv --limit 1", "")
	if code != 0 {
		t.Error(out, events)
	}
	t.Logf("%d sessions for %s: %s", people, lasts, strings.TrimSpace(events))
}
