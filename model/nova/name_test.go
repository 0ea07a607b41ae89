package nova_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"web-1": "", "a b": "", "計算": "", strings.Repeat("é", 255): "",
		"":                       "is required",
		strings.Repeat("é", 256): "is longer than 255 characters",
		"a\nb":                   `contains '\n', which cannot be printed`,
		"a\x1b[31m":              `contains '\x1b', which cannot be printed`,
		"a\x00":                  `contains '\x00', which cannot be printed`,
		"a\u202eb":               `contains '\u202e', which cannot be printed`,
		"a\xff":                  "is not valid UTF-8",
		" a":                     "begins or ends with a space",
		"a ":                     "begins or ends with a space",
	} {
		err := nova.CheckName("name", text)
		var invalid *placement.InvalidError
		switch {
		case why == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case why != "" && (!errors.As(err, &invalid) || invalid.Why != why || invalid.Field != "name"):
			t.Errorf("%q: %v, want %s", text, err, why)
		}
	}
}

// TestNewNames checks that new names must be printable.
func TestNewNames(t *testing.T) {
	t.Parallel()
	s := nova.Empty()
	for _, f := range []nova.Flavor{
		{Name: "a\nb", FlavorID: "1"}, {Name: "a", FlavorID: "1\t2"}, {Name: "a", FlavorID: "計"}, {Name: "a", FlavorID: strings.Repeat("1", 256)}, {Name: "a"},
	} {
		f.VCPUs, f.MemoryMB = 1, 1
		if err := s.Allows(nova.CreateFlavor{Flavor: &f}); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("flavor %q with id %q: %v", f.Name, f.FlavorID, err)
		}
	}
	must.Fail(t, s.Allows(nova.CreateAggregate{UUID: placement.AggregateID{1}, Name: "a\x07"}), placement.ErrInvalid)
}

// TestFlavorName: people know a flavor by its name, whichever revision it is.
func TestFlavorName(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"": "", "m1": "m1", "m1#2": "m1", "m1#10": "m1", "m1#": "m1#", "m1#x": "m1#x", "7": "7", "a#b#3": "a#b",
	} {
		if got := nova.FlavorName(ref); got != want {
			t.Errorf("%q is of %q, want %q", ref, got, want)
		}
		if f := (&nova.Flavor{Name: want, Revision: 4}); want != "" && nova.FlavorName(f.Ref()) != want {
			t.Errorf("%s is of %q", f.Ref(), nova.FlavorName(f.Ref()))
		}
	}
	for _, tt := range [][4]string{{"m1", "m2#3", "m1", "m2"}, {"m1", "m1#2", "m1", "m1#2"}, {"", "m1#2", "", "m1"}} {
		if from, to := nova.FlavorNames(tt[0], tt[1]); from != tt[2] || to != tt[3] {
			t.Errorf("from %q to %q is called from %q to %q", tt[0], tt[1], from, to)
		}
	}
}
