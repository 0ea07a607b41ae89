package place_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
)

func TestCode(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("10289ba8-d98e-5106-a508-462cbc902385")
	sorts := []place.Place{place.Pulses{}, place.Providers{}, place.Provider{}, place.Gate{}, place.WhatIf{}}
	for _, p := range []place.Place{
		place.Pulses{},
		place.Providers{},
		place.Providers{Filter: "owner=both \"a b\""},
		place.Provider{ID: placement.ProviderID(id)},
		place.Gate{Simulate: place.SimulateOpen},
		place.WhatIf{Query: "resources=VCPU:1", Words: true},
	} {
		got, err := place.Decode(place.Code(p), sorts)
		if err != nil || got != p {
			t.Errorf("%s is read as %#v, %v", place.Code(p), got, err)
		}
	}
	for _, text := range []string{"", "nowhere", "providers {", "providers []", "provider {\"ID\":\"x\"}"} {
		if got, err := place.Decode(text, sorts); err == nil {
			t.Errorf("%q is read as %#v", text, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	sorts := []place.Place{place.Pulses{}, place.Providers{}, place.Provider{}, place.WhatIf{}}
	f.Add("providers {\"Filter\":\"x\"}")
	f.Add("provider {\"ID\":\"10289ba8-d98e-5106-a508-462cbc902385\"}")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := place.Decode(text, sorts)
		if err != nil {
			return
		}
		if again, err := place.Decode(place.Code(p), sorts); err != nil || again != p {
			t.Errorf("%q: %#v became %#v, %v", text, p, again, err)
		}
	})
}
