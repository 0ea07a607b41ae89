package kinds_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestTextsThatCannotBeRead checks that errors about a text use the words of its writer.
func TestTextsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"name: cn1\ntotl: 1\n":                                     "line 2: unknown field totl",
		"name: cn1\nname: cn2\n":                                   `line 2: mapping key "name" already defined at line 1`,
		"inventories:\n  VCPU: {total: 1}\n  VCPU: {total: 2}\n":   `line 3: mapping key "VCPU" already defined at line 2`,
		"name: [cn1, cn2]\n":                                       "line 1: a list is not a text",
		"name: {a: b}\n":                                           "line 1: a mapping is not a text",
		"inventories:\n  VCPU:\n    total: 1e400\n":                `line 3: "1e400" is not a whole number`,
		"inventories:\n  VCPU:\n    total: .nan\n":                 `line 3: ".nan" is not a whole number`,
		"inventories:\n  VCPU:\n    total: 99999999999999999999\n": `line 3: "9999999..." is not a whole number`,
		"inventories:\n  VCPU:\n    allocation_ratio: much\n":      `line 3: "much" is not a number`,
		"inventories:\n  VCPU: 8\n":                                `line 2: "8" is not a mapping`,
		"traits: HW_GPU\n":                                         `line 1: "HW_GPU" is not a list`,
		"inventories:\n  VCPU:\n    total: 1 into 2\n":             `line 3: "1 into 2" is not a whole number`,
		"root:x:0:0\n":                                             `line 1: "root:x:0:0" is not a mapping`,
	} {
		_, err := kinds.ReadEdit(cloud.Empty(), ops.ProviderState{}, text)
		if want = "it cannot be read: " + want; err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestEditTextFits checks that what an editor says to its user fits a terminal of 80 cells.
func TestEditTextFits(t *testing.T) {
	t.Parallel()
	root := modeltest.Provider{Name: "h1"}
	s, _, err := cloud.Empty().Apply(cloud.Change{Ops: root.Ops(placement.ProviderID{})})
	must.Succeed(t, err)
	of := ops.EditableProvider{ID: modeltest.ProviderID("h1")}
	text := must.Get(kinds.EditText(s, of, must.Get(of.State(s))(t)))(t)
	for line := range strings.Lines(text) {
		if n := len(strings.TrimSuffix(line, "\n")); n >= 80 {
			t.Errorf("%d cells: %s", n, line)
		}
	}
}
