//go:build placement

package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
)

// needClients skips a test where Debian's clients are not installed, unless
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
	if err := exec.Command("/usr/bin/python3", "-c", "import osc_placement").Run(); err != nil {
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

// program builds placetop once, and returns the folder that it is in.
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

// shell is what clients run in: placetop is on its path, and its folder is empty.
type shell struct {
	dir string
	env []string
}

func newShell(t *testing.T, env ...string) shell {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	base := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OS_") || strings.HasPrefix(v, "PATH=") })
	return shell{dir: dir, env: append(append(base, "HOME="+dir, "PATH="+bin+":"+os.Getenv("PATH")), env...)}
}

// freeAddress returns an address of this machine at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestReadmeForClients runs what README.md tells those who come with OpenStack's own
// client: each command must succeed, and tell what is meant to be seen.
func TestReadmeForClients(t *testing.T) {
	needClients(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## For OpenStack's own clients\n")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := strings.Join(regexp.MustCompile(`(?m)^    .*$`).FindAllString(section, -1), "\n")
	const port = "127.0.0.1:8778"
	if !strings.Contains(commands, port) {
		t.Fatalf("README.md has other commands: %s", commands)
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

// openstack is Debian's client on a server of ours.
type openstack struct {
	shell
	ran map[string]bool // the commands that were run, by name
}

// newOpenStack serves an empty cloud until the test ends.
func newOpenStack(t *testing.T) *openstack {
	t.Helper()
	sh := newShell(t)
	cmd := exec.Command("placetop", "serve", "--db", "c.db", "--listen", "127.0.0.1:0", "--auth", "none", "--access-log=false")
	cmd.Path, cmd.Dir, cmd.Env = filepath.Join(strings.TrimPrefix(path(sh.env), "PATH="), "placetop"), sh.dir, sh.env
	cmd.Err = nil
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if err != nil || url == "" {
		t.Fatalf("it says %q: %v", line, err)
	}
	sh.env = append(sh.env, "OS_AUTH_TYPE=admin_token", "OS_TOKEN=admin", "OS_ENDPOINT="+url, "OS_PLACEMENT_API_VERSION=1.39")
	return &openstack{sh, map[string]bool{}}
}

// path returns the first folder of the path in env, with its name.
func path(env []string) string {
	for _, v := range slices.Backward(env) {
		if rest, ok := strings.CutPrefix(v, "PATH="); ok {
			first, _, _ := strings.Cut(rest, ":")
			return "PATH=" + first
		}
	}
	return ""
}

// run runs a command: its name, and what follows it. It returns what it prints.
func (o *openstack) run(ctx context.Context, name, args string) (string, error) {
	o.ran[name] = true
	words := append([]string{}, strings.Fields(name)...)
	cmd := exec.CommandContext(ctx, "openstack", append(words, strings.Fields(args)...)...)
	cmd.Dir, cmd.Env = o.dir, o.env
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(out), err
}

// TestEveryCommandOfOSCPlacement runs every command that python3-osc-placement has, one
// after the other, and reads what each prints.
func TestEveryCommandOfOSCPlacement(t *testing.T) {
	needClients(t)
	o := newOpenStack(t)
	const (
		host, card = "11111111-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000002"
		agg        = "22222222-0000-4000-8000-000000000001"
		server     = "33333333-0000-4000-8000-000000000001"
		project    = "44444444-0000-4000-8000-000000000001"
	)
	for _, step := range []struct {
		name, args string
		want       string // what JSON it prints, or how the error reads where it begins with "!"; "" for nothing
	}{
		{"resource class create", "CUSTOM_FOO", ""},
		{"resource class create", "CUSTOM_FOO", "!Conflicting resource class already exists: CUSTOM_FOO"},
		{"resource class set", "CUSTOM_BAR", ""},
		{"resource class show", "CUSTOM_BAR -f json", `{"name": "CUSTOM_BAR"}`},
		{"resource class list", "-f value -c name --sort-column name --sort-descending", "VGPU_DISPLAY_HEAD\nVGPU\n*"},
		{"resource class delete", "CUSTOM_BAR", ""},
		{"trait create", "CUSTOM_GOLD", ""},
		{"trait show", "CUSTOM_GOLD -f json", `{"name": "CUSTOM_GOLD"}`},
		{"trait list", "--name startswith:CUSTOM -f json", `[{"name": "CUSTOM_GOLD"}]`},
		{"resource provider create", "--uuid " + host + " host -f json", `{"uuid": "` + host + `", "name": "host", "generation": 0, "root_provider_uuid": "` + host + `", "parent_provider_uuid": null}`},
		{"resource provider create", "--uuid " + card + " --parent-provider " + host + " crad -f value -c parent_provider_uuid", host + "\n"},
		{"resource provider set", "--name card " + card + " -f value -c name", "card\n"},
		{"resource provider show", card + " -f value -c root_provider_uuid", host + "\n"},
		{"resource provider list", "--name card -f value -c uuid", card + "\n"},
		{"resource provider inventory set", "--resource VCPU=8 --resource VCPU:allocation_ratio=4.0 --resource MEMORY_MB=4096 " + host + " -f value -c resource_class -c total --sort-column total", "VCPU 8\nMEMORY_MB 4096\n"},
		{"resource provider inventory class set", "--total 4 " + card + " VGPU", "!No inventory of class VGPU found"},
		{"resource provider inventory set", "--resource VGPU=2 " + card + " -f value -c total", "2\n"},
		{"resource provider inventory class set", "--total 4 --max_unit 2 " + card + " VGPU -f value -c max_unit -c total", "*"},
		{"resource provider inventory show", card + " VGPU -f value -c total -c used", "*"},
		{"resource provider inventory list", host + " -f value -c resource_class -c allocation_ratio --sort-column resource_class", "MEMORY_MB 1.0\nVCPU 4.0\n"},
		{"resource provider trait set", "--trait CUSTOM_GOLD --trait OWNER_NOVA " + card + " -f value", "CUSTOM_GOLD\nOWNER_NOVA\n"},
		{"resource provider trait list", card + " -f json", `[{"name": "CUSTOM_GOLD"}, {"name": "OWNER_NOVA"}]`},
		{"resource provider aggregate set", "--aggregate " + agg + " --generation 1 " + host + " -f value", agg + "\n"},
		{"resource provider aggregate list", host + " -f value", agg + "\n"},
		{"resource provider list", "--aggregate-uuid " + agg + " --resource VCPU=2 -f value -c name", "host\n"},
		{"allocation candidate list", "--resource VGPU=1 --required CUSTOM_GOLD -f json -c allocation", `[{"allocation": "VGPU=1"}]`},
		{"allocation candidate list", "--resource VCPU=1 --group 1 --resource VGPU=3 --group-policy none -f json", "[]"},
		{"resource provider allocation set", "--allocation rp=" + host + ",VCPU=2 --allocation rp=" + card + ",VGPU=1 --project-id " + project + " --user-id " + project + " --consumer-type INSTANCE " + server + " -f json", `*"VGPU": 1*`},
		{"resource provider allocation set", "--allocation rp=" + card + ",VGPU=3 --project-id " + project + " --user-id " + project + " --consumer-type INSTANCE " + server, "!Unable to allocate inventory"},
		{"resource provider allocation show", server + " -f value -c consumer_type", "INSTANCE\nINSTANCE\n"},
		{"resource provider usage show", host + " -f value --sort-column resource_class", "MEMORY_MB 0\nVCPU 2\n"},
		{"resource usage show", project + " -f json", `*"VGPU"*`},
		{"resource provider allocation unset", "--provider " + host + " " + server + " -f value -c resource_provider", card + "\n"},
		{"resource provider delete", card, "!has allocations"},
		{"resource provider allocation delete", server, ""},
		{"resource provider allocation delete", server, "!No allocations for consumer"},
		{"resource provider trait delete", card, ""},
		{"trait delete", "CUSTOM_GOLD", ""},
		{"resource provider inventory delete", "--resource-class VGPU " + card, ""},
		{"resource provider delete", host, "!Unable to delete parent resource provider"},
		{"resource provider delete", card, ""},
		{"resource provider delete", host, ""},
		{"resource provider list", "-f json", "[]"},
	} {
		out, err := o.run(t.Context(), step.name, step.args)
		if refusal, is := strings.CutPrefix(step.want, "!"); is {
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("%s %s: %v\n%s", step.name, step.args, err, out)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s %s: %v", step.name, step.args, err)
		}
		if !reads(out, step.want) {
			t.Errorf("%s %s prints\n%s\nwant\n%s", step.name, step.args, out, step.want)
		}
	}
	all, err := exec.Command("/usr/bin/python3", "-c", `import pkg_resources
for e in pkg_resources.iter_entry_points("openstack.placement.v1"): print(e.name.replace("_", " "))`).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(all)) {
		if name = strings.TrimSpace(name); !o.ran[name] {
			t.Errorf("%s was not run", name)
		}
	}
}

// reads reports whether text is what was wanted: the same JSON, or the same but for the
// parts that stand for anything, "*".
func reads(text, want string) bool {
	var got, as any
	if json.Unmarshal([]byte(want), &as) == nil && json.Unmarshal([]byte(text), &got) == nil {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(as)
		return bytes.Equal(a, b)
	}
	parts := strings.Split(want, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile(`(?s)^` + strings.Join(parts, ".*") + `$`).MatchString(text)
}
