package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/session"
)

// editor lets the user edit a text in the editor that VISUAL or EDITOR names, else in vi,
// in a temporary file. Saved text is returned even with an error: if an editor is killed,
// or ends with an exit code other than 0, what was typed must not be lost.
func editor(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	run, read, err := handOver(text)
	if err != nil {
		return func() tea.Msg { return done("", err) }
	}
	return session.Exec(run, func(err error) tea.Msg { return done(read(err)) })
}

// handOver returns the command that edits a text, and a function that reads the text once
// that has ended, along with its error.
func handOver(text string) (run *exec.Cmd, read func(error) (string, error), err error) {
	name, err := saveTemp("", "placetop-*.yaml", text)
	if err != nil {
		return nil, nil, err
	}
	words := editorWords(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	run = exec.Command(words[0], append(words[1:], name)...) //nolint:noctx // the person's own editor, for as long as they like
	return run, func(err error) (string, error) {
		defer os.Remove(name) //nolint:errcheck // it is in the folder for what goes
		called := strings.Join(words, " ")
		if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
			err = fmt.Errorf("%s: %w; set VISUAL or EDITOR to the editor to use", called, err)
		} else if err != nil {
			err = fmt.Errorf("%s: %w", called, err)
		}
		edited, unread := os.ReadFile(name)
		if errors.Is(unread, fs.ErrNotExist) {
			unread = fmt.Errorf("%s left no file %s: save it under the name that it was opened with", called, name)
		}
		return string(edited), errors.Join(err, unread)
	}, nil
}

// saveTemp writes a new file in a folder, "" for that of temporary files, and returns its
// path.
func saveTemp(folder, pattern, text string) (string, error) {
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil { // such as that the disk is full
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// editorWords returns the command of the editor: the first of named that is not empty,
// else vi.
func editorWords(named ...string) []string {
	for _, command := range named {
		if words := strings.Fields(command); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}
