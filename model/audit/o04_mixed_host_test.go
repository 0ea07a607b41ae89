package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestO04(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o04 with the filter on the root only", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Record(&nova.Config{OwnerFilter: nova.OwnerOnRoot})
			},
			[]string{"o04 h"},
			nil,
		},
		{
			"o04 with the filter switched off", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Record(&nova.Config{Off: []string{nova.FilterOwner}})
			},
			[]string{"o04 h"},
			nil,
		},
		{
			"o04 not with the filter on every group", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
			},
			nil, nil,
		},
	})
}
