package main

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// sizeCommand is a command as the package comment asks for.
func (p *program) sizeCommand() *cobra.Command {
	cmd := command("size\nPrint how many providers there are")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return err
		}
		p.printer().Lines(fmt.Sprint(store.Snapshot().Placement().ProviderCount()))
		return nil
	}
	return cmd
}

// likeCommand is such a command that writes.
func (p *program) likeCommand() *cobra.Command {
	cmd := command("like TRAIT\nMake a trait")
	return p.changes(cmd, p.makingFlags(cmd), func(f finder, args []string) (ops.Plan, error) {
		return ops.PlanOp(f.Snapshot, placement.CreateTrait{Name: placement.Trait(args[0])})
	})
}

// TestRecipe adds commands by the recipe in the package comment, and checks that they
// have what all commands have.
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
		p.add(root, p.sizeCommand(), anywhere, p.nouns())
		p.add(root, p.likeCommand(), anywhere, p.nouns())
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

// TestCommandsAreWhereTheDocSays checks that each command is in the file of its name, or
// where the package comment lists it.
func TestCommandsAreWhereTheDocSays(t *testing.T) {
	t.Parallel()
	shared := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^//\t(\w+\.go) +(.*)$`).FindAllStringSubmatch(string(must.Get(os.ReadFile("main.go"))(t)), -1) {
		for _, name := range strings.FieldsFunc(line[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			shared[name] = line[1]
		}
	}
	p := &program{env: map[string]string{}}
	for _, c := range p.root().Commands() {
		file := cmp.Or(shared[c.Name()], strings.ReplaceAll(c.Name(), "-", "_")+".go")
		source, err := os.ReadFile(file)
		if err != nil || !regexp.MustCompile("(Use: +\"|command\\([`\"])"+c.Name()+"[ \"\\n\\\\]").Match(source) {
			t.Errorf("%s is not in %s (%v)", c.Name(), file, err)
		}
	}
}
