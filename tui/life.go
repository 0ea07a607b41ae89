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

// demoPace is the argument of ":demo" that, with a pace, makes a made-up cloud change by
// itself.
const demoPace = "pace"

// life makes a made-up cloud change by itself: one step after each pace. It stops while
// the user is at something that it would change under their hands.
type life struct {
	of   *demo.Life    // nil until it changes for the first time
	pace time.Duration // 0 if stopped
	run  int           // counts changes of the pace
	end  func()        // finishes what is under way, which nothing else would do later
}

// word returns whether the cloud changes by itself, for the header.
func (l *life) word() string {
	if l.pace == 0 {
		return "still"
	}
	return "pace " + l.pace.String()
}

type (
	// beatMsg says that it is time for the next step.
	beatMsg struct{ run int }
	// beatenMsg says that a step was taken, or why it could not be.
	beatenMsg struct {
		run int
		err error
	}
)

// setPace makes the cloud change by itself at a pace, or stop, and says so.
func (a *App) setPace(text string) tea.Cmd {
	if text == demoStop {
		a.life.pace = 0
		still := a.toast(component.Toast{Severity: style.SeverityOK, Text: "the cloud is stopped", Hint: ":demo pace 4s starts it"})
		return screen.Batch(still, a.rest())
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
	return screen.Batch(moves, a.toast(component.Toast{Severity: style.SeverityOK, Text: "something happens every " + pace.String(), Hint: ":demo pace stop"}))
}

// move makes the cloud change by itself at a pace.
func (a *App) move(pace time.Duration) tea.Cmd {
	if a.life.of == nil {
		of, ctx, store := demo.NewLife(a.cfg.Seed), context.WithoutCancel(a.env.Context), a.cfg.Cloud
		a.life.of = of
		a.life.end = func() {
			// What cannot be written stays unfinished, and the next start finds it.
			_ = of.End(ctx, store, a.living())
		}
	}
	a.life.pace = pace
	a.life.run++
	return a.after(pace, beatMsg{a.life.run})
}

// rest finishes what is under way.
func (a *App) rest() tea.Cmd {
	ctx, of, store, o := a.live.ctx, a.life.of, a.cfg.Cloud, a.living()
	if of == nil {
		return nil
	}
	return func() tea.Msg {
		_ = of.Rest(ctx, store, o) // otherwise it stays unfinished, and is reported as such
		return nil
	}
}

// beat takes the next step, unless the user is at something: then nothing new begins, and
// what is under way is finished, since something half done would look like trouble.
func (a *App) beat(msg beatMsg) tea.Cmd {
	switch {
	case msg.run != a.life.run || a.life.pace == 0:
		return nil // the pace was changed meanwhile
	case a.occupied():
		return screen.Batch(a.rest(), a.after(a.life.pace, msg))
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

// living returns the runner of the steps, each by its own actor.
func (a *App) living() ops.Runner { return ops.Runner{Now: a.env.Clock, Begin: a.env.Kept().Begin} }

// occupied reports whether the user is at something that must not change meanwhile: a
// form or a preview, a line being typed, a demonstration.
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

// settle ends the life of the cloud, as the user leaves it.
func (a *App) settle() {
	if a.life.end != nil {
		a.life.end()
	}
	a.life = life{run: a.life.run + 1}
}
