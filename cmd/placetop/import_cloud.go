package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
)

// copies is the annotation of commands for which --cloud and --endpoint name the source
// of a copy.
const copies = "copies"

// importCloud copies a live cloud into the file.
func (p *program) importCloud(ctx context.Context, w *writing) error {
	if w.dryRun {
		return usageErrorf(`leave it out: the copy goes into a file of its own`, "--dry-run has no meaning for a live cloud")
	}
	from, place, err := open.Engines(p.settings.Elsewhere).Parse(p.settings.From)
	if err != nil {
		return usageErrorf("", "%w", err)
	}
	able, ok := from.(engine.Copier)
	if _, live := p.engine().(engine.Copier); live || !ok {
		return usageErrorf("copy it into a file", "%s cannot be copied into %s:%s", p.settings.From, p.engine().Scheme(), p.settings.DB)
	}
	store, err := p.openForWrite(ctx, w, nil)
	if err != nil {
		return err
	}
	o := p.openOptions(false)
	o.Progress = p.sayTenths(0)
	defer p.await(&o)()
	did, err := able.Copy(ctx, place, store, o)
	for _, part := range did.Without {
		p.say("warning: not read, or not as a whole: %s", part)
	}
	is := store.Snapshot().Placement()
	switch {
	case errors.Is(err, placement.ErrExists):
		return failed(fmt.Errorf("%s: %w", p.settings.DB, err), "copy it into another file")
	case err != nil && store.Snapshot().Revision() > 0:
		return &exitError{
			code: exitFailed, err: err, goesOn: true,
			hint: fmt.Sprintf("%s are in %s: the same command resumes from there", counted(is.ProviderCount(), "provider"), p.settings.DB),
		}
	case err != nil:
		return err
	}
	p.say("copied %s to %s, revision %d: %s, %s, %s written; %s",
		p.settings.From, p.settings.DB, did.Revision, counted(is.ProviderCount(), "provider"),
		counted(is.ConsumerCount(), "consumer"), counted(did.Changed, "record"), counted(int(did.Requests), "request"))
	return nil
}

// sayTenths returns a function that prints the progress of a reading that takes at least
// so long, at each tenth.
func (p *program) sayTenths(long time.Duration) func(done, of int) {
	began, told := p.now(), 0
	return func(done, of int) {
		if of <= 0 || done*10/of <= told {
			return
		}
		told = done * 10 / of
		if p.now().Sub(began) >= long {
			p.say("%s", engine.Reading(done, of))
		}
	}
}
