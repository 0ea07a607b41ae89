package place_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
)

// typed draws a place of each kind that can be typed.
func typed() []*rapid.Generator[place.Place] {
	filter := rapid.StringMatching(`([a-z/:=<>* ]*[a-z0-9"])?`)
	word := rapid.StringMatching(`[a-z][a-z0-9._-]*`)
	id := rapid.Custom(func(t *rapid.T) placement.ProviderID {
		return placement.ProviderID(rapid.SliceOfN(rapid.ByteRange(1, 255), 16, 16).Draw(t, "uuid"))
	})
	of := func(draw func(t *rapid.T) place.Place) *rapid.Generator[place.Place] { return rapid.Custom(draw) }
	list := func(make func(string) place.Place) *rapid.Generator[place.Place] {
		return of(func(t *rapid.T) place.Place { return make(filter.Draw(t, "filter")) })
	}
	return []*rapid.Generator[place.Place]{
		list(func(f string) place.Place { return place.Providers{Filter: f} }),
		list(func(f string) place.Place { return place.Consumers{Filter: f} }),
		list(func(f string) place.Place { return place.Flavors{Filter: f} }),
		list(func(f string) place.Place { return place.Instances{Filter: f} }),
		list(func(f string) place.Place { return place.Services{Filter: f} }),
		list(func(f string) place.Place { return place.Devices{Filter: f} }),
		list(func(f string) place.Place { return place.ARQs{Filter: f} }),
		list(func(f string) place.Place { return place.Migrations{Filter: f} }),
		list(func(f string) place.Place { return place.Profiles{Filter: f} }),
		list(func(f string) place.Place { return place.Unfinished{Filter: f} }),
		list(func(f string) place.Place { return place.Classes{Filter: f} }),
		list(func(f string) place.Place { return place.Traits{Filter: f} }),
		list(func(f string) place.Place { return place.Aggregates{Filter: f} }),
		list(func(f string) place.Place { return place.Pools{Filter: f} }),
		list(func(f string) place.Place { return place.Shares{Filter: f} }),
		list(func(f string) place.Place { return place.Projects{Filter: f} }),
		list(func(f string) place.Place { return place.Users{Filter: f} }),
		list(func(f string) place.Place { return place.Journal{Filter: f} }),
		rapid.Just[place.Place](place.Hardware{}),
		rapid.Just[place.Place](place.Pulses{}),
		of(func(t *rapid.T) place.Place {
			return place.Owners{Simulate: rapid.SampledFrom([]place.Simulation{place.NoSimulation, place.SimulateOpen, place.SimulateUpgrade}).Draw(t, "simulate")}
		}),
		of(func(t *rapid.T) place.Place {
			return place.Problems{Rule: audit.RuleID(word.Draw(t, "rule")), Subject: filter.Draw(t, "subject")}
		}),
		of(func(t *rapid.T) place.Place { return place.Pool{ID: id.Draw(t, "id")} }),
		of(func(t *rapid.T) place.Place { return place.Pool{Name: word.Draw(t, "name")} }),
		of(func(t *rapid.T) place.Place {
			w := place.WhatIf{Words: rapid.Bool().Draw(t, "words")}
			switch rapid.IntRange(0, 4).Draw(t, "of") {
			case 0:
				w.Query = rapid.StringMatching(`resources=[A-Z_]+:[0-9]+(&required=[A-Z_]+)?`).Draw(t, "query")
			case 1:
				w.Provider = id.Draw(t, "provider")
			case 2:
				w.Consumer = placement.ConsumerID(id.Draw(t, "consumer"))
			case 3:
				w.Instance = placement.ConsumerID(id.Draw(t, "instance"))
			default:
				w.Flavor = word.Draw(t, "flavor")
			}
			return w
		}),
	}
}

// TestRoundTrip parses each place that can be typed from its own text.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, g := range typed() {
			p := g.Draw(t, "place")
			got, err := place.Parse(p, place.Text(p))
			if err != nil || got != p {
				t.Errorf("%s %+v is typed as %q, which is %+v, %v", place.Kind(p), p, place.Text(p), got, err)
			}
		}
	})
}

// TestParse parses what people type, and refuses what names nothing.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]place.Place{
		"/owner=both":         place.Providers{Filter: "owner=both"},
		"o01 cmp-1":           place.Problems{Rule: "o01", Subject: "cmp-1"},
		"ceph":                place.Pool{Name: "ceph"},
		"why:flavor:m1.small": place.WhatIf{Flavor: "m1.small", Words: true},
	} {
		if got, err := place.Parse(want, text); err != nil || got != want {
			t.Errorf("%q is %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, of := range map[string]place.Place{
		"shut": place.Owners{}, "provider:x": place.WhatIf{}, "consumer:": place.WhatIf{}, "why:instance:cmp-1": place.WhatIf{}, "flavor:": place.WhatIf{}, "a": place.Provider{}, "": place.Help{},
	} {
		if got, err := place.Parse(of, text); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%q of %s is %+v, %v, want ErrInvalid", text, place.Kind(of), got, err)
		}
	}
}

// FuzzParse parses anything: what is accepted has a text with the same meaning.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "/", "//", "open", "why:", "why:why:", "provider:", "flavor:a:b", "o01 a b", "  ", " o01", "o01  a ", "resources=VCPU:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range []place.Place{place.Providers{}, place.Owners{}, place.Problems{}, place.Pool{}, place.WhatIf{}, place.Pulses{}} {
			p, err := place.Parse(of, text)
			if err != nil {
				continue
			}
			if again, err := place.Parse(of, place.Text(p)); err != nil || place.Text(again) != place.Text(p) {
				t.Errorf("%q is %+v, typed as %q, which is %+v, %v", text, p, place.Text(p), again, err)
			}
		}
	})
}
