package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// demoPace is what the command ":demo" takes, with a pace, to have a made-up cloud move by
// itself.
const demoPace = "pace"

// life is a made-up cloud that moves by itself: a step after each pace. It stands still
// while a person is at something that it would change under their hands.
type life struct {
	of   *demo.Life    // nil before it moves for the first time
	pace time.Duration // 0 where it stands still
	run  int           // counts how often a pace was said
	end  func()        // takes what goes on to its end, as nobody would later
}

// word says in the header whether the cloud moves by itself.
func (l *life) word() string {
	if l.pace == 0 {
		return "still"
	}
	return "pace " + l.pace.String()
}

type (
	// beatMsg is the time for the next step.
	beatMsg struct{ run int }
	// beatenMsg says that a step was taken, or why none could be.
	beatenMsg struct {
		run int
		err error
	}
)

// setPace has the cloud move by itself at a pace, or stand still, and says so.
func (a *App) setPace(text string) tea.Cmd {
	if text == demoStop {
		a.life.pace = 0
		still := a.toast(component.Toast{Severity: style.SeverityOK, Text: "the cloud is stopped", Hint: ":demo pace 4s starts it"})
		return tea.Batch(still, a.rest())
	}
	pace, err := time.ParseDuration(text)
	switch {
	case err != nil || pace < demo.LeastPace:
		return a.refuse(fmt.Sprintf("demo: %q is not a pace", text), "give how often something happens, from "+demo.LeastPace.String()+": :demo pace 4s, or :demo pace stop")
	case a.can() != nil:
		return a.refuse("a moving cloud is written to, and "+a.can().Error(), "")
	case !demo.Made(a.live.snapshot):
		return a.refuse("demo: only a made-up cloud moves by itself", "")
	}
	moves := a.move(pace)
	return tea.Batch(moves, a.toast(component.Toast{Severity: style.SeverityOK, Text: "something happens every " + pace.String(), Hint: ":demo pace stop"}))
}

// move has the cloud move by itself at a pace.
func (a *App) move(pace time.Duration) tea.Cmd {
	if a.life.of == nil {
		of, ctx, store := demo.NewLife(a.cfg.Seed), context.WithoutCancel(a.env.Context), a.cfg.Cloud
		a.life.of = of
		a.life.end = func() {
			// What cannot be written stays unfinished, to be found at the next start.
			_ = of.End(ctx, store, a.living())
		}
	}
	a.life.pace = pace
	a.life.run++
	return a.after(pace, beatMsg{a.life.run})
}

// rest takes what goes on to its end.
func (a *App) rest() tea.Cmd {
	ctx, of, store, o := a.live.ctx, a.life.of, a.cfg.Cloud, a.living()
	if of == nil {
		return nil
	}
	return func() tea.Msg {
		_ = of.Rest(ctx, store, o) // else it stays unfinished, and is found as such
		return nil
	}
}

// beat has the next step taken, unless a person is at something: nothing begins then, and
// what goes on comes to its end, as what is done by half would look like trouble meanwhile.
func (a *App) beat(msg beatMsg) tea.Cmd {
	switch {
	case msg.run != a.life.run || a.life.pace == 0:
		return nil // another pace was said meanwhile
	case a.occupied():
		return tea.Batch(a.rest(), a.after(a.life.pace, msg))
	}
	ctx, of, store, o := a.live.ctx, a.life.of, a.cfg.Cloud, a.living()
	return func() tea.Msg {
		_, err := of.Beat(ctx, store, o)
		return beatenMsg{msg.run, err}
	}
}

// beaten waits for the next step.
func (a *App) beaten(msg beatenMsg) tea.Cmd {
	switch {
	case msg.run != a.life.run || a.life.pace == 0:
		return nil
	case msg.err != nil:
		a.life.pace = 0
		return a.refuse("the cloud is stopped: "+msg.err.Error(), ":demo pace 4s starts it again")
	}
	return a.after(a.life.pace, beatMsg{msg.run})
}

// living returns how a step is taken: each by whom it is of.
func (a *App) living() ops.Runner { return ops.Runner{Now: a.env.Clock, Begin: a.env.Kept().Begin} }

// occupied reports whether a person is at something that must not change meanwhile: a form
// or a preview, a line that is typed, a demonstration.
func (a *App) occupied() bool {
	if a.walk != nil || a.typing() {
		return true
	}
	for _, e := range a.stack {
		if _, ok := e.screen.(screen.Pending); ok {
			return true
		}
	}
	return false
}

// settle ends the life of the cloud, as that is left.
func (a *App) settle() {
	if a.life.end != nil {
		a.life.end()
	}
	a.life = life{run: a.life.run + 1}
}
