package nova_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
)

func TestQuotaState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		used, limit int64
		want        string
	}{
		{0, 0, ""},
		{1, 0, "over"},
		{5, nova.Unlimited, ""},
		{17, 20, ""},
		{18, 20, "near"},
		{20, 20, "full"},
		{21, 20, "over"},
		{46079, 51200, ""},
		{46080, 51200, "near"},
	} {
		if got := (nova.Quota{Used: test.used, Limit: test.limit}).State(); got != test.want {
			t.Errorf("%d of %d are %q and not %q", test.used, test.limit, got, test.want)
		}
	}
}
