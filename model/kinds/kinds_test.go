package kinds_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// now is when the demo's story ends.
var now = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

// built is the demo cloud, which no test changes.
var built = sync.OnceValue(func() *cloud.Snapshot {
	changes, err := demo.Build(demo.Options{Hosts: 12, Seed: 3, Now: now})
	if err != nil {
		panic(err)
	}
	snap := cloud.Empty()
	for c := range changes {
		if snap, _, err = snap.Apply(c); err != nil {
			panic(err)
		}
	}
	return snap
})

func at() kinds.At { return kinds.At{Snap: built(), Now: now} }

// get returns the answer to a query.
func get(t *testing.T, name kinds.Name, q kinds.Query) kinds.Answer {
	t.Helper()
	q.At = at()
	a := must.Get(kinds.Of(name).Get(q))(t)
	return a
}

// cells returns a column of an answer, as in CSV.
func cells(a kinds.Answer, column string) []string {
	var out []string
	get := a.Kind.Field(column).Get(a.At)
	for _, row := range a.Rows {
		out = append(out, get(row).String())
	}
	return out
}

// rowsOf returns the rows of a kind; events are invented, as the journal is not part of a
// Snapshot.
func rowsOf(t *testing.T, k *kinds.Kind) kinds.Answer {
	t.Helper()
	if k.Rows != nil {
		return get(t, k.Name, kinds.Query{})
	}
	a, err := k.Choose(kinds.Query{At: at()}, []kinds.Row{
		&cloud.Event{Revision: 3, At: now, Actor: "alice", Note: "boot web-1"}, &cloud.Event{Revision: 2, Actor: "demo", Omitted: 4},
	})
	must.Succeed(t, err)
	return a
}

// TestKindsPrintThemselves checks each kind, and how its first row is printed: as JSON
// with all its members, in columns, and as the fields of filters.
func TestKindsPrintThemselves(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for _, k := range kinds.All() {
		a := rowsOf(t, k)
		if len(a.Rows) == 0 {
			t.Fatalf("the demo has no %s", k.Name)
		}
		a.Rows = a.Rows[:1]
		fmt.Fprintf(&b, "-- %s --\n%s %v: %s\nNAME is %s\nfields %s\n\n", k.Name, k.Name, k.Aliases, k.Short, k.What, strings.Join(k.Asked(), " "))
		for _, c := range k.TableColumns() {
			text, _ := c.Cell(a.At)(a.Rows[0])
			mark := ""
			if c.Wide {
				mark = " (wide)"
			}
			fmt.Fprintf(&b, "%s%s: %q shown %q\n", c.Name, mark, c.Get(a.At)(a.Rows[0]), text)
		}
		r := a.Records()
		r.One = true
		doc := must.Get(json.Marshal(r))(t)
		b.WriteString("\n")
		must.Succeed(t, json.Indent(&b, doc, "", "  "))
		b.WriteString("\n\n")
	}
	golden(t, "kinds", b.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		must.Succeed(t, os.WriteFile(file, got, 0o600))
	}
	want := must.Get(os.ReadFile(file))(t)
	must.Match(t, string(want), string(got))
}

// TestKindsAreWhole checks that every kind has all that it must have.
func TestKindsAreWhole(t *testing.T) {
	t.Parallel()
	called := map[string]kinds.Name{}
	for _, k := range kinds.All() {
		for _, name := range append([]string{string(k.Name)}, k.Aliases...) {
			if other, taken := called[name]; taken {
				t.Errorf("%s is what %s and %s are called", name, other, k.Name)
			}
			called[name] = k.Name
		}
		if k.Short == "" || k.What == "" || len(k.TableColumns()) == 0 {
			t.Errorf("%s: help or columns are not there", k.Name)
		}
		members, asked := map[string]bool{}, map[string]bool{}
		for _, f := range k.Fields {
			if members[f.Name] {
				t.Errorf("%s: two fields %s", k.Name, f.Name)
			}
			if asked[f.Asked()] {
				t.Errorf("%s: filters call two fields %s", k.Name, f.Asked())
			}
			members[f.Name], asked[f.Asked()] = true, true
		}
		for _, name := range k.Asked() {
			if _, err := filter.Compile(name+"=1", k.Fielded(at(), nil)); err != nil && filter.Nameable(name) {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
		for _, name := range k.Flags {
			q := kinds.Query{At: at()}
			switch name {
			case kinds.ByHost:
				q.Pick.Host = "nosuch"
			case kinds.ByProject:
				q.Pick.Project = "nosuch"
			case kinds.ByType:
				q.Pick.Type = "nosuch"
			case kinds.ByAssociated:
				q.Pick.Associated = true
			case kinds.ByOwner:
				q.Pick.Owner = "both"
			}
			if _, err := k.Get(q); err != nil {
				t.Errorf("%s --%s: %v", k.Name, name, err)
			}
		}
	}
}

// TestWhatIsListedIsFound finds each thing by the names that completion offers.
func TestWhatIsListedIsFound(t *testing.T) {
	t.Parallel()
	f := kinds.Finder{Snapshot: built()}
	for _, k := range kinds.All() {
		if k.Names == nil {
			continue
		}
		for _, name := range k.Names(f)[:1] {
			name, _, _ = strings.Cut(name, "\t")
			if found, err := k.Find(f, name); err != nil || len(found) == 0 {
				t.Errorf("%s %s: %d, %v", k.Name, name, len(found), err)
			}
		}
		if _, err := k.Find(f, "no such thing"); !errors.Is(err, placement.ErrNotFound) {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

// TestColumnsAndFiltersCountAlike filters by each number in a list: the filter of the
// same name must pick exactly the rows that show it.
func TestColumnsAndFiltersCountAlike(t *testing.T) {
	t.Parallel()
	counted := 0
	for _, k := range kinds.All() {
		a := rowsOf(t, k)
		for _, c := range k.TableColumns() {
			if c.Type != kinds.Count || !filter.Nameable(c.Name) {
				continue
			}
			get := c.Get(a.At)
			for _, row := range a.Rows[:min(len(a.Rows), 5)] {
				v := get(row)
				if v.None() || v.String() == "-" {
					continue
				}
				counted++
				q := kinds.Query{At: a.At, Where: c.Name + "=" + strings.TrimSuffix(v.String(), "%")}
				got, err := k.Choose(q, a.Rows)
				if err != nil {
					t.Fatalf("%s: %v", k.Name, err)
				}
				want := 0
				for _, other := range a.Rows {
					if o := get(other); o.String() == v.String() {
						want++
					}
				}
				if len(got.Rows) != want {
					t.Errorf("%s where %s: %d rows, and %d show it", k.Name, q.Where, len(got.Rows), want)
				}
			}
		}
	}
	if counted < 50 {
		t.Errorf("only %d counts were compared", counted)
	}
}

func TestWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind        kinds.Name
		where, what string
		holds       func(cell string) bool
	}{
		{kinds.Inventories, "free>2 & owner=both", "owner", func(s string) bool { return s == "both" }},
		{kinds.Inventories, "class=VGPU used%>=50", "class", func(s string) bool { return s == "VGPU" }},
		{kinds.Providers, "trait=owner_cyborg !trait=OWNER_NOVA", "owner", func(s string) bool { return s == "cyborg" }},
		{kinds.Providers, "root=cmp-002", "root", func(s string) bool { return s == "cmp-002" }},
		{kinds.Providers, "traits>20", "name", func(s string) bool { return !strings.Contains(s, "_") }},
		{kinds.Instances, "owner=cyborg host!=cmp-001", "host", func(s string) bool { return s != "cmp-001" }},
		{kinds.Migrations, "status=finished", "status", func(s string) bool { return s == "finished" }},
		{kinds.Services, "binary=nova-compute version<73", "gate", func(s string) bool { return s != "" }},
		{kinds.Flavors, "mem>=8G spec:resources", "mem", func(s string) bool { return len(s) >= 4 }},
		{kinds.Devices, "free>0 status=enabled", "status", func(s string) bool { return s == "enabled" }},
		{kinds.ARQs, "state=Bound", "state", func(s string) bool { return s == "Bound" }},
		{kinds.Consumers, "where:cmp-003 class=VCPU", "type", func(s string) bool { return s != "" }},
		{kinds.Allocations, "used>=4 class=VCPU", "class", func(s string) bool { return s == "VCPU" }},
		{kinds.Traits, "owner_", "name", func(s string) bool { return strings.Contains(s, "OWNER_") }},
		{kinds.ComputeNodes, "vms>3", "vms", func(s string) bool { return s > "3" || len(s) > 1 }},
		{kinds.Profiles, "class=VGPU", "name", func(s string) bool { return s != "" }},
	} {
		t.Run(string(c.kind)+" "+c.where, func(t *testing.T) {
			t.Parallel()
			all := get(t, c.kind, kinds.Query{})
			a := get(t, c.kind, kinds.Query{Where: c.where})
			if len(a.Rows) == 0 || len(a.Rows) == len(all.Rows) {
				t.Fatalf("%d of %d", len(a.Rows), len(all.Rows))
			}
			for _, cell := range cells(a, c.what) {
				if !c.holds(cell) {
					t.Errorf("%s is %q", c.what, cell)
				}
			}
		})
	}
}

func TestWhereSaysWhereItIsWrong(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		"host=a onwer=b": `column 8, at "onwer=b": unknown field "onwer": the fields are age, binary, cell,`,
		"version>many":   `column 9, at "many": "many" is not a number`,
		"host=a |":       `column 9, at the end: a term is missing`,
		"(host=a":        `column 1, at "(host=a": this ( is not closed`,
	} {
		_, err := kinds.Of(kinds.Services).Get(kinds.Query{At: at(), Where: expr})
		if !errors.Is(err, placement.ErrInvalid) || !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", expr, err)
		}
	}
}

func TestSort(t *testing.T) {
	t.Parallel()
	for by, less := range map[string]func(a, b kinds.Value) int{
		"free":   func(a, b kinds.Value) int { return a.Compare(b) },
		"-free":  func(a, b kinds.Value) int { return b.Compare(a) },
		"name":   func(a, b kinds.Value) int { return a.Compare(b) },
		"-class": func(a, b kinds.Value) int { return b.Compare(a) },
	} {
		a := get(t, kinds.Inventories, kinds.Query{Sort: by})
		value := a.Kind.Field(strings.TrimPrefix(by, "-")).Get(a.At)
		if !slices.IsSortedFunc(a.Rows, func(x, y kinds.Row) int { return less(value(x), value(y)) }) {
			t.Errorf("%s: %v", by, cells(a, strings.TrimPrefix(by, "-")))
		}
	}
	// Rows with nothing to compare come last, in either order.
	for _, by := range []string{"seen", "-seen"} {
		a := get(t, kinds.Services, kinds.Query{Sort: by})
		seen := cells(a, "seen")
		if i := slices.Index(seen, ""); i >= 0 && slices.ContainsFunc(seen[i:], func(s string) bool { return s != "" }) {
			t.Errorf("%s: %v", by, seen)
		}
	}
	if _, err := kinds.Of(kinds.Cells).Get(kinds.Query{At: at(), Sort: "size"}); !errors.Is(err, placement.ErrInvalid) ||
		err.Error() != `unknown field "size": the fields are down, name, services, version` {
		t.Error(err)
	}
}

// TestAmountsOfAProvider expects the amounts of the class that is asked for, or else of
// the only one.
func TestAmountsOfAProvider(t *testing.T) {
	t.Parallel()
	one := get(t, kinds.Providers, kinds.Query{Where: "free>=0"})
	for _, n := range cells(one, "class") {
		if strings.Contains(n, ",") {
			t.Errorf("which of %s is free?", n)
		}
	}
	host := get(t, kinds.Providers, kinds.Query{Pick: kinds.Pick{Class: []string{"VCPU"}}, Where: "free>0"})
	if len(host.Rows) == 0 {
		t.Error("no host has a free VCPU")
	}
}
