//go:build placement

package upstream_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
)

// oscCommands are commands of the openstack client, among them every command of
// osc-placement, each with the version to use.
const oscCommands = `
1.39 resource class list -f json
1.39 resource class create CUSTOM_CARD
1.39 resource class create CUSTOM_CARD
1.39 resource class set CUSTOM_OTHER
1.39 resource class set VCPU
1.39 resource class show CUSTOM_CARD -f json
1.39 resource class show CUSTOM_NONE -f json
1.39 resource class delete CUSTOM_OTHER
1.39 resource class delete VCPU
1.39 trait create CUSTOM_FAST
1.39 trait create nonsense
1.39 trait show CUSTOM_FAST -f json
1.39 trait show CUSTOM_NONE -f json
1.39 trait list --name startswith:CUSTOM -f json
1.39 resource provider create host --uuid HOST -f json
1.39 resource provider create card --uuid CARD --parent-provider HOST -f json
1.39 resource provider create host --uuid CARD -f json
1.0  resource provider list -f json
1.39 resource provider list --name card -f json
1.39 resource provider show HOST --allocations -f json
1.39 resource provider show NOBODY -f json
1.39 resource provider set HOST --name renamed -f json
1.39 resource provider inventory set HOST --resource VCPU=8 --resource VCPU:allocation_ratio=4 --resource MEMORY_MB=4096 --resource MEMORY_MB:reserved=512 -f json
1.39 resource provider inventory set CARD --resource VGPU=4 -f json
1.39 resource provider inventory set CARD --resource VGPU=4 --resource CUSTOM_NONE=1 -f json
1.39 resource provider inventory class set CARD VGPU --total 8 --max_unit 4 -f json
1.39 resource provider inventory class set CARD VCPU --total 8 -f json
1.39 resource provider inventory list HOST -f json
1.39 resource provider inventory show HOST MEMORY_MB -f json
1.39 resource provider inventory show HOST VGPU -f json
1.39 resource provider trait set CARD --trait OWNER_NOVA --trait CUSTOM_FAST -f json
1.39 resource provider trait set CARD --trait CUSTOM_NONE -f json
1.39 resource provider trait list CARD -f json
1.39 trait list --associated -f json
1.39 trait delete CUSTOM_FAST
1.39 resource provider aggregate set HOST --aggregate ZONE --generation 1 -f json
1.39 resource provider aggregate set HOST --aggregate ZONE --generation 1 -f json
1.39 resource provider aggregate list HOST -f json
1.39 resource provider list --member-of ZONE --resource VCPU=1 --in-tree CARD -f json
1.39 resource provider list --required OWNER_NOVA --forbidden OWNER_CYBORG -f json
1.39 allocation candidate list --resource VCPU=1 --resource MEMORY_MB=512 -f json
1.39 allocation candidate list --group 1 --resource VCPU=1 --group 2 --resource VGPU=1 --required OWNER_NOVA --group-policy none -f json
1.39 allocation candidate list --resource CUSTOM_NONE=1 -f json
1.39 resource provider allocation set VM --allocation rp=HOST,VCPU=2 --allocation rp=HOST,MEMORY_MB=512 --allocation rp=CARD,VGPU=1 --project-id p --user-id u --consumer-type INSTANCE -f json
1.39 resource provider allocation set VM2 --allocation rp=CARD,VGPU=5 --project-id p --user-id u --consumer-type INSTANCE -f json
1.39 resource provider allocation set VM2 --allocation rp=HOST,VCPU=31 --project-id p --user-id u --consumer-type INSTANCE -f json
1.39 resource provider allocation show VM -f json
1.39 resource provider usage show HOST -f json
1.39 resource usage show p --user-id u -f json
1.37 resource usage show p -f json
1.39 resource provider delete HOST
1.39 resource provider inventory delete HOST --resource-class VCPU
1.39 resource provider allocation unset VM --resource-class VCPU -f json
1.39 resource provider allocation unset VM --provider CARD -f json
1.39 resource provider allocation delete VM
1.39 resource provider allocation delete VM
1.39 resource provider inventory delete HOST --resource-class VCPU
1.39 resource provider inventory delete HOST
1.39 resource provider trait delete CARD
1.39 trait delete CUSTOM_FAST
1.39 trait delete OWNER_NOVA
1.39 resource provider delete CARD
1.39 resource provider delete HOST
1.39 resource class delete CUSTOM_CARD
`

// TestClientAgrees runs commands of the openstack client against Placement and against
// our handler: what they print must be the same, and what they are refused.
func TestClientAgrees(t *testing.T) {
	t.Parallel()
	const client = "/usr/bin/openstack"
	if err := exec.Command(client, "help", "resource", "provider", "list").Run(); err != nil {
		if os.Getenv("PLACETOP_NEED_CLIENT") != "" {
			t.Fatalf("python3-openstackclient and python3-osc-placement are not installed: %v", err)
		}
		t.Skip("python3-openstackclient and python3-osc-placement are not installed")
	}
	server := Start(t)
	store := memory.New(memory.Options{Clock: time.Now})
	ours := httptest.NewServer(noauth(rest.New(store, rest.Options{Clock: time.Now})))
	defer ours.Close()
	names := strings.NewReplacer(
		"HOST", "00000000-0000-4000-8000-00000000000a", "CARD", "00000000-0000-4000-8000-00000000000b", "NOBODY", "00000000-0000-4000-8000-00000000000c",
		"ZONE", "00000000-0000-4000-8000-00000000000d", "VM2", "00000000-0000-4000-8000-00000000000f", "VM", "00000000-0000-4000-8000-00000000000e",
	)
	var batch []string
	flush := func(version string) {
		var said [2]typed
		var both sync.WaitGroup
		for i, url := range []string{server.URL, ours.URL} {
			both.Go(func() { said[i] = typeCommands(t, client, url, version, batch) })
		}
		both.Wait()
		if d := cmp.Diff(said[0], said[1]); d != "" {
			t.Errorf("openstack at %s\n%s\nPlacement (-), we (+):\n%s", version, strings.Join(batch, "\n"), d)
		}
		if len(said[0].Out) == 0 {
			t.Errorf("openstack at %s says nothing", version)
		}
		batch = nil
	}
	before := ""
	for line := range strings.Lines(strings.TrimSpace(oscCommands)) {
		version, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if version != before && before != "" {
			flush(before)
		}
		before = version
		batch = append(batch, names.Replace(strings.ReplaceAll(strings.TrimSpace(command), "CUSTOM_CARD", "CUSTOM_TYPE")))
	}
	flush(before)
}

// TestEveryCommandIsTyped checks that oscCommands has each command of osc-placement.
func TestEveryCommandIsTyped(t *testing.T) {
	t.Parallel()
	all, err := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", `import osc_placement, pkg_resources
for e in pkg_resources.iter_entry_points("openstack.placement.v1"): print(e.name.replace("_", " "))`).Output()
	if err != nil {
		t.Skip("python3-osc-placement is not installed")
	}
	for name := range strings.Lines(string(all)) {
		if name = strings.TrimSpace(name); !strings.Contains(oscCommands, " "+name+" ") && !strings.Contains(oscCommands, " "+name+"\n") {
			t.Errorf("nobody types %s", name)
		}
	}
}

// typed is the result of commands.
type typed struct {
	Out     []any    // each printed value
	Refused []string // "HTTP 409" for each error: its words are the server's own
}

var httpStatus = regexp.MustCompile(`HTTP \d+`)

// typeCommands runs commands in one client, which takes a second to start.
func typeCommands(t *testing.T, client, url, version string, commands []string) typed {
	cmd := exec.CommandContext(t.Context(), client)
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	cmd.Env = append(os.Environ(), "OS_AUTH_TYPE=admin_token", "OS_ENDPOINT="+url, "OS_TOKEN=admin", "OS_PLACEMENT_API_VERSION="+version)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	var said typed
	d := json.NewDecoder(&out)
	for {
		var v any
		if err := d.Decode(&v); err != nil {
			break // everything is read, or the rest is not JSON
		}
		said.Out = append(said.Out, tidy(v, "", nil))
	}
	rest, _ := io.ReadAll(io.MultiReader(d.Buffered(), &out))
	if text := strings.TrimSpace(string(rest)); text != "" {
		said.Out = append(said.Out, text)
	}
	said.Refused = httpStatus.FindAllString(errs.String(), -1)
	return said
}
