package audit_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest"
)

func TestA09(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a09 nobody confirms a resize for a day", func(w *world) { later(w.Waiting(0), 24*time.Hour) },
			[]string{"a09 i"},
			nil,
		},
		{"a09 not before a day is over", func(w *world) { later(w.Waiting(0), 24*time.Hour-time.Second) }, nil, nil},
		{"a09 not one that is reverted of itself", func(w *world) { later(w.Waiting(modeltest.Noon().Add(48*time.Hour).UnixMilli()), 24*time.Hour) }, nil, nil},
	})
}
