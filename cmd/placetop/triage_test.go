package main

import (
	"context"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/tuitest"
)

// triage is what an operator is called for, and the keys that tell: at most two,
// from any screen. Pointing at a row in between is not counted.
type triage struct {
	task  string // as the README names it
	keys  []string
	on    string // the screen to which the first key leads
	point string // the row to point at before the second key, "" for the one under the cursor
	want  []string
}

func triages() []triage {
	return []triage{
		{
			"no valid host was found",
			[]string{"9", "W"},
			"flavors", "gold.1",
			[]string{"what-if from flavor gold.1", "0 candidates", "CUSTOM_GOLD"},
		},
		{
			"is it Placement, or a filter of the scheduler?",
			[]string{"9", "w"},
			"flavors", "cpu.large",
			[]string{"what-if from flavor cpu.large", "9 candidates"},
		},
		{
			"allocations of an instance that is gone",
			[]string{"!", "F"},
			"problems", "a01",
			[]string{"fix a01 spark-worker-0", "✓ clears a01", "enter release"},
		},
		{
			"a migration that is over still holds",
			[]string{"!", "F"},
			"problems", "a06",
			[]string{"fix a06 migration of erp-db-1", "✓ clears a06", "enter release"},
		},
		{
			"an evacuated server holds two hosts",
			[]string{"!", "F"},
			"problems", "a07",
			[]string{"fix a07 erp-app-0", "✓ clears a07", "enter keep-cmp-010"},
		},
		{
			"an instance without allocations",
			[]string{"!", "F"},
			"problems", "a04",
			[]string{"fix a04 build-cache-0", "✓ clears a04", "enter heal"},
		},
		{
			"who uses this GPU, and which is free?",
			[]string{"2", "\r"},
			"providers", "pci_0000_41_00_0",
			[]string{"6       2", "CONSUMERS 4", "infer-5              INSTANCE  VGPU 2                ml-serve"},
		},
		{
			"a VGPU of the wrong owner, or a card in both services",
			[]string{"5"},
			"owners", "",
			[]string{"o01   has OWNER_NOVA and OWNER_CYBORG", "o03   PCI 0000:84:00.0", "o06   holds VGPU"},
		},
		{
			"the owner filter is not active",
			[]string{"5", "u"},
			"owners", "",
			[]string{"closed at 66, need 73", "66 x1: cmp-012", "simulated"},
		},
	}
}

// TestTriage goes from the overview, and from deep within, to each answer at 80x24.
func TestTriage(t *testing.T) {
	for _, tt := range triages() {
		t.Run(tt.task, func(t *testing.T) {
			if len(tt.keys) > 2 {
				t.Fatalf("%d keys", len(tt.keys))
			}
			for _, deep := range []bool{false, true} {
				term := showTriage(t)
				term.WaitForText("CAPACITY")
				if deep {
					term.Type("3")
					term.WaitFor("a row with a cursor", func(lines []string) bool {
						return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "> ") })
					})
					term.Type("\r")
					term.WaitForText("consumers > ")
				}
				term.Type(tt.keys[0])
				term.WaitForText("pulses > " + tt.on)
				if len(tt.keys) > 1 {
					point(term, tt.point)
					term.Type(tt.keys[1])
				}
				for _, text := range tt.want {
					term.WaitForText(text)
				}
			}
		})
	}
}

// TestTriageInREADME holds the table of the README to what is tested.
func TestTriageInREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"\r": "enter"}
	for _, tt := range triages() {
		row := "| " + tt.task + " | "
		for i, k := range tt.keys {
			if i > 0 {
				row += ", then "
			}
			if name, ok := names[k]; ok {
				k = name
			}
			row += "`" + k + "`"
		}
		if !strings.Contains(string(text), row) {
			t.Errorf("the README lacks the row\n%s", row)
		}
	}
}

// named is what tells a row from its neighbours: the first word of a name.
var named = regexp.MustCompile(`[a-zA-Z][\w.-]{2,}`)

// point moves the cursor to the row that names what. Rows may still come in, above
// the cursor too: from the end of the list it starts again at the top.
func point(term *tuitest.PTY, what string) {
	const settled = "✗4 !11" // in the header: all problems are found
	var row, id string
	var last bool // whether no row stands below the cursor
	another := func(lines []string) bool {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "> ") })
		// Within a frame the mode is on: what shows is half of it.
		if at < 0 || !strings.Contains(lines[0], settled) || term.Mode(ansi.ModeSynchronizedOutput) {
			return false
		}
		// Where the row stands, and what else it says, may change without a key.
		here := named.FindString(lines[at])
		moved := here != id
		row, id = lines[at], here
		below := strings.TrimSpace(lines[at+1])
		last = below == "" || strings.HasPrefix(below, "⋮ end")
		return moved
	}
	term.WaitFor("a row with a cursor", another)
	for range 40 {
		if strings.Contains(row, what) {
			return
		}
		key := "j"
		if last {
			key = "g"
		}
		term.Type(key)
		term.WaitFor("the row after "+row+" on the way to "+what, another)
	}
}

// showTriage runs the dashboard at 80x24 until the test ends, on the demo cloud with a
// flavor that fits nowhere.
func showTriage(t *testing.T) *tuitest.PTY {
	t.Helper()
	term := tuitest.OpenPTY(t, 80, 24)
	now := func() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) }
	p := &program{
		stdin: term.TTY, stdout: term.TTY, stderr: os.Stderr,
		env: map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8"},
		now: now, newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
	s := demotest.Snapshot(t, demo.Options{Hosts: demo.DefaultHosts, Seed: 1, Now: now()})
	store := memory.New(memory.Options{Start: s, Clock: now})
	t.Cleanup(func() { store.Close() })
	if _, err := store.Apply(t.Context(), troubles(s)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.show(ctx, store, "triage") }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return term
}

func troubles(s *cloud.Snapshot) cloud.Change {
	c := cloud.Change{Note: "a flavor that fits nowhere"}
	c.Put(s, &nova.Flavor{
		Name: "gold.1", FlavorID: "gold.1", VCPUs: 1, MemoryMB: 1024,
		ExtraSpecs: map[string]string{"trait:CUSTOM_GOLD": "required"},
	})
	c.Ops = append(c.Ops, placement.CreateTrait{Name: "CUSTOM_GOLD"})
	return c
}
