//go:build placement

package upstream_test

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
)

//go:embed ask_nova.py
var askNova string

// wanted is a flavor and an image, and whether the root disk is a volume.
type wanted struct {
	VCPUs       int64             `json:"vcpus"`
	MemoryMB    int64             `json:"memory_mb"`
	RootGB      int64             `json:"root_gb"`
	EphemeralGB int64             `json:"ephemeral_gb"`
	SwapMB      int64             `json:"swap"`
	ExtraSpecs  map[string]string `json:"extra_specs"`
	Image       map[string]string `json:"image"`
	Volume      bool              `json:"volume"`
}

// made is the result for it: why the flavor is not created, why nothing is booted, or
// else the query.
type made struct {
	Create string `json:"create"`
	Boot   string `json:"boot"`
	Query  string `json:"query"`
}

// novas starts Nova's code, and returns a function that asks it. It skips the test if
// Nova is not installed, unless PLACETOP_NEED_NOVA is set.
func novas(t *testing.T) func(wanted) made {
	t.Helper()
	python := Python()
	if err := exec.Command(python, "-c", "import nova.compute.api").Run(); err != nil {
		if os.Getenv("PLACETOP_NEED_NOVA") != "" {
			t.Fatalf("python3-nova is not installed: %v", err)
		}
		t.Skip("python3-nova is not installed")
	}
	script := filepath.Join(t.TempDir(), "ask_nova.py")
	must.Succeed(t, os.WriteFile(script, []byte(askNova), 0o600))
	cmd := exec.Command(python, script)
	in := must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Succeed(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // it ends when its stdin is closed
	})
	lines := bufio.NewScanner(out)
	return func(w wanted) made {
		line := must.Get(json.Marshal(w))(t)
		must.Get(in.Write(append(line, '\n')))(t)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "answer "); ok {
				var m made
				must.Succeed(t, json.Unmarshal([]byte(text), &m))
				return m
			}
		}
		t.Fatalf("Nova's code gave up: %v", lines.Err())
		return made{}
	}
}

// ours returns our result for it.
func ours(w wanted) made {
	f := &nova.Flavor{
		Name: "f", FlavorID: "f", VCPUs: w.VCPUs, MemoryMB: w.MemoryMB, RootGB: w.RootGB, EphemeralGB: w.EphemeralGB,
		SwapMB: w.SwapMB, ExtraSpecs: w.ExtraSpecs,
	}
	var m made
	if err := f.CheckExtraSpecs(nil); err != nil {
		m.Create = err.Error()
	}
	off := nova.OwnerOff
	r, err := nova.Empty().Ask(nova.RequestSpec{Flavor: f, Image: w.Image, BootFromVolume: w.Volume}, nova.AskOptions{
		OwnerFilter: &off, Switch: map[string]bool{nova.FilterImageType: true, nova.FilterImageMetadata: true},
	})
	if err != nil {
		m.Boot = err.Error()
		return m
	}
	m.Query = r.Query.URL()
	return m
}

// sinceStable are the traits that upstream, which we follow, has added to its queries
// since Debian's stable release. One more difference is allowed below: we refuse to create
// a flavor with a group that requests no resources, or with several groups and no policy,
// while Nova creates it and Placement then answers 400 to each query.
func sinceStable() []string {
	if Newer() {
		return nil
	}
	return []string{"COMPUTE_SECURITY_TPM_TIS", "COMPUTE_SECURITY_TPM_CRB", "COMPUTE_SECURITY_TPM_SECRET_SECURITY_USER", "HW_CPU_X86_AMD_SEV"}
}

// refused reports whether Placement answers 400 to a query of Nova's: a group that
// requests no resources, more than one group without a policy, or a group that requires a
// trait and forbids it.
func refused(query string) bool {
	q, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil {
		return true
	}
	groups, some := 0, false
	for key, values := range q {
		if strings.HasPrefix(strings.TrimPrefix(key, "root_"), "required") {
			traits := strings.Split(strings.Join(values, ","), ",")
			if slices.ContainsFunc(traits, func(t string) bool { return slices.Contains(traits, "!"+t) }) {
				return true
			}
		}
		if suffix, ok := strings.CutPrefix(key, "resources"); ok {
			if values[0] == "" {
				return true
			}
			some = true
			if suffix != "" {
				groups++
			}
		}
	}
	return !some || groups > 1 && q.Get("group_policy") == ""
}

// terms returns the sorted terms of a query.
func terms(query string) []string {
	var out []string
	for part := range strings.SplitSeq(query, "&") {
		key, values, _ := strings.Cut(part, "=")
		for value := range strings.SplitSeq(values, ",") {
			if !slices.Contains(sinceStable(), value) {
				out = append(out, key+"="+value)
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestRequestsAgree gives flavors and images to Nova's code and to ours: what Nova creates
// and boots we do too, and the resulting query must be the same. Nova also refuses what
// changes no query, and combinations that make no sense, before it asks Placement: that is
// left to it.
func TestRequestsAgree(t *testing.T) {
	t.Parallel()
	answer := novas(t)
	const cases, placement400 = 1000, "Placement answers 400"
	same := map[string]int{}
	for seed := range seeds(cases) {
		w := (&dice{rand.New(rand.NewPCG(seed, 5))}).wanted()
		want, got := answer(w), ours(w)
		if want.Boot == "" && refused(want.Query) {
			want.Boot = placement400
		}
		what := fmt.Sprintf("case %d: %+v", seed, w)
		switch {
		case want.Create == "" && got.Create != "" && !strings.Contains(got.Create, "asks for no resources") && !strings.Contains(got.Create, "as the flavor has groups"):
			t.Errorf("%s\nthe flavor: Nova %q, ours %q", what, want.Create, got.Create)
		case want.Boot != "" && want.Boot != placement400 && got.Boot == "":
			same["refused by Nova before it asks"]++
		case (want.Boot == "") != (got.Boot == ""):
			t.Errorf("%s\nbooting: Nova %q, ours %q", what, want.Boot, got.Boot)
		case want.Boot == "":
			if d := cmp.Diff(terms(want.Query), terms(got.Query)); d != "" {
				t.Errorf("%s\n(-Nova +ours):\n%s", what, d)
			}
			same["asked"]++
		default:
			same["refused"]++
		}
	}
	t.Logf("%d flavors and images: %v", cases, same)
	if same["asked"] < cases/3 {
		t.Errorf("only %d of them were asked", same["asked"])
	}
}

// wanted draws a flavor and an image with meaningful words, and some without meaning.
func (g *dice) wanted() wanted {
	pick := func(list ...string) string { return list[g.IntN(len(list))] }
	w := wanted{
		VCPUs: int64(1 + g.IntN(4)), MemoryMB: 1024 * int64(1+g.IntN(4)), RootGB: int64(g.IntN(3)), EphemeralGB: int64(g.IntN(2)), SwapMB: int64(g.IntN(3)) * 512,
		ExtraSpecs: map[string]string{}, Image: map[string]string{}, Volume: g.IntN(4) == 0,
	}
	since := func(newest, stable string) string { // what Debian's stable release does not know
		if Newer() {
			return newest
		}
		return stable
	}
	mask := func() string { return pick("0", "0-1", "^0", "1,^1", "0-3,^2-3", "^0-1", "9", "0-9") }
	flag := func() string { return pick("true", "yes", "1", "false", "0") }
	specs := []func() (key, value string){
		func() (string, string) { return "hw:cpu_policy", pick("dedicated", "mixed", "shared", "pinned") },
		func() (string, string) { return "hw:cpu_policy", pick("dedicated", "mixed") },
		func() (string, string) { return "hw:cpu_dedicated_mask", mask() },
		func() (string, string) { return "hw:cpu_thread_policy", pick("prefer", "isolate", "require") },
		func() (string, string) { return "hw:emulator_threads_policy", pick("isolate", "share") },
		func() (string, string) { return "hw:cpu_realtime", flag() },
		func() (string, string) { return "hw:cpu_realtime_mask", mask() },
		func() (string, string) { return "hw:mem_encryption", flag() },
		func() (string, string) {
			return since("hw:mem_encryption_model", "hw:mem_encryption"), since(pick("amd-sev", "amd-sev-es", "amd-sev-snp", "intel-tdx", "sev"), "true")
		},
		func() (string, string) {
			return since("hw:tpm_secret_security", "hw:tpm_version"), since(pick("user", "host", "deployment"), "2.0")
		},
		func() (string, string) { return since("hw:virtio_packed_ring", "hw:boot_menu"), flag() },
		func() (string, string) { return since("hw:sound_model", "own"), pick("virtio", "ich6", "usb") },
		func() (string, string) { return "hw:pmem", pick("a,b", "a,a", "4GB") },
		func() (string, string) { return "hw:tpm_version", pick("1.2", "2.0") },
		func() (string, string) { return "hw:tpm_model", pick("tpm-tis", "tpm-crb") },
		func() (string, string) {
			return "hw:pci_numa_affinity_policy", pick("socket", "required", "preferred", "legacy")
		},
		func() (string, string) { return "os:secure_boot", pick("required", "disabled") },
		func() (string, string) { return "hw:ephemeral_encryption", flag() },
		func() (string, string) { return "hw:ephemeral_encryption_format", pick("plain", "luks") },
		func() (string, string) { return "hw:numa_nodes", pick("1", "2", "3", "0") },
		func() (string, string) { return "hw:numa_cpus." + pick("0", "1"), pick("0", "1", "0-1", "2-3") },
		func() (string, string) { return "hw:numa_mem." + pick("0", "1"), pick("512", "1024", "2048") },
		func() (string, string) { return "hw:mem_page_size", pick("large", "small", "any", "2048", "2MB") },
		func() (string, string) { return "hw:locked_memory", flag() },
		func() (string, string) { return "resources:VCPU", pick("0", "1", "2") },
		func() (string, string) { return "resources:PCPU", pick("0", "1", "2", "3") },
		func() (string, string) {
			return "resources" + pick("1", "2", "_A") + ":" + pick("VCPU", "PCPU", "VGPU", "MEMORY_MB"), pick("0", "1", "2")
		},
		func() (string, string) {
			return "resources" + pick("", "1") + ":" + pick("DISK_GB", "CUSTOM_X"), pick("0", "5")
		},
		func() (string, string) {
			return "trait" + pick("", "1") + ":" + pick("HW_CPU_HYPERTHREADING", "CUSTOM_T"), pick("required", "forbidden")
		},
		func() (string, string) { return "group_policy", pick("none", "isolate") },
		func() (string, string) {
			return pick("hw:watchdog_action", "hw:boot_menu", "hw:no_such", "quota:cpu_shares", "own"), pick("1", "reset")
		},
	}
	for range g.IntN(6) {
		key, value := specs[g.IntN(len(specs))]()
		w.ExtraSpecs[key] = value
	}
	props := []func() (key, value string){
		func() (string, string) { return "hw_cpu_policy", pick("dedicated", "mixed", "shared") },
		func() (string, string) { return "hw_cpu_thread_policy", pick("prefer", "isolate", "require") },
		func() (string, string) { return "hw_cpu_realtime_mask", mask() },
		func() (string, string) { return "hw_mem_encryption", flag() },
		func() (string, string) { return "hw_firmware_type", pick("uefi", "bios") },
		func() (string, string) { return "hw_firmware_type", "uefi" },
		func() (string, string) {
			return since("hw_mem_encryption_model", "hw_mem_encryption"), since(pick("amd-sev", "amd-sev-snp", "intel-tdx"), "true")
		},
		func() (string, string) {
			return since("hw_firmware_stateless", "hw_firmware_type"), since(flag(), "uefi")
		},
		func() (string, string) { return since("hw_virtio_packed_ring", "hw_boot_menu"), flag() },
		func() (string, string) { return since("hw_sound_model", "own"), pick("virtio", "ich6", "sb16") },
		func() (string, string) { return since("hw_usb_model", "own"), pick("qemu-xhci", "nec-xhci") },
		func() (string, string) { return since("hw_viommu_model", "own"), pick("intel", "smmuv3", "auto") },
		func() (string, string) { return "hw_machine_type", pick("pc-q35-6.2", "pc") },
		func() (string, string) { return "hw_tpm_version", pick("1.2", "2.0") },
		func() (string, string) { return "hw_tpm_model", pick("tpm-tis", "tpm-crb") },
		func() (string, string) { return "hw_pci_numa_affinity_policy", pick("socket", "required") },
		func() (string, string) { return "os_secure_boot", pick("required", "disabled", "optional") },
		func() (string, string) { return "hw_ephemeral_encryption", flag() },
		func() (string, string) { return "hw_ephemeral_encryption_format", pick("plain", "luks") },
		func() (string, string) { return "hw_numa_nodes", pick("1", "2") },
		func() (string, string) { return "hw_mem_page_size", pick("large", "2048") },
		func() (string, string) { return "hw_locked_memory", flag() },
		func() (string, string) { return "hw_disk_bus", pick("scsi", "virtio", "ide") },
		func() (string, string) { return "hw_vif_model", pick("e1000", "virtio") },
		func() (string, string) { return "hw_video_model", pick("qxl", "none") },
		func() (string, string) { return "hw_architecture", pick("x86_64", "aarch64") },
		func() (string, string) { return "disk_format", pick("qcow2", "raw", "no_such") },
		func() (string, string) {
			return "trait:" + pick("HW_CPU_HYPERTHREADING", "CUSTOM_T", "CUSTOM_U"), "required"
		},
	}
	for range g.IntN(4) {
		key, value := props[g.IntN(len(props))]()
		w.Image[key] = value
	}
	if _, ok := w.Image["disk_format"]; !ok {
		w.Image["disk_format"] = "raw"
	}
	maps.DeleteFunc(w.ExtraSpecs, func(_, value string) bool { return value == "" })
	return w
}
