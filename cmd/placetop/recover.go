package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// interruptedRow is an unfinished task.
type interruptedRow struct {
	Instance string     `json:"instance_name,omitempty"`
	Words    string     `json:"words"`
	Since    *time.Time `json:"since,omitempty"` // when its last step was taken
	Undo     bool       `json:"can_be_undone"`
	Device   string     `json:"device,omitempty"` // the card of one that does not let go
	Command  string     `json:"command"`          // what to type
}

// stuckRows returns what happened on devices of Cyborg that only someone at the host can
// find out, with how to report it: units that did not let go of a deleted guest, and
// requests that have been binding without an answer.
func stuckRows(s *cloud.Snapshot, now time.Time) []interruptedRow {
	var rows []interruptedRow
	report := audit.Inspect(s, audit.InspectOptions{Now: now})
	for _, n := range slices.Concat(report.Open, report.Acknowledged, report.Muted) {
		f := n.Finding
		if f.Rule == audit.RuleStuckDevice {
			rows = append(rows, interruptedRow{
				Device: f.Subject, Words: f.Subject + " " + f.Text + ": free it on the host, then run",
				Command: freedCommand("--subject", f.Subject),
			})
		}
		if f.Rule == audit.RuleUnanswered {
			rows = append(rows, interruptedRow{
				Device: s.Placement().ProviderName(f.Provider), Words: f.Subject + ": " + f.Text + ": check on the host whether the device was created, then run, with bound or failed,",
				Command: remedyCommand(f.Rule, "bound", "--subject", f.Subject),
			})
		}
	}
	return rows
}

// freedCommand returns the command line that reports devices, which did not let go, as
// freed, with more words in it.
func freedCommand(more ...string) string {
	return remedyCommand(audit.RuleStuckDevice, "freed", more...)
}

// remedyCommand returns the command line that applies a remedy of a rule, with more words
// in it.
func remedyCommand(rule audit.RuleID, remedy string, more ...string) string {
	words := slices.Concat([]string{"placetop", "check", "--fix", "--only", string(rule)}, more, []string{"--with", remedy})
	for i, w := range words {
		words[i] = api.Quote(w)
	}
	return strings.Join(words, " ")
}

// recoverHint returns how to continue, or undo, what was left unfinished.
func recoverHint(undo bool) string {
	const hint = `go on with "placetop recover"`
	if undo {
		return hint + `, or undo it with "placetop recover --undo"`
	}
	return hint
}

// orRecover adds to the reason why a command may not begin with an instance how to
// continue what an interrupted one has left unfinished there.
func (p *program) orRecover(store storage.Store, instance placement.ConsumerID, err error) error {
	for _, x := range p.unfinished(store, store.Snapshot()) {
		if x.Instance != instance || instance.IsZero() {
			continue
		}
		code := exitCode(err)
		if said := (*exitError)(nil); errors.As(err, &said) {
			err = said.err // its own advice would fail, too
		}
		return &exitError{code: code, err: err, hint: "interrupted: " + recoverHint(x.Undo != nil)}
	}
	return err
}

// unfinished returns what is unfinished in s, of a store. While a file is open no other
// process writes to it, so nothing there is still under way.
func (p *program) unfinished(store storage.Store, s *cloud.Snapshot) []ops.InterruptedTask {
	return ops.UnfinishedIn(store.Capabilities(), s, p.now(), 0)
}

// sayUnfinished says what is unfinished in s, and how to continue.
func (p *program) sayUnfinished(store storage.Store, s *cloud.Snapshot) {
	for _, x := range p.unfinished(store, s) {
		p.say("unfinished: %s; %s", x.Words, recoverHint(x.Undo != nil))
	}
}

// asCopied returns why nothing is finished in a file that is a copy of a live cloud; "" for
// any other cloud.
func asCopied(store storage.Store) string {
	of := store.Snapshot().Nova().Config().Live
	if _, live := engine.Far(store); live || of == "" {
		return ""
	}
	return "a copy of " + of + " is left as it was"
}

// adoptHint says how to have a copy of a live cloud written to.
const adoptHint = `"placetop set config --adopt" makes it a cloud like any other`

// sayCopied says that a store is a copy that is left as it was, and reports whether it is.
func (p *program) sayCopied(store storage.Store) bool {
	why := asCopied(store)
	if why != "" {
		p.say("%s; %s", why, adoptHint)
	}
	return why != ""
}

// recoverCommand returns "placetop recover".
func (p *program) recoverCommand() *cobra.Command {
	var o struct {
		Undo bool `flag:"undo" not:"list" help:"undo what can be undone"`
		List bool `flag:"list" help:"only list what is unfinished"`
	}
	cmd := command(`recover
Finish or undo what an interrupted command left unfinished

Finish what a killed or interrupted command left unfinished: boots, deletes and moves,
and hosts that were evacuated and are up again; a move that was not confirmed in time is
reverted. With --undo they are undone, except those that cannot
be, or were being undone already: these are finished. Whatever has waited more than
300 s for Cyborg to bind an accelerator is undone, as Nova waits no longer. When they
start, the dashboard and the agent finish what cannot be undone. What cannot be
finished is left as it is and listed at the end, as is a device still held by a guest
that has left, with the command to run once it is freed. On a live cloud there is
nothing to do here: Nova finishes what it began.

Examples:
  placetop recover --list
  placetop recover --undo`)
	w := p.writeFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.List {
			return p.listInterrupted(cmd.Context())
		}
		return p.recoverAll(cmd.Context(), w, o.Undo)
	}
	return cmd
}

// listInterrupted prints what is unfinished.
func (p *program) listInterrupted(ctx context.Context) error {
	store, err := p.openToRead(ctx)
	if err != nil {
		return err
	}
	rows := p.interruptedRows(store)
	out := p.printer()
	if copied := p.sayCopied(store); len(rows) == 0 && !copied && out.People() {
		p.say("nothing is unfinished")
	}
	if rows = append(rows, stuckRows(store.Snapshot(), p.now())...); len(rows) == 0 && out.People() {
		return nil
	}
	out.List(rows, interruptedList(rows))
	return nil
}

// interruptedRows returns what is unfinished.
func (p *program) interruptedRows(store storage.Store) []interruptedRow {
	var rows []interruptedRow
	for _, x := range p.unfinished(store, store.Snapshot()) {
		rows = append(rows, interruptedRow{Instance: x.Name, Words: x.Words, Since: known(x.Since), Undo: x.Undo != nil, Command: "placetop recover"})
	}
	return rows
}

func interruptedList(rows []interruptedRow) *print.List {
	list := print.Columns("since", "words", "command")
	for _, r := range rows {
		list.Row(stamp(r.Since), r.Words, r.Command)
	}
	return list
}

// recoverAll finishes, or undoes, everything unfinished.
func (p *program) recoverAll(ctx context.Context, w *writing, undo bool) error {
	store, err := p.openForWrite(ctx, w, nil)
	if err != nil {
		return err
	}
	found := p.unfinished(store, store.Snapshot())
	if copied := p.sayCopied(store); len(found) == 0 && !copied {
		p.say("nothing is unfinished")
	}
	var left []error
	for _, x := range found {
		u := operation{note: "finish: " + x.Words, task: x.Finish, instance: x.Instance, migration: x.Migration}
		if undo && x.Undo != nil {
			u.note, u.task = "undo: "+x.Words, x.Undo
		}
		p.say("%s", u.note)
		switch err := p.printOutcome(p.carryOut(ctx, store, w.DryRun, u)); {
		case ctx.Err() != nil, errors.Is(err, placement.ErrUnavailable), errors.Is(err, placement.ErrUnsupported):
			return err // nothing can be written: the next one would fail, too
		case err != nil:
			left = append(left, fmt.Errorf("%s: %w", x.Name, err))
		}
	}
	if p.format == print.Table {
		for _, stuck := range stuckRows(store.Snapshot(), p.now()) {
			p.say("%s %q", stuck.Words, stuck.Command)
		}
	}
	return recoveryError(left, len(found))
}

// recoveryError returns the failures of a recovery of so many tasks as one error; nil for
// none.
func recoveryError(left []error, of int) error {
	switch len(left) {
	case 0:
		return nil
	case 1:
		return failed(left[0], "")
	}
	texts := make([]string, len(left))
	for i, err := range left {
		texts[i] = err.Error()
	}
	return failed(fmt.Errorf("%d of %d could not be recovered: %s", len(left), of, strings.Join(texts, "; ")), "")
}
