package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/placetop/placetop/tui/screen"
)

// memoryFile is where the dashboard keeps what a person has arranged.
func memoryFile() string { return filepath.Join(xdg.StateHome, "placetop", "dashboard.json") }

// recall reads what was arranged in the session before. What cannot be read is forgotten,
// and the log says why: nobody shall be kept from the cloud by it.
func (p *program) recall() *screen.Memory {
	m := &screen.Memory{}
	if p.memory == "" {
		return m
	}
	data, err := os.ReadFile(p.memory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m
	case err == nil:
		err = json.Unmarshal(data, m)
	}
	if err != nil {
		p.log.Warn("what was arranged before is forgotten", slog.String("file", p.memory), slog.String("error", err.Error()))
		return &screen.Memory{}
	}
	return m
}

// firstTime reports whether nothing was ever arranged here.
func (p *program) firstTime() bool {
	if p.memory == "" {
		return false
	}
	_, err := os.Stat(p.memory)
	return errors.Is(err, fs.ErrNotExist)
}

// remember keeps what was arranged. The file is replaced as a whole, so that one that is
// read meanwhile is whole too.
func (p *program) remember(m *screen.Memory) error {
	if p.memory == "" {
		return nil
	}
	data, err := json.MarshalIndent(m, "", "  ")
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
	return nil
}
