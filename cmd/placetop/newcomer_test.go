package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestFirstGuess checks that what newcomers look for is where they would look first,
// which the docs of model, tui and this package say.
func TestFirstGuess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, file, holds string }{
		{"the rule that a claim may not exceed capacity", "model/placement/capacity.go", "func (e *edit) checkFits("},
		{"the owner pre-filter", "model/nova/prefilter_owner.go", "owner_nova_filter"},
		{"the schema of the file", "storage/bolt/schema.go", "func Schema() "},
		{"the exit codes", "cmd/placetop/exit.go", "exitNothingFits = 5"},
		{"where the flag of a command is added", "cmd/placetop/check.go", `flag:"fix"`},
		{"where a global flag is added", "cmd/placetop/internal/config/settings.go", "func (s *Settings) AddFlags("},
		{"resize", "model/ops/resize.go", "type Move struct"},
		{"who reverts an overdue move", "model/keeper/keeper.go", "moves that were not confirmed in time"},
		{"rule o06", "model/audit/o06_wrong_owner.go", `RuleID = "o06"`},
		{"the upgrade gate", "model/nova/gate.go", "type Gate struct"},
		{"how far the upgrade gate is", "model/insight/gate.go", "func ReadinessOf("},
		{"a microversion of candidates", "model/api/microversion/microversion.go", "PlacementNewest"},
		{"a parameter of candidates", "model/candidates/parse.go", "microversion.InTree"},
		{"a filter of the list of providers", "storage/rest/bodies.go", "func (r *request) checkProvidersQuery("},
		{"a field of a flavor", "model/nova/flavor.go", "type Flavor struct"},
		{"a flavor as the API takes it", "model/api/compute.go", `json:"OS-FLV-EXT-DATA:ephemeral"`},
		{"a column of flavors", "model/kinds/nova.go", "Name: Flavors,"},
		{"a verb of Nova's ledger", "model/nova/verb.go", "intent.Verb"},
		{"how long the journal is kept", "model/operator/journal.go", "DefaultJournalDays"},
		{"a metric", "model/insight/metrics_own.go", "func ownTable()"},
		{"a vendor of cards", "hw/sysfs/pci.go", "VendorNVIDIA"},
		{"the key r of resize", "tui/part/panel/instance.go", `"resize", "r"`},
		{"the order of hints in the footer", "tui/action/action.go", "// Priority orders the footer"},
		{"what a key does", "tui/keys.go", "func (k *keys) press("},
		{"what is on the stack", "tui/stack.go", "type stack struct"},
		{"what comes from the cloud", "tui/live.go", "type live struct"},
		{"a command after the colon", "tui/command.go", "func (a *App) commands() []command"},
		{"how a usage bar is drawn", "tui/part/component/gauge.go", "func Bar("},
		{"a field of a form", "tui/screen/flavors/form.go", "form.NewField("},
		{"a token of the themes", "themes/token.go", "type Token uint8"},
		{"where a screen is added", "tui/app.go", "// To add a screen,"},
		{"where a column of devices is", "tui/screen/devices/devices.go", "kinds.Devices"},
		{"what a column of devices holds", "model/kinds/cyborg.go", "Name: Devices,"},
		{"where a store on etcd would go", "storage/engine/engine.go", "// To add an engine, write a package below storage"},
		{"where a REST server would go", "cmd/placetop/main.go", "storage/rest"},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(c.file)))
		if err != nil || !strings.Contains(string(text), c.holds) {
			t.Errorf("%s: not in %s: %q (%v)", c.what, c.file, c.holds, err)
		}
	}
}

// TestRecipesAreShort holds how many files of go doc ./model/ledger name a verb, and a field of
// a flavor.
func TestRecipesAreShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		most    int
		folders []string
	}{
		{"DeleteDeviceProfile", 4, []string{"model", "storage"}},
		{"ForceDownService", 4, []string{"model/api", "model/modeltest", "model/nova", "model/ops", "storage"}},
		{"SwapMB", 6, []string{"model", "storage", "hw", "tui", "cmd"}},
	} {
		word := regexp.MustCompile(`\b` + c.name + `\b`)
		var in []string
		for _, folder := range c.folders {
			must.Succeed(t, filepath.WalkDir(filepath.Join("..", "..", folder), func(file string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
					return err
				}
				text, err := os.ReadFile(file)
				if word.Match(text) {
					in = append(in, file)
				}
				return err
			}))
		}
		if len(in) > c.most || len(in) < 3 {
			t.Errorf("%s is named in %d files, want at most %d: %s", c.name, len(in), c.most, in)
		}
	}
}

// TestPackageComments checks that every package says what it is for on one page, and that the
// maps only name files and packages that are there.
func TestPackageComments(t *testing.T) {
	t.Parallel()
	const most = 40
	root := filepath.Join("..", "..")
	told := map[string]bool{}
	for _, top := range []string{"cmd", "hw", "model", "storage", "themes", "tui"} {
		must.Succeed(t, filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				return err
			}
			folder := filepath.Dir(file)
			told[folder] = told[folder] || parsed.Doc != nil
			if parsed.Doc == nil {
				return nil
			}
			if n := lines(parsed.Doc); n > most {
				t.Errorf("%s: the comment of the package has %d lines, more than %d", file, n, most)
			}
			if folder == filepath.Join(root, "model") || folder == filepath.Join(root, "tui") {
				checkMap(t, folder, parsed.Doc.Text())
			}
			return nil
		}))
	}
	for folder, is := range told {
		if !is {
			t.Errorf("%s has no package comment", folder)
		}
	}
}

func lines(c *ast.CommentGroup) (n int) {
	for _, c := range c.List {
		n += strings.Count(c.Text, "\n") + 1
	}
	return n
}

// checkMap checks that the Go files and the pages of go doc that a package comment names exist.
// Their paths begin in the folder of the package, or on top.
func checkMap(t *testing.T, folder, text string) {
	t.Helper()
	root := filepath.Join("..", "..")
	found := 0
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, ",;:.")
		if !strings.HasSuffix(word, ".go") && !strings.HasPrefix(word, "/") || strings.Contains(word, "...") {
			continue
		}
		found++
		_, inFolder := os.Stat(filepath.Join(folder, word))
		if _, onTop := os.Stat(filepath.Join(root, word)); inFolder != nil && onTop != nil {
			t.Errorf("the map of %s names %s: %v", folder, word, inFolder)
		}
	}
	if found < 5 {
		t.Errorf("the map of %s names only %d files", folder, found)
	}
}
