package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/session"
)

// editor has somebody edit a text in the editor that VISUAL or EDITOR names, else in vi,
// as a file that is there for that long. What was saved is there with an error, too: an
// editor that is killed, or ends as if it had failed, must not cost what was typed.
func editor(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	f, err := os.CreateTemp("", "placetop-*.yaml")
	if err != nil {
		return func() tea.Msg { return done("", err) }
	}
	name := f.Name()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return func() tea.Msg { return done("", errors.Join(err, os.Remove(name))) }
	}
	words := editorWords(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	run := exec.Command(words[0], append(words[1:], name)...) //nolint:gosec,noctx // the person's own editor, for as long as they like
	return session.Exec(run, func(err error) tea.Msg {
		defer os.Remove(name) //nolint:errcheck // it is in the folder for what goes
		if err != nil {
			err = fmt.Errorf("%s: %w", strings.Join(words, " "), err)
		}
		edited, unread := os.ReadFile(name)
		return done(string(edited), errors.Join(err, unread))
	})
}

// editorWords returns the command of the editor: the first of those named that says
// anything, else vi.
func editorWords(named ...string) []string {
	for _, command := range named {
		if words := strings.Fields(command); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}
