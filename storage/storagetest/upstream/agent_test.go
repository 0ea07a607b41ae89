//go:build placement

package upstream_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/modeltest/must"
)

// The agent reports a machine to the real service as nova-compute does, quietly once all is
// there, and leaves what others made.
func TestAgentReports(t *testing.T) {
	real := Start(t)
	bin := must.Get(program())(t)
	root := hwtest.Unpack(t, "../../../hw/testdata/t4.txtar")
	token := filepath.Join(t.TempDir(), "token")
	must.Succeed(t, os.WriteFile(token, []byte("admin\n"), 0o600))
	agent := func() string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "placetop"), "agent", "--once", "--root", root, "--endpoint", real.URL, "--token-file", token, "--write")
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("agent: %v\n%s", err, stderr.String())
		}
		return string(out)
	}
	const rootID = "5d1bd3c6-6a0c-4a4e-9d5a-1f0e7a1b2c3d"
	must.Say(t, agent(), "gpu-001.example.net: VCPU added: total 8, reserved 0, ratio 4", "gpu-001.example.net_pci_0000_84_00_0: VGPU added: total 8, ")
	if again := agent(); again != "" {
		t.Errorf("a second tick writes\n%s", again)
	}
	var inventories struct {
		Inventories map[string]struct{ Total int64 }
	}
	must.Succeed(t, json.Unmarshal(real.must(t, "GET", "/resource_providers/"+rootID+"/inventories", nil), &inventories))
	if inventories.Inventories["VCPU"].Total != 8 || inventories.Inventories["MEMORY_MB"].Total != 128577 {
		t.Errorf("inventories %+v", inventories)
	}

	// Others add a trait and a child, and hold a claim; OWNER_NOVA is taken away.
	type traits struct {
		Generation int64    `json:"resource_provider_generation"`
		Traits     []string `json:"traits"`
	}
	path := "/resource_providers/" + rootID + "/traits"
	var has traits
	must.Succeed(t, json.Unmarshal(real.must(t, "GET", path, nil), &has))
	real.must(t, "PUT", "/traits/CUSTOM_THEIRS", nil)
	has.Traits = append(slices.DeleteFunc(has.Traits, func(name string) bool { return name == "OWNER_NOVA" }), "CUSTOM_THEIRS")
	real.must(t, "PUT", path, has)
	const child, consumer = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	real.must(t, "POST", "/resource_providers", map[string]any{"name": "gpu-001.example.net_pci_0000_99_00_0", "uuid": child, "parent_provider_uuid": rootID})
	real.must(t, "PUT", "/allocations/"+consumer, map[string]any{
		"allocations": map[string]any{rootID: map[string]any{"resources": map[string]int{"VCPU": 1}}},
		"project_id":  "p", "user_id": "u", "consumer_generation": nil, "consumer_type": "INSTANCE",
	})
	if out := agent(); strings.TrimSpace(out) != "gpu-001.example.net: trait OWNER_NOVA added" {
		t.Errorf("a tick writes\n%s", out)
	}
	must.Succeed(t, json.Unmarshal(real.must(t, "GET", path, nil), &has))
	if !slices.Contains(has.Traits, "CUSTOM_THEIRS") || !slices.Contains(has.Traits, "OWNER_NOVA") {
		t.Errorf("traits %v", has.Traits)
	}
	real.must(t, "GET", "/resource_providers/"+child, nil)
	must.Say(t, string(real.must(t, "GET", "/allocations/"+consumer, nil)), rootID)
}
