package form_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/consumers"
	"github.com/placetop/placetop/tui/tuitest"
)

// stub is a screen that opens the forms.
type stub struct{ name string }

func (stub) Init() tea.Cmd          { return nil }
func (stub) Update(tea.Msg) tea.Cmd { return nil }
func (s stub) View(w, h int) string { return component.Fit("screen "+s.name, w, h) }
func (s stub) Title() string        { return s.name }
func (stub) Actions() []action.Action {
	return []action.Action{{ID: "stub.new", Keys: "n", Title: "new", Run: func() tea.Cmd {
		return screen.Send(screen.Goto{To: place.Allocate{}})
	}}}
}

// TestWithinTheDashboard runs the forms in the dashboard, which handles keys and messages
// first.
func TestWithinTheDashboard(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := newStore(t, "")
		ctx, cancel := context.WithCancel(context.Background())
		app := tui.New(tui.Config{
			Env:     screen.Env{Styles: tuitest.Plain(), Clock: time.Now, Context: ctx, Actor: "ops"},
			OpenMsg: tui.OpenMsg{Cloud: s, Name: "demo"},
			Screens: []screen.Declaration{
				screen.Declare(func(screen.Env, place.Pulses) (screen.Screen, error) { return stub{"pulses"}, nil }).On("1").Called("pulses"),
				screen.Declare(func(_ screen.Env, at place.Consumer) (screen.Screen, error) {
					return stub{"consumer " + at.ID.String()}, nil
				}),
				screen.Declare(consumers.OpenAllocate), screen.Declare(consumers.OpenRelease),
			},
		})
		t.Cleanup(func() {
			app.Close()
			cancel()
		})
		d := tuitest.Start(t, app, 100, 30)
		wants := func(texts ...string) {
			t.Helper()
			d.Text()
			for _, text := range texts {
				if !strings.Contains(d.Text(), text) {
					t.Fatalf("no %q on the screen:\n%s", text, d.Text())
				}
			}
		}
		d.Press("n")
		wants("pulses > new allocation", "step 1 of 3")
		d.Press("up", "up", "end", "ctrl+u")
		d.Paste(newcomer)
		d.Press("down", "down")
		d.Type("ml-train")
		d.Press("enter", "enter")
		d.Type(gpu)
		d.Press("ctrl+c")
		wants("new allocation: not written yet", "^c again quits")
		d.Press("enter", "enter", "enter", "enter")
		wants("step 2 of 3", "fits ")
		d.Type("/1234?q")
		wants("/1234?q")
		d.Press("esc", "enter")
		d.Advance(time.Minute) // the toast goes
		wants("step 3 of 3", "PREVIEW", "enter allocate", "y full request")
		d.Press("esc")
		wants("step 2 of 3")
		d.Press("enter", "enter")
		wants("screen consumer "+newcomer, "pulses > consumer", "allocate MEMORY_MB=4096,VCPU=2,VGPU=1 on")
		must.Be(t, s.Writes, 1)
		d.Press("q")
		wants("screen pulses")
	})
}
