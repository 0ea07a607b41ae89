package list_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// flavorList is a list of flavors with a memory.
func flavorList(t *testing.T, m *screen.Memory, returning bool, filter string) *tuitest.Host {
	t.Helper()
	c := tuitest.Demo(t, 4)
	env := tuitest.Env(c, tuitest.Plain())
	env.Memory, env.Returning, env.Known = m, returning, "one"
	return tuitest.Open(t, c, list.New(list.Spec[*nova.Flavor]{
		Name: "flavors", Thing: "flavor", Kind: kinds.Flavors,
		Unchanged: func(old, now *cloud.Snapshot) bool { return old.Nova() == now.Nova() },
		ID:        func(f *nova.Flavor) string { return f.Name },
		Columns:   list.Show[*nova.Flavor]("name=FLAVOR:12-20+1 vcpus=VCPU:4", "vcpus", nil),
		Orders:    []list.Order[*nova.Flavor]{{Name: "name"}},
	}, env, c.Snapshot(), filter))
}

func head(t *testing.T, h *tuitest.Host) string {
	t.Helper()
	line, _, _ := strings.Cut(h.At(100, 10).Text(), "\n")
	return strings.Join(strings.Fields(line), " ")
}

func TestColumnsArePickedAndKept(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{}
	h := flavorList(t, m, true, "")
	if got := head(t, h); got != "FLAVOR ▴ VCPU" {
		t.Fatalf("heads are %q", got)
	}
	picker := list.ColumnPicker(h.Screen.(*list.Screen))
	picker.MoveTo("root")
	if picker.Current() != "root" {
		t.Fatal("the picker does not offer a field of the kind that the list does not show at first")
	}
	for _, a := range picker.Actions() {
		if a.Title == "show or hide" {
			a.Run()
			break
		}
	}
	if got := head(t, h); got != "FLAVOR ▴ VCPU ROOT" {
		t.Errorf("heads are %q after root was picked", got)
	}
	h.Sort("root") // by a picked column
	if got := h.Status(); !strings.Contains(got, "sort root ▾") {
		t.Errorf("status is %q", got)
	}
	h.Sort("name")
	if got := h.Status(); !strings.Contains(got, "sort name") {
		t.Errorf("after the order of a column that of the name is %q", got)
	}
	h.Sort("name")
	h.Press("/")
	h.Type("t4")
	h.Press("enter")

	again := flavorList(t, m, true, "")
	if got := head(t, again); got != "FLAVOR ▾ VCPU ROOT" {
		t.Errorf("heads are %q when the list is opened again", got)
	}
	if got := again.Status(); !strings.Contains(got, "/t4") || !strings.Contains(got, "sort name ▾") {
		t.Errorf("status is %q when a person comes back", got)
	}
	v, _ := m.View("two", "flavors")
	if v.Filter != "" || v.Sort != "name" {
		t.Errorf("another cloud's list has the look %+v", v)
	}
	v.Also = 1
	m.KeepView("me@one", "flavors", v)
	if m.Widen("one"); len(m.Narrowed) != 1 {
		t.Errorf("%v is left of a cloud that is no more", m.Narrowed)
	}
	sent := flavorList(t, m, false, "")
	if got := sent.Status(); strings.Contains(got, "/t4") || !strings.Contains(got, "sort name ▾") {
		t.Errorf("status is %q when another screen sent us", got)
	}
}

func TestFiltersHaveNames(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{Filters: map[string]string{"gpu": "vcpus>=1 t4", "loop": "@loop"}}
	h := flavorList(t, m, false, "@gpu")
	shown, all := h.Screen.(*list.Screen).Counts()
	if shown == 0 || shown == all {
		t.Errorf("@gpu leaves %d of %d", shown, all)
	}
	for expr, want := range map[string]string{"@gpus": "there is no filter @gpus", "@loop": "refers to itself"} {
		if text := flavorList(t, m, false, expr).At(120, 12).Text(); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q:\n%s", expr, want, text)
		}
	}
}

func TestFiltersAreCompleted(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{Filters: map[string]string{"gpu": "vcpus>=1 t4"}}
	for typed, want := range map[string]string{
		"nam":            "/name=",
		"!vcp":           "/!vcpus>",
		"gpu | NAME=GPU": "/gpu | NAME=GPU.a100.1",
		"@g":             "/@gpu",
		"name~g":         "/name~g ",
	} {
		h := flavorList(t, m, false, "")
		h.Press("/")
		h.Type(typed)
		h.Press("tab")
		if text := h.At(120, 12).Text(); !strings.Contains(text+" ", want) {
			t.Errorf("%s is not completed to %s:\n%s", typed, want, text)
		}
	}
}

// TestFilterForAValueThatNoRowHas says what values there are.
func TestFilterForAValueThatNoRowHas(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"name=gpu.a":           "no row has name=gpu.a: name is gpu.a100.1",
		"vcpus>0 NAME=GPU.a10": "no row has NAME=GPU.a10: NAME is GPU.a100.1",
	} {
		flavorList(t, nil, false, filter).At(120, 12).Wants("no flavor matches", want)
	}
	for _, filter := range []string{"vcpus>1000", "name=zz*", "name=gpu.a100.1 vcpus>1000", "name!=gpu.a100.1 vcpus>1000", "/there is name=gpu.a in it/"} {
		flavorList(t, nil, false, filter).At(120, 12).Lacks("no row has")
	}
}

func TestTableAndCopies(t *testing.T) {
	t.Parallel()
	h := flavorList(t, nil, false, "t4")
	s := h.Screen.(*list.Screen)
	table, ok := s.Table()
	shown, _ := s.Counts()
	if !ok || table.Name != "flavors" || len(table.Rows) != shown || strings.Join(table.Heads, " ") != "name vcpus" {
		t.Fatalf("the table is %v", table)
	}
	out, _, err := table.Write("json")
	if err != nil || !strings.Contains(string(out), `"vcpus": `) || strings.Contains(string(out), `"vcpus": "`) {
		t.Errorf("amounts are no numbers: %s, %v", out, err)
	}
	h.Press("space", "space")
	if table, _ := s.Table(); len(table.Rows) != 2 {
		t.Errorf("%d rows are written, 2 are marked", len(table.Rows))
	}
	if got := h.Copied("name"); !strings.Contains(got, "t4") {
		t.Errorf("the name is %q", got)
	}
	if got := h.Copied("YAML"); !strings.Contains(got, "vcpus: ") {
		t.Errorf("YAML is %q", got)
	}
}
