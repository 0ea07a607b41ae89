package main

import (
	"testing"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestTextsNameReboundKeysOfOtherScreens binds keys of screens that are not shown, and reads
// texts that name them: the tour, and where an evacuation says how to go on.
func TestTextsNameReboundKeysOfOtherScreens(t *testing.T) {
	t.Parallel()
	term, p := onTerminal(t)
	p.settings.Keys = action.Bindings{
		"providers.columns": {"f2"}, "providers.edit": {"f3"}, "problems.fix": {"f4"}, "instances.resize": {"f5"}, "services.down": {"f6"}, "app.themes": {"f7"},
	}
	p.showDemo(t, term)
	term.Type(":tour\r)))")
	term.WaitForText("n creates, f3 edits, f5 resizes, D deletes, f4 repairs, z undoes.")
	term.Type(")")
	term.WaitForText("f2 picks columns, s sorts by one, f7 a theme, ^s exports,")
	term.Type(")0")
	term.WaitForText("build-cache-0 ")
	term.Type("M")
	term.WaitForText("if you know that it is down: in :services, f6 marks it as down")
}

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

// showDemo runs the dashboard on the demo cloud until the end of the test.
func (p *program) showDemo(t *testing.T, term *tuitest.PTY) {
	t.Helper()
	store := memory.New(memory.Options{Start: demotest.Snapshot(t, demo.Options{Hosts: demo.DefaultHosts, Seed: 1, Now: p.now()}), Clock: p.now})
	t.Cleanup(func() { store.Close() })
	p.showOn(t, store)
	term.WaitForText("CAPACITY")
}
