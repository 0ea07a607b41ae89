package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/tuitest"
)

// triage is what a test needs to go through a task of help.Tasks.
type triage struct {
	on    string // the screen to which the first key leads
	point string // the row to select before the second key, "" for the one under the cursor
	want  []string
	cloud func(*testing.T, *cloud.Snapshot) cloud.Change // makes the trouble; nil for troubles
}

// triages are the tasks, by the situation in which they are needed.
func triages() map[string]triage {
	return map[string]triage{
		"no valid host was found": {on: "flavors", point: "gold.1", want: []string{"what-if from flavor gold.1", "0 candidates", "CUSTOM_GOLD"}},
		"is it Placement, or a filter of the scheduler?": {
			on: "flavors", point: "cpu.large", want: []string{"what-if from flavor cpu.large", "10 candidates", "Placement is not the cause"},
		},
		"a wide tree hides the other hosts": {
			on: "flavors", point: "vf.4", want: []string{"what-if from flavor vf.4", "limit 1 000: Placement goes tree by tree and reaches 1 of 2 trees"},
		},
		"allocations of an instance that is gone":            {on: "problems", point: "a01", want: []string{"fix a01 spark-worker-0", "✓ clears a01", "enter apply"}},
		"a migration that is over still holds allocations":   {on: "problems", point: "a06", want: []string{"fix a06 migration of erp-db-1", "✓ clears a06", "enter apply"}},
		"an evacuated server holds allocations on two hosts": {on: "problems", point: "a07", want: []string{"fix a07 erp-app-0", "✓ clears a07", "enter apply"}},
		"an instance without allocations":                    {on: "problems", point: "a04", want: []string{"fix a04 build-cache-0", "✓ clears a04", "enter apply"}},
		"all allocations are lost": {
			on: "problems", point: "a04", want: []string{"fix a04 of 161 problems", "LEFT OUT   3 of 161, which cannot be done", "enter apply"}, cloud: allLost,
		},
		"a provider cannot be deleted": {
			on: "providers", point: "cmp-001", want: []string{"delete provider cmp-001", "cannot be done now", "is in use", "HELD BY ", "render-node-5", "infer-5                    cmp-001              8C 32G", "x release 26 allocations too"},
		},
		"a compute does not start: its name is taken": {
			on: "problems", point: "v05", want: []string{"fix v05 cmp-008", "was cmp-008", "✓ clears v05", "enter apply"},
		},
		"more is used than there is": {
			on: "problems", point: "a02", want: []string{"VGPU 9/8 used, over by 1", "migrate infer-9 to", "raise the total of VGPU from 8 to 9"},
		},
		"ratio or reserved of one host is wrong": {
			on: "problems", point: "u02", want: []string{"fix u02 cmp-010", "✓ clears u02", "enter apply"},
		},
		"a drained host or a stuck device gets no instances": {
			on: "problems", point: "a11", want: []string{"fix a11 cmp-009/0000:D8:00.0", "✓ clears a11", "enter apply"},
		},
		"who uses this GPU, and which is free?": {
			on: "providers", point: "pci_0000_41_00_0",
			want: []string{"6      1       2", "CONSUMERS 4", "infer-5              INSTANCE  VGPU 2                ml-serve"},
		},
		"a VGPU of the wrong owner, or a card in both services": {
			on: "owners", want: []string{"o01    both owners: VGPU 4/8 used", "o03    card reported twice: cyborg and nova", "o06    holds cyborg's"},
		},
		"the owner filter is not active": {on: "owners", want: []string{"closed at 66, need 73", "1 at 66: cmp-012", "simulated"}},
		"VGPUs are on the host and on its card": {
			on: "problems", point: "o07", want: []string{"fix o07 cmp-001", "move the allocations of VGPU of cmp-001 to its cards"},
		},
		"a trait or an aggregate is missing": {on: "providers", point: "cmp-002", want: []string{"edit cmp-002", "traits", "aggregates", "as they are"}},
		"shared storage is counted twice":    {on: "problems", point: "s02", want: []string{"fix s02 cmp-005", "remove the unused inventory of DISK_GB"}},
		"an aggregate is not mirrored":       {on: "problems", point: "s03", want: []string{"fix s03 cmp-002", "✓ clears s03", "enter apply"}},
		"which project uses how much":        {on: "places", point: ":projects", want: []string{"DEVICES OWN", "ml-train", "⬢ N"}},
		"writes are refused with 409":        {on: "problems", point: "g01", want: []string{"g01 generation conflicts", "3 writes refused since", "by script"}},
	}
}

// TestTriage goes from the overview to each answer at 80x24, and once with each first key
// from deep within.
func TestTriage(t *testing.T) {
	t.Parallel()
	played := map[string]bool{}
	for _, task := range help.Tasks() {
		from := []bool{false}
		if !played[task.Keys[0]] {
			played[task.Keys[0]] = true
			from = append(from, true)
		}
		t.Run(task.For, func(t *testing.T) {
			t.Parallel()
			tt, ok := triages()[task.For]
			if !ok || len(task.Keys) > 2 {
				t.Fatalf("it has %d keys, and how to play it is known: %t", len(task.Keys), ok)
			}
			for _, deep := range from {
				term, settled := showTriage(t, tt.cloud)
				term.WaitForText("CAPACITY")
				if deep {
					term.Type("0")
					term.WaitForText("build-cache-1 ")
					term.Type("d")
					term.WaitForText("instances > ")
				}
				press := func(key string) { term.Type(strings.ReplaceAll(key, "enter", "\r")) }
				press(task.Keys[0])
				term.WaitForText(" > " + tt.on)
				if tt.point != "" {
					point(t, term, settled, tt.point)
				}
				for _, key := range task.Keys[1:] {
					press(key)
				}
				for _, text := range tt.want {
					term.WaitForText(text)
				}
			}
		})
	}
}

// TestTriageInREADME compares the table in the README with what is tested.
func TestTriageInREADME(t *testing.T) {
	t.Parallel()
	text := must.Get(os.ReadFile("../../README.md"))(t)
	for _, task := range help.Tasks() {
		row := "| " + task.For + " | `" + strings.Join(task.Keys, "`, then `") + "` | " + task.Reads + " |\n"
		if !strings.Contains(string(text), row) {
			t.Errorf("the README lacks the row\n%s", row)
		}
	}
}

// named matches what distinguishes a row from its neighbours: the first word of a name.
var named = regexp.MustCompile(`[a-zA-Z][\w.-]{2,}`)

// point moves the cursor to the row that names what. Rows may still be added, above the
// cursor, too: from the end of the list it starts again at the top.
func point(t *testing.T, term *tuitest.PTY, settled, what string) {
	t.Helper()
	var row, id string
	var last bool // no row is below the cursor
	another := func(lines []string) bool {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "> ") })
		// While the mode is on, only half of a frame is drawn.
		if at < 0 || !strings.Contains(lines[0], settled) || term.Mode(ansi.ModeSynchronizedOutput) {
			return false
		}
		// The position of the row, and its other text, may change without a key.
		here := named.FindString(lines[at])
		moved := here != id
		row, id = lines[at], here
		below := strings.TrimSpace(lines[at+1])
		last = below == "" || strings.HasPrefix(below, "⋮ end")
		return moved
	}
	term.Await(t, "a row with a cursor", another)
	for range 40 {
		if strings.Contains(row, what) {
			return
		}
		key := "j"
		if last {
			key = "g"
		}
		term.Type(key)
		term.Await(t, "the row after "+row+" on the way to "+what, another)
	}
}

// showTriage runs the dashboard at 80x24 until the end of the test, on the demo cloud
// with a trouble, and returns what the header says of that.
func showTriage(t *testing.T, wrong func(*testing.T, *cloud.Snapshot) cloud.Change) (term *tuitest.PTY, settled string) {
	t.Helper()
	term, p := onTerminal(t)
	now := p.now
	s := demotest.Snapshot(t, demo.Options{Hosts: demo.DefaultHosts, Seed: 1, Now: now()})
	store := memory.New(memory.Options{Start: s, Clock: now})
	t.Cleanup(func() { store.Close() })
	if wrong == nil {
		wrong = troubles
	}
	must.Get(store.Apply(t.Context(), wrong(t, s)).Result())(t)
	late := cloud.Change{Actor: "script", Note: "a write that comes too late", Ops: []cloud.Op{
		placement.SetTraits{Provider: providerNamed(t, s, "cmp-003"), Generation: placement.Generation(0)},
	}}
	for range 3 {
		if err := store.Apply(t.Context(), late).Err(); err == nil {
			t.Fatal("what comes too late was written")
		}
	}
	count := audit.Count(audit.Find(store.Snapshot()))
	settled = fmt.Sprintf("✗%d !%d", count[audit.Critical], count[audit.Warning]+1) // g01 does not depend on the Snapshot
	p.showOn(t, store)
	return term, settled
}

// onTerminal returns a terminal of 80x24, and a program on it.
func onTerminal(t *testing.T) (*tuitest.PTY, *program) {
	t.Helper()
	term := tuitest.OpenPTY(t, 80, 24)
	return term, &program{
		stdin: term.TTY, stdout: term.TTY, stderr: os.Stderr,
		env:   map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8"},
		now:   func() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) },
		newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
}

// showOn runs the dashboard on a cloud until the end of the test.
func (p *program) showOn(t *testing.T, store *memory.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.show(ctx, store, "triage") }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

func providerNamed(t *testing.T, s *cloud.Snapshot, name string) placement.ProviderID {
	t.Helper()
	p, ok := s.Placement().ProviderByName(name)
	if !ok {
		t.Fatalf("the demo cloud has no provider %s", name)
	}
	return p.ID()
}

// allLost removes the allocations of all instances.
func allLost(_ *testing.T, s *cloud.Snapshot) cloud.Change {
	c := cloud.Change{Note: "all allocations are lost"}
	for holder := range s.Placement().Consumers() {
		c.Ops = append(c.Ops, placement.DeleteAllocations{Consumer: holder.ID()})
	}
	return c
}

func troubles(t *testing.T, s *cloud.Snapshot) cloud.Change {
	t.Helper()
	c := cloud.Change{Note: "troubles"}
	inventory := func(name string, class placement.ResourceClass, edit func(*placement.Inventory)) {
		id := providerNamed(t, s, name)
		p, _ := s.Placement().Provider(id)
		record := s.Placement().ProviderRecord(p)
		inv, ok := record.Inventories[class]
		if !ok {
			inv = placement.NewInventory(8)
		}
		edit(&inv)
		plan := must.Get(ops.PlanInventory(s, id, class, inv))(t)
		c.Ops = append(c.Ops, plan.Change.Ops...)
	}
	inventory("cmp-010", placement.VCPU, func(inv *placement.Inventory) { inv.AllocationRatio = 16 })
	inventory("cmp-009_0000:D8:00.0", "CUSTOM_PCI_10DE_1EB8", func(inv *placement.Inventory) { inv.Reserved = inv.Total })
	inventory("cmp-001", placement.VGPU, func(*placement.Inventory) {})
	root, _ := s.Placement().ProviderByName("cmp-001")
	for held := range s.Placement().ConsumersOf(root) {
		claim := s.Placement().AsHeld(held)
		claim.Allocations[root.ID()][placement.VGPU] = 1
		c.Ops = append(c.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
		break
	}
	inventory("cmp-005", placement.DiskGB, func(inv *placement.Inventory) { inv.Total, inv.MaxUnit, inv.Reserved = 1200, 1200, 50 })
	modeltest.PutIn(&c, s, &nova.ComputeNode{UUID: placement.ProviderID(uuid.NewSHA1(uuid.NameSpaceDNS, []byte("anew"))), Host: "cmp-008", Hostname: "cmp-008"})
	modeltest.PutIn(&c, s, &nova.HostAggregate{UUID: placement.AggregateID(uuid.NewSHA1(uuid.NameSpaceDNS, []byte("rack-2"))), Name: "rack-2", Hosts: []string{"cmp-002"}})
	functions := placement.ResourceClass("CUSTOM_VF")
	c.Ops = append(c.Ops, placement.CreateClass{Name: functions})
	for _, host := range []string{"cmp-009", "cmp-011"} {
		for n := range 12 {
			id := placement.ProviderID(uuid.NewSHA1(uuid.NameSpaceDNS, fmt.Appendf(nil, "%s vf %d", host, n)))
			c.Ops = append(c.Ops,
				placement.CreateProvider{ID: id, Name: fmt.Sprintf("%s_vf_%d", host, n), Parent: providerNamed(t, s, host)},
				placement.SetInventories{Provider: id, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{functions: placement.NewInventory(1)}},
			)
		}
	}
	four := map[string]string{"group_policy": "isolate"}
	for n := range 4 {
		four[fmt.Sprintf("resources%d:%s", n+1, functions)] = "1"
	}
	modeltest.PutIn(&c, s, &nova.Flavor{Name: "vf.4", FlavorID: "vf.4", VCPUs: 1, MemoryMB: 1024, ExtraSpecs: four})
	modeltest.PutIn(&c, s, &nova.Flavor{
		Name: "gold.1", FlavorID: "gold.1", VCPUs: 1, MemoryMB: 1024,
		ExtraSpecs: map[string]string{"trait:CUSTOM_GOLD": "required"},
	})
	c.Ops = append(c.Ops, placement.CreateTrait{Name: "CUSTOM_GOLD"})
	return c
}
