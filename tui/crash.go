package tui

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// keptMessages is how many messages are in a crash report.
const keptMessages = 50

// recent remembers the types of the last messages, not their content: a report must not
// reveal what was typed into a form, and a message may keep much memory in use.
type recent []string

func (r *recent) add(a *App, msg tea.Msg) {
	var what string
	switch msg := msg.(type) {
	case tea.KeyMsg:
		what = "key " + msg.String()
		if a.typing() || msg.Paste {
			what = "key typed into an input"
		}
	case tea.WindowSizeMsg:
		what = fmt.Sprintf("size %dx%d", msg.Width, msg.Height)
	case entryMsg:
		what = fmt.Sprintf("%s for %s#%d", reflect.TypeOf(msg.msg), place.Kind(msg.entry.place), msg.entry.id)
	case nil:
		return
	default:
		what = reflect.TypeOf(msg).String()
	}
	*r = append(*r, a.env.Clock().UTC().Format("15:04:05.000")+"  "+what)
	*r = (*r)[max(len(*r)-keptMessages, 0):]
}

// savedMsg says where a crash report is.
type savedMsg struct {
	entry *entry
	path  string
	err   error
}

// crashed replaces a screen by the page about its panic, and saves a report.
func (a *App) crashed(e *entry, crash *session.PanicError) tea.Cmd {
	if e.broken {
		return nil
	}
	e.broken, e.dirty = true, true
	name := place.Kind(e.place)
	if name == "" {
		name = reflect.TypeOf(e.screen).String()
	}
	e.screen = a.panicPage(name, crash)
	return a.save(e, crash)
}

// panicPage says that a screen has crashed, and leads back.
func (a *App) panicPage(name string, crash *session.PanicError) *screen.Page {
	lines := []string{
		fmt.Sprintf("something broke in screen '%s'.", name),
		crash.Error(),
	}
	if s := a.live.snapshot; s != nil {
		lines[0] += fmt.Sprintf("  Your data is safe: last write rev %s.", count(int64(s.Revision())))
	}
	return screen.NewPage(a.env.Styles, "panic", style.SeverityCritical, screen.LabelPanic, lines,
		screen.Choice{Key: "enter", Title: "back to pulses", Request: func() tea.Msg {
			return homeMsg{}
		}})
}

// homeMsg asks for the first screen, without the crashed one.
type homeMsg struct{}

// restart leaves a stack with a crashed screen for good.
func (a *App) restart() tea.Cmd {
	broken := a.stack
	a.stack = nil
	a.drop(broken)
	return a.home(place.Pulses{})
}

// save saves a crash report, off the event loop.
func (a *App) save(e *entry, crash *session.PanicError) tea.Cmd {
	keep := a.cfg.SaveReport
	if keep == nil {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "placetop crash report\ntime      %s\nscreen    %s %s\nterminal  %dx%d\ncloud     %s (%s)\n\n%s\n\n%s\n\nlast messages\n",
		a.env.Clock().UTC().Format(time.RFC3339), place.Kind(e.place), fields(e.place), a.size.width, a.size.height, a.live.Name, a.live.Store,
		crash.Error(), crash.Stack)
	fmt.Fprintln(&b, strings.Join(a.recent, "\n"))
	report := []byte(b.String())
	return func() tea.Msg {
		path, err := keep(report)
		return savedMsg{entry: e, path: path, err: err}
	}
}

// fields draws the fields of a place with their names, "" if it has none.
func fields(p place.Place) string {
	return strings.NewReplacer("{place:{}}", "", "place:{} ", "").Replace(fmt.Sprintf("%+v", p))
}

// saved adds where the report is to the page.
func (a *App) saved(msg savedMsg) tea.Cmd {
	page, ok := msg.entry.screen.(*screen.Page)
	if !ok || !msg.entry.broken {
		return nil
	}
	line := "report: " + msg.path
	if msg.err != nil {
		line = "no report: " + msg.err.Error()
	}
	page.AddLine(line)
	msg.entry.dirty = true
	return nil
}
