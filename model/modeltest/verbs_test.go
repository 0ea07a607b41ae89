package modeltest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// TestVerbsTellAStory applies each verb after those before it: it is accepted and changes
// something, and the Event kept by the journal can replay and undo it.
func TestVerbsTellAStory(t *testing.T) {
	t.Parallel()
	s := cloud.Empty()
	for n, op := range modeltest.Verbs() {
		next, ev, err := s.Apply(cloud.Change{At: modeltest.At(n), Ops: []cloud.Op{op}})
		if err != nil {
			t.Fatalf("%T %s: %v", op, op, err)
		}
		if len(ev.Changes) == 0 {
			t.Errorf("%T %s alters nothing", op, op)
		}
		if strings.TrimSpace(op.String()) == "" {
			t.Errorf("%T says nothing", op)
		}
		again, _, err := s.Apply(ev.Replay())
		if err != nil {
			t.Errorf("%T: replay: %v", op, err)
		} else if d := modeltest.Diff(modeltest.Records(next), modeltest.Records(again)); d != "" {
			t.Errorf("%T: replay (-want +got):\n%s", op, d)
		}
		before, err := next.Before(ev)
		if err != nil {
			t.Errorf("%T: before: %v", op, err)
		} else if d := modeltest.Diff(modeltest.Records(s), modeltest.Records(before)); d != "" {
			t.Errorf("%T: before (-want +got):\n%s", op, d)
		}
		if d := cmp.Diff(ev, asRead(t, ev)); d != "" {
			t.Errorf("%T: the Event is another one once it is written and read (-made +read):\n%s", op, d)
		}
		s = next
	}
}

// asRead returns an Event with its records written and read back.
func asRead(t *testing.T, ev cloud.Event) cloud.Event {
	t.Helper()
	codec := cloud.NewCodec()
	read := func(r versioned.Record) versioned.Record {
		if r == nil {
			return nil
		}
		b := must.Get(codec.Encode(r))(t)
		out := must.Get(codec.Decode(r.RecordKind(), b))(t)
		return out
	}
	ev.Changes = slices.Clone(ev.Changes)
	for i, c := range ev.Changes {
		ev.Changes[i] = versioned.Change{Before: read(c.Before), After: read(c.After)}
	}
	return ev
}

// TestEveryVerbIsKnown reads the sources of the ledgers: each of their verbs is in the
// story, so that every store is tested with it; says which ledger it belongs to; is known
// to Capabilities; and has a doc comment that names upstream's source, or says that no
// API has it.
func TestEveryVerbIsKnown(t *testing.T) {
	t.Parallel()
	told := map[string]cloud.Op{}
	for _, op := range modeltest.Verbs() {
		told[reflect.TypeOf(op).String()] = op
	}
	all := 0
	for ledger, owns := range map[string]func(cloud.Op) bool{"placement": placement.Owns, "nova": nova.Owns, "cyborg": cyborg.Owns, "operator": operator.Owns} {
		for name, doc := range verbsOf(t, filepath.Join("..", ledger)) {
			all++
			if !strings.HasPrefix(doc, name+" ") || !strings.Contains(doc, "Source: ") && !strings.Contains(doc, "No API has it") {
				t.Errorf("%s.%s: its comment must begin with its name, and name upstream's source or say: No API has it: %s", ledger, name, doc)
			}
			op, ok := told[ledger+"."+name]
			if !ok {
				t.Errorf("%s.%s is not in modeltest.Verbs", ledger, name)
				continue
			}
			if service, _ := api.Needs(op); service != "" && strings.Contains(doc, "No API has it") {
				t.Errorf("%s.%s is asked of %s: %s", ledger, name, service, doc)
			}
			if !owns(op) {
				t.Errorf("%s.%s is not its own verb", ledger, name)
			}
			if err := (cloud.Capabilities{}).Can(op); err != nil {
				t.Errorf("%s.%s: a store that can do all: %v", ledger, name, err)
			}
			zero := reflect.Zero(reflect.TypeOf(op)).Interface().(cloud.Op)
			only := cloud.Capabilities{Cannot: func(other cloud.Op) string {
				if reflect.TypeOf(other) == reflect.TypeOf(op) {
					return "not here"
				}
				return ""
			}}
			if err := only.Can(placement.PutRecords{}, zero); err == nil || !strings.Contains(err.Error(), "not here") {
				t.Errorf("%s.%s: a store that cannot: %v", ledger, name, err)
			}
		}
	}
	if all < 50 {
		t.Errorf("%d verbs were found in the sources", all)
	}
}

// verbsOf returns the doc comments of the types of a package that embed verb, by name.
func verbsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	out := map[string]string{}
	for _, path := range files {
		f := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments))(t)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			if st, ok := spec.Type.(*ast.StructType); ok && embedsVerb(st) {
				out[spec.Name.Name] = strings.Join(strings.Fields(g.Doc.Text()), " ")
			}
		}
	}
	return out
}

func embedsVerb(st *ast.StructType) bool {
	for _, f := range st.Fields.List {
		if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 && id.Name == "verb" {
			return true
		}
	}
	return false
}
