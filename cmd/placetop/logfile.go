package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/remote"
)

// openLog opens the log file for appending, and makes it if there is none. It refuses
// anything else: what is neither a regular file nor a device, a terminal, the file of the
// cloud or any other cloud, the configuration, and files that args name to the command.
// Errors are usage errors.
func (p *program) openLog(args []string) (io.Writer, error) {
	path := p.settings.LogFile
	refuse := func(what string) (io.Writer, error) {
		return nil, usageErrorf("name another file with --log-file", "log file: %s is %s", path, what)
	}
	if path == config.StandardError {
		return p.stderr, nil
	}
	was, err := os.Stat(path) // before opening it: opening a pipe waits for a reader
	if err == nil {
		if was.Mode()&os.ModeCharDevice != 0 {
			return p.openDevice(path)
		}
		if what := diskfile.Irregular(was); what != "" {
			return refuse(what)
		}
	}
	made := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, diskfile.DefaultMode)
	if err != nil {
		return nil, usageErrorf("name another file with --log-file", "log file: %w", err)
	}
	var what string
	switch {
	case diskfile.Same(path, p.settings.DB): // even if neither existed before
		what = "the file that holds the cloud"
	case diskfile.Same(path, p.settings.ConfigAt):
		what = "the configuration"
	case slices.ContainsFunc(args, func(arg string) bool { return diskfile.Same(path, arg) }):
		what = "a file the command works on"
	case holdsCloud(f):
		what = "a file that holds a cloud"
	default:
		p.opened = append(p.opened, f)
		return f, nil
	}
	_, refused := refuse(what)
	if made {
		if to, err := filepath.EvalSymlinks(path); err == nil {
			path = to
		}
		refused = errors.Join(refused, os.Remove(path))
	}
	return nil, errors.Join(refused, f.Close())
}

// openDevice opens a log that is a device, such as /dev/null, but not a terminal, which
// others write to.
func (p *program) openDevice(path string) (io.Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil && isTerminal(f) {
		err = errors.Join(errors.New(path+" is a terminal"), f.Close())
	}
	if err != nil {
		return nil, usageErrorf("name another file with --log-file", "log file: %w", err)
	}
	p.opened = append(p.opened, f)
	return f, nil
}

// notOnScreen refuses a log that would be written over the dashboard.
func (p *program) notOnScreen() error {
	if p.settings.LogFile == config.StandardError && isTerminal(p.stderr) {
		return usageErrorf("name a file with --log-file", "the log would be written over the dashboard")
	}
	return nil
}

// holdsCloud reports whether a file holds a cloud of an engine that keeps clouds in
// files.
func holdsCloud(f *os.File) bool {
	return slices.ContainsFunc(open.Engines(remote.Settings{}), func(e engine.Opener) bool {
		keeper, ok := e.(engine.FileKeeper)
		return ok && keeper.Holds(f)
	})
}
