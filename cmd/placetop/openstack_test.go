//go:build openstack

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/remote"
)

// TestOpenStackResizes resizes a server of a real cloud from the dashboard, and reverts
// it; then it resizes again and confirms, and live-migrates it. The OpenStack client
// reports the same after each. The cloud is that of OS_CLIENT_CONFIG_FILE, with an idle
// server web-1.
func TestOpenStackResizes(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	const server = "web-1"
	is := func(column string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "/usr/bin/openstack", "--os-cloud", "admin", "server", "list", "--all-projects", "--long", "--name", server, "-f", "value", "-c", column)
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", cmd.Args, err)
		}
		return strings.TrimSpace(string(text))
	}
	was, from := is("Status"), is("Flavor Name")
	if was != "ACTIVE" && was != "SHUTOFF" {
		t.Skipf("%s is %s", server, was)
	}
	term, _ := startDashboard(t, "admin", func(s *config.Settings) {
		s.Engine = remote.Cloud{Settings: remote.Settings{Write: true, Refresh: 2 * time.Second}}
	})
	term.WaitForText("RW  ◉ live") // nothing is written before everything is read
	term.Type("0")
	term.WaitForText("pulses > instances")
	term.WaitForText("INSTANCE ▴")
	term.Type("/" + server + "\r")
	listed := "/" + server + "   1 of "
	term.WaitForText(listed)
	resize := func(end, status string) {
		t.Helper()
		term.Type("r")
		term.WaitForText("step 2 of 5")
		term.WaitForText("✓ m1.")
		term.Type("\r")
		term.WaitForText("✓ cmp-")
		term.Type("\r")
		term.WaitForText("asked of Nova: resize")
		term.Type("\r")
		term.WaitForText("WAITING")
		if got := is("Status"); got != "VERIFY_RESIZE" {
			t.Errorf("the client says that it is %s", got)
		}
		term.Type(end)
		term.WaitForText("asked of Nova: ")
		term.Type("\r")
		term.WaitForText("DONE")
		if got := is("Status"); got != status {
			t.Errorf("the client says that it is %s, want %s", got, status)
		}
		term.Type("\r")
		term.WaitForText(listed)
	}
	resize("v", was)
	if got := is("Flavor Name"); got != from {
		t.Errorf("it was taken back, and the client says %s", got)
	}
	resize("y", was)
	if got := is("Flavor Name"); got == from {
		t.Errorf("it was resized, and the client says %s", got)
	}
	id, host := is("ID"), is("Host")
	if was == "ACTIVE" {
		term.Type("m")
		term.WaitForText("✓ cmp-")
		term.Type("\t")
		term.WaitForText("step 2 of 4")
		term.Type("\r")
		term.WaitForText("asked of Nova: live-migrate")
		term.Type("\r")
		term.WaitForText("DONE")
		if now := is("Host"); now == host || is("Status") != was {
			t.Errorf("it was migrated as it runs from %s, and the client says %s on %s", host, is("Status"), now)
		}
	}
	for _, args := range [][]string{{"resize", "--flavor", from, "--wait", id}, {"resize", "confirm", id}} { // as before
		cmd := exec.CommandContext(t.Context(), "/usr/bin/openstack", append([]string{"--os-cloud", "admin", "server"}, args...)...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, text)
		}
	}
}

// TestOpenStackRefuses reads as a user who may read all of Placement, but only their own
// of Nova: warnings are about what was requested, and quotas say why they are not known.
func TestOpenStackRefuses(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	get := func(cloud string, of ...string) (out, said string) {
		var stdout, stderr strings.Builder
		if code := run(append([]string{"--cloud", cloud, "get"}, of...), strings.NewReader(""), &stdout, &stderr, os.Environ()); code != exitDone {
			t.Errorf("get %v: %d: %s", of, code, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	if _, said := get("system-reader", "providers"); said != "" {
		t.Errorf("of providers it says %s", said)
	}
	if _, said := get("system-reader", "instances"); !strings.Contains(said, "servers: compute GET /servers/detail: 403 Forbidden") || !strings.Contains(said, "only those of the user's own project were read") {
		t.Errorf("of servers it says %s", said)
	}
	projects, _ := get("admin", "projects", "--limit", "1", "-o", "csv")
	project, _, _ := strings.Cut(strings.SplitAfter(projects, "\n")[1], ",")
	if out, said := get("admin", "project", project); !strings.Contains(out, "QUOTA") || !strings.Contains(out, "cores") || said != "" {
		t.Errorf("of project %s it tells\n%s%s", project, out, said)
	}
	if out, said := get("system-reader", "project", project); strings.Contains(out, "QUOTA") || !strings.Contains(said, "quotas are not known: compute GET /os-quota-sets/") {
		t.Errorf("who may not read the quota of project %s is told\n%s%s", project, out, said)
	}
}

// TestOpenStackConflict has another client write to a provider of a real cloud while a
// user edits it.
func TestOpenStackConflict(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	overtakes(t, remote.Cloud{Settings: remote.Settings{Write: true}}, "admin")
}

// TestOpenStackTokens serves a cloud to users of a real Keystone: an admin writes, with
// their id in the journal; a reader of a project may not; all others are refused.
func TestOpenStackTokens(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	issued := func(cloud, column string) string {
		t.Helper()
		text, err := exec.CommandContext(t.Context(), "/usr/bin/openstack", "--os-cloud", cloud, "token", "issue", "-f", "value", "-c", column).Output()
		must.Succeed(t, err)
		return strings.TrimSpace(string(text))
	}
	url, err := exec.CommandContext(t.Context(), "/usr/bin/openstack", "--os-cloud", "admin", "configuration", "show", "-f", "value", "-c", "auth.auth_url").Output()
	must.Succeed(t, err)
	db := filepath.Join(t.TempDir(), "served.db")
	is, err := startServing(exec.Command("placetop", "serve", "--db", db, "--listen", "127.0.0.1:0", "--keystone-url", strings.TrimSpace(string(url))))
	must.Succeed(t, err)
	defer is.cmd.Process.Kill()
	for _, test := range []struct{ token, status string }{
		{issued("admin", "id"), "201 "}, {issued("system-admin", "id"), "403 "}, {issued("reader", "id"), "403 "}, {issued("member", "id"), "403 "}, {"nobody", "401 "}, {"", "401 "},
	} {
		if got, err := is.ask("PUT", "/traits/CUSTOM_SERVED", test.token, ""); err != nil || !strings.HasPrefix(got, test.status) {
			t.Errorf("%v %s, want %s", err, got, test.status)
		}
	}
	must.Succeed(t, is.stop())
	text, err := exec.Command("placetop", "get", "events", "--db", db, "-o", "csv").Output()
	if err != nil || !strings.Contains(string(text), ","+issued("admin", "user_id")+",") {
		t.Errorf("%v, the journal:\n%s", err, text)
	}
}
