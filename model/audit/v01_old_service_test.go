package audit_test

import "testing"

func TestV01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{"v01 an old compute", func(w *world) { w.Services(70, 73) }, []string{"v01 s0"}, nil},
		{"v01 not where none is upgraded", func(w *world) { w.Services(70, 71) }, nil, nil},
	})
}
