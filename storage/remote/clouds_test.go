package remote

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gophercloud/gophercloud/v2"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/engine"
)

// writeFiles writes files into a folder of their own, which is where all of the user's are
// looked for, and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", folder)
	t.Setenv("HOME", folder)
	t.Chdir(t.TempDir())
	for name, text := range files {
		path := filepath.Join(folder, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return folder
}

// TestCloudsFiles finds the files of clouds that openstacksdk finds, whatever their suffix.
//
// Source: openstacksdk/openstack/config/loader.py.
func TestCloudsFiles(t *testing.T) {
	const at, rest = "http://127.0.0.1:1", ", username: u, password: p, user_domain_id: d, project_id: x"
	yaml := "clouds: {a-1: {auth: {auth_url: '" + at + "'" + rest + "}}}\n"
	for name, test := range map[string]struct {
		files map[string]string
		env   string
		want  string // the password, or the error
	}{
		"clouds.yml": {files: map[string]string{"openstack/clouds.yml": yaml}, want: "p"},
		"clouds.json": {
			files: map[string]string{"openstack/clouds.json": "{\n\t\"clouds\": {\"a-1\": {\"auth\": {\"auth_url\": \"" + at + "\", \"username\": \"u\", \"password\": \"\\ud83d\\ude00\", \"user_domain_id\": \"d\", \"project_id\": 17}}}}"},
			want:  "😀",
		},
		"clouds.yaml before the others":      {files: map[string]string{"openstack/clouds.yaml": yaml, "openstack/clouds.json": "{}"}, want: "p"},
		"in .config":                         {files: map[string]string{".config/openstack/clouds.yaml": yaml}, want: "p"},
		"secure.yml":                         {files: map[string]string{"openstack/clouds.yaml": yaml, "openstack/secure.yml": "clouds: {a-1: {auth: {password: s}}}"}, want: "s"},
		"secure.json":                        {files: map[string]string{"openstack/clouds.yaml": yaml, "openstack/secure.json": `{"clouds": {"a-1": {"auth": {"password": "s"}}}}`}, want: "s"},
		"secure.yaml in a folder of its own": {files: map[string]string{"else/clouds.yaml": yaml, "openstack/secure.yaml": "clouds: {a-1: {auth: {password: s}}}"}, env: "OS_CLIENT_CONFIG_FILE=else/clouds.yaml", want: "s"},
		"OS_CLIENT_SECURE_FILE":              {files: map[string]string{"openstack/clouds.yaml": yaml, "openstack/secure.yaml": "clouds: {a-1: {auth: {password: s}}}", "else.yaml": "clouds: {a-1: {auth: {password: e}}}"}, env: "OS_CLIENT_SECURE_FILE=else.yaml", want: "e"},
		"OS_CLIENT_SECURE_FILE that is gone": {files: map[string]string{"openstack/clouds.yaml": yaml}, env: "OS_CLIENT_SECURE_FILE=gone.yaml", want: "gone.yaml: it cannot be read: no such file or directory; make it readable, or set OS_CLIENT_SECURE_FILE to another"},
		"OS_CLIENT_CONFIG_FILE that is gone": {files: map[string]string{"openstack/clouds.yaml": yaml}, env: "OS_CLIENT_CONFIG_FILE=gone.yaml", want: "no clouds.yaml found: looked for "},
		"a region's own auth": {
			files: map[string]string{"openstack/clouds.yaml": "clouds: {a-1: {regions: [{name: R, values: {auth: {password: r}}}], auth: {auth_url: '" + at + "'" + rest + "}}}\n"}, want: "r",
		},
		"a password of digits":   {files: map[string]string{"openstack/clouds.yaml": strings.Replace(yaml, "password: p", "password: 0123", 1)}, want: "0123"},
		"beside auth, not below": {files: map[string]string{"openstack/clouds.yaml": "clouds: {a-1: {password: q, auth: {auth_url: '" + at + "', username: u, user_domain_id: d}}}\n"}, want: "q"},
		"an address with a region": {
			files: map[string]string{"openstack/clouds.yaml": "clouds: {a-1: {region_name: '127', auth: {auth_url: 'http://{region_name}.0.0.1:1', username: u, password: p, user_domain_id: d}}}\n"}, want: "p",
		},
		"by its profile's profile of JSON": {
			files: map[string]string{"openstack/clouds.yaml": "clouds: {a-1: {profile: v-1, auth: {username: u, password: p, default_domain_id: d}}}\n", "openstack/clouds-public.json": `{"public-clouds": {"v-1": {"auth": {"auth_url": "` + at + `"}}}}`},
			want:  "p",
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeFiles(t, test.files)
			for _, key := range []string{"OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE"} {
				name, file, _ := strings.Cut(test.env, "=")
				if name != key {
					file = ""
				} else {
					file = filepath.Join(folder, file)
				}
				t.Setenv(key, file)
			}
			to, err := targetOf("a-1")
			if err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			} else if err == nil && (to.auth.Password != test.want || to.auth.IdentityEndpoint != at || to.auth.DomainID != "d") {
				t.Errorf("%+v, want the password %s", to.auth, test.want)
			}
			must.Be(t, strings.Join(Names(), " "), map[bool]string{true: "a-1"}[err == nil || !strings.Contains(err.Error(), "no clouds.yaml")])
		})
	}
}

// TestLogin logs in as the auth type says, whatever else a cloud has, and with nothing that
// is not known.
//
// Source: openstacksdk/openstack/config/loader.py; keystoneauth1/loading.
func TestLogin(t *testing.T) {
	scope := &gophercloud.AuthScope{ProjectID: "x"}
	for name, test := range map[string]struct {
		cloud string
		want  gophercloud.AuthOptions
		err   string
	}{
		"by password":            {"auth: {auth_url: http://h, username: u, password: p, token: t, user_domain_name: d, project_id: x}", gophercloud.AuthOptions{Username: "u", Password: "p", DomainName: "d", Scope: scope}, ""},
		"by token":               {"auth_type: v3token, auth: {auth_url: http://h, username: u, password: p, token: t, project_id: x}", gophercloud.AuthOptions{TokenID: "t", Scope: scope}, ""},
		"by the only token":      {"auth: {auth_url: http://h, username: u, token: t, project_id: x}", gophercloud.AuthOptions{TokenID: "t", Scope: scope}, ""},
		"by credential":          {"auth_type: v3applicationcredential, auth: {auth_url: http://h, username: u, password: p, user_domain_id: d, project_id: x, application_credential_id: i, application_credential_secret: s}", gophercloud.AuthOptions{ApplicationCredentialID: "i", ApplicationCredentialSecret: "s"}, ""},
		"by a credential's name": {"auth: {auth_url: http://h, username: u, user_domain_id: d, application_credential_name: i, application_credential_secret: s}", gophercloud.AuthOptions{Username: "u", DomainID: "d", ApplicationCredentialName: "i", ApplicationCredentialSecret: "s"}, ""},
		"in a tenant":            {"auth: {auth_url: http://h, user_id: u, password: p, tenant_id: x}", gophercloud.AuthOptions{UserID: "u", Password: "p", Scope: scope}, ""},
		"one domain for both":    {"auth: {auth_url: http://h, username: u, password: p, project_name: n, domain_name: d}", gophercloud.AuthOptions{Username: "u", Password: "p", DomainName: "d", Scope: &gophercloud.AuthScope{ProjectName: "n", DomainName: "d"}}, ""},
		"for a domain":           {"auth: {auth_url: http://h, user_id: u, password: p, domain_id: d}", gophercloud.AuthOptions{UserID: "u", Password: "p", Scope: &gophercloud.AuthScope{DomainID: "d"}}, ""},
		"for the system":         {"auth: {auth_url: http://h, user_id: u, password: p, system_scope: all}", gophercloud.AuthOptions{UserID: "u", Password: "p", Scope: &gophercloud.AuthScope{System: true}}, ""},
		"a key of another type":  {"auth: {auth_url: http://h, user_id: u, password: p, passcode: p4ssw0rd}", gophercloud.AuthOptions{}, "clouds.yaml: auth.passcode of cloud a is not supported; leave it out, or use one of auth_url, "},
		"a type from elsewhere":  {"auth_type: v3oidcpassword, auth: {auth_url: http://h}", gophercloud.AuthOptions{}, "cloud a has auth_type v3oidcpassword, which is not supported"},
		"the old API":            {"auth_type: v2password, auth: {auth_url: http://h}", gophercloud.AuthOptions{}, "cloud a has auth_type v2password, which is not supported"},
		"a list":                 {"auth: {auth_url: http://h, user_id: u, password: [p4ssw0rd]}", gophercloud.AuthOptions{}, "auth.password of cloud a is not a text"},
		"a token that is not":    {"auth_type: token, auth: {auth_url: http://h, password: p4ssw0rd, username: u}", gophercloud.AuthOptions{}, "cloud a has no auth.token"},
		"none, and no address":   {"auth_type: none", gophercloud.AuthOptions{}, "cloud a has no auth"},
		"admin, and no token":    {"auth_type: admin_token, auth: {endpoint: http://h}", gophercloud.AuthOptions{}, "cloud a has no auth.token"},
		"basic, and no password": {"auth_type: http_basic, auth: {endpoint: http://h, username: u}", gophercloud.AuthOptions{}, "cloud a has no auth.password"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeFiles(t, map[string]string{"clouds.yaml": "clouds: {a: {" + test.cloud + "}}"})
			t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "clouds.yaml"))
			to, err := targetOf("a")
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "p4ssw0rd") {
					t.Errorf("%v, want %s", err, test.err)
				}
				return
			}
			must.Succeed(t, err)
			test.want.IdentityEndpoint, test.want.AllowReauth = "http://h", true
			must.Match(t, test.want, to.auth, cmpopts.IgnoreUnexported(gophercloud.AuthOptions{}))
		})
	}
}

// TestWithoutKeystone opens a Placement that has no Keystone: with nothing, with a token, or
// with a user and a password.
func TestWithoutKeystone(t *testing.T) {
	w := newWorld(t, 0)
	var user, password string
	w.answer(func(out http.ResponseWriter, r *http.Request) bool {
		user, password, _ = r.BasicAuth()
		r.Header.Set("X-Auth-Token", strings.Replace(r.Header.Get("X-Auth-Token"), "admin", "secret", 1))
		if r.Header.Get("X-Auth-Token") == "" {
			r.Header.Set("X-Auth-Token", "secret")
		}
		return false
	})
	for name, test := range map[string]struct{ cloud, env, user, err string }{
		"none":                   {cloud: "auth_type: none, auth: {endpoint: " + w.URL + "/}"},
		"none, by override":      {cloud: "auth_type: none, placement_endpoint_override: " + w.URL + ", auth: {endpoint: 'http://127.0.0.1:1'}"},
		"admin_token":            {cloud: "auth_type: admin_token, auth: {endpoint: " + w.URL + ", token: admin}"},
		"admin_token, a bad one": {cloud: "auth_type: admin_token, auth: {endpoint: " + w.URL + ", token: other}", err: "401"},
		"http_basic":             {cloud: "auth_type: http_basic, auth: {endpoint: " + w.URL + ", username: u, password: p}", user: "u p"},
		"no address":             {cloud: "auth_type: none, auth: {endpoint: h}", err: "auth.endpoint of cloud a is not a URL without user and password"},
		"of the environment":     {env: "OS_AUTH_TYPE=none OS_ENDPOINT=" + w.URL},
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeFiles(t, map[string]string{"clouds.yaml": "clouds: {a: {" + test.cloud + "}}"})
			t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "clouds.yaml"))
			cloud := "a"
			for _, set := range strings.Fields(test.env) {
				cloud = EnvVars
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, value)
			}
			call, err := dial(t.Context(), cloud, 1, engine.Options{})
			if err == nil {
				err = call.get(t.Context(), api.Placement, "/resource_providers", placementNewest, &struct{}{})
			}
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%v, want %s", err, test.err)
				}
				return
			}
			must.Succeed(t, err)
			must.Be(t, strings.TrimSpace(user+" "+password), test.user)
			must.Be(t, len(call.services), 1)
		})
	}
}

// TestCloudsThatAreNone reads files that have no clouds, or clouds that are nothing: they are
// as good as none, and no error.
func TestCloudsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "---\n", "~\n", "null", "# nothing\n", "clouds:\n", "clouds: ~\n", "clouds: {}\n", "other: 1\n"} {
		if clouds, faults, err := parseClouds([]byte(text), cloudsKey); len(clouds)+len(faults) > 0 || err != nil {
			t.Errorf("%q has %v, %v, %v", text, clouds, faults, err)
		}
	}
}

// TestMergedClouds reads clouds that take keys from elsewhere: names of clouds keep their
// dashes, as keys of a cloud do not.
func TestMergedClouds(t *testing.T) {
	t.Parallel()
	const text = `
more: &more
  of-them: {region-name: R}
base: &base {auth-type: token, region-name: S}
clouds:
  <<: *more
  one-more:
    <<: [{interface: internal}, *base]
    region-name: T
`
	clouds, faults, err := parseClouds([]byte(text), cloudsKey)
	must.Succeed(t, err)
	must.Be(t, fmt.Sprint(clouds, len(faults)), "map[of-them:map[region_name:R] one-more:map[auth_type:token interface:internal region_name:T]] 0")
}
