// Package tui is the dashboard: the root model that gives screens their keys,
// their data and their place on the terminal.
//
//	placetop  demo  RW  ◉ live                    header: cloud, rights, problems
//	pulses > providers          721 of 10 240     crumbs: where one is
//	...                                           the body: the top screen's View
//	enter open  d describe                        footer: toasts, prompt or hints
//
// App only makes the parts of the dashboard and passes each message to one of them. These
// are the main ones; each knows those above it:
//
//	live.go      the cloud and its newest snapshot; link.go and keeper.go are parts of it
//	stack.go     which screens are open, and what they ask for; screens.go makes them
//	prompt.go    the line after ":"; command.go lists the commands
//	keys.go      what a key does; actions.go lists those that work on every screen
//	frame.go     what the terminal shows; header.go is its first line
//	presenter.go the demonstration; walk.go is what it presents, walk_bar.go its bar
//
// A key goes through terminal/input.go, session/run.go, app.go and keys.go, and where it opens a
// screen, through stack.go, screens.go and screen/declare.go. Everything runs on one event
// loop; anything slow is a command.
//
//	screen/NOUN  the screens of a noun, its lists, pages and forms, none of which imports
//	             another; screen is their contract
//	place        the places one can go to: how screens name each other
//	part         what screens share: component (lines, gauges, grids, prompts, toasts), list
//	             (and menus), page, form, confirm, and panel, the words and signs of the model
//	action       what keys do, why they cannot be used now, and the order of their hints
//	style        the look of a session; themes/token.go says what a colour is for
//	terminal     reading keys and drawing cells; session joins it to Bubble Tea
//
// Keys and columns of a screen are in screen/NOUN, those of instances that several screens have
// in part/panel/instance.go; a field of a form in screen/flavors/form.go, for part/form; usage
// bars in part/component/gauge.go.
//
// To add a screen, write a package below screen (devices is a short one, also to see how
// a list gets its columns), give its place a type in package place, declare the screen
// with its key and names in a function Screens, and add that function to the list in
// cmd/placetop/screens.go. A test of cmd/placetop says what is missing; -update writes the
// frames that its tests and those of the screen compare with.
package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
)

// Config is what a dashboard is made of.
type Config struct {
	// Env is what screens get, but for what OpenMsg says of the cloud. Its Context ends with
	// the session.
	Env screen.Env

	// OpenMsg is the first cloud. Where none is open yet its Cloud is nil, and First must be
	// set.
	OpenMsg

	// Warnings are shown at once: what is wrong with the configuration.
	Warnings []string

	// Screens are those that can be reached. No others are offered anywhere.
	Screens []screen.Declaration

	// At is the time as of which the cloud is shown at first, as ":at" takes it; "" for
	// now.
	At string

	// Start is the first place; nil means pulses. First, if it is set, comes
	// before it: a page that says why there is no cloud.
	Start place.Place
	First screen.Screen

	// Clouds are the other clouds that can be shown; nil for none.
	Clouds Clouds

	// SaveReport saves a crash report and returns its path; nil saves none.
	SaveReport func(report []byte) (path string, err error)

	// WriteFile writes a file that must not exist yet, and returns its path; nil where
	// the session may write none.
	WriteFile func(name string, data []byte) (path string, err error)

	// Remember saves the memory of Env for the next session; it is nil if there is none. It
	// is called when something was named; whoever made the memory saves the rest after
	// Close.
	Remember func(*screen.Memory) error

	// Mouse is set if the mouse is on from the start.
	Mouse bool

	// Theming says which themes there are.
	Theming Theming

	// Bindings are the user's own keys.
	Bindings action.Bindings

	// Local is set where the process may be suspended.
	Local bool

	// Presence connects the dashboard to the server that shows it; nil if there is none.
	Presence *Presence
}

// App is the root model: it has the parts of the dashboard and passes messages to them. It is
// used from one event loop.
type App struct {
	cfg Config

	keys   *keys
	stack  *stack
	prompt *prompt
	live   *live
	frame  *frame

	size      *size
	messages  *messages
	screens   *screens
	actions   *actions
	loss      *loss
	past      *past
	presenter *presenter
	clouds    *clouds
	memory    *memory
	theming   *theming
	exports   *exports
	mouse     *mouse
}

var _ tea.Model = (*App)(nil)

// New returns a dashboard. Run it with session.Run, and call Close afterwards.
func New(cfg Config) *App {
	if cfg.Start == nil {
		cfg.Start = place.Pulses{}
	}
	st, size := cfg.Env.Styles, &size{}
	m := &messages{styles: st, clock: cfg.Env.Clock, ctx: cfg.Env.Context, size: size}
	l := newLive(&cfg, m)
	screens := newScreens(cfg.Screens, l, &crashes{live: l, size: size, save: cfg.SaveReport}, m)
	s := &stack{screens: screens, messages: m}
	a := &App{cfg: cfg, size: size, messages: m, live: l, screens: screens, stack: s}
	a.loss = &loss{live: l, stack: s, messages: m}
	a.presenter = &presenter{live: l, stack: s, messages: m, size: size, bindings: cfg.Bindings}
	a.past = &past{live: l, stack: s, presenter: a.presenter, messages: m}
	s.replay = a.past.show
	a.clouds = &clouds{of: cfg.Clouds, live: l, stack: s, messages: m, giveUp: func() {}, unopened: map[string]string{}}
	a.memory = &memory{of: cfg.Env.Memory, write: cfg.Remember, stack: s, messages: m}
	a.theming = newTheming(&cfg, a.memory, s)
	a.exports = &exports{stack: s, messages: m, writeFile: cfg.WriteFile}
	a.actions = &actions{everywhere: a.Actions, bindings: cfg.Bindings, live: l, stack: s}
	a.prompt = newPrompt(&cfg, s, a.commands)
	s.command, screens.commands = a.prompt.choose, a.prompt.named
	a.keys = &keys{actions: a.actions, prompt: a.prompt, live: l, stack: s, presenter: a.presenter, messages: m}
	a.mouse = &mouse{on: cfg.Mouse, keys: a.keys, memory: a.memory}
	top := &header{size: size, styles: st, live: l, past: a.past, serving: cfg.Presence != nil}
	a.frame = &frame{header: top, size: size, styles: st, keys: a.keys, stack: s, messages: m, presenter: a.presenter}
	return a
}

// Init shows the first screen and starts to watch the cloud.
func (a *App) Init() tea.Cmd {
	var cmds []tea.Cmd
	cmds = append(cmds, session.Title("placetop "+a.live.Name))
	if a.live.Store == inMemory { // it is a different cloud each time
		a.memory.of.Widen(a.live.known())
	}
	cmds = append(cmds, a.live.watch())
	if a.cfg.First != nil {
		cmds = append(cmds, a.stack.push(a.cfg.Start, a.cfg.First))
	} else {
		cmds = append(cmds, a.stack.home(a.cfg.Start))
	}
	if a.cfg.At != "" && a.live.Cloud != nil {
		cmds = append(cmds, a.past.at(a.cfg.At))
	}
	cmds = append(cmds, a.theming.follow(), a.messages.warn(a.cfg.Warnings), a.messages.fail(a.live.Notice), a.cfg.Presence.listen(a.messages.ctx), a.frame.render())
	return tea.Batch(cmds...)
}

// Close ends the contexts of all screens and of the watch. What still runs for
// them stops soon after.
func (a *App) Close() {
	a.memory.keepCommands(a.prompt.line.History())
	a.live.stop()
	a.stack.clear()
}

// Update routes a message and draws the result.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.screens.crashes.note(msg, a.keys.typing())
	cmd := a.route(msg)
	a.actions.forget()
	cmd = tea.Batch(cmd, a.loss.show(a.keys.typing()), a.screens.follow(a.stack.under()), a.frame.render())
	if p := a.cfg.Presence; p != nil {
		p.publish(a.stack.under().title())
	}
	a.live.link.look(a.stack.under())
	return a, cmd
}

// View returns the frame: exactly as many lines and cells as the terminal has.
func (a *App) View() string { return a.frame.text }

// route passes msg to its receiver.
func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.size.width, a.size.height = msg.Width, msg.Height
		return a.stack.request(a.stack.top(), msg)
	case tea.KeyMsg:
		return a.keys.press(msg)
	case tea.MouseMsg:
		return a.mouse.event(msg)
	case tea.FocusMsg:
		a.live.focus(true)
		return nil
	case tea.BlurMsg:
		a.live.focus(false)
		return nil
	case changedMsg:
		return a.live.changed(msg)
	case recalledMsg:
		return a.past.recalled(msg)
	case slowRecallMsg:
		return a.past.sayWaiting(msg)
	case pastProblemsMsg:
		return a.past.problems(msg)
	case refreshedMsg:
		return a.live.refreshed(msg)
	case lostMsg:
		return a.loss.happened(msg, a.keys.typing())
	case reportMsg:
		return a.live.reported(msg)
	case toastTickMsg:
		return a.messages.ticked()
	case OpenMsg:
		return a.open(msg)
	case otherMsg:
		why, shows := a.clouds.opened(msg)
		if shows {
			return a.open(msg.open)
		}
		return why
	case linkedMsg:
		cmd := a.live.relinked(msg)
		if e := a.stack.under(); isMenu(e) { // it shows the state of the link
			cmd = tea.Batch(cmd, e.update(msg))
		}
		return cmd
	case walkBeganMsg:
		return a.presenter.began(msg)
	case walkPlayedMsg:
		return a.presenter.played(msg)
	case crashMsg:
		return a.screens.crashes.crashed(msg.entry, msg.crash)
	case savedMsg:
		msg.show()
		return nil
	case wroteMsg:
		return a.messages.show(component.Toast(msg))
	case themeTickMsg:
		return a.theming.tick()
	case messagesMsg:
		return a.cfg.Presence.show(a.messages)
	case session.BackgroundMsg:
		return a.theming.background(msg)
	case entryMsg:
		return a.stack.fromCommand(msg)
	default:
		return a.stack.request(a.stack.top(), msg)
	}
}

// open shows another cloud, or the same one from another keeper.
func (a *App) open(msg OpenMsg) tea.Cmd {
	switch {
	case msg.Instead == nil:
	case msg.Instead == a.live.Cloud:
		return a.loss.reopen(msg, a.past)
	default:
		return nil
	}
	a.Close()
	a.live.replace(msg)
	a.presenter.walk = nil
	a.past.reset()
	a.loss.forget()
	watch := a.live.watch()
	return tea.Batch(watch, a.stack.home(a.cfg.Start), a.messages.fail(msg.Notice), session.Title("placetop "+msg.Name))
}
