package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/session"
)

// textEdit is the request of "placetop edit".
type textEdit struct {
	kind  *kinds.Kind
	name  string
	yes   bool
	clash string
}

// editable returns the kinds of records that can be edited.
func editable() []string {
	var out []string
	for _, k := range kinds.All() {
		if k.Edits != nil {
			out = append(out, string(k.Name))
		}
	}
	return out
}

// editableNames completes the name of a thing of the kind before it.
func editableNames(f finder, args []string) []string {
	if k := kinds.Editable(args[0]); k != nil && k.Names != nil {
		return k.Names(f.Finder)
	}
	return nil
}

// editCommand returns "placetop edit".
func (p *program) editCommand() *cobra.Command {
	all, e := strings.Join(editable(), ", "), textEdit{clash: "both"}
	clashes := map[string]ops.ConflictPolicy{"both": ops.KeepBoth, "yours": ops.KeepYours, "theirs": ops.KeepTheirs}
	cmd := &cobra.Command{
		Use:   "edit KIND NAME",
		Short: "Edit a record as YAML in your editor, and see a diff before it is written",
		Long: `Edit a record as YAML in the editor that VISUAL or EDITOR names, or in vi, as E does in
the dashboard. KIND is one of ` + all + `. The differences are shown, and
written once you agree. Others can write meanwhile, and their changes are kept unless you
changed the same thing.`,
		Example: `  placetop edit provider cmp-001
  placetop edit flavor gpu.a100.1 --dry-run`,
	}
	cmd.Flags().BoolVar(&e.yes, "yes", false, "write without asking")
	cmd.Flags().Var(config.Choose(&e.clash, "both", "yours", "theirs"), "clash", "if others changed the same meanwhile, keep `WHOSE`: both, yours or theirs")
	w := p.writeFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		k := kinds.Editable(args[0])
		if k == nil {
			return usageErrorf("use one of "+all, "records of kind %q cannot be edited", args[0])
		}
		e.kind, e.name = k, args[1]
		return p.edit(cmd.Context(), w, e, clashes[e.clash])
	}
	return cmd
}

// edit lets the user edit a thing, shows the differences, and writes it. On a terminal
// the user can edit again what cannot be parsed, or is refused; text that is not written
// is kept in a file.
func (p *program) edit(ctx context.Context, w *writing, e textEdit, clash ops.ConflictPolicy) error {
	snap, of, err := p.subject(ctx, e)
	if err != nil {
		return err
	}
	if !e.yes && !w.dryRun && !isTerminal(p.stdin) {
		return usageErrorf("--yes writes without asking, --dry-run only shows the differences", "cannot ask whether to write it: this is not a terminal")
	}
	base, err := of.State(snap)
	if err != nil {
		return err
	}
	was, err := kinds.EditText(snap, of, base)
	if err != nil {
		return err
	}
	for text := was; ; {
		text, err = p.inEditor(text)
		switch {
		case err != nil && text == was:
			return err
		case text == was:
			p.say("%s: nothing was changed", of.Called(snap))
			return nil
		case err == nil:
			err = p.edited(ctx, w, e, snap, ops.Edit{Of: of, Base: base, At: p.now(), Clash: clash}, text)
		}
		if err == nil {
			return nil
		}
		if isTerminal(p.stdin) {
			p.say("%s", err)
			if p.agreed(ctx, "edit it again?") {
				continue
			}
		}
		return errors.Join(err, p.keepText(text))
	}
}

// keepText keeps the edited text of a thing, which was not written, and says where.
func (p *program) keepText(text string) error {
	name, err := saveTemp("", "placetop-*.yaml", text)
	if err == nil {
		p.say("your version is kept in %s", name)
	}
	return err
}

// edited shows how a text changes a thing, asks, and writes it.
func (p *program) edited(ctx context.Context, w *writing, e textEdit, snap *cloud.Snapshot, of ops.Edit, text string) error {
	var err error
	if of.Want, err = kinds.ReadEdit(snap, of.Base, text); err != nil {
		return failed(err, "nothing was written")
	}
	plan := func(f finder) (ops.Plan, error) { return ops.PlanEdit(f.Snapshot, of) }
	if !w.dryRun && !e.yes {
		try := *w
		try.dryRun = true
		if err := errors.Join(p.write(ctx, &try, plan, nil), p.close()); err != nil {
			return err
		}
		if !p.agreed(ctx, "write it?") {
			p.say("nothing was written")
			return nil
		}
	}
	return errors.Join(p.write(ctx, w, plan, nil), p.close())
}

// subject returns a thing as editable text, from the current cloud. Nothing stays open:
// editing may take an hour.
func (p *program) subject(ctx context.Context, e textEdit) (*cloud.Snapshot, ops.Editable, error) {
	store, err := p.openToRead(ctx)
	if err != nil {
		return nil, nil, err
	}
	snap := store.Snapshot()
	rows, err := e.kind.Find(finderOf(snap).Finder, e.name)
	if err != nil {
		return nil, nil, err
	}
	of := e.kind.Edits(rows[0])
	if of == nil {
		return nil, nil, fmt.Errorf("%w: %s cannot be edited", placement.ErrUnsupported, e.name)
	}
	return snap, of, p.close()
}

// inEditor returns the edited text, even with an error.
func (p *program) inEditor(text string) (string, error) {
	run, read, err := handOver(text, func(name string) string { return p.env[name] })
	if err != nil {
		return text, err
	}
	run.Stdin, run.Stdout, run.Stderr = p.stdin, p.stderr, p.stderr
	after, err := read(run.Run())
	if err != nil {
		return cmp.Or(after, text), failed(err, "nothing was written")
	}
	return after, nil
}

// agreed asks a question on the terminal, and reports whether the answer is yes.
func (p *program) agreed(ctx context.Context, question string) bool {
	_, _ = fmt.Fprintf(p.stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(&contextReader{ctx: ctx, from: p.stdin}).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// editor lets the user edit a text in the editor that VISUAL or EDITOR names, else in vi,
// in a temporary file. Saved text is returned even with an error: if an editor is killed,
// or ends with an exit code other than 0, what was typed must not be lost.
func editor(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	run, read, err := handOver(text, os.Getenv)
	if err != nil {
		return func() tea.Msg { return done("", err) }
	}
	return session.Exec(run, func(err error) tea.Msg { return done(read(err)) })
}

// handOver returns the command that edits a text, and a function that reads the text once
// that has ended, along with its error. env gives the editor's name.
func handOver(text string, env func(string) string) (run *exec.Cmd, read func(error) (string, error), err error) {
	name, err := saveTemp("", "placetop-*.yaml", text)
	if err != nil {
		return nil, nil, err
	}
	words := editorWords(env("VISUAL"), env("EDITOR"))
	run = exec.Command(words[0], append(words[1:], name)...) //nolint:noctx // the person's own editor, for as long as they like
	return run, func(err error) (string, error) {
		defer os.Remove(name) //nolint:errcheck // it is in the folder for what goes
		called := strings.Join(words, " ")
		if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
			err = fmt.Errorf("%s: %w; set VISUAL or EDITOR to the editor to use", called, err)
		} else if err != nil {
			err = fmt.Errorf("%s: %w", called, err)
		}
		edited, unread := os.ReadFile(name)
		if errors.Is(unread, fs.ErrNotExist) {
			unread = fmt.Errorf("%s left no file %s: save it under the name that it was opened with", called, name)
		}
		return string(edited), errors.Join(err, unread)
	}, nil
}

// saveTemp writes a new file in a folder, "" for that of temporary files, and returns its
// path.
func saveTemp(folder, pattern, text string) (string, error) {
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil { // such as that the disk is full
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// editorWords returns the command of the editor: the first of named that is not empty,
// else vi.
func editorWords(named ...string) []string {
	for _, command := range named {
		if words := strings.Fields(command); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}
