package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/ops"
)

func TestNoHostReason(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"No valid host was found. There are not enough hosts available.": "There are not enough hosts available",
		"no valid host was found: no host meets \"VGPU 2\"":              "no host meets \"VGPU 2\"",
		(&ops.NoValidHostError{}).Error():                                "no reason is given",
		"no valid":                                                       "",
		"":                                                               "",
		"it burns":                                                       "",
	} {
		if why := ops.NoHostReason(fault); why != want {
			t.Errorf("%q is for %q, want %q", fault, why, want)
		}
	}
}
