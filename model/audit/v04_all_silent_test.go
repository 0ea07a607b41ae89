package audit_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestV04(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"v04 the only compute does not report", func(w *world) {
				w.Node("h").Computes().Compute("h", nova.VersionOwnerNova, func(s *nova.Service) { s.LastSeenUp = modeltest.Noon().UnixMilli() })
				later(w, time.Hour)
			},
			[]string{"v04 nova-compute"},
			nil,
		},
	})
}
