package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
)

func TestV02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"v02 a disabled one", func(w *world) {
				w.Services(70, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 70, Disabled: true, LastSeenUp: 1_000_000_000})
			},
			[]string{"v02 s0"},
			nil,
		},
		{
			"v02 one that is silent", func(w *world) {
				w.Services(70, 73).Record(&nova.Service{Host: "s0", Binary: nova.Compute, Version: 70, LastSeenUp: 1_000_000})
			},
			[]string{"v02 s0"},
			nil,
		},
	})
}
