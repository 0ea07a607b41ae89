package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/storage/storagetest"
)

// serveTokens serves its own cloud, in another process, to clients with a token: those of
// a, who writes, and of r, who reads, are in the files that token returns.
func serveTokens(t *testing.T, db string) (is *serving, token func(who string) string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	known := write("tokens", "a-token-of-who-writes a admin\na-token-of-who-reads r reader\n")
	is, err := startServing(exec.Command("placetop", "serve", "--db", db, "--listen", "127.0.0.1:0", "--auth", "tokens", "--token-file", known, "--access-log=false"))
	must.Succeed(t, err)
	t.Cleanup(func() {
		if err := is.stop(); err != nil {
			t.Errorf("%v\n%s", err, is.text())
		}
	})
	return is, func(who string) string {
		return write(who, map[string]string{"a": "a-token-of-who-writes", "r": "a-token-of-who-reads"}[who])
	}
}

// TestServeSuite runs the suite for all stores against "placetop serve", over the API
// with a token.
func TestServeSuite(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, storagetest.Harness{
		Open: func(t *testing.T, clock func() time.Time) storage.Store {
			is, token := serveTokens(t, "mem:")
			place := strings.TrimPrefix(is.url, "http:")
			s, err := remote.Endpoint{Settings: remote.Settings{TokenFile: token("a"), Write: true}}.Open(t.Context(), place, engine.Options{Clock: clock})
			must.Succeed(t, err)
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		Without: storagetest.WithoutOverAPI(),
	})
}

// TestReadyWhileItAnswers is not ready once the live cloud has failed or fallen silent, and
// does not say where it is.
func TestReadyWhileItAnswers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	live := cloud.ServiceLink{Name: "Placement", At: now, Heard: now, Every: 10 * time.Second, Next: now.Add(10 * time.Second)}
	lost, silent := live, live
	lost.Lost = "GET http://10.0.0.7:8778/resource_providers: connection refused"
	silent.Next = now.Add(-time.Minute)
	silent.Heard = silent.Next
	for name, tt := range map[string]struct {
		link cloud.ServiceLink
		want string
	}{
		"live": {live, ""}, "lost": {lost, "the cloud does not answer: what is served is of 2026-01-01T12:00:00Z"},
		"silent": {silent, "the cloud does not answer: what is served is of 2026-01-01T12:00:00Z"},
	} {
		got := ""
		if err := canAnswer(engine.Link{ServiceLink: tt.link}, now); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestServeConflict has another client write to a host of a served cloud while a user
// edits it.
func TestServeConflict(t *testing.T) {
	t.Parallel()
	is, token := serveTokens(t, "mem:")
	overtakes(t, remote.Endpoint{Settings: remote.Settings{TokenFile: token("a"), Write: true}}, strings.TrimPrefix(is.url, "http:"))
}

// overtakes has another client of a live cloud write to a host while a user edits it on
// the dashboard, which does not read it again by itself: nothing is overwritten, the
// other write is shown, and theirs, yours or both are kept.
func overtakes(t *testing.T, e engine.Opener, place string) {
	t.Helper()
	other := must.Get(e.Open(t.Context(), place, engine.Options{Clock: time.Now}))(t)
	defer other.Close()
	host, name := placement.ProviderID(uuid.New()), "overtaken-"+uuid.NewString()[:8]
	do := func(ops ...cloud.Op) {
		t.Helper()
		if err := other.Apply(context.WithoutCancel(t.Context()), cloud.Change{Ops: ops}).Err(); err != nil {
			t.Error(err)
		}
	}
	disk := func() placement.Inventory {
		t.Helper()
		must.Succeed(t, other.(engine.Distant).Refresh(t.Context()))
		p, _ := other.Snapshot().Placement().Provider(host)
		return p.Inventories()[0].Inventory
	}
	set := func(change func(*placement.Inventory)) cloud.Op {
		inv := placement.NewInventory(1000)
		change(&inv)
		return placement.SetInventories{Provider: host, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{placement.DiskGB: inv}}
	}
	do(placement.CreateProvider{ID: host, Name: name}, set(func(*placement.Inventory) {}))
	defer do(placement.DeleteProvider{ID: host})
	term, _ := startDashboard(t, place, func(s *config.Settings) { s.Engine = e })
	term.WaitForText(" RW ") // all has been read
	term.Type("2/" + name + "\r")
	term.WaitForText("1 of ")
	term.Type("\re")
	term.WaitForText("> edit " + name)
	term.Type("\x15total=2000 reserved=0 ratio=2" + strings.Repeat("\r", 4))
	term.WaitForText("nothing written yet")
	do(set(func(i *placement.Inventory) { i.Reserved = 100 }))
	term.Type("\r")
	term.WaitForText("someone else has changed it since you started: DISK_GB reserved 0 > 100")
	term.WaitForText("cloud wrote to " + name)
	term.WaitForText("t theirs  u yours  b both")
	term.Type("t")
	term.WaitForText("nothing to do")
	term.Type("u")
	term.WaitForText("reserved 100 > 0")
	term.Type("b")
	term.Await(t, "both", func(lines []string) bool {
		text := strings.Join(lines, "\n")
		return strings.Contains(text, "allocation_ratio 1 > 2") && !strings.Contains(text, "reserved 100 > 0")
	})
	if got := disk(); got.Total != 1000 {
		t.Errorf("before it was confirmed, there was %+v", got)
	}
	term.Type("\r\r") // the first was planned without the other write
	term.WaitForText("CONSUMERS 0")
	if got := disk(); got.Total != 2000 || got.Reserved != 100 || got.AllocationRatio != 2 {
		t.Errorf("both are %+v", got)
	}
}
