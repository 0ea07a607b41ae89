//go:build etcd

package main

import (
	"net"
	"os/exec"
	"path/filepath"
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
}
