package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/placement"
)

// sizeCommand is a command made as the package comment says.
func (p *program) sizeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "size", Short: "Print how many providers there are", Args: takes(0, 0)}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stdout, store.Snapshot().Placement().ProviderCount())
		return err
	}
	return cmd
}

// likeCommand is one that writes.
func (p *program) likeCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "like TRAIT", Short: "Make a trait", Args: takes(1, 1)}
	w := writeFlags(cmd)
	w.makes = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.write(cmd.Context(), w, planOp(placement.CreateTrait{Name: placement.Trait(args[0])}), nil)
	}
	return cmd
}

// TestRecipe adds commands as the package comment says, and looks whether they have what
// all commands have.
func TestRecipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cloud.db")
	for _, c := range []struct {
		args string
		exit int
		says string
	}{
		{"size", exitFailed, "there is no cloud in"},
		{"like CUSTOM_A --dry-run", exitDone, "CUSTOM_A"},
		{"size", exitFailed, "there is no cloud in"},
		{"like CUSTOM_A", exitDone, ""},
		{"size", exitDone, "0\n"},
		{"size all", exitUsage, `does not take "all"`},
		{"like", exitUsage, "TRAIT"},
		{"like none", exitUsage, "only A-Z"},
		{"like CUSTOM_B --read-only", exitFailed, "read-only"},
	} {
		var out, messages bytes.Buffer
		p := &program{stdout: &out, stderr: &messages, env: map[string]string{}, now: time.Now, newID: uuid.New, log: slog.New(slog.DiscardHandler)}
		root := p.root()
		root.AddCommand(p.sizeCommand(), p.likeCommand())
		root.SetArgs(append(strings.Fields(c.args), "--db", file))
		err := root.ExecuteContext(t.Context())
		if cerr := p.close(); err == nil {
			err = cerr
		}
		if exit := report(&messages, err); exit != c.exit || !strings.Contains(out.String()+messages.String(), c.says) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, exit, c.exit, c.says, out.String(), messages.String())
		}
	}
}
