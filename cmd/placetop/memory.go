package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"

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
	p.recalled = new(screen.Memory)
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
	*p.recalled = copyMemory(m)
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

// withUnknown returns m as JSON, with what the file has under names that this release does
// not know: a newer one keeps something there.
func withUnknown(path string, m *screen.Memory) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if old, err := diskfile.ReadText(path); err == nil {
		_ = json.Unmarshal(old, &fields) // readMemory has read it
	}
	for f := range reflect.TypeFor[screen.Memory]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(fields, name)
	}
	known, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(known, &fields); err != nil {
		return nil, err
	}
	return json.MarshalIndent(fields, "", "  ")
}

// copyMemory returns a copy of the named things in m.
func copyMemory(m *screen.Memory) screen.Memory {
	return screen.Memory{Views: maps.Clone(m.Views), Narrowed: maps.Clone(m.Narrowed), Filters: maps.Clone(m.Filters), Bookmarks: maps.Clone(m.Bookmarks), At: maps.Clone(m.At), Visits: maps.Clone(m.Visits)}
}

// merged merges three versions of named things: the original, the one here, and the one
// that another dashboard has left. What was changed or deleted here stays so; the rest is
// as in theirs.
func merged[V any](was, here, theirs map[string]V) map[string]V {
	out := maps.Clone(theirs)
	if out == nil {
		out = map[string]V{}
	}
	for name := range was {
		if _, kept := here[name]; !kept {
			delete(out, name)
		}
	}
	for name, v := range here {
		old, known := was[name]
		if !known || !reflect.DeepEqual(v, old) {
			out[name] = v
		}
	}
	return out
}

// remember stores what was arranged, merged with what another dashboard has stored since
// it was last read here. It replaces the file in one step, so that readers always see a
// complete one.
func (p *program) remember(m *screen.Memory) error {
	if p.memory == "" {
		return nil
	}
	theirs, err := readMemory(p.memory)
	switch {
	case err == nil:
		was := p.recalled
		m.Views, m.Filters = merged(was.Views, m.Views, theirs.Views), merged(was.Filters, m.Filters, theirs.Filters)
		m.Bookmarks, m.At = merged(was.Bookmarks, m.Bookmarks, theirs.Bookmarks), merged(was.At, m.At, theirs.At)
		m.Visits, m.Narrowed = merged(was.Visits, m.Visits, theirs.Visits), merged(was.Narrowed, m.Narrowed, theirs.Narrowed)
	case !errors.Is(err, fs.ErrNotExist): // somebody may want to save their filters from it
		if err := os.Rename(p.memory, p.memory+unreadable); err != nil {
			return err
		}
	}
	data, err := withUnknown(p.memory, m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.memory), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(p.memory), "dashboard-*.json")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.memory)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	*p.recalled = copyMemory(m)
	return nil
}
