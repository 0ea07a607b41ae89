package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestOnlyCommandsNameCommands checks that nothing below model, storage and hw says what
// to type: these packages do not know which program they are part of. What can be done
// they return as a storage.Remedy, which told turns into a command.
func TestOnlyCommandsNameCommands(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range (&program{}).root().Commands() {
		names = append(names, c.Name())
	}
	command := regexp.MustCompile(`\bplacetop (` + strings.Join(names, "|") + `)\b|(^|[ (])--[a-z]`)
	root := filepath.Join("..", "..")
	read := 0
	for _, top := range []string{"model", "storage", "hw"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			read++
			// These write commands of the clients of OpenStack and etcd.
			others := f.Name.Name == "etcd" || f.Name.Name == "api" || f.Name.Name == "demo" || strings.HasSuffix(file, filepath.Join("candidates", "print.go"))
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !others && command.MatchString(strings.Trim(lit.Value, "\"`")) {
					t.Errorf("%s names a command: %s", file, lit.Value)
				}
				return true
			})
			return nil
		})
		must.Succeed(t, err)
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}
