package remote

import (
	"context"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestNamesOfTenants takes the names of projects and users from a Keystone that lists all,
// only those of the user, or nothing, or that is broken: then there are only ids. Joiners of
// letters stay, as in the names of servers.
func TestNamesOfTenants(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status  map[string]int // by path; 200 otherwise
		project string
		user    string
		lacks   string
	}{
		"an administrator": {nil, "ml\u200c-train", "ch\u200den", ""},
		"a member":         {map[string]int{"/projects": 403, "/users": 403}, "mine", "", "not all projects: identity GET /projects: 403 .*not all users: identity GET /users: 403 "},
		"nobody":           {map[string]int{"/projects": 403, "/auth/projects": 403, "/users": 403}, "", "", "not all projects: identity GET /projects: 403 .*not all users: identity GET /users: 403 "},
		"broken":           {map[string]int{"/projects": 500, "/auth/projects": 500, "/users": 503}, "", "", "not all projects: identity GET /projects: 500 .*not all users: identity GET /users: 503 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fleet{}
			answers := roundTrip(func(r *http.Request) (*http.Response, error) {
				if status := test.status[r.URL.Path]; status != 0 {
					return says(r, status, `{"error": {"message": "no"}}`), nil
				}
				body := map[string]string{
					"/projects": `{"projects": [{"id": "p", "name": "ml\u200c-train"}]}`, "/auth/projects": `{"projects": [{"id": "p", "name": "mine"}]}`,
					"/users": `{"users": [{"id": "u", "name": "ch\u200den"}]}`,
				}[r.URL.Path]
				return says(r, http.StatusOK, body), nil
			})
			both := roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Host == string(keystone) {
					return answers(r)
				}
				return f.RoundTrip(r)
			})
			call := newCaller(&gophercloud.ProviderClient{}, http.Client{Transport: bodyLimit{both}}, DefaultInFlight, nil)
			call.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
			for _, of := range []api.Service{api.Placement, keystone} {
				call.services[of] = &service{name: of, address: "http://" + string(of), minor: 39}
			}
			s := must.Get(newStore(t.Context(), call, options{clock: storagetest.Clock(), parts: append(cloud.PlacementParts(), cloud.Identities)}))(t)
			defer s.Close()
			must.Be(t, s.Snapshot().ProjectName("p"), test.project)
			must.Be(t, s.Snapshot().UserName("u"), test.user)
			parts := s.Link().Parts
			if is := parts[len(parts)-1]; is.Part != cloud.Identities || (is.Cut == "") != (test.lacks == "") || !regexp.MustCompile(test.lacks).MatchString(is.Cut) || is.Why != "" {
				t.Errorf("it says %+v", is)
			}
			must.Succeed(t, s.Refresh(t.Context()))
			must.Be(t, s.Snapshot().ProjectName("p"), test.project)
		})
	}
}

// TestIdentityAddress asks version 3 of Keystone, whether or not auth_url includes it: the
// address without a version has no projects and users.
func TestIdentityAddress(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"http://k/identity/": "http://k/identity/v3", "http://k/identity": "http://k/identity/v3",
		"http://k:5000/v3": "http://k:5000/v3", "http://k:5000/v3/": "http://k:5000/v3",
	} {
		must.Be(t, identityAt(from), want)
	}
}
