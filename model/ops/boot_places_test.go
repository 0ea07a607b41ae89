package ops_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Boot.Places tells what the boot itself would choose from.
func TestBootPlaces(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	b := newBoot("nova")
	places, err := b.Places(tr.Snapshot(), modeltest.At(0))
	if err != nil || len(places.Places) == 0 {
		t.Fatalf("%d places: %v", len(places.Places), err)
	}
	first := places.Places[0]
	if err := tr.advance(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if host := tr.instance().Host; host != first.Host {
		t.Errorf("it landed on %s, the first place is on %s", host, first.Host)
	}
	for what, want := range map[string]error{"": placement.ErrInvalid, "no such flavor": placement.ErrNotFound} {
		wrong := newBoot("nova")
		if wrong.Wish.Flavor = what; what == "" {
			wrong.Wish = ops.BootWish{Flavor: "nova"}
		}
		if _, err := wrong.Places(tr.Snapshot(), modeltest.At(0)); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", wrong.Wish, err, want)
		}
	}
}
