package remote

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/nova"
)

// TestQuotas reads the quotas of a project from Nova: what matters most comes first, and
// a refusal has its reason.
func TestQuotas(t *testing.T) {
	t.Parallel()
	w, in := newWorld(t, 0), newStandIn(t)
	asks := w.openWith(t, api.Compute, in, 87).Capabilities().Quotas
	const path = "/os-quota-sets/web/detail"
	of := func(used, reserved, limit int) object {
		return object{"in_use": used, "reserved": reserved, "limit": limit}
	}
	in.says(path, object{"quota_set": object{
		"id": "web", "cores": of(17, 1, 20), "key_pairs": of(0, 0, 100), "ram": of(8704, 0, -1), "instances": of(2, 0, 10),
	}})
	got, err := asks(t.Context(), "web")
	want := []*nova.Quota{
		{Name: "instances", Used: 2, Limit: 10},
		{Name: "cores", Used: 18, Limit: 20},
		{Name: "ram", Used: 8704, Limit: nova.Unlimited},
		{Name: "key_pairs", Limit: 100},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s\n%v", diff, err)
	}
	in.says("/os-quota-sets/odd/detail", object{"quota_set": object{"cores": "many"}})
	for _, test := range []struct {
		project string
		status  int
		body    string
		want    string
	}{
		{"web", http.StatusForbidden, `{"forbidden":{"code":403,"message":"Policy doesn't allow os_compute_api:os-quota-sets:detail to be performed."}}`, "403 Forbidden: Policy doesn't allow"},
		{"web", http.StatusBadRequest, `{"badRequest":{"code":400,"message":"Project ID web is not a valid project."}}`, "400 Bad Request: Project ID web is not a valid project"},
		{"nope", 0, "", "404 Not Found"},
		{"odd", 0, "", "the answer cannot be read"},
	} {
		in.odd = func(w http.ResponseWriter, _ *http.Request) bool {
			if test.status == 0 {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
			return true
		}
		if got, err := asks(t.Context(), test.project); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("of %s it tells %v, %v and not %s", test.project, got, err, test.want)
		}
	}
}
