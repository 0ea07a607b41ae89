package tui

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// From these sizes on two dashboards are side by side, or one above the other, in cells.
// With less room only the focused one is shown.
const (
	besideW = 160
	besideH = 40
)

// beside is the dashboard of another cloud in the same terminal, with its own header,
// screens and rights.
type beside struct {
	app           *App
	on            bool // it gets the keys
	width, height int  // of the terminal
}

type (
	// besideMsg is a message for the second dashboard; it identifies the dashboard, so
	// that messages for a closed one are dropped.
	besideMsg struct {
		app *App
		msg tea.Msg
	}
	// besideOpenMsg is the cloud to show in the second dashboard, or why it could not be
	// opened.
	besideOpenMsg struct {
		try  int
		name string
		open OpenMsg
		err  error
	}
	// otherSideMsg gives the keys to the other dashboard. closeSideMsg closes the second
	// one, whatever is lost by that if the user has been asked.
	otherSideMsg struct{}
	closeSideMsg struct{ asked bool }
)

// besideCommand opens a second dashboard on another cloud, or closes it.
func (a *App) besideCommand() command {
	return command{name: "beside", args: a.cfg.Clouds.Names(), what: "show another cloud beside this one, or end that; ^o switches between them", run: func(name string) tea.Cmd {
		switch {
		case a.second || a.beside != nil && name == "":
			return func() tea.Msg { return closeSideMsg{} }
		case name == "":
			return a.refuse("beside: name the cloud to show beside this one", ":ctx lists them")
		case !slices.Contains(a.cfg.Clouds.Names(), name):
			return a.refuse("beside: there is no cloud "+name, ":ctx lists them")
		}
		a.sides++
		a.typed = false
		ctx, try, open := a.env.Context, a.sides, a.cfg.Clouds.Open
		return screen.Batch(a.toast(component.Toast{Severity: style.SeverityInfo, Text: "opening " + name}), func() tea.Msg {
			msg, err := open(ctx, name)
			return besideOpenMsg{try, name, msg, err}
		})
	}}
}

// besideActions is the key that switches between two dashboards.
func (a *App) besideActions() []action.Action {
	if a.cfg.Clouds == nil {
		return nil
	}
	other := action.Action{ID: "app.other", Keys: []string{"ctrl+o"}, Title: "other cloud", Help: "go to the other cloud", Priority: 70, Run: func() tea.Cmd {
		return func() tea.Msg { return otherSideMsg{} }
	}}
	if a.beside == nil && !a.second {
		other.Priority, other.Disabled = 0, "no other is shown; :beside shows one"
	}
	return []action.Action{other}
}

// showBeside shows an opened cloud beside this one, with the same list. It gets the keys,
// unless the user has pressed a key here meanwhile. If another cloud was requested later,
// that one counts.
func (a *App) showBeside(msg besideOpenMsg) tea.Cmd {
	switch {
	case msg.try != a.sides:
		return nil
	case msg.err != nil:
		return a.cannotOpen(msg.name, msg.err, ":beside again")
	}
	delete(a.unopened, msg.name)
	a.failed = ""
	if cmd, stays := a.besideStays(); stays {
		return cmd
	}
	closed := a.closeBeside()
	cfg := a.cfg
	cfg.Env.Context, cfg.Env.Common, cfg.Env.Keeper = a.env.Context, nil, msg.open.Keeper
	cfg.Cloud, cfg.Name, cfg.Store, cfg.Place, cfg.Notice = msg.open.Cloud, msg.name, msg.open.Store, msg.open.Place, msg.open.Notice
	cfg.Refresh, cfg.Link, cfg.Lost = msg.open.Refresh, msg.open.Link, msg.open.Lost
	cfg.First, cfg.FirstTime, cfg.At, cfg.Pace = nil, false, "", 0
	cfg.Start = nil
	for _, e := range a.stack {
		if _, err := place.Parse(cmp.Or[place.Place](e.place, place.Find{}), ""); err == nil {
			cfg.Start = e.place
		}
	}
	b := &beside{app: New(cfg), width: a.width, height: a.height}
	b.app.second, b.app.theming, b.app.pointer.on = true, a.theming, a.pointer.on
	a.beside = b
	cmds := []tea.Cmd{closed, sided(b.app, b.app.Init()), a.split(), a.turn(!a.typed)}
	if a.typed {
		cmds = append(cmds, a.toast(component.Toast{Severity: style.SeverityOK, Text: msg.name + " is open beside", Hint: "^o goes there"}))
	}
	return screen.Batch(cmds...)
}

// turn gives the keys to the second dashboard, or back.
func (a *App) turn(on bool) tea.Cmd {
	b := a.beside
	b.on, a.idle, b.app.idle = on, on, !on
	return session.Title("placetop " + a.focused().cfg.Name)
}

// besideStays is stays for the second dashboard.
func (a *App) besideStays() (tea.Cmd, bool) {
	if a.beside == nil {
		return nil, false
	}
	cmd, stays := a.beside.app.stays()
	return sided(a.beside.app, cmd), stays
}

// closeBeside closes the second dashboard.
func (a *App) closeBeside() tea.Cmd {
	b := a.beside
	if b == nil {
		return nil
	}
	b.app.Close()
	a.beside, a.idle = nil, false
	return screen.Batch(a.resized(tea.WindowSizeMsg{Width: b.width, Height: b.height}), session.Title("placetop "+a.cfg.Name))
}

// split divides the terminal between the two dashboards.
func (a *App) split() tea.Cmd {
	b := a.beside
	one := tea.WindowSizeMsg{Width: b.width, Height: b.height}
	two := one
	switch {
	case b.width >= besideW:
		one.Width = (b.width - 1) / 2
		two.Width = b.width - 1 - one.Width
	case b.height >= besideH:
		one.Height = b.height / 2
		two.Height = b.height - one.Height
	}
	return screen.Batch(a.resized(one), b.update(two))
}

// toBeside handles messages for both dashboards or for the second one, and reports
// whether that is all.
func (a *App) toBeside(msg tea.Msg) (cmd tea.Cmd, all bool) {
	b := a.beside
	switch msg := msg.(type) {
	case besideOpenMsg:
		return a.showBeside(msg), true
	case besideMsg:
		if b == nil || b.app != msg.app {
			return nil, true
		}
		return b.update(msg.msg), true
	case tea.KeyMsg:
		a.typed = true
	}
	if b == nil {
		return nil, false
	}
	switch msg := msg.(type) {
	case closeSideMsg:
		if !msg.asked {
			if cmd, stays := a.besideStays(); stays {
				return cmd, true
			}
		}
		return a.closeBeside(), true
	case otherSideMsg:
		return a.turn(!b.on), true
	case tea.WindowSizeMsg:
		b.width, b.height = msg.Width, msg.Height
		return a.split(), true
	case tea.KeyMsg:
		if b.on && !a.follows() {
			return b.update(msg), true
		}
	case tea.MouseMsg:
		if !a.follows() {
			return a.pointAt(msg)
		}
	case tea.FocusMsg, tea.BlurMsg:
		return b.update(msg), false
	}
	return nil, false
}

// pointAt passes a mouse event to the dashboard under the mouse, which gets the keys on a
// click.
func (a *App) pointAt(msg tea.MouseMsg) (cmd tea.Cmd, all bool) {
	b := a.beside
	x, y := b.at()
	there := b.on
	if x+y > 0 {
		there = msg.X >= x && msg.Y >= y
	}
	if there != b.on && msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress {
		cmd = a.turn(there)
	}
	if !there {
		return cmd, false
	}
	msg.X, msg.Y = msg.X-x, msg.Y-y
	return screen.Batch(cmd, b.update(msg)), true
}

// focused returns the dashboard that gets the keys.
func (a *App) focused() *App {
	if a.beside != nil && a.beside.on {
		return a.beside.app
	}
	return a
}

// at returns where in the terminal the dashboard begins; 0, 0 if only one is shown.
func (b *beside) at() (x, y int) {
	switch {
	case b.width >= besideW:
		return (b.width-1)/2 + 1, 0
	case b.height >= besideH:
		return 0, b.height / 2
	}
	return 0, 0
}

// update passes a message to the dashboard.
func (b *beside) update(msg tea.Msg) tea.Cmd {
	_, cmd := b.app.Update(msg)
	return sided(b.app, cmd)
}

// render draws the dashboard, whose theme may have changed.
func (b *beside) render() tea.Cmd {
	if b == nil {
		return nil
	}
	return sided(b.app, b.app.render())
}

// sided returns a command whose message goes back to the second dashboard, except
// messages for Bubble Tea and the session, and those for both dashboards.
func sided(app *App, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := cmd()
		switch msg.(type) {
		case nil, otherSideMsg, closeSideMsg, themeTickMsg:
			return msg
		case tea.QuitMsg:
			return closeSideMsg{asked: true}
		}
		mapped := session.MapCmds(msg, func(c tea.Cmd) tea.Cmd { return sided(app, c) })
		path := reflect.TypeOf(msg).PkgPath()
		if path == reflect.TypeFor[tea.QuitMsg]().PkgPath() || path == reflect.TypeFor[session.StatsMsg]().PkgPath() {
			return mapped
		}
		return besideMsg{app, mapped}
	}
}

// View returns the frame: exactly as many lines and cells as the terminal has.
func (a *App) View() string {
	if a.follows() {
		return a.following()
	}
	return a.own()
}

// size returns the size of the terminal.
func (a *App) size() (w, h int) {
	if a.beside != nil {
		return a.beside.width, a.beside.height
	}
	return a.width, a.height
}

// own returns the frame to show unless another user is followed.
func (a *App) own() string {
	b := a.beside
	switch {
	case b == nil:
		return a.frame
	case b.width >= besideW:
		border := a.env.Styles.Render(themes.Border, a.env.Styles.Glyphs.Vertical)
		left, right := strings.Split(a.frame, "\n"), strings.Split(b.app.frame, "\n")
		for i := range min(len(left), len(right)) {
			left[i] += border + right[i]
		}
		return strings.Join(left, "\n")
	case b.height >= besideH:
		return a.frame + "\n" + b.app.frame
	}
	return a.focused().frame
}
