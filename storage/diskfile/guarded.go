package diskfile

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"
	"syscall"
)

// Guarded are files that say who may do what: others must not be able to change that, or
// to learn how somebody proves who they are.
type Guarded struct {
	Others fs.FileMode // what none of a file's mode may be
	Why    string      // what is wrong with a file that has some of it, such as "others may write it"
	Hint   string      // what to do then
	Most   int64       // how large a file may be, in bytes
}

// Read reads the file at path. What is looked at and what is read are one file, also where
// somebody puts another one in its place meanwhile.
//
// Errors: *LineError, and those of the system.
func (g Guarded) Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer would be waited for
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return nil, &LineError{Path: path, Why: "is not a regular file"}
	case mode.Perm()&g.Others != 0:
		return nil, &LineError{Path: path, Why: fmt.Sprintf("%s (mode %04o)", g.Why, mode.Perm()), Hint: g.Hint}
	case info.Size() > g.Most:
		return nil, &LineError{Path: path, Why: fmt.Sprintf("has %d bytes, more than %d", info.Size(), g.Most)}
	}
	return io.ReadAll(io.LimitReader(f, g.Most))
}

// Lines returns the lines of a file, trimmed, by their numbers from 1 on: those that say
// something, and do not begin with #.
func Lines(text []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(n, line) {
				return
			}
		}
	}
}

// LineError reports a line of a file that is not taken.
type LineError struct {
	Path string
	Line int // 0 for the file as a whole
	Why  string
	Hint string // what to do; may be empty
}

func (e *LineError) Error() string {
	text := e.Path
	if e.Line > 0 {
		text = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	text += ": " + e.Why
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}
