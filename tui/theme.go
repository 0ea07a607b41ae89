package tui

import (
	"io/fs"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
)

// Theming is what the dashboard knows about themes.
type Theming struct {
	// Own are the user's own palettes, NAME.toml each; nil for none.
	Own fs.FS
	// Name is the theme that Env.Styles has. It may be themes.Auto.
	Name string
	// Fixed says where the theme is set, such as "config.toml:3: theme": a theme that the
	// user picks then holds for this session only. It is "" where a picked theme is kept.
	Fixed string
}

// theming is the current theme. Dashboards in one terminal share it.
type theming struct {
	name  string
	light bool      // the terminal has reported a light background
	stamp time.Time // modification time of the user's theme file when it was read
	ticks bool      // a tick is on its way
}

// themeTickMsg says that it is time to check the user's theme file.
type themeTickMsg struct{}

// themeLook is how often the user's theme file is checked while it is in use.
const themeLook = time.Second

// themeCommands lead to the themes.
func (a *App) themeCommands() []command {
	return []command{{name: "theme", args: a.themeNames(), what: "pick a theme, shown as the cursor moves, or name one", run: func(name string) tea.Cmd {
		if name == "" {
			return a.pickTheme()
		}
		if err := a.useTheme(name); err != nil {
			return a.messages.refuse("theme: "+err.Error(), ":theme lists them")
		}
		return tea.Batch(a.keepTheme(name), a.followTheme())
	}}}
}

// themeNames returns the themes, the one that follows the terminal first.
func (a *App) themeNames() []string {
	return append([]string{themes.Auto}, themes.Names(a.cfg.Theming.Own)...)
}

// pickTheme lists the themes and shows each as the cursor moves.
func (a *App) pickTheme() tea.Cmd {
	was := a.theming.name
	var items []menu.Item
	for _, name := range a.themeNames() {
		item := menu.Item{ID: name, Name: name, Note: "follows the background of the terminal"}
		if name != themes.Auto {
			p, err := themes.Load(a.cfg.Theming.Own, name)
			if item.Note = p.Title; err != nil {
				item.Note, item.Tone = err.Error(), themes.Warn
			}
			if slices.Contains(themes.Own(a.cfg.Theming.Own), name) {
				item.Note += "   your own"
			}
		}
		items = append(items, item)
	}
	show := func(name string) tea.Cmd {
		if err := a.useTheme(name); err != nil {
			return a.messages.refuse("theme: "+err.Error(), "")
		}
		return a.followTheme()
	}
	return a.stack.openMenu(menu.Spec{
		Name: "themes", Title: "themes", Verb: "use", At: was,
		Items:  func() []menu.Item { return items },
		Moved:  func(i menu.Item) tea.Cmd { return show(i.ID) },
		Choose: func(i menu.Item) tea.Cmd { return tea.Batch(show(i.ID), a.keepTheme(i.ID)) },
		Left:   func() { _ = a.useTheme(was) }, // the previous one
	})
}

// keepTheme saves the picked theme.
func (a *App) keepTheme(name string) tea.Cmd {
	if a.env.Memory == nil {
		return nil
	}
	a.env.Memory.Theme = name
	if at := a.cfg.Theming.Fixed; at != "" {
		return a.messages.inform("theme "+name+" for this session only", "another is set by "+at)
	}
	return a.saveMemory()
}

// useTheme redraws everything in another theme. One that cannot be read changes nothing.
func (a *App) useTheme(name string) error {
	of := name
	if name == themes.Auto {
		of = themes.ForBackground(!a.theming.light)
	}
	p, err := themes.Load(a.cfg.Theming.Own, of)
	if err != nil {
		return err
	}
	a.theming.name, a.theming.stamp = name, a.stamp(of)
	a.env.Styles.SetPalette(p)
	return nil
}

// stamp returns when a theme file of the user's was written, zero for other themes.
func (a *App) stamp(name string) time.Time {
	if a.cfg.Theming.Own == nil {
		return time.Time{}
	}
	info, err := fs.Stat(a.cfg.Theming.Own, name+".toml")
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// followTheme watches the user's theme file while it is in use, and asks the terminal for
// its background if the theme follows that.
func (a *App) followTheme() tea.Cmd {
	if a.theming.name == themes.Auto {
		return session.AskBackground()
	}
	if a.theming.ticks || a.theming.stamp.IsZero() {
		return nil
	}
	a.theming.ticks = true
	return screen.After(a.env.Context, themeLook, themeTickMsg{})
}

// themeTick reads the user's theme file again if it has changed. An error is shown once,
// and the colours stay.
func (a *App) themeTick() tea.Cmd {
	a.theming.ticks = false
	t := a.theming
	now := a.stamp(t.name)
	if t.stamp.IsZero() || now.IsZero() || now.Equal(t.stamp) {
		return a.followTheme()
	}
	p, err := themes.Load(a.cfg.Theming.Own, t.name)
	t.stamp = now
	if err != nil {
		return tea.Batch(a.messages.refuse("theme: "+err.Error(), "the colours stay"), a.followTheme())
	}
	a.env.Styles.SetPalette(p)
	return a.followTheme()
}

// background handles the terminal's answer about its background.
func (a *App) background(msg session.BackgroundMsg) tea.Cmd {
	if a.theming.name != themes.Auto || a.theming.light == !msg.Dark {
		return nil
	}
	a.theming.light = !msg.Dark
	if err := a.useTheme(themes.Auto); err != nil {
		return a.messages.refuse("theme: "+err.Error(), "")
	}
	return nil
}
