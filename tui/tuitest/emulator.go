package tuitest

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Emulator is an emulated terminal: it takes bytes and tells what the screen
// shows. It may be used from several goroutines.
type Emulator struct {
	mu      sync.Mutex
	changed chan struct{} // closed by the next write
	vt      *vt.Emulator
	modes   map[ansi.Mode]bool
	count   int
	raw     []byte
}

// NewEmulator returns a terminal of width x height cells. Close ends it.
func NewEmulator(width, height int) *Emulator {
	e := &Emulator{
		vt:      vt.NewEmulator(width, height),
		modes:   map[ansi.Mode]bool{ansi.ModeTextCursorEnable: true},
		changed: make(chan struct{}),
	}
	e.vt.SetCallbacks(vt.Callbacks{
		EnableMode:  func(mode ansi.Mode) { e.modes[mode] = true },
		DisableMode: func(mode ansi.Mode) { e.modes[mode] = false },
	})
	go func() { // the emulator's answers; it blocks until they are read
		_, _ = io.Copy(io.Discard, e.vt)
	}()
	return e
}

// Close ends the emulator. Its own Close writes what its Read reads, so the
// pipe between them is closed instead.
func (e *Emulator) Close() error {
	if pipe, ok := e.vt.InputPipe().(io.Closer); ok {
		return pipe.Close()
	}
	return e.vt.Close()
}

// Write shows p.
func (e *Emulator) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count += len(p)
	e.raw = append(e.raw, p...)
	defer func() {
		close(e.changed)
		e.changed = make(chan struct{})
	}()
	return e.vt.Write(p)
}

// Resize changes the size.
func (e *Emulator) Resize(width, height int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.vt.Resize(width, height)
}

// Bytes returns how many bytes were written so far.
func (e *Emulator) Bytes() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.count
}

// Raw returns the bytes written since the last TakeRaw.
func (e *Emulator) Raw() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return string(e.raw)
}

// TakeRaw returns the bytes written since the last call.
func (e *Emulator) TakeRaw() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	raw := e.raw
	e.raw = nil
	return raw
}

// Mode reports whether a mode, such as [ansi.ModeBracketedPaste], is set.
func (e *Emulator) Mode(mode ansi.Mode) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.modes[mode]
}

// Lines returns the rows of the screen as text, without trailing spaces.
func (e *Emulator) Lines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := make([]string, e.vt.Height())
	for y := range lines {
		var row strings.Builder
		for x := 0; x < e.vt.Width(); {
			cell := e.vt.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				row.WriteByte(' ')
				x++
				continue
			}
			row.WriteString(cell.Content)
			x += max(1, cell.Width)
		}
		lines[y] = strings.TrimRight(row.String(), " ")
	}
	return lines
}

// Look calls f with the terminal, while nothing else is written to it.
func (e *Emulator) Look(f func(*vt.Emulator)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(e.vt)
}

// patience is how long [Emulator.Await] waits before it fails the test: long, for busy
// machines and the race detector.
const patience = time.Minute

// Await blocks until ok accepts the screen; it calls ok after each write.
func (e *Emulator) Await(t testing.TB, what string, ok func(lines []string) bool) {
	t.Helper()
	for late := time.After(patience); ; {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		lines := e.Lines()
		if ok(lines) {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("waited for %s; the screen shows\n%s", what, strings.Join(lines, "\n"))
		}
	}
}
