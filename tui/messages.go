package tui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// messages holds what the dashboard says: toasts that stay for some seconds, and all of them
// for ":messages".
type messages struct {
	component.Toasts
	styles   *style.Styles
	clock    func() time.Time
	ctx      context.Context //nolint:containedctx // the session's, for the timer
	size     *size
	armed    bool // a timer waits for a toast to expire
	log      []loggedToast
	question component.Toast // which key loses something the second time
	about    any             // what that key closes; nil without a question
}

// loggedToast is a toast and when it was shown.
type loggedToast struct {
	at   time.Time
	text component.Toast
}

// mostLogged is how many of them are kept.
const mostLogged = 500

// toastTickMsg says that a toast has expired.
type toastTickMsg struct{}

// show shows a toast for some seconds.
func (m *messages) show(t component.Toast) tea.Cmd {
	m.Push(t, m.clock())
	m.note(t)
	return m.arm()
}

// note only logs a toast.
func (m *messages) note(t component.Toast) {
	m.log = append(m.log, loggedToast{m.clock(), t})
	m.log = m.log[max(len(m.log)-mostLogged, 0):]
}

// arm sets one timer, for the first toast to expire.
func (m *messages) arm() tea.Cmd {
	_, next := m.Expire(m.clock())
	if m.armed || next == 0 {
		return nil
	}
	m.armed = true
	return screen.After(m.ctx, next, toastTickMsg{})
}

// ticked drops what has expired.
func (m *messages) ticked() tea.Cmd {
	m.armed = false
	return m.arm()
}

// refuse says why something does not happen, or what is wrong.
func (m *messages) refuse(text, hint string) tea.Cmd {
	return m.show(component.Toast{Severity: style.SeverityWarn, Text: text, Hint: hint})
}

// inform says what goes on.
func (m *messages) inform(text, hint string) tea.Cmd {
	return m.show(component.Toast{Severity: style.SeverityInfo, Text: text, Hint: hint})
}

// done says what was done.
func (m *messages) done(text string) tea.Cmd {
	return m.show(component.Toast{Severity: style.SeverityOK, Text: text})
}

// fail says what went wrong, or is wrong with the cloud; nothing for "".
func (m *messages) fail(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return m.show(component.Toast{Severity: style.SeverityCritical, Text: text})
}

// warn shows the first of some warnings, and logs all.
func (m *messages) warn(texts []string) (first tea.Cmd) {
	for i, text := range texts {
		hint := ""
		if n := len(texts) - 1; n > 0 {
			hint = ":messages has " + component.Count(n) + " more"
		}
		if i == 0 {
			first = m.refuse(text, hint)
		} else {
			m.note(component.Toast{Severity: style.SeverityWarn, Text: text})
		}
	}
	return first
}

// ask says what a key would lose that closes something, until another key comes.
func (m *messages) ask(about any, what, hint string) tea.Cmd {
	m.dropQuestion()
	m.about, m.question = about, component.Toast{Severity: style.SeverityWarn, Text: what, Hint: hint}
	return m.show(m.question)
}

// asked reports whether that key was pressed just before.
func (m *messages) asked(about any) bool { return m.about == about }

// dropQuestion withdraws the question.
func (m *messages) dropQuestion() {
	m.Withdraw(m.question)
	m.about = nil
}

// fits reports whether a line has room for a message and a hint.
func (m *messages) fits(text, hint string) bool {
	const marks = 6 // cells around them
	return component.Width(m.styles, text+hint) <= m.size.width-marks
}

// copy copies a text to the clipboard and says so.
func (m *messages) copy(msg screen.CopyMsg) tea.Cmd {
	msg.Text = format.Pasteable(msg.Text) // names come from other people
	return m.copyAsItIs(msg)
}

// copyAsItIs is copy for a text of our own, which may have colours.
func (m *messages) copyAsItIs(msg screen.CopyMsg) tea.Cmd {
	return tea.Batch(session.Copy(msg.Text), m.done("copied "+cmp.Or(msg.What, msg.Text)))
}

// last draws the newest toast, "" if there is none.
func (m *messages) last(w int) string {
	if m.Len() == 0 {
		return ""
	}
	lines := strings.Split(m.View(m.styles, w), "\n")
	return lines[len(lines)-1]
}

// logMenu lists past toasts, newest first.
func (m *messages) logMenu() list.MenuSpec {
	return list.MenuSpec{
		Name: "messages", Title: "messages", Verb: "copy", Stays: true, Unnumbered: true, Empty: "no messages in this session yet",
		Items: func() []list.Item {
			var items []list.Item
			for i, s := range slices.Backward(m.log) {
				text := s.text.Text
				if s.text.Hint != "" {
					text += "   " + s.text.Hint
				}
				at, t := s.at.UTC().Format("15:04:05"), s.text.Severity.Token()
				if s.text.Severity == style.SeverityNone {
					t = themes.Dim
				}
				items = append(items, list.Item{ID: strconv.Itoa(i), Name: at, Note: text, Tone: t, Run: func() tea.Cmd {
					return m.copy(screen.CopyMsg{What: "the line", Text: at + " " + text})
				}})
			}
			return items
		},
	}
}
