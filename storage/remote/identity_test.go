package remote

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// identity is a fake Keystone, with a catalogue that has one Placement.
type identity struct {
	status   int    // of the answer to a request for a token
	refusal  string // its body
	service  string // type of the one service; "" for none
	region   string // several are separated by commas
	endpoint string
	roles    []string // of the user
	also     []string // other services: type, interface, address
}

func (k identity) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	out.Header().Set("Content-Type", "application/json")
	send := func(status int, v any) {
		out.WriteHeader(status)
		_ = json.NewEncoder(out).Encode(v)
	}
	type object = map[string]any
	switch {
	case r.URL.Path != "/v3/auth/tokens":
		send(http.StatusOK, object{"version": object{"id": "v3.14", "status": "stable", "links": []object{{"rel": "self", "href": "http://" + r.Host + "/v3/"}}}})
	case k.status != http.StatusCreated:
		send(k.status, object{"error": object{"code": k.status, "message": k.refusal}})
	default:
		out.Header().Set("X-Subject-Token", "secret")
		catalog := []object{}
		if k.service != "" {
			var there []object
			for region := range strings.SplitSeq(k.region, ",") {
				there = append(there, object{"id": "2" + region, "interface": "public", "region": region, "region_id": region, "url": k.endpoint})
			}
			catalog = append(catalog, object{"type": k.service, "name": k.service, "id": "1", "endpoints": there})
		}
		for _, service := range k.also {
			of := strings.Fields(service)
			catalog = append(catalog, object{"type": of[0], "name": of[0], "id": of[0], "endpoints": []object{{"id": service, "interface": of[1], "region": k.region, "region_id": k.region, "url": of[2]}}})
		}
		roles := []object{}
		for _, name := range k.roles {
			roles = append(roles, object{"id": name, "name": name})
		}
		send(http.StatusCreated, object{"token": object{
			"roles":   roles,
			"project": object{"id": "p", "name": "demo", "domain": object{"id": "d", "name": "d"}},
			"methods": []string{"password"}, "user": object{"id": "u", "name": "u", "domain": object{"id": "d", "name": "d"}},
			"expires_at": time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000000Z"), "catalog": catalog,
		}})
	}
}

// TestCloudsThatAreWrong opens clouds that are not as their valid description says: each
// error names the file, what to look at there, and what to do.
func TestCloudsThatAreWrong(t *testing.T) {
	const right = http.StatusCreated
	w := newWorld(t, 0)
	old := newWorld(t, 0)
	old.answer(func(out http.ResponseWriter, r *http.Request) bool {
		_, _ = out.Write([]byte(`{"versions": [{"max_version": "1.17"}]}`))
		return true
	})
	for _, test := range []struct {
		name  string
		is    identity
		more  string // more keys of the entry
		tls   bool
		wants []string
	}{
		{"all is well", identity{status: right, service: "placement", region: "one", endpoint: w.URL}, "", false, nil},
		{
			"another password",
			identity{status: 401, refusal: "The request you have made requires authentication."},
			"", false,
			[]string{"identity POST /auth/tokens: 401 Unauthorized", "wrong user, password or project", "check the user, password, project and domains under auth in ", "clouds.yaml and secure.yaml"},
		},
		{
			"no such application credential",
			identity{status: 404, refusal: "Could not find Application Credential: x."},
			"", false,
			[]string{"404 Not Found: Could not find Application Credential: x; check auth_url and the rest of auth in ", "clouds.yaml and secure.yaml"},
		},
		{
			"an expired password",
			identity{status: 401, refusal: "The password is expired and needs to be changed for user: u."},
			"", false,
			[]string{"The password is expired", "put a new one in ", "clouds.yaml or secure.yaml"},
		},
		{"no project", identity{status: right}, "", false, []string{"clouds.yaml: the service catalog of cloud a is empty: the token has no project", "set auth.project_name of cloud a and auth.project_domain_name"}},
		{
			"another service",
			identity{status: right, service: "compute", region: "one", endpoint: w.URL},
			"", false,
			[]string{"clouds.yaml: the service catalog of cloud a has no public endpoint of placement, only compute; add placement to the catalog, set placement_endpoint_override, or open it by its address"},
		},
		{"one of two regions", identity{status: right, service: "placement", region: "one,two", endpoint: w.URL}, "    region_name: two\n", false, nil},
		{
			"two regions",
			identity{status: right, service: "placement", region: "two,one", endpoint: w.URL},
			"", false,
			[]string{"clouds.yaml: the service catalog of cloud a has placement in several regions: one, two; set region_name of cloud a to one of them"},
		},
		{
			"another region",
			identity{status: right, service: "placement", region: "one", endpoint: w.URL},
			"    region_name: two\n", false,
			[]string{"clouds.yaml: the service catalog of cloud a has no public endpoint of placement in region two, only public in region one; use one of those for region_name of cloud a"},
		},
		{
			"another interface",
			identity{status: right, service: "placement", region: "one", endpoint: w.URL},
			"    interface: internal\n", false,
			[]string{"has no internal endpoint of placement, only public in region one; use one of those for region_name of cloud a and interface of cloud a"},
		},
		{
			"too old",
			identity{status: right, service: "placement", region: "one", endpoint: old.URL},
			"", false,
			[]string{"placement: its newest microversion is 1.17, and 1.28 is needed", "upgrade it"},
		},
		{
			"nobody there",
			identity{status: right, service: "placement", region: "one", endpoint: "http://127.0.0.1:1"},
			"", false,
			[]string{"placement GET /: 127.0.0.1:1 cannot be reached"},
		},
		{
			"no Keystone",
			identity{status: right},
			"    at: " + w.URL + "\n", false,
			[]string{"identity POST /auth/tokens: the answer is not from Keystone", "check auth_url in ", "clouds.yaml"},
		},
		{
			"no Keystone there",
			identity{status: right},
			"    at: http://127.0.0.1:1\n", false,
			[]string{"127.0.0.1:1 cannot be reached", "check auth_url in ", "clouds.yaml, and that Keystone is up"},
		},
		{"no CA", identity{status: right}, "", true, []string{"has a certificate that cannot be verified", "set cacert in ", "clouds.yaml"}},
		{"another CA", identity{status: right}, "    cacert: other.pem\n", true, []string{"has a certificate that cannot be verified", "cacert in "}},
		{"a CA that is none", identity{status: right}, "    cacert: clouds.yaml\n", true, []string{"clouds.yaml: cacert of cloud a: ", "has no certificate in it"}},
		{"TLS where there is none", identity{status: right}, "    tls: wrong\n", false, []string{"does not speak TLS", "use http:// in auth_url in "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			server := httptest.NewUnstartedServer(test.is)
			if test.tls {
				server.StartTLS()
				key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
				who := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
				der := must.Get(x509.CreateCertificate(rand.Reader, who, who, &key.PublicKey, key))(t)
				must.Succeed(t, os.WriteFile(filepath.Join(folder, "other.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
			} else {
				server.Start()
			}
			defer server.Close()
			address := server.URL + "/v3"
			if _, at, ok := strings.Cut(strings.TrimSpace(test.more), "at: "); ok {
				address = at
			}
			if strings.Contains(test.more, "tls: wrong") {
				address = strings.Replace(address, "http:", "https:", 1)
			}
			path := filepath.Join(folder, "clouds.yaml")
			text := "clouds:\n  a:\n    auth: {auth_url: '" + address + "', username: u, password: p4ssw0rd, user_domain_id: d, project_id: x}\n" +
				strings.NewReplacer("other.pem", filepath.Join(folder, "other.pem"), "cacert: clouds.yaml", "cacert: "+path).Replace(test.more)
			must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
			t.Setenv("OS_CLIENT_CONFIG_FILE", path)
			s, err := Cloud{}.Open(t.Context(), "a", engine.Options{Clock: storagetest.Clock()})
			if test.wants == nil {
				must.Succeed(t, err)
				s.Close()
				return
			}
			if err == nil {
				t.Fatal("it opened")
			}
			for _, want := range test.wants {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "p4ssw0rd") {
					t.Errorf("%v, want %q", err, want)
				}
			}
		})
	}
}

// TestReadersReadAlone checks that keys that write are disabled, with the reason, from
// the start for a user who has only the reader role.
func TestReadersReadAlone(t *testing.T) {
	w := newWorld(t, 0)
	for name, test := range map[string]struct {
		roles []string
		can   bool
		has   string
	}{
		"reader":           {[]string{"reader"}, false, "; the token has the role reader in project demo"},
		"admin":            {[]string{"reader", "member", "admin"}, true, "; the token has the roles admin, member, reader in project demo"},
		"a role of theirs": {[]string{"reader", "capacity_team"}, true, "; the token has the roles capacity_team, reader in project demo"},
		"not told":         {nil, true, "reader with system_scope: all"},
	} {
		t.Run(name, func(t *testing.T) {
			is := identity{status: http.StatusCreated, service: "placement", region: "one", endpoint: w.URL, roles: test.roles}
			server := httptest.NewServer(is)
			defer server.Close()
			path := filepath.Join(t.TempDir(), "clouds.yaml")
			text := "clouds:\n  a:\n    auth: {auth_url: '" + server.URL + "/v3', username: u, password: p, user_domain_id: d, system_scope: all}\n"
			must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
			t.Setenv("OS_CLIENT_CONFIG_FILE", path)
			s := must.Get(Cloud{Settings{Write: true}}.Open(t.Context(), "a", engine.Options{Clock: storagetest.Clock()}))(t)
			defer s.Close()
			if why := s.Capabilities().ReadOnly; (why == "") != test.can || !test.can && !strings.Contains(why, "role reader") {
				t.Errorf("nothing is written as %q", why)
			}
			w.answer(func(out http.ResponseWriter, _ *http.Request) bool {
				out.WriteHeader(http.StatusForbidden)
				return true
			})
			defer w.answer(nil)
			if err := s.(*Store).Refresh(t.Context()); err == nil || !strings.HasSuffix(err.Error(), test.has) {
				t.Errorf("%v, want at its end %q", err, test.has)
			}
		})
	}
}

// TestDescribedIn distinguishes clouds of one name by the files that describe them.
func TestDescribedIn(t *testing.T) {
	seen := map[string]bool{}
	for range 2 {
		path := filepath.Join(t.TempDir(), "clouds.yaml")
		must.Succeed(t, os.WriteFile(path, []byte("clouds:\n  prod: {}\n"), 0o600))
		t.Setenv("OS_CLIENT_CONFIG_FILE", path)
		seen[DescribedIn("prod")], seen[DescribedIn("test")] = true, true
	}
	if len(seen) != 4 || seen[""] {
		t.Errorf("%v", seen)
	}
}
