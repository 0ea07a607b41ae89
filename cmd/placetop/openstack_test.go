//go:build openstack

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/storage/remote"
)

// TestOpenStackResizes resizes a server of a real cloud from the dashboard, and takes it
// back; then it does so again and confirms it, and migrates it as it runs. The client of OpenStack tells the same
// after each. The cloud is that of OS_CLIENT_CONFIG_FILE, with a server web-1 that rests.
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
	term, _ := startDashboard(t, "admin", func(s *settings) {
		s.Engine = remote.Cloud{Settings: remote.Settings{Write: true, Refresh: 2 * time.Second}}
	})
	term.WaitForText("CAPACITY")
	term.Type("0")
	term.WaitForText("INSTANCE")
	term.Type("/" + server + "\r")
	term.WaitForText("1 of ")
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
		term.WaitForText("1 of ")
	}
	resize("v", was)
	if got := is("Flavor Name"); got != from {
		t.Errorf("it was taken back, and the client says %s", got)
	}
	resize("c", was)
	if got := is("Flavor Name"); got == from {
		t.Errorf("it was resized, and the client says %s", got)
	}
	id, host := is("ID"), is("Host")
	if was == "ACTIVE" {
		term.Type("m")
		term.WaitForText("✓ cmp-")
		term.Type("L")
		term.WaitForText("step 2 of 4")
		term.Type("\r")
		term.WaitForText("asked of Nova: live-migrate")
		term.Type("\r")
		term.WaitForText("DONE")
		if now := is("Host"); now == host || is("Status") != was {
			t.Errorf("it was migrated as it runs from %s, and the client says %s on %s", host, is("Status"), now)
		}
	}
	for _, args := range [][]string{{"resize", "--flavor", from, "--wait", id}, {"resize", "confirm", id}} { // as it was
		cmd := exec.CommandContext(t.Context(), "/usr/bin/openstack", append([]string{"--os-cloud", "admin", "server"}, args...)...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, text)
		}
	}
}

// TestOpenStackConflict overtakes who edits a provider of a real cloud.
func TestOpenStackConflict(t *testing.T) {
	if os.Getenv("OS_CLIENT_CONFIG_FILE") == "" {
		t.Skip("no cloud is there: name its clouds.yaml with OS_CLIENT_CONFIG_FILE")
	}
	overtakes(t, remote.Cloud{Settings: remote.Settings{Write: true}}, "admin")
}
