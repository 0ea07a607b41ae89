package suggest_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/suggest"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"services", "server", "shares", "pools", "pool", "providers", "CUSTOM_AZ_1", "CUSTOM_RACK_01", "CUSTOM_GPU_A100"}
	for name, want := range map[string]string{
		"servers": "server services", // one letter added, two letters changed
		"pol":     "pool pools",
		"xyzzy":   "",

		"CUSTOM_GPU_H100": "CUSTOM_GPU_A100", // having only the namespace in common is not alike
		"CUSTM_AZ_1":      "CUSTOM_AZ_1",
		"":                "",
	} {
		if got := strings.Join(suggest.Nearest(name, names), " "); got != want {
			t.Errorf("%q looks like %q, want %q", name, got, want)
		}
	}
}

func TestOneOff(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]bool{
		{"cloud", "cloud"}: true, {"clod", "cloud"}: true, {"clouds", "cloud"}: true, {"colud", "cloud"}: true, {"bd", "db"}: true, {"cloat", "cloud"}: false, {"", "db"}: false,
	} {
		if got := suggest.OneOff(pair[0], pair[1]); got != want {
			t.Errorf("%q and %q: got %v", pair[0], pair[1], got)
		}
	}
}
