package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
)

// copyCommand returns "placetop copy".
func (p *program) copyCommand() *cobra.Command {
	var o struct {
		DryRun bool `flag:"dry-run" help:"only say what would be copied"`
	}
	cmd := command(`copy FROM TO
Copy a cloud from one place to another

Copy the whole cloud at FROM to TO, in one step. Each is the path of a file, cloud:NAME
with a name from clouds.yaml, or the URL of a Placement. TO must be new, empty, or the
same cloud already. The journal is not copied; "placetop backup" copies it too. What
was copied is read again and compared, and the SHA-256 of its export is printed. Where
the copy is interrupted nothing of it is at TO. The same command begins again, but for
what etcd has got already, which it keeps for 10 minutes.

A live cloud is copied as "placetop import --cloud" does it: an interrupted copy
resumes, and a complete one is brought up to date.

Examples:
  placetop copy prod.db what-if.db
  placetop copy cloud:prod prod.db`)
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w := &writing{makes: true, DryRun: o.DryRun}
		set := open.Engines(p.settings.Elsewhere)
		to, into, err := set.Parse(args[1])
		if err != nil {
			return badPlace(err)
		}
		from, place, err := set.Parse(args[0])
		if err != nil {
			return badPlace(err)
		}
		if open.SamePlace(from, place, to, into) {
			return usageErrorf("name two places", "%s and %s are one place", args[0], args[1])
		}
		if to.Scheme() == (memory.Engine{}).Scheme() {
			return usageErrorf("name a file", "a copy in %s would be gone at once", args[1])
		}
		if _, live := from.(engine.Copier); live {
			p.settings.From, p.settings.Engine, p.settings.DB = args[0], to, into
			return p.importCloud(cmd.Context(), w)
		}
		p.copying = true
		source, err := p.readPlace(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		p.settings.Engine, p.settings.DB = to, into
		return p.copyTo(cmd.Context(), w, source, args[0], args[1])
	}
	return cmd
}

// copyTo writes all of source to the cloud of the settings. From and to are the names of
// the two.
func (p *program) copyTo(ctx context.Context, w *writing, source *cloud.Snapshot, from, to string) error {
	records := slices.Collect(source.Records())
	plan := func(f finder) (ops.Import, error) {
		im, err := ops.PlanImport(f.Snapshot, records)
		there := 0
		for range f.Records() {
			there++
		}
		if errors.Is(err, placement.ErrExists) || there > 0 && (len(im.New) > 0 || there > len(records)) {
			return im, failed(fmt.Errorf("%s holds another cloud", to),
				"name a new "+p.called()+`; "placetop import" adds what is in an export to a cloud`)
		}
		return im, err
	}
	store, err := p.openForWrite(ctx, w, func(f finder) error { _, err := plan(f); return err })
	if err != nil {
		return err
	}
	im, err := plan(finderOf(store.Snapshot()))
	if err != nil {
		return err
	}
	is := source.Placement()
	what := fmt.Sprintf("%s and %s of %s", counted(is.ProviderCount(), "provider"), counted(is.ConsumerCount(), "consumer"), from)
	switch {
	case len(im.New) == 0:
		p.say("%s are in %s already", what, to)
		return nil
	case w.DryRun:
		p.say("%s would be copied to %s; nothing is written", what, to)
		return nil
	}
	if p.fresh != nil {
		p.fresh.half = true // until all of it has been read again
	}
	im.Change.Note = "copy " + from
	done, err := p.runner(ctx).Fill(ctx, store, slices.Values([]cloud.Change{im.Change}))
	if err != nil {
		return err
	}
	sum, err := p.compare(ctx, store, done.Event.Revision, source)
	if err != nil {
		return failed(fmt.Errorf("copied %s to %s, but %w", what, to, err), "the copy must not be used")
	}
	p.fresh = nil
	p.say("copied %s to %s, revision %d, with the SHA-256 %x", what, to, done.Event.Revision, sum)
	return nil
}

// compare reads again what was copied from source, at a revision of store, and returns the
// digest of its export.
func (p *program) compare(ctx context.Context, store storage.Store, at cloud.Revision, source *cloud.Snapshot) ([]byte, error) {
	found, err := store.Verify(ctx)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%s: %s", counted(len(found), "defect"), found[0])
	}
	if err != nil {
		return nil, fmt.Errorf("it cannot be read again: %w", err)
	}
	of, copied := sha256.New(), sha256.New()
	snap := store.Snapshot()
	if err := errors.Join(ops.Export(of, source), ops.Export(copied, snap)); err != nil {
		return nil, err
	}
	if snap.Revision() == at && !bytes.Equal(of.Sum(nil), copied.Sum(nil)) { // else others have written to it since
		return nil, fmt.Errorf("it has the SHA-256 %x, and should have %x", copied.Sum(nil), of.Sum(nil))
	}
	return of.Sum(nil), nil
}

// badPlace is the error for a place that cannot be read.
func badPlace(err error) error {
	return usageErrorf("name a file, or a place such as cloud:NAME", "%w", err)
}

// copies is the annotation of commands for which --cloud and --endpoint name the source
// of a copy.
const copies = "copies"

// importCloud copies a live cloud into the file.
func (p *program) importCloud(ctx context.Context, w *writing) error {
	if w.DryRun {
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
	o.Progress = p.sayTenths(0, engine.Reading)
	defer p.await(&o)()
	did, err := able.Copy(ctx, place, store, o)
	for _, part := range did.Without {
		p.say("warning: not read, or not as a whole: %s", part)
	}
	is := store.Snapshot().Placement()
	switch {
	case errors.Is(err, placement.ErrExists):
		return failed(fmt.Errorf("%s: %w", p.settings.DB, err), "copy it into another "+p.called())
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

// inBytes returns words for the progress of something that is so many bytes long.
func inBytes(doing string) func(done, of int) string {
	return func(done, of int) string { return fmt.Sprintf("%s %d of %d KiB", doing, done>>10, of>>10) }
}

// sayTenths returns a function that prints the progress of something that takes at least so
// long, at each tenth.
func (p *program) sayTenths(long time.Duration, words func(done, of int) string) func(done, of int) {
	began, told := p.now(), 0
	return func(done, of int) {
		if of <= 0 || done*10/of <= told {
			return
		}
		told = done * 10 / of
		if p.now().Sub(began) >= long {
			p.say("%s", words(done, of))
		}
	}
}
