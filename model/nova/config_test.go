package nova_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
)

// The owner filter is off by its own setting, by the list of pre-filters, or by both.
func TestOwnerInForce(t *testing.T) {
	t.Parallel()
	prefilter := []string{nova.FilterStatus, nova.FilterOwner}
	for name, tc := range map[string]struct {
		config nova.Config
		form   nova.OwnerFilter
		by     string
	}{
		"as it comes":        {nova.Config{}, nova.OwnerOnGroups, ""},
		"another pre-filter": {nova.Config{Off: prefilter[:1]}, nova.OwnerOnGroups, ""},
		"root":               {nova.Config{OwnerFilter: nova.OwnerOnRoot}, nova.OwnerOnRoot, ""},
		"off":                {nova.Config{OwnerFilter: nova.OwnerOff}, nova.OwnerOff, "owner_filter is off"},
		"its pre-filter":     {nova.Config{OwnerFilter: nova.OwnerOnRoot, Off: prefilter}, nova.OwnerOff, "owner_nova_filter is in prefilters_off"},
		"both":               {nova.Config{OwnerFilter: nova.OwnerOff, Off: prefilter}, nova.OwnerOff, "owner_filter is off and owner_nova_filter is in prefilters_off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if form, by := tc.config.OwnerInForce(); form != tc.form || by != tc.by {
				t.Errorf("%q, off by %q; want %q, %q", form, by, tc.form, tc.by)
			}
		})
	}
}
