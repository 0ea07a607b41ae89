//go:build placement

package upstream_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// needClients skips a test if Debian's clients are not installed, unless
// PLACETOP_NEED_CLIENT is set.
func needClients(t *testing.T) {
	t.Helper()
	for program, of := range map[string]string{
		"openstack": "python3-openstackclient", "promtool": "prometheus", "curl": "curl", "bash": "bash",
	} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program, of)
		}
	}
	if err := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", "import osc_placement").Run(); err != nil {
		missing(t, "osc_placement", "python3-osc-placement")
	}
}

func missing(t *testing.T, what, of string) {
	t.Helper()
	if os.Getenv("PLACETOP_NEED_CLIENT") != "" {
		t.Fatalf("there is no %s: install %s", what, of)
	}
	t.Skipf("there is no %s: install %s", what, of)
}

// program builds placetop once, and returns its folder.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "placetop-upstream-")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "placetop"), "github.com/placetop/placetop/cmd/placetop").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

// shell is the environment of clients: placetop is on its path, and its folder is empty.
type shell struct {
	dir string
	env []string
}

func newShell(t *testing.T, env ...string) shell {
	t.Helper()
	bin := must.Get(program())(t)
	dir := t.TempDir()
	base := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OS_") || strings.HasPrefix(v, "PATH=") })
	return shell{dir: dir, env: append(append(base, "HOME="+dir, "PATH="+bin+":"+os.Getenv("PATH")), env...)}
}

// freeAddress returns an unused address on this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// TestManualForClients runs the commands that the manual gives to users of OpenStack's own
// client: each must succeed, and print what the reader should see.
func TestManualForClients(t *testing.T) {
	needClients(t)
	page := must.Get(os.ReadFile(filepath.Join("..", "..", "..", "cmd", "placetop", "help", "serve.md")))(t)
	_, section, _ := strings.Cut(string(page), "## OpenStack's own clients\n")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := strings.Join(regexp.MustCompile(`(?m)^    .*$`).FindAllString(section, -1), "\n")
	const port = "127.0.0.1:8778"
	if !strings.Contains(commands, port) {
		t.Fatalf("serve.md has other commands: %s", commands)
	}
	address := freeAddress(t)
	script := "set -eo pipefail; trap 'kill %1' EXIT\n" + strings.ReplaceAll(commands, port, address)
	script = strings.Replace(script, "--auth none &", "--auth none --listen "+address+" &", 1)
	sh := newShell(t)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir, cmd.Env = sh.dir, sh.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"ok\n", "| cmp-001 ", "OWNER_NOVA", "OWNER_CYBORG", "VGPU=1", "| VGPU ", "serving Placement 1.0 to 1.39 at http://" + address} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("nobody sees %q in\n%s", want, out)
		}
	}
}
