package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/tui/screen"
)

// memoryFile is where the dashboard stores what a user has arranged.
func memoryFile() string { return filepath.Join(xdg.StateHome, "placetop", "dashboard.json") }

// unreadable is added to the name of such a file that cannot be read and is replaced.
const unreadable = ".unreadable"

// recall reads what was arranged in earlier sessions. If it cannot be read, it is
// ignored, with the reason in the log and a word on the screen: it must not keep anyone from the cloud.
func (p *program) recall() *screen.Memory {
	if p.memory == "" {
		return &screen.Memory{}
	}
	m, err := readMemory(p.memory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &screen.Memory{}
	case err != nil:
		p.log.Warn("the saved layout is dropped", slog.String("file", p.memory), slog.String("error", err.Error()))
		p.unrecalled = "the saved layout and filters cannot be read, and are kept as " + filepath.Base(p.memory) + unreadable + " once something is saved"
		return &screen.Memory{}
	}
	return m
}

// filters returns the named filters, from earlier sessions and from the configuration
// file.
func (p *program) filters() *screen.Memory {
	m := p.recall()
	m.Given = p.settings.Filters
	return m
}

// namedFilter returns a function that returns the named filters of commands. It warns of a
// name that may be among those that cannot be read.
func (p *program) namedFilter() func(name string) (string, bool) {
	m := p.filters()
	return func(name string) (string, bool) {
		expr, ok := m.Filter(name)
		if !ok && p.unrecalled != "" {
			p.say("warning: %s cannot be read, so the filters saved there are unknown", p.memory)
		}
		return expr, ok
	}
}

// readMemory reads the file.
func readMemory(path string) (*screen.Memory, error) {
	data, err := diskfile.ReadText(path)
	if err != nil {
		return nil, err
	}
	m := &screen.Memory{}
	return m, json.Unmarshal(data, m)
}

// remember stores what was arranged. Where several dashboards do, the last one wins. It
// replaces the file in one step, so that readers always see a complete one.
func (p *program) remember(m *screen.Memory) error {
	if p.memory == "" {
		return nil
	}
	if _, err := readMemory(p.memory); err != nil && !errors.Is(err, fs.ErrNotExist) { // somebody may want to save their filters from it
		if err := os.Rename(p.memory, p.memory+unreadable); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.memory), 0o700); err != nil {
		return err
	}
	made, err := saveTemp(filepath.Dir(p.memory), "dashboard-*.json", string(data)+"\n")
	if err != nil {
		return err
	}
	if err := os.Rename(made, p.memory); err != nil {
		return errors.Join(err, os.Remove(made))
	}
	return nil
}
