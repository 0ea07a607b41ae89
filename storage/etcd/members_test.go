//go:build etcd

package etcd_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// cluster is an etcd of three members on loopback.
type cluster struct {
	t       testing.TB
	dir     string
	members []*member
	login   clientv3.Config // of the clients of the test itself
}

type member struct {
	name, client, peer string
	args               []string
	process            *exec.Cmd
	log                bytes.Buffer
}

// ports returns free ports of loopback.
func ports(t testing.TB, n int) (all []string) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // it only kept the port from the others
		all = append(all, l.Addr().String())
	}
	return all
}

// begin starts an etcd, which ends with the test. More are flags of every member.
func begin(t testing.TB, more ...string) *cluster {
	t.Helper()
	return beginFor(t, clientv3.Config{}, more...)
}

// beginFor starts an etcd whose clients connect like that.
func beginFor(t testing.TB, login clientv3.Config, more ...string) *cluster {
	t.Helper()
	scheme := "http"
	if login.TLS != nil {
		scheme = "https"
	}
	if _, err := exec.LookPath("etcd"); err != nil {
		t.Skip("there is no etcd here: apt-get install etcd-server")
	}
	c := &cluster{t: t, dir: t.TempDir(), login: login}
	at := ports(t, 6)
	var all []string
	for i := range 3 {
		m := &member{name: fmt.Sprint("m", i), client: at[i], peer: at[3+i]}
		all = append(all, fmt.Sprintf("%s=http://%s", m.name, m.peer))
		c.members = append(c.members, m)
	}
	for _, m := range c.members {
		m.args = append([]string{
			"--name", m.name, "--data-dir", filepath.Join(c.dir, m.name), "--logger", "zap", "--log-level", "error",
			"--listen-peer-urls", "http://" + m.peer, "--initial-advertise-peer-urls", "http://" + m.peer,
			"--listen-client-urls", scheme + "://" + m.client, "--advertise-client-urls", scheme + "://" + m.client,
			"--initial-cluster", strings.Join(all, ","), "--heartbeat-interval", "50", "--election-timeout", "500",
		}, more...)
		m.start(t)
	}
	t.Cleanup(func() {
		for _, m := range c.members {
			m.kill()
		}
	})
	c.await()
	return c
}

func (m *member) start(t testing.TB) {
	t.Helper()
	m.process = exec.CommandContext(context.Background(), "etcd", m.args...)
	m.process.Stdout, m.process.Stderr = &m.log, &m.log
	m.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.process.Start(); err != nil {
		t.Fatal(err)
	}
}

func (m *member) kill() {
	if m.process != nil {
		_ = m.process.Process.Signal(syscall.SIGKILL)
		_ = m.process.Wait()
		m.process = nil
	}
}

func (m *member) signal(s os.Signal) { _ = m.process.Process.Signal(s) }

// hosts returns the addresses of the members.
func (c *cluster) hosts() (all []string) {
	for _, m := range c.members {
		all = append(all, m.client)
	}
	return all
}

// place returns a place in the etcd.
func (c *cluster) place(prefix string) string {
	return "etcd://" + strings.Join(c.hosts(), ",") + "/" + prefix
}

func (c *cluster) client() *clientv3.Client {
	conf := c.login
	conf.Endpoints, conf.DialTimeout, conf.Logger = c.hosts(), 5*time.Second, zap.NewNop()
	client, err := clientv3.New(conf)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = client.Close() })
	return client
}

// await waits until the etcd answers.
func (c *cluster) await() {
	c.t.Helper()
	client := c.client()
	defer client.Close()
	for range 60 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_, err := client.Put(ctx, "ready", "")
		if err == nil {
			cancel()
			return
		}
		<-ctx.Done() // one that refuses connections does so at once
		cancel()
	}
	for _, m := range c.members {
		c.t.Log(m.log.String())
	}
	c.t.Fatal("etcd does not come up")
}

// leader returns the member that leads.
func (c *cluster) leader() *member {
	c.t.Helper()
	client := c.client()
	defer client.Close()
	for range 50 {
		for i, host := range c.hosts() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			is, err := client.Status(ctx, host)
			cancel()
			if err == nil && is.Leader != 0 && is.Leader == is.Header.MemberId {
				return c.members[i]
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatal("nobody leads")
	return nil
}

// other returns a member that does not lead.
func (c *cluster) other() *member {
	leads := c.leader()
	return c.members[slices.IndexFunc(c.members, func(m *member) bool { return m != leads })]
}
