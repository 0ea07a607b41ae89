package main

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestCursorGoesToWhatWasMade makes a record with the form of each list that only lists its
// records: the cursor is on the new row afterwards.
func TestCursorGoesToWhatWasMade(t *testing.T) {
	t.Parallel()
	term, p := onTerminal(t)
	p.showDemo(t, term)
	for _, tt := range []struct{ list, keys, row string }{
		{"aggregates", "gold\r\r\r\r", ">   gold "},
		{"traits", "GOLD\r", "> i CUSTOM_GOLD "},
		{"classes", "GOLD\r", "> i CUSTOM_GOLD "},
		{"profiles", "gold\r\rresources:VGPU=1\r\r", ">   gold "},
	} {
		term.Type(":" + tt.list + "\r")
		term.WaitForText("pulses > " + tt.list)
		term.Type("n")
		term.WaitForText("step 1 of 2")
		term.Type(tt.keys)
		term.WaitForText("PREVIEW")
		term.Type("\r")
		term.WaitForText(tt.row)
	}
}

// TestHandoverGoesOn hands a card of Nova's over: once it is reserved, the cursor is on
// the first consumer that has to leave.
func TestHandoverGoesOn(t *testing.T) {
	t.Parallel()
	term, p := onTerminal(t)
	p.showDemo(t, term)
	term.Type("5")
	term.WaitForText("BY OWNER")
	term.Type("\x1b[Zm")
	term.WaitForText("/owner=nova class=VGPU")
	term.Type("\r")
	term.WaitForText("> ! reserve all VGPU")
	term.Type("\r")
	term.WaitForText("PREVIEW")
	term.Type("\r")
	term.WaitForText("✓ reserve all VGPU")
	term.WaitForText("> ! infer-5")
}

// TestDumbTerminalSaysWhy starts a dashboard on a terminal that cannot show it.
func TestDumbTerminalSaysWhy(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{"dumb": "TERM=dumb cannot show the dashboard", "": "TERM is not set"} {
		term, p := onTerminal(t)
		said := new(strings.Builder)
		p.env["TERM"], p.stderr = name, said
		store := memory.New(memory.Options{Clock: p.now})
		must.Succeed(t, p.show(t.Context(), store, "nowhere"))
		term.WaitForText("There are no providers yet.")
		must.Succeed(t, store.Close())
		if want := why + ", so this is the overview as text: try TERM=xterm-256color"; !strings.Contains(said.String(), want) {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
}

// showDemo runs the dashboard on the demo cloud until the end of the test.
func (p *program) showDemo(t *testing.T, term *tuitest.PTY) {
	t.Helper()
	store := memory.New(memory.Options{Start: demotest.Snapshot(t, demo.Options{Hosts: demo.DefaultHosts, Seed: 1, Now: p.now()}), Clock: p.now})
	t.Cleanup(func() { store.Close() })
	p.showOn(t, store)
	term.WaitForText("CAPACITY")
}

// TestFirstTries plays what newcomers press first, each from another screen, and reads what
// they then need to see at 80x24.
func TestFirstTries(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from, keys string
		want       []string
	}{
		// Tab leads through a form and leaves what may be empty as it is.
		"tab": {"2", "jje\t\t\t\t\t", []string{"│ name       cmp-001", "AGGREGATES 3", "TRAITS 40"}},
		// What holds of many instances alike is one warning.
		"delete": {"2", "jjDx", []string{"cmp-001, cmp-001_pci_0000_41_00_0, cmp-001_pci_0000_42_00_0 lose OWNER_NOVA", "build-cache-1, cad-desk-7, erp-app-2 and 15 more are active on cmp-001: they", "resize of train-42 has status finished: without its allocations on"}},
		// One of several is named if it is the one that cannot get what all are to get.
		"bulk": {"2", "/cmp-003\ra" + "e2\r", []string{"✗ cmp-003_0000:83:00.0: capacity (total - reserved) * allocation_ratio = (2"}},
		// The filter for a rule says so where it finds nothing, as after its last fix.
		"gone": {"6", "/a03\r", []string{": nothing is found"}},
		// m on a finding about a service moves the cards of its host.
		"move": {"5", "Gm", []string{"owners > cards of cmp-012"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term, p := onTerminal(t)
			p.showDemo(t, term)
			term.Type(tt.from)
			term.WaitForText("pulses > ")
			term.Type(tt.keys)
			for _, want := range tt.want {
				term.WaitForText(want)
			}
		})
	}
}
