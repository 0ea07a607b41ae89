package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"strconv"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/memory"
)

// openToRead opens the cloud to look at it. The file must be there; other
// readers may share it.
func (p *program) openToRead(ctx context.Context) (storage.Store, error) {
	if there, err := p.fileThere(); err != nil {
		return nil, err
	} else if !there {
		return nil, failed(fmt.Errorf("there is no cloud in %s yet", p.settings.DB),
			`make one with "placetop demo --no-tui --db FILE" or "placetop probe --register", or name another file with --db`)
	}
	return p.openFile(ctx, true)
}

// openToWrite opens the cloud to change it, and makes the file where there is
// none. Where the settings are read-only, the store refuses every write.
func (p *program) openToWrite(ctx context.Context) (storage.Store, error) {
	if p.settings.ReadOnly {
		return p.openToRead(ctx)
	}
	return p.openFile(ctx, false)
}

// mayWrite refuses every write where the settings say so.
func (p *program) mayWrite() error {
	if p.settings.ReadOnly {
		return &storage.ReadOnlyError{Reason: "this run is read-only (by --read-only, PLACETOP_READ_ONLY or the configuration)"}
	}
	return nil
}

// openToTry opens the cloud to see what a change would do to it: an empty one
// where there is no file, which is not made.
func (p *program) openToTry(ctx context.Context) (storage.Store, error) {
	if there, err := p.fileThere(); err != nil {
		return nil, err
	} else if !there {
		return p.keep(memory.New(memory.Options{Clock: p.now})), nil
	}
	return p.openFile(ctx, true)
}

// fileThere reports whether there is something where the --db file should be. A
// file of no bytes, as touch and mktemp make it, is as good as none: the first
// write makes a cloud of it.
func (p *program) fileThere() (bool, error) {
	info, err := os.Stat(p.settings.DB)
	switch {
	case err == nil:
		return !info.Mode().IsRegular() || info.Size() > 0, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, failed(err, "name another file with --db")
	}
}

func (p *program) openFile(ctx context.Context, readOnly bool) (storage.Store, error) {
	return p.openWith(ctx, p.boltOptions(readOnly))
}

// openWith opens the file, and says so where it can be read alone as it is damaged.
func (p *program) openWith(ctx context.Context, o bolt.Options) (storage.Store, error) {
	s, err := bolt.Open(ctx, p.settings.DB, o)
	if err != nil {
		return nil, err
	}
	if d := s.Damage(); d != nil {
		p.say("warning: %v", d)
	}
	p.log.LogAttrs(ctx, slog.LevelInfo, "opened",
		slog.String("path", p.settings.DB), slog.Bool("read_only", o.ReadOnly), slog.Uint64("revision", uint64(s.Snapshot().Revision())))
	return p.keep(s), nil
}

// keep closes s when the program ends.
func (p *program) keep(s storage.Store) storage.Store {
	p.opened = append(p.opened, s)
	return s
}

// actor names who writes, for the journal: the user of the operating system.
func (p *program) actor() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := p.env["USER"]; name != "" {
		return name
	}
	return "uid " + strconv.Itoa(os.Getuid())
}
