package tui

import (
	"context"
	"io/fs"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
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

// theming is the current theme.
type theming struct {
	Theming  // Name is the current one
	styles   *style.Styles
	ctx      context.Context //nolint:containedctx // the session's, for the timer
	memory   *memory
	stack    *stack
	messages *messages
	light    bool      // the terminal has reported a light background
	stamp    time.Time // modification time of the user's theme file when it was read
	ticks    bool      // a tick is on its way
}

// themeTickMsg says that it is time to check the user's theme file.
type themeTickMsg struct{}

// themePoll is how often the user's theme file is checked while it is in use.
const themePoll = time.Second

// newTheming returns the theme that the session begins with.
func newTheming(cfg *Config, m *memory, s *stack) *theming {
	st := cfg.Env.Styles
	t := &theming{Theming: cfg.Theming, styles: st, ctx: cfg.Env.Context, memory: m, stack: s, messages: m.messages}
	t.light = st != nil && !st.Palette().Dark
	t.stamp = t.written(t.Name)
	return t
}

// command picks a theme by its name, or lists them.
func (t *theming) command(name string) tea.Cmd {
	if err := t.use(name); err != nil {
		return t.refuse(err, ":theme lists them")
	}
	return tea.Batch(t.keep(name), t.follow())
}

// names returns the themes, the one that follows the terminal first.
func (t *theming) names() []string {
	return append([]string{themes.Auto}, themes.Names(t.Own)...)
}

// menu lists the themes and shows each as the cursor moves.
func (t *theming) menu() list.MenuSpec {
	was := t.Name
	var items []list.Item
	for _, name := range t.names() {
		item := list.Item{Name: name, Note: "follows the background of the terminal", Run: func() tea.Cmd { return t.command(name) }}
		if name != themes.Auto {
			p, err := themes.Load(t.Own, name)
			if item.Note = p.Title; err != nil {
				item.Note, item.Tone = err.Error(), themes.Warn
			}
			if slices.Contains(themes.Own(t.Own), name) {
				item.Note += "   your own"
			}
		}
		items = append(items, item)
	}
	return list.MenuSpec{
		Name: "themes", Title: "themes", Verb: "use", At: was,
		Items: func() []list.Item { return items },
		Moved: func(i list.Item) tea.Cmd {
			if err := t.use(i.ID); err != nil {
				return t.refuse(err, "")
			}
			return t.follow()
		},
		Left: func() { _ = t.use(was) }, // the previous one
	}
}

// keep saves the picked theme.
func (t *theming) keep(name string) tea.Cmd {
	if t.memory.of == nil {
		return nil
	}
	t.memory.of.Theme = name
	if at := t.Fixed; at != "" {
		return t.messages.inform("theme "+name+" for this session only", "another is set by "+at)
	}
	return t.memory.save("")
}

// refuse says why a theme cannot be used.
func (t *theming) refuse(err error, hint string) tea.Cmd {
	return t.messages.refuse("theme: "+err.Error(), hint)
}

// use redraws everything in another theme. One that cannot be read changes nothing.
func (t *theming) use(name string) error {
	of := name
	if name == themes.Auto {
		of = themes.ForBackground(!t.light)
	}
	p, err := themes.Load(t.Own, of)
	if err != nil {
		return err
	}
	t.Name, t.stamp = name, t.written(of)
	t.styles.SetPalette(p)
	return nil
}

// written returns when a theme file of the user's was written, zero for other themes.
func (t *theming) written(name string) time.Time {
	if t.Own == nil {
		return time.Time{}
	}
	info, err := fs.Stat(t.Own, name+".toml")
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// follow watches the user's theme file while it is in use, and asks the terminal for
// its background if the theme follows that.
func (t *theming) follow() tea.Cmd {
	if t.Name == themes.Auto {
		return session.AskBackground()
	}
	if t.ticks || t.stamp.IsZero() {
		return nil
	}
	t.ticks = true
	return screen.After(t.ctx, themePoll, themeTickMsg{})
}

// tick reads the user's theme file again if it has changed. An error is shown once,
// and the colours stay.
func (t *theming) tick() tea.Cmd {
	t.ticks = false
	now := t.written(t.Name)
	if t.stamp.IsZero() || now.IsZero() || now.Equal(t.stamp) {
		return t.follow()
	}
	p, err := themes.Load(t.Own, t.Name)
	t.stamp = now
	if err != nil {
		return tea.Batch(t.refuse(err, "the colours stay"), t.follow())
	}
	t.styles.SetPalette(p)
	return t.follow()
}

// background handles the terminal's answer about its background.
func (t *theming) background(msg session.BackgroundMsg) tea.Cmd {
	if t.Name != themes.Auto || t.light == !msg.Dark {
		return nil
	}
	t.light = !msg.Dark
	if err := t.use(themes.Auto); err != nil {
		return t.refuse(err, "")
	}
	return nil
}
