package diskfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Guarded are files that decide who may do what: other users must not be able to
// change them, or to read the secrets in them.
type Guarded struct {
	Others fs.FileMode // mode bits that a file must not have
	Why    string      // what is wrong with a file that has any of them, such as "others may write it"
	Hint   string      // what to do about it
	Owned  bool        // it and its folders must be safe from other users, as checkOwned says
	Pipe   bool        // it may be a pipe, such as <(command) of a shell
	Most   int64       // the largest size of a file, in bytes
}

// Secret returns what is asked of a file with a secret in it, of at most most bytes: others
// must not read it, nor be able to put another in its place. The group may read it, as many
// systems have it for keys of TLS; a caller may be stricter. If others read it, hint says
// what to do.
func Secret(most int64, hint string) Guarded {
	return Guarded{Others: 0o007, Why: "other users can read it", Hint: "chmod 600 it, and " + hint, Owned: true, Most: most}
}

// Read reads the file at path. The file that is checked and the file that is read are
// the same, even if it is replaced meanwhile.
//
// Errors: *LineError, and those of the system.
func (g Guarded) Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe without a writer would block
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch mode := info.Mode(); {
	case g.Pipe && mode&fs.ModeNamedPipe != 0:
	case !mode.IsRegular():
		return nil, &LineError{Path: path, Why: "is not a regular file"}
	case mode.Perm()&g.Others != 0:
		return nil, &LineError{Path: path, Why: fmt.Sprintf("%s (mode %04o)", g.Why, mode.Perm()), Hint: g.Hint}
	case info.Size() > g.Most:
		return nil, &LineError{Path: path, Why: fmt.Sprintf("has %d bytes, more than %d", info.Size(), g.Most)}
	}
	if g.Owned && !unnamed(path, info) {
		if err := checkOwned(path, info); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, g.Most))
}

// unnamed reports whether a file is a pipe without a name, which has no folder: its path,
// such as /dev/fd/63, leads to none.
func unnamed(path string, info fs.FileInfo) bool {
	if info.Mode()&fs.ModeNamedPipe == 0 {
		return false
	}
	_, err := filepath.EvalSymlinks(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Lines returns the trimmed lines of a file with their numbers, counted from 1,
// without empty lines and those that begin with #.
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

// LineError reports a line of a file that is not accepted.
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
