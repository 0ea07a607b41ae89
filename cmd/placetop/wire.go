package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/attach"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
)

// openToRead opens the cloud to read it, or its past if that was requested. The file must
// exist; other readers may share it.
func (p *program) openToRead(ctx context.Context) (storage.Store, error) {
	p.reads = true
	if err := p.mustBeThere(); err != nil {
		return nil, err
	}
	store, err := p.openFile(ctx, true)
	if err != nil {
		return nil, err
	}
	return p.asItWas(ctx, store)
}

// openOrCopy opens the cloud to read it, or as it was a moment ago if another process has it.
func (p *program) openOrCopy(ctx context.Context) (storage.Store, error) {
	store, err := p.openToRead(ctx)
	if errors.Is(err, storage.ErrLocked) {
		return p.openCopy(ctx)
	}
	return store, err
}

// mustBeThere returns what to do if there is no cloud to read.
func (p *program) mustBeThere() error {
	if there, err := p.fileThere(); err != nil {
		return err
	} else if !there {
		return failed(fmt.Errorf("there is no cloud in %s yet", p.settings.DB),
			`make one with "placetop demo --no-tui --db FILE" or "placetop probe --register", or name another file with --db`)
	}
	return nil
}

// openToWrite opens the cloud to change it, and creates the file if there is
// none. If the settings are read-only, the store refuses every write.
func (p *program) openToWrite(ctx context.Context) (storage.Store, error) {
	if p.settings.ReadOnly {
		return p.openToRead(ctx)
	}
	return p.openFile(ctx, false)
}

// openToShow is openToWrite for a dashboard, which shows a live cloud while that is still
// being read.
func (p *program) openToShow(ctx context.Context) (storage.Store, error) {
	o := p.openOptions(p.settings.ReadOnly)
	o.Soon = true
	if p.settings.ReadOnly {
		if err := p.mustBeThere(); err != nil {
			return nil, err
		}
	}
	return p.openToShare(ctx, o)
}

// distant reports whether a cloud is live, and not local.
func distant(store storage.Store) bool {
	_, is := engine.Far(store)
	return is
}

// readOnlyRun is why nothing is written if the settings are read-only.
const readOnlyRun = "this run is read-only (by --read-only, PLACETOP_READ_ONLY or the configuration)"

// mayWrite refuses every write if the settings are read-only.
func (p *program) mayWrite() error {
	var can cloud.Capabilities
	if p.settings.ReadOnly {
		can.ReadOnly = readOnlyRun
	}
	return can.Can()
}

// openToTry opens the cloud to see the effect of a change: an empty cloud if there is no
// file. It creates no file.
func (p *program) openToTry(ctx context.Context) (storage.Store, error) {
	if there, err := p.fileThere(); err != nil {
		return nil, err
	} else if !there {
		return p.keep(memory.New(memory.Options{Clock: p.now})), nil
	}
	return p.openFile(ctx, true)
}

// engine returns the engine of the cloud in the settings.
func (p *program) engine() engine.Opener {
	if p.guest != nil {
		return p.guest
	}
	if p.settings.Engine == nil {
		return bolt.Engine{}
	}
	return p.settings.Engine
}

// fileThere reports whether there is anything where the cloud should be.
func (p *program) fileThere() (bool, error) {
	there, err := p.engine().Has(p.settings.DB)
	if err != nil {
		return false, failed(err, "name another file with --db")
	}
	return there, nil
}

func (p *program) openFile(ctx context.Context, readOnly bool) (storage.Store, error) {
	return p.openWith(ctx, p.openOptions(readOnly))
}

// openWith opens the file, and says so if damage makes it read-only.
func (p *program) openWith(ctx context.Context, o engine.Options) (storage.Store, error) {
	open := p.engine().Open
	if p.attaches() {
		open = func(ctx context.Context, place string, o engine.Options) (storage.Store, error) {
			return attach.Open(ctx, p.engine(), place, o)
		}
	}
	p.reads = p.reads && o.ReadOnly
	if !o.Soon {
		defer p.await(&o)()
	}
	s, err := open(ctx, p.settings.DB, o)
	if err != nil {
		return nil, err
	}
	if d := damageOf(s); d != nil {
		p.say("warning: %s", told(d))
	}
	if aged := agedIn(s); aged != "" {
		p.say("warning: %s: %s", p.settings.DB, aged)
		p.log.LogAttrs(ctx, slog.LevelWarn, "the file may be old", slog.String("path", p.settings.DB), slog.String("why", aged))
	}
	if n := newerIn(s); n != nil {
		p.say("warning: %s; what this one cannot read is left out", told(n))
	}
	if far, is := engine.Far(s); is {
		p.tellUnread = func() {
			for _, part := range far.Link().Parts {
				p.sayUnread(part)
			}
			p.sayUnknown(s.Snapshot().Readings(), far.Link().Parts)
		}
		if !p.writes {
			p.tellUnread()
		}
	}
	if p.kind != nil && !s.Snapshot().Live() {
		for _, part := range cloud.Parts() { // of a copy
			p.sayUnread(s.Snapshot().Reading(part))
		}
	}
	p.log.LogAttrs(ctx, slog.LevelInfo, "opened",
		slog.String("path", p.settings.DB), slog.Bool("read_only", s.Capabilities().ReadOnly != ""), slog.Uint64("revision", uint64(s.Snapshot().Revision())))
	return p.keep(s), nil
}

// sayUnread warns of a part of a live cloud that was not read completely, if the request
// depends on it.
func (p *program) sayUnread(of cloud.Reading) {
	switch {
	case of.Why != "" && (p.kind == nil || p.kind.RestsOn(of.Part)):
		p.say("warning: not read: %s: %s", of.Part, of.Why)
	case of.Cut != "" && p.kind != nil && slices.Contains(p.kind.Told, of.Part):
		p.say("warning: %s: %s", of.Part, of.Cut)
	}
}

// sayUnknown warns of services that a live cloud lacks, if the request depends on what
// they would report.
func (p *program) sayUnknown(unread, asked []cloud.Reading) {
	if p.kind == nil {
		return
	}
	for _, of := range unread {
		if of.Why != "" && slices.Contains(p.kind.Told, of.Part) && !slices.ContainsFunc(asked, func(one cloud.Reading) bool { return one.Part == of.Part }) {
			p.say("warning: not read: %s: %s", of.Part, of.Why)
		}
	}
}

// damageOf returns the damage of a store that can still be read, nil for none.
func damageOf(s storage.Store) *storage.DamagedError {
	if able, ok := s.(engine.Damageable); ok {
		return able.Damage()
	}
	return nil
}

// agedIn says why a store may be older than what was last confirmed, "" if it is not.
func agedIn(s storage.Store) string {
	if able, ok := s.(engine.Aged); ok {
		return able.Aged()
	}
	return ""
}

// newerIn returns what a newer release wrote to a store, nil for nothing.
func newerIn(s storage.Store) *storage.NewerError {
	if able, ok := s.(engine.Newer); ok {
		return able.Newer()
	}
	return nil
}

// keep closes s when the program ends.
func (p *program) keep(s storage.Store) storage.Store {
	p.opened = append(p.opened, s)
	return s
}

// actor returns who writes, for the journal: the user of the operating system, or the
// guest.
func (p *program) actor() string {
	if p.guest != nil {
		return p.guest.session.Person.Name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := p.env["USER"]; name != "" {
		return name
	}
	return "uid " + strconv.Itoa(os.Getuid())
}
