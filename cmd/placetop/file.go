package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/screen"
)

// openOptions returns the options for opening the cloud.
func (p *program) openOptions(readOnly bool) engine.Options {
	o := engine.Options{
		Clock: p.now, Version: version(), NewID: p.newID, ReadOnly: readOnly, Parts: p.needs, Wait: p.settings.Wait, NamedBy: "with --db",
		Waiting: func(held *storage.LockedError) {
			who := held.Holder()
			if who != "" {
				who = " (" + who + ")"
			}
			p.say("waiting up to %s for %s, which is open elsewhere%s; Ctrl-C to stop", p.settings.Wait, p.settings.DB, who)
		},
	}
	if p.copying {
		o.Progress, o.Writing = p.sayTenths(time.Second, inBytes("reading")), p.sayTenths(time.Second, inBytes("writing"))
	}
	return o
}

// unable returns the error that the engine of the cloud lacks an ability.
func (p *program) unable(what, hint string) error {
	return failed(fmt.Errorf("a cloud in %s: cannot %s: %w", p.engine().Scheme(), what, placement.ErrUnsupported), hint)
}

// kept returns the file that no command may overwrite, the one that holds the cloud; the
// log file of the run is protected separately.
func (p *program) kept() []diskfile.ProtectedFile {
	return []diskfile.ProtectedFile{{Path: p.settings.DB, Is: "the file that holds the cloud"}}
}

// spareClouds keeps an export from overwriting a file that holds a cloud.
func spareClouds(f *os.File) (is, hint string) {
	if holdsCloud(f) {
		return "a file that holds a cloud, or a backup of one", "Name another file"
	}
	return "", ""
}

// exportCommand returns "placetop export".
func (p *program) exportCommand() *cobra.Command {
	var o struct {
		Overwrite bool `flag:"overwrite" help:"replace FILE if it exists, unless it holds a cloud"`
	}
	cmd := command(`export [FILE]
Write the whole cloud as JSON lines

Write the whole cloud as JSON lines, one record a line, to FILE or to standard
output. Equal clouds give the same bytes. The journal is not included; "placetop
backup" copies it too.`)
	bindFlags(cmd, &o)
	p.atFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		if len(args) == 0 || args[0] == "-" {
			return ops.Export(output{p}, store.Snapshot())
		}
		if err := p.ownFile(args[0]); err != nil {
			return err
		}
		at, err := p.export(cmd.Context(), store, args[0], o.Overwrite)
		if err != nil {
			return orExists(args[0], err)
		}
		p.say("exported revision %d of %s to %s", at, p.settings.DB, args[0])
		return nil
	}
	return cmd
}

// export writes a cloud as JSON lines to a file, and returns its revision.
func (p *program) export(ctx context.Context, store storage.Store, path string, overwrite bool) (cloud.Revision, error) {
	snap := store.Snapshot()
	return snap.Revision(), diskfile.Write(path, diskfile.Options{Clock: p.now, Overwrite: overwrite, Keep: p.kept(), Spare: spareClouds}, func(f *os.File) error {
		if err := ops.Export(f, snap); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		return ctx.Err() // the file is not there before this returns
	})
}

// orExists adds to the error for an existing file how to replace it.
func orExists(path string, err error) error {
	if errors.Is(err, placement.ErrExists) {
		return failed(fmt.Errorf("%s exists already", path), "name another file, or add --overwrite")
	}
	return err
}

// importCommand returns "placetop import".
func (p *program) importCommand() *cobra.Command {
	cmd := command(`import FILE | import --cloud NAME
Add an exported cloud to this one, or copy a live one

Add an export to this cloud, in one step; FILE - is standard input. Records that the
cloud already has in exactly that form are left alone, so an import can be repeated.
If it has a different record under the same name or uuid, that is reported, and
nothing is written.

Nothing is dropped silently: an unknown field is refused with its line, or reported
if a newer placetop wrote the record.

With --cloud or --endpoint a live cloud is copied, to be studied offline, into a file
that is new or holds such a copy: an interrupted copy resumes, and a complete one is
brought up to date.

Examples:
  placetop import --cloud prod --db prod.db
  placetop import cloud.jsonl --dry-run
  placetop export --db one.db | placetop import - --db two.db`)
	cmd.Args = takes(0, 1)
	cmd.Annotations = map[string]string{copies: "true"}
	w := p.makingFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch from := p.settings.From; {
		case from != "" && len(args) > 0:
			return usageErrorf("name one of them", "%s and %s both name something to import", args[0], from)
		case from != "":
			return p.importCloud(cmd.Context(), w)
		case len(args) == 0:
			return takes(1, 1)(cmd, args)
		}
		in, name, err := p.input(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer in.Close() //nolint:errcheck // it was only read
		export, err := ops.ReadExport(in)
		switch {
		case errors.Is(err, ops.ErrPartOfCloud):
			return failed(fmt.Errorf("%s: %w", name, err), "nothing is imported; copy the cloud with placetop import --cloud NAME")
		case err != nil:
			return failed(fmt.Errorf("%s: %w", name, err), "nothing is imported")
		}
		return p.write(cmd.Context(), w, func(f finder) (ops.Plan, error) {
			plan, err := ops.PlanAddAll(f.Snapshot, export)
			switch {
			case errors.Is(err, placement.ErrExists):
				return ops.Plan{}, fmt.Errorf("import %s: %w", name, err)
			case err != nil:
				return ops.Plan{}, failed(fmt.Errorf("%s does not fit: %w", name, err), "nothing is imported")
			}
			return plan, nil
		}, nil)
	}
	return cmd
}

// backupCommand returns "placetop backup".
func (p *program) backupCommand() *cobra.Command {
	var o struct {
		Overwrite bool `flag:"overwrite" help:"replace FILE if it exists, unless it holds another cloud"`
	}
	cmd := command(`backup FILE
Copy the cloud to a file, journal included

Copy the cloud as of one revision, journal included, to FILE, which appears once it
is complete, on disk, and has been read back. "placetop restore" restores it; a copy
that restore would refuse is not made.`)
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		at, err := p.backup(cmd.Context(), store, args[0], o.Overwrite)
		if err != nil {
			return orExists(args[0], err)
		}
		p.say("copied %s at revision %d to %s", p.settings.DB, at, args[0])
		return nil
	}
	return cmd
}

// backup copies a cloud, journal included, to a file, and returns its revision. A live cloud
// has no journal of ours, and one in memory that is empty nothing to copy.
func (p *program) backup(ctx context.Context, store storage.Store, path string, overwrite bool) (cloud.Revision, error) {
	to := diskfile.Options{Overwrite: overwrite, Keep: p.kept()}
	var err error
	able, is := store.(engine.Backuper)
	_, live := engine.Far(store)
	switch {
	case is:
		err = able.BackupFile(ctx, path, to)
	case live, store.Snapshot().Revision() == 0:
		return 0, p.unable("be backed up", `"placetop export FILE" writes all but the journal`)
	default:
		err = bolt.Save(ctx, store, p.settings.DB, path, p.openOptions(true), to)
	}
	if err != nil {
		return 0, err
	}
	copied := store.Snapshot() // others may have written since
	if is, err := (bolt.Engine{}).Peek(ctx, path); err == nil {
		copied = is
	}
	return copied.Revision(), nil
}

// files returns what the dashboard does with files of this machine.
func (p *program) files(store storage.Store) *screen.Files {
	return &screen.Files{
		Backup: func(ctx context.Context, path string) (cloud.Revision, error) {
			at, err := p.backup(ctx, store, path, false)
			return at, orExists(path, err)
		},
		Export: func(ctx context.Context, path string) (cloud.Revision, error) {
			at, err := p.export(ctx, store, path, false)
			return at, orExists(path, err)
		},
		Read: p.readCloud,
	}
}

// readCloud returns what is in an export, or in a file that holds a cloud.
//
// Errors: also where a newer placetop wrote what this one does not know.
func (p *program) readCloud(ctx context.Context, path string) (ops.ExportContents, error) {
	if is, err := os.Stat(path); err == nil && !is.Mode().IsRegular() {
		return ops.ExportContents{}, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return ops.ExportContents{}, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if !holdsCloud(f) {
		return ops.ReadExport(f)
	}
	store, err := bolt.Open(ctx, path, engine.Options{Clock: p.now, ReadOnly: true, Wait: config.DefaultWait})
	if err != nil {
		return ops.ExportContents{}, err
	}
	defer store.Close() //nolint:errcheck // likewise
	if n := engine.ConditionOf(store).Newer; n != nil {
		return ops.ExportContents{}, n
	}
	found := ops.ExportContents{Records: slices.Collect(store.Snapshot().Records())}
	if why := engine.ConditionOf(store).Aged; why != "" {
		found.Newer = append(found.Newer, path+": "+why)
	}
	return found, nil
}

// restoreCommand returns "placetop restore".
func (p *program) restoreCommand() *cobra.Command {
	var o struct {
		DryRun bool `flag:"dry-run" help:"only read the backup, and say what would be done"`
	}
	cmd := command(`restore FILE
Restore a backup

Replace the --db file with a copy of the backup FILE, once every record in it has
been read and checked. The old file, damaged or not, is kept beside it.`)
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		able, ok := p.engine().(engine.Restorer)
		if !ok {
			return p.unable("replace", `"placetop copy FILE TO" copies a backup to a place that is empty`)
		}
		if o.DryRun {
			would, err := able.Restorable(cmd.Context(), args[0], p.settings.DB, p.openOptions(true))
			if err != nil {
				return err
			}
			p.say("%s, at revision %d, would replace %s; nothing is written", args[0], would.Revision, p.settings.DB)
			return nil
		}
		if err := p.mayWrite(); err != nil {
			return err
		}
		done, err := able.Restore(cmd.Context(), args[0], p.settings.DB, p.openOptions(false))
		if err != nil {
			return err
		}
		p.say("%s is now at revision %d", p.settings.DB, done.Revision)
		if done.Aside != "" {
			p.say("the old file is in %s", done.Aside)
		}
		return nil
	}
	return cmd
}

// compactCommand returns "placetop compact".
func (p *program) compactCommand() *cobra.Command {
	cmd := command(`compact
Make the file, or etcd, as small as it can be

Rewrite the file without the space that deleted records left in it, check the result,
and replace the file with it. Nobody else may have it open, and it may have no other
name (hard link), which would keep the old file.

In etcd, which others may go on using meanwhile, what keys held earlier is dropped and
the space given back, one member after the other, each of which does not answer while
that takes; then NOSPACE alarms are ended. That concerns all of etcd, not only the
cloud: it takes the user root where there are users.`)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := p.mayWrite(); err != nil {
			return err
		}
		if err := p.mustBeThere(); err != nil {
			return err
		}
		able, ok := p.engine().(engine.Compacter)
		if !ok {
			return p.unable("be made smaller", "")
		}
		defer p.slowly("compacting %s", p.settings.DB)()
		done, err := able.Compact(cmd.Context(), p.settings.DB, p.openOptions(false))
		if err != nil {
			return err
		}
		if done.Aged != "" {
			p.say("warning: %s: %s; the revisions that it may have lost are left out", p.settings.DB, done.Aged)
		}
		const kib = 1024
		p.say("%s had %d KiB, now %d KiB", p.settings.DB, done.Before/kib, done.After/kib)
		return nil
	}
	return cmd
}

// verifyCommand returns "placetop verify".
func (p *program) verifyCommand() *cobra.Command {
	cmd := command(`verify
Read the whole cloud, and say what is inconsistent

Read every page, every record and the whole journal of the file, or what is in etcd,
and print what is inconsistent. Nothing is written. The exit code is 0 if all is well, and 3 if
something was found.`)
	p.outputFlag(cmd, print.Lists())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		out := p.printer()
		found, newer, err := p.verify(cmd.Context())
		if err != nil {
			return err
		}
		if len(found) > 0 || !out.People() {
			list := print.Columns("where", "what")
			for _, d := range found {
				list.Row(print.Colored(d.Where, themes.Critical), d.What)
			}
			out.List(found, list)
		}
		if len(found) == 0 {
			p.say("%s: nothing is wrong", p.settings.DB)
			return nil
		}
		hint := map[storage.Remedy]string{
			storage.GoBack:      `restore a backup with "placetop restore BACKUP"`,
			storage.DropJournal: `all records are intact: "placetop copy" copies them to another file, without the journal`,
			storage.Rewrite:     `all records are intact: "placetop compact" writes the file anew`,
		}[storage.RemedyFor(found)]
		if _, able := p.engine().(engine.Restorer); !able {
			hint = `copy a backup to a place that is empty: "placetop copy BACKUP TO"`
		}
		if newer { // a backup from before would lack what it wrote
			hint = "verify the file with the newer placetop that wrote it"
		}
		return exitErrorf(exitProblems, hint, "%s: %s", p.settings.DB, counted(len(found), "defect"))
	}
	return cmd
}

// verify returns what is wrong with the file. A file that is too damaged to open is one
// finding. Newer says that a newer release wrote to it.
func (p *program) verify(ctx context.Context) (found []storage.Defect, newer bool, err error) {
	store, err := p.openToRead(ctx)
	var damaged *storage.DamagedError
	switch {
	case errors.As(err, &damaged):
		return []storage.Defect{{Where: damaged.Path, What: damaged.What}}, false, nil
	case err != nil:
		return nil, false, err
	}
	if of := store.Snapshot().Nova().Config().CopyOf(); of != "" && !store.Snapshot().Live() {
		p.say("%s: %s", p.settings.DB, of)
	}
	limits := store.Snapshot().Operator().JournalLimits()
	p.say("%s: the journal keeps %d revisions, for %s", p.settings.DB, limits.Revisions, counted(int(limits.Days), "day"))
	found, err = store.Verify(ctx)
	return found, engine.ConditionOf(store).Newer != nil, err
}
