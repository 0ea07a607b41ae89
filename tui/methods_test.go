package tui_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestNoTypeDoesEverything counts the methods of each type: one that does too much is several.
func TestNoTypeDoesEverything(t *testing.T) {
	t.Parallel()
	const most = 25
	methods := map[string]int{}
	for _, file := range must.Get(filepath.Glob("*.go"))(t) {
		parsed := must.Get(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && !strings.HasSuffix(file, "_test.go") {
				methods[strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*")]++
			}
		}
	}
	for of, n := range methods {
		if n > most {
			t.Errorf("%s has %d methods", of, n)
		}
	}
	if methods["App"] == 0 {
		t.Error("no methods of App were found")
	}
}
