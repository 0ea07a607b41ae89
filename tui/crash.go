package tui

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// keptMessages is how many messages are in a crash report.
const keptMessages = 50

// crashes puts a page about its panic in place of a screen, and saves a report.
type crashes struct {
	live *live
	size *size
	save func(report []byte) (path string, err error) // nil saves none
	// recent are the types of the last messages, not their content: a report must not reveal
	// what was typed into a form, and a message may keep much memory in use.
	recent []string
}

// note remembers a message for a report. Typed says that keys are text.
func (c *crashes) note(msg tea.Msg, typed bool) {
	var what string
	switch msg := msg.(type) {
	case tea.KeyMsg:
		what = "key " + msg.String()
		if typed || msg.Paste {
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
	c.recent = append(c.recent, c.live.session.Clock().UTC().Format("15:04:05.000")+"  "+what)
	c.recent = c.recent[max(len(c.recent)-keptMessages, 0):]
}

// savedMsg says where a crash report is.
type savedMsg struct {
	entry *entry
	path  string
	err   error
}

// crashed replaces a screen by the page about its panic, which leads back, and saves a report.
func (c *crashes) crashed(e *entry, crash *session.PanicError) tea.Cmd {
	if e.broken {
		return nil
	}
	name := place.Kind(e.place)
	if name == "" && e.screen != nil {
		name = reflect.TypeOf(e.screen).String()
	}
	lines := []string{"something broke in screen '" + name + "'.", crash.Error()}
	if s := c.live.snapshot; s != nil {
		lines[0] += "  Your data is safe: last write rev " + component.Count(s.Revision()) + "."
	}
	e.broken, e.dirty = true, true
	e.screen = screen.NewPage(c.live.session.Styles, "panic", style.SeverityCritical, screen.LabelPanic, lines,
		screen.Choice{Key: "enter", Title: "back to pulses", Request: func() tea.Msg { return homeMsg{} }})
	return c.report(e, crash)
}

// homeMsg asks for the first screen, without the crashed one.
type homeMsg struct{}

// report saves a report, off the event loop.
func (c *crashes) report(e *entry, crash *session.PanicError) tea.Cmd {
	save := c.save
	if save == nil {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "placetop crash report\ntime      %s\nscreen    %s %s\nterminal  %dx%d\ncloud     %s (%s)\n\n%s\n\n%s\n\nlast messages\n",
		c.live.session.Clock().UTC().Format(time.RFC3339), place.Kind(e.place), fields(e.place), c.size.width, c.size.height, c.live.Name, c.live.Store,
		crash.Error(), crash.Stack)
	fmt.Fprintln(&b, strings.Join(c.recent, "\n"))
	report := []byte(b.String())
	return func() tea.Msg {
		path, err := save(report)
		return savedMsg{entry: e, path: path, err: err}
	}
}

// fields draws the fields of a place with their names, "" if it has none.
func fields(p place.Place) string {
	return strings.NewReplacer("{place:{}}", "", "place:{} ", "").Replace(fmt.Sprintf("%+v", p))
}

// show adds where the report is to the page.
func (msg savedMsg) show() {
	page, ok := msg.entry.screen.(*screen.Page)
	if !ok || !msg.entry.broken {
		return
	}
	line := "report: " + msg.path
	if msg.err != nil {
		line = "no report: " + msg.err.Error()
	}
	page.AddLine(line)
	msg.entry.dirty = true
}
