package remote

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestServiceKeys reads the keys of clouds.yaml for one service as openstacksdk does.
//
// Source: openstacksdk/openstack/config/cloud_region.py.
func TestServiceKeys(t *testing.T) {
	const right = "clouds:\n  a:\n    auth: {auth_url: http://127.0.0.1:1/v3, username: u, password: p, user_domain_id: d, project_id: x}\n"
	of := func(kind string, at gophercloud.Availability, region, name string) gophercloud.EndpointOpts {
		o := gophercloud.EndpointOpts{Type: kind, Availability: at, Region: region, Name: name}
		o.ApplyDefaults(kind)
		return o
	}
	plain := of("placement", gophercloud.AvailabilityPublic, "", "")
	for _, test := range []struct {
		name, more, secure, public, env string
		want                            serviceWay
		err                             string
	}{
		{name: "nothing", want: serviceWay{endpoint: plain}},
		{name: "an address", more: "    placement_endpoint_override: https://10.0.0.1:8778/placement\n", want: serviceWay{endpoint: plain, override: "https://10.0.0.1:8778/placement"}},
		{name: "with dashes", more: "    placement-endpoint-override: http://h\n", want: serviceWay{endpoint: plain, override: "http://h"}},
		{name: "by its former key", more: "    placement_endpoint: http://h\n", want: serviceWay{endpoint: plain, override: "http://h"}},
		{name: "the newer key first", more: "    placement_endpoint: http://h\n    placement_endpoint_override: http://n\n", want: serviceWay{endpoint: plain, override: "http://n"}},
		{name: "of another service", more: "    compute_endpoint_override: http://h\n", want: serviceWay{endpoint: plain}},
		{name: "for a project", more: "    placement_endpoint_override: http://h/%(project_id)s\n", want: serviceWay{endpoint: plain, override: "http://h/%(project_id)s"}},
		{name: "no address", more: "    placement_endpoint_override: h\n", err: "clouds.yaml: placement_endpoint_override of cloud a is not a URL without user and password; write one such as https://HOST/placement"},
		{name: "with a password", more: "    placement_endpoint_override: http://u:p4ssw0rd@h\n", err: "placement_endpoint_override of cloud a is not a URL without user and password"},
		{name: "an address in secure.yaml", more: "    placement_endpoint_override: http://h\n", secure: "clouds: {a: {placement_endpoint_override: 'http://s'}}\n", want: serviceWay{endpoint: plain, override: "http://s"}},
		{name: "an address of the profile", more: "    profile: vendor\n", public: "public-clouds: {vendor: {placement_endpoint_override: 'http://v', region_name: R}}\n", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityPublic, "R", ""), override: "http://v"}},
		{name: "a type and a name", more: "    placement_service_type: placement-b\n    placement_service_name: second\n", want: serviceWay{endpoint: of("placement-b", gophercloud.AvailabilityPublic, "", "second")}},
		{name: "a region of its own", more: "    region_name: R1\n    placement_region_name: R2\n", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityPublic, "R2", "")}},
		{name: "an interface of its own", more: "    interface: admin\n    placement_interface: internalURL\n", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityInternal, "", "")}},
		{name: "its interface by the former key", more: "    placement_endpoint_type: internal\n", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityInternal, "", "")}},
		{name: "the interface of all", more: "    interface: internal\n", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityInternal, "", "")}},
		{name: "no interface", more: "    placement_interface: sideways\n", err: "placement_interface of cloud a is sideways; write public, internal or admin"},
		{name: "a microversion", more: "    placement_default_microversion: 1.30\n", want: serviceWay{endpoint: plain, most: 30}},
		{name: "a microversion as a version", more: "    placement_api_version: '1.36'\n", want: serviceWay{endpoint: plain, most: 36}},
		{name: "a version", more: "    placement_api_version: 1\n", want: serviceWay{endpoint: plain}},
		{name: "a version with a dot", more: "    placement_api_version: 1.0\n", want: serviceWay{endpoint: plain}},
		{name: "no microversion", more: "    placement_default_microversion: 1.x\n", err: "placement_default_microversion of cloud a is 1.x; write a microversion such as 1.39"},
		{name: "the first region", more: "    regions: [R1, {name: R2, values: {placement_endpoint_override: 'http://r2'}}]\n", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityPublic, "R1", "")}},
		{name: "another region", more: "    regions: [R1, {name: R2, values: {placement_endpoint_override: 'http://r2'}}]\n", env: "OS_REGION_NAME=R2", want: serviceWay{endpoint: of("placement", gophercloud.AvailabilityPublic, "R2", ""), override: "http://r2"}},
		{name: "no region of it", more: "    regions: [R1, R2]\n    region_name: R3\n", err: "cloud a has no region R3; use one of its regions R1, R2 for region_name or OS_REGION_NAME"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "clouds.yaml"))
			t.Setenv("XDG_CONFIG_HOME", folder)
			must.Succeed(t, os.Mkdir(filepath.Join(folder, "openstack"), 0o700))
			for name, text := range map[string]string{"clouds.yaml": right + test.more, "secure.yaml": test.secure, "openstack/clouds-public.yaml": test.public} {
				must.Succeed(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			}
			if name, value, ok := strings.Cut(test.env, "="); ok {
				t.Setenv(name, value)
			}
			to, err := targetOf("a")
			var got serviceWay
			if err == nil {
				got, err = to.way(api.Placement)
			}
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "p4ssw0rd") {
					t.Errorf("%v, want %s", err, test.err)
				}
				return
			}
			must.Succeed(t, err)
			must.Match(t, test.want.endpoint, got.endpoint)
			if got.override != test.want.override || got.most != test.want.most {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// TestEndpointOverride opens a Placement that the catalogue does not have, or has at
// another address: the operator's address counts.
func TestEndpointOverride(t *testing.T) {
	w := newWorld(t, 0)
	for name, test := range map[string]struct{ service, more, env, err string }{
		"not in the catalogue":    {"compute", "    placement_endpoint_override: " + w.URL + "/\n", "", ""},
		"at another address":      {"placement", "    placement_endpoint_override: " + w.URL + "\n", "", ""},
		"of a type of their own":  {"placement-b", "    placement_service_type: placement-b\n", "", "127.0.0.1:1"},
		"of a type that is none":  {"placement", "    placement_service_type: placement-b\n", "", "has no public endpoint of placement-b, only placement; "},
		"a microversion too low":  {"placement", "    placement_endpoint_override: " + w.URL + "\n    placement_default_microversion: '1.20'\n", "", "its microversion is set to 1.20, and 1.28 is needed; raise or remove placement_default_microversion"},
		"a microversion":          {"placement", "    placement_endpoint_override: " + w.URL + "\n    placement_default_microversion: '1.31'\n", "", ""},
		"only in the environment": {"compute", "", "OS_PLACEMENT_ENDPOINT_OVERRIDE=" + w.URL, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(identity{status: http.StatusCreated, service: test.service, region: "one", endpoint: "http://127.0.0.1:1"})
			defer server.Close()
			cloud := "a"
			if name, value, ok := strings.Cut(test.env, "="); ok {
				cloud = EnvVars
				for _, set := range []string{"OS_AUTH_URL=" + server.URL + "/v3", "OS_USERNAME=u", "OS_PASSWORD=p", "OS_USER_DOMAIN_ID=d", "OS_PROJECT_ID=x", name + "=" + value} {
					name, value, _ := strings.Cut(set, "=")
					t.Setenv(name, value)
				}
			}
			path := filepath.Join(t.TempDir(), "clouds.yaml")
			text := "clouds:\n  a:\n    auth: {auth_url: '" + server.URL + "/v3', username: u, password: p, user_domain_id: d, project_id: x}\n" + test.more
			must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
			t.Setenv("OS_CLIENT_CONFIG_FILE", path)
			call, err := dial(t.Context(), cloud, 1, engine.Options{})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%v, want %s", err, test.err)
				}
				return
			}
			must.Succeed(t, err)
			want := placementNewest
			if strings.Contains(test.more, "1.31") {
				want = 31
			}
			if got := call.services[api.Placement]; got.address != w.URL || got.newest() != want {
				t.Errorf("Placement at %s, microversion 1.%d", got.address, got.newest())
			}
		})
	}
}

// TestNovaWithoutAVersion dials a Nova whose address in the catalogue has no version, or has one.
//
// Source: keystoneauth1/discover.py, EndpointData.
func TestNovaWithoutAVersion(t *testing.T) {
	w := newWorld(t, 0)
	for at, want := range map[string]string{
		"http://h/compute":      "http://h/compute/v2.1",
		"http://h:8774/":        "http://h:8774/v2.1",
		"http://h:8774/v2.1":    "http://h:8774/v2.1",
		"http://h:8774/v2.1/p":  "http://h:8774/v2.1/p",
		"http://h/compute/v2/p": "http://h/compute/v2/p",
	} {
		server := httptest.NewServer(identity{status: http.StatusCreated, service: "placement", region: "one", endpoint: w.URL, also: []string{"compute public " + at}})
		defer server.Close()
		folder := writeFiles(t, map[string]string{"clouds.yaml": "clouds: {a: {auth: {auth_url: '" + server.URL + "/v3', username: u, password: p, user_domain_id: d, project_id: x}}}"})
		t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "clouds.yaml"))
		call := must.Get(dial(t.Context(), "a", 1, engine.Options{}))(t)
		must.Be(t, call.services[api.Compute].address, want)
	}
}

// TestServiceAtAnotherInterface releases what a server that is gone holds of a card, where the service
// catalogue has a Cyborg, or a Nova, at another interface: it exists, and was not asked.
func TestServiceAtAnotherInterface(t *testing.T) {
	for name, test := range map[string]struct{ nova, cyborg, want string }{
		"Cyborg": {"public", "internal", "the cloud was opened without Cyborg, which knows: "},
		"Nova":   {"internal", "public", "the cloud was opened without Nova, which knows: "},
	} {
		t.Run(name, func(t *testing.T) {
			w, in := newWorld(t, 0), newStandIn(t)
			w.do(t, cloud.Change{Ops: storagetest.Host(1, 8, 4)})
			w.do(t, storagetest.Claim(10, storagetest.Provider(2), storagetest.Resources{placement.VGPU: 1}))
			in.hypervisor()
			in.answers["/"] = `{"version":{"version":"2.96"}}`
			there := httptest.NewServer(http.StripPrefix("/v2.1", http.HandlerFunc(in.serve)))
			defer there.Close()
			server := httptest.NewServer(identity{
				status: http.StatusCreated, service: "placement", region: "one", endpoint: w.URL,
				also: []string{"compute " + test.nova + " " + there.URL + "/v2.1", "accelerator " + test.cyborg + " http://127.0.0.1:1"},
			})
			defer server.Close()
			folder := writeFiles(t, map[string]string{"clouds.yaml": "clouds: {a: {auth: {auth_url: '" + server.URL + "/v3', username: u, password: p, user_domain_id: d, project_id: x}}}"})
			t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "clouds.yaml"))
			s := must.Get(Cloud{Settings: Settings{Write: true}}.Open(t.Context(), "a", engine.Options{Clock: storagetest.Clock()}))(t)
			defer s.Close()
			const where = "only internal in region one; use one of those for region_name of cloud a and interface of cloud a"
			part := map[string]cloud.Part{"Cyborg": cloud.ARQs, "Nova": cloud.Instances}[name]
			if is := s.Snapshot().Reading(part); is.Without || !strings.Contains(is.Gap(), where) {
				t.Errorf("%s is read as %+v", part, is)
			}
			err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.DeleteAllocations{Consumer: storagetest.Consumer(10)}}}).Err()
			if _, holds := w.kept.Snapshot().Placement().Consumer(storagetest.Consumer(10)); !holds || err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), where) {
				t.Errorf("it holds something: %t, and it is said: %v", holds, err)
			}
		})
	}
}

// TestSettingsOfTheCloud shows what the operator says of nova.conf as the cloud's own, and
// refuses to write it.
func TestSettingsOfTheCloud(t *testing.T) {
	w := newWorld(t, 1)
	s := must.Get(Endpoint{Settings: Settings{Write: true, TokenFile: token(t, "secret\n")}}.Open(t.Context(), strings.TrimPrefix(w.URL, "http:"), engine.Options{Clock: storagetest.Clock()}))(t)
	defer s.Close()
	if got := s.Snapshot().Nova().Config(); got.Live != w.URL || got.OwnerFilter.Word() != "root" || len(got.Given) > 0 {
		t.Errorf("%+v", got)
	}
}
