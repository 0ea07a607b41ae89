//go:build etcd

package main

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestEtcd runs the commands on a cloud in etcd.
func TestEtcd(t *testing.T) {
	if _, err := exec.LookPath("etcd"); err != nil {
		t.Skip("there is no etcd here: apt-get install etcd-server")
	}
	var at []string
	for range 2 {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		at = append(at, l.Addr().String())
		must.Succeed(t, l.Close())
	}
	etcd := exec.CommandContext(t.Context(), "etcd", "--data-dir", t.TempDir(), "--listen-client-urls", "http://"+at[0], "--advertise-client-urls", "http://"+at[0],
		"--listen-peer-urls", "http://"+at[1], "--initial-advertise-peer-urls", "http://"+at[1], "--initial-cluster", "default=http://"+at[1])
	etcd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must.Succeed(t, etcd.Start())
	t.Cleanup(func() {
		_ = etcd.Process.Kill()
		_ = etcd.Wait()
	})
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", at[0])
		if err == nil {
			must.Succeed(t, c.Close())
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
	params := storyParams(t)
	params.Dir = filepath.Join("testdata", "etcd")
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("ETCD", "etcd://"+at[0])
		env.Setenv("PLACETOP_DB", "etcd://"+at[0]+"/cloud")
		return setup(env)
	}
	t.Run("commands", func(t *testing.T) { testscript.Run(t, params) })
	t.Run("killed", func(t *testing.T) { killedCopies(t, "etcd://"+at[0]+"/killed", "etcd://"+slowly(t, at[0])+"/killed") })
}

// slowly returns an address by which a server is reached at 512 KiB a second each way.
func slowly(t *testing.T, to string) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = l.Close() })
	carry := func(from, to net.Conn) {
		defer from.Close()
		defer to.Close()
		for what := make([]byte, 16<<10); ; time.Sleep(time.Second / 32) {
			n, err := from.Read(what)
			if err != nil {
				return
			}
			if _, err := to.Write(what[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				_ = a.Close()
				continue
			}
			go carry(a, b)
			go carry(b, a)
		}
	}()
	return l.Addr().String()
}

// killedCopies kills copies to etcd and to a file in the middle: neither place has a cloud then,
// and the same command makes it whole, with what etcd has got already.
func killedCopies(t *testing.T, place, slow string) {
	dir := t.TempDir()
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "placetop", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	_ = must.Get(run("demo", "--hosts", "1000", "--no-tui", "--db", "from.db"))(t)
	for _, way := range []struct{ from, slow, to, says string }{
		{"from.db", slow, place, "writing"}, {slow, "to.db", "to.db", "reading"},
	} {
		cmd := exec.CommandContext(t.Context(), "placetop", "copy", way.from, way.slow)
		cmd.Dir = dir
		said := bufio.NewScanner(must.Get(cmd.StderrPipe())(t))
		must.Succeed(t, cmd.Start())
		for n := 0; n < 3 && said.Scan(); { // nearly a third
			if strings.Contains(said.Text(), way.says) {
				n++
			}
		}
		must.Succeed(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil {
			t.Fatalf("the copy to %s was whole before it was killed", way.to)
		}
		if out, err := run("get", "providers", "-o", "csv", "--db", way.to); strings.Contains(out, "cmp-") {
			t.Errorf("%s has some of it: %v", way.to, err)
		}
		out, err := run("copy", way.from, way.slow)
		if err != nil || !strings.Contains(out, "with the SHA-256") {
			t.Errorf("%v: %s", err, out)
		}
		if out, err := run("diff", "from.db", way.to); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
