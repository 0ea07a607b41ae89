package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

const module = "github.com/placetop/placetop"

// layer says which of our packages the packages in a folder may import. The entry with
// the longest matching folder applies. "x/..." is x and everything below it.
type layer struct {
	folder string
	may    []string
	why    string // why nothing else
}

// anyones reports whether all packages may import the one in a folder, like those of the
// standard library.
func anyones(folder string) bool { return folder == "model/suggest" }

// layers is the direction of all imports, according to the design.
func layers() []layer {
	return []layer{
		{"model", nil, "model is the map of the packages below it and holds no code"},
		{"model/versioned", nil, "the envelope of a record knows no record"},
		{"model/filter", nil, "the language knows words and numbers, not what they are of"},
		{"model/internal/words", nil, "nouns and numbers of messages"},
		{"model/internal/ordered", nil, "trees know nothing of what they keep in order"},
		{"model/suggest", nil, "likeness of names needs to know nothing"},
		{"model/format", []string{"model/versioned"}, "how rows are written down for others knows no row"},
		{"model/intent", []string{"model/versioned", "model/internal/words"}, "what a change is made of is the same for every ledger"},
		{"model/placement", []string{"model/intent", "model/versioned", "model/internal/..."}, "Placement knows nothing of instances, devices or searches"},
		{"model/api/microversion", []string{"model/placement"}, "what a service calls its versions knows no request"},
		{"model/candidates", []string{"model/placement", "model/api/microversion", "model/versioned"}, "a search needs Placement's ledger alone"},
		{"model/pci", []string{"model/placement"}, "what nova.conf says of PCI devices knows no ledger"},
		{"model/ledger", []string{"model/intent", "model/internal/ordered", "model/placement", "model/versioned"}, "how records are kept does not depend on whose they are"},
		{"model/nova/object", []string{"model/placement", "model/ledger", "model/nova", "model/versioned"}, "rows and objects are Nova's own"},
		{"model/nova/tracker", []string{"model/placement", "model/candidates", "model/ledger", "model/nova", "model/nova/object", "model/pci", "model/internal/words", "model/versioned"}, "a compute node reports to Nova and Placement, and knows no whole"},
		{"model/nova", []string{"model/intent", "model/internal/words", "model/placement", "model/pci", "model/candidates", "model/ledger", "model/versioned"}, "Nova speaks to Placement, and knows no whole"},
		{"model/cyborg", []string{"model/intent", "model/internal/words", "model/placement", "model/candidates", "model/ledger", "model/pci", "model/versioned"}, "Cyborg speaks to Placement, and knows no whole"},
		{"model/operator", []string{"model/intent", "model/placement", "model/ledger", "model/versioned"}, "what operators write down names rules and subjects, and knows neither"},
		{"model/cloud", []string{"model/intent", "model/placement", "model/nova", "model/cyborg", "model/operator", "model/versioned"}, "the whole is its ledgers; what is done with it is ops"},
		{"model/delta", []string{"model/nova"}, "what differs is told of any record, with the names of flavors"},
		{"model/api", []string{"model/placement", "model/api/microversion", "model/nova", "model/cyborg", "model/cloud"}, "how a verb looks to a service knows neither who asks nor who answers"},
		{"model/ops", []string{"model/placement", "model/api/microversion", "model/delta", "model/api", "model/pci", "model/candidates", "model/filter", "model/ledger", "model/nova/...", "model/cyborg", "model/operator", "model/cloud", "model/versioned/...", "model/internal/words"}, "use-cases run against ports, so that keys, commands and requests share them"},
		{"model/internal/survey", []string{"model/placement", "model/nova", "model/cloud", "model/ops"}, "what is asked of a cloud first knows no rule and no figure"},
		{"model/audit", []string{"model/placement", "model/api/microversion", "model/kinds", "model/pci", "model/filter", "model/candidates", "model/nova/...", "model/cyborg", "model/operator", "model/cloud", "model/ops", "model/versioned", "model/internal/..."}, "what is wrong is read from the whole and mended by use-cases; figures know it, not it them"},
		{"model/insight", []string{"model/placement", "model/kinds", "model/pci", "model/candidates", "model/nova", "model/cyborg", "model/cloud", "model/ops", "model/audit", "model/internal/..."}, "figures of a whole cloud are pure functions of one Snapshot"},
		{"model/kinds", []string{"model/placement", "model/pci", "model/filter", "model/nova/...", "model/cyborg", "model/cloud", "model/ops", "model/versioned", "model/internal/..."}, "a kind describes what the ledgers keep; rules and figures read it, not it them"},
		{"model/keeper", []string{"model/placement", "model/cloud", "model/ops", "model/audit"}, "what is due is decided by use-cases and rules"},
		{"model/demo", []string{"model/..."}, "a made-up cloud is a list of changes, wherever it is kept"},
		{"model/modeltest", []string{"model/..."}, "the rules are tested without any store"},
		{"storage", []string{"model/...", "storage/..."}, "a store keeps the model; how it looks and where it came from is not its business"},
		{"storage/follow", []string{"model/cloud", "model/placement", "model/versioned", "storage", "storage/diskfile", "storage/engine", "storage/internal/...", "storage/shared", "storage/memory", "storage/bolt", "storage/storagetest"}, "who follows knows neither engine nor kind of connection; its tests do"},
		{"storage/engine", []string{"model/...", "storage", "storage/diskfile"}, "what opens clouds knows no engine"},
		{"hw", []string{"model/...", "hw/..."}, "a probe reports into the model and knows no store"},
		{"tui", []string{"model/...", "themes", "tui/action", "tui/part/component", "tui/part/list", "tui/screen", "tui/screen/help", "tui/session", "tui/place", "tui/style", "tui/terminal"}, "the root model routes, and knows no screen but the help"},
		{"tui/style", []string{"themes"}, "a look knows no picture"},
		{"tui/action", []string{"model/intent", "tui/place", "tui/style"}, "an action is a value, and names the operations and the place that it comes to"},
		{"tui/terminal", nil, "cells, what differs, and keys: it knows no model and no Bubble Tea"},
		{"tui/place", []string{"model/..."}, "a place is a value: it knows no screen"},
		{"tui/session/sshd", []string{"storage/diskfile", "tui/terminal"}, "who lets people in knows neither screens nor a cloud"},
		{"tui/session", []string{"tui/session/...", "tui/style", "tui/terminal"}, "what lies between Bubble Tea and one terminal knows no screen"},
		{"tui/part/component", []string{"model/filter", "themes", "tui/style"}, "lines, gauges and grids know nothing of a cloud"},
		{"tui/part", []string{"model/...", "themes", "tui/action", "tui/part/...", "tui/screen", "tui/place", "tui/style"}, "what screens share knows no screen"},
		{"tui/screen", []string{"model/...", "themes", "tui/action", "tui/part/...", "tui/screen", "tui/place", "tui/style"}, "a screen opens another by its place, and imports none"},
		{"tui/tuitest", []string{"..."}, "it drives the dashboard and its screens in tests"},
		{"themes", []string{"themes/..."}, "palettes are data"},
		{"cmd", []string{"..."}, "only cmd wires"},
	}
}

// ban says what packages in a folder must not import from elsewhere; "" is all folders.
// except are folders that may.
type ban struct {
	folder  string
	imports []string // a package, or "x/..." for x and all below it
	except  []string
	why     string
}

func bans() []ban {
	return []ban{
		{"model", []string{"os/...", "net", "net/http/...", "net/rpc/...", "net/smtp", "io/ioutil", "syscall", "golang.org/x/sys/..."}, nil, "model does no I/O: the same changes give the same snapshot everywhere"},
		{"model", []string{"log/..."}, nil, "model does not log, it returns"},
		{"", []string{"github.com/charmbracelet/...", "github.com/muesli/..."}, []string{"tui", "cmd"}, "only the dashboard and the commands know a terminal"},
		{"tui/terminal", []string{"github.com/charmbracelet/bubbletea/...", "github.com/charmbracelet/lipgloss/..."}, nil, "the terminal layer is below Bubble Tea"},
		{"", []string{"go.etcd.io/bbolt/..."}, []string{"storage/bolt"}, "no engine shows beside its own store"},
		{"", []string{"github.com/shirou/gopsutil/...", "github.com/jaypipes/..."}, []string{"hw"}, "only a probe looks at the machine"},
		{"", []string{"github.com/spf13/..."}, []string{"cmd"}, "only commands have flags"},
	}
}

// TestImports checks the direction of imports. It parses the sources, because the result
// of a test that runs "go list" would be cached.
func TestImports(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() {
			if file != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		seen[strings.Split(rel, "/")[0]] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := refusal(rel, imported); why != "" {
				t.Errorf("%s imports %s: %s", rel, imported, why)
			}
		}
		return nil
	})
	must.Succeed(t, err)
	for _, top := range []string{"cmd", "model"} {
		if !seen[top] {
			t.Errorf("no source below %s was read", top)
		}
	}
}

// TestOnlyTheRunnerWrites checks that only ops.Runner writes to a store, so that
// everything is planned, shown and retried in one way, and that neither a command nor a
// screen makes its own Change.
func TestOnlyTheRunnerWrites(t *testing.T) {
	t.Parallel()
	mayWrite := []string{"model/ops/runner.go", "model/demo/world.go", "tui/cloud_view.go"} // the second has a store of its own, the third passes on what it is given
	forTests := []string{"tui/tuitest/", "storage/"}
	writes := 0
	eachNode(t, []string{"cmd", "hw", "model", "storage", "tui"}, func(rel string, n ast.Node) {
		if slices.ContainsFunc(forTests, func(dir string) bool { return strings.HasPrefix(rel, dir) }) {
			return
		}
		switch n := n.(type) {
		case *ast.CallExpr: // Writer.Apply takes a context and a Change, the pure ones only a Change
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Apply" && len(n.Args) == 2 {
				writes++
				if !slices.Contains(mayWrite, rel) {
					t.Errorf("%s writes to a store: make it a Task, and give it to ops.Runner", rel)
				}
			}
		case *ast.CompositeLit:
			sel, ok := n.Type.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Change" || len(n.Elts) == 0 || strings.HasPrefix(rel, "model/") {
				break
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "cloud" {
				t.Errorf("%s makes up a Change: that is for a planner of package ops", rel)
			}
		}
	})
	if writes == 0 {
		t.Error("no write was found at all: the test looks for something that is not there")
	}
}

// TestViewsOnlyShow checks that nothing in the dashboard looks for what is due, or runs
// the rules itself: that is for the keeper of the cloud, whose reports the dashboard
// shows.
func TestViewsOnlyShow(t *testing.T) {
	t.Parallel()
	due := []string{"ops.Due", "ops.NextDeadline", "ops.Unfinished", "audit.Inspect", "storage.Keep"}
	keeps := 0
	eachNode(t, []string{"model/keeper", "tui"}, func(rel string, n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok {
			return
		}
		name := pkg.Name + "." + sel.Sel.Name
		if !slices.Contains(due, name) {
			return
		}
		if keeps++; strings.HasPrefix(rel, "tui/") {
			t.Errorf("%s calls %s: show what the keeper reports", rel, name)
		}
	})
	if keeps < 3 {
		t.Error("the keeper calls none of it: the test looks for something that is not there")
	}
}

// eachNode calls f with each node of the sources, other than tests, below some folders.
func eachNode(t *testing.T, folders []string, f func(file string, n ast.Node)) {
	t.Helper()
	root := filepath.Join("..", "..")
	for _, top := range folders {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				f(filepath.ToSlash(rel), n)
				return true
			})
			return nil
		})
		must.Succeed(t, err)
	}
}

// TestImportsRefused checks that the table refuses what it should.
func TestImportsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, imported string
		refused        bool
	}{
		{"model/placement/apply.go", "os", true},
		{"model/placement/apply.go", "net/http/httptest", true},
		{"model/placement/apply.go", "net/url", false},
		{"model/placement/apply.go", "log/slog", true},
		{"model/placement/apply.go", "time", false},
		{"model/placement/apply.go", module + "/model/versioned", false},
		{"model/placement/apply.go", module + "/model/nova", true},
		{"model/placement/apply_test.go", module + "/storage/memory", true},
		{"model/placement/apply_test.go", "os", false},
		{"model/candidates/search.go", module + "/model/cloud", true},
		{"model/ops/claim.go", module + "/model/cloud", false},
		{"model/ops/claim.go", module + "/storage", true},
		{"storage/bolt/open.go", module + "/storage", false},
		{"storage/bolt/open.go", module + "/tui/style", true},
		{"storage/bolt/open.go", "go.etcd.io/bbolt", false},
		{"storage/memory/memory.go", "go.etcd.io/bbolt", true},
		{"storage/memory/memory.go", "testing", true},
		{"storage/memory/memory.go", module + "/storage/storagetest", true},
		{"storage/memory/memory_test.go", module + "/storage/storagetest", false},
		{"storage/storagetest/suite.go", "testing", false},
		{"hw/hw.go", module + "/model/placement", false},
		{"hw/hw.go", module + "/storage", true},
		{"tui/app.go", module + "/hw", true},
		{"tui/screen/flavors/flavors.go", module + "/tui/screen/services", true},
		{"tui/screen/flavors/flavors.go", module + "/tui/part/list", false},
		{"tui/part/list/list.go", module + "/tui/screen/flavors", true},
		{"tui/terminal/screen.go", "github.com/charmbracelet/bubbletea", true},
		{"tui/app_test.go", module + "/model/demo", false},
		{"themes/load.go", module + "/tui/style", true},
		{"themes/load.go", "github.com/charmbracelet/lipgloss", true},
		{"cmd/placetop/wire.go", module + "/storage/bolt", false},
		{"tui/app.go", module + "/cmd/placetop", true},
		{"extra/new.go", "fmt", true},
	} {
		if why := refusal(c.file, c.imported); (why != "") != c.refused {
			t.Errorf("%s imports %s: refused because %q, want refused = %v", c.file, c.imported, why, c.refused)
		}
	}
}

// refusal returns why a file must not import a package, "" if it may.
func refusal(file, imported string) string {
	folder := path.Dir(file)
	inTest := strings.HasSuffix(file, "_test.go")
	ours, isOurs := strings.CutPrefix(imported, module+"/")

	if inTest {
		// Tests may import what they like, except that those of model use only model: it
		// is the layer that all others are tested against.
		if isOurs && within(folder, "model") && !within(ours, "model") {
			return "model's tests need no store, no screen and no machine"
		}
		return ""
	}
	rule, ok := layerOf(folder)
	if !ok {
		return "there is no layer for the folder " + folder
	}
	if isOurs && !anyones(ours) && !slices.ContainsFunc(rule.may, func(p string) bool { return covers(p, ours) }) {
		return rule.why
	}
	if forTests(folder) {
		return ""
	}
	if covers("testing/...", imported) || isOurs && forTests(ours) {
		return "production code does not link what is for tests"
	}
	for _, b := range bans() {
		exempt := slices.ContainsFunc(b.except, func(e string) bool { return within(folder, e) })
		if within(folder, b.folder) && !exempt && slices.ContainsFunc(b.imports, func(p string) bool { return covers(p, imported) }) {
			return b.why
		}
	}
	return ""
}

func layerOf(folder string) (layer, bool) {
	var best layer
	found := false
	for _, l := range layers() {
		if within(folder, l.folder) && len(l.folder) >= len(best.folder) {
			best, found = l, true
		}
	}
	return best, found
}

// forTests reports whether a folder, or one that it is in, is only for tests.
func forTests(folder string) bool {
	return slices.ContainsFunc(strings.Split(folder, "/"), func(name string) bool {
		return len(name) > len("test") && strings.HasSuffix(name, "test")
	})
}

// within reports whether folder is top or below it; everything is below "".
func within(folder, top string) bool {
	return top == "" || folder == top || strings.HasPrefix(folder, top+"/")
}

// covers reports whether a pattern, such as "model/..." or "...", names a package.
func covers(pattern, pkg string) bool {
	if top, ok := strings.CutSuffix(pattern, "..."); ok {
		return within(pkg, strings.TrimSuffix(top, "/"))
	}
	return pattern == pkg
}

// TestTopFolders checks the folders at the top of the repository.
func TestTopFolders(t *testing.T) {
	t.Parallel()
	entries := must.Get(os.ReadDir(filepath.Join("..", "..")))(t)
	want := []string{"LICENSE", "README.md", "cmd", "go.mod", "go.sum", "hw", "model", "storage", "themes", "tui"}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(want, name) {
			t.Errorf("%s stands at the top; nothing but %s and dot-files do", name, strings.Join(want, ", "))
		}
	}
}
