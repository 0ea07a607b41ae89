package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeCloud is a Keystone and a Nova that answer from a file, before a Placement that
// somebody serves. It can do wrong what a real Nova cannot be made to do in a test.
type fakeCloud struct {
	data      string // path of the file: each list as Nova or Keystone answers it
	log       string // path of the file for the requests, one a line
	placement *httputil.ReverseProxy
	faults    []string
	mu        sync.Mutex // guards log
}

// row is a thing in one of the lists.
type row = map[string]any

// lists returns the lists of the APIs, by path.
func lists() map[string]string {
	return map[string]string{
		"/compute/v2.1/os-services": "services", "/compute/v2.1/flavors/detail": "flavors", "/compute/v2.1/os-hypervisors/detail": "hypervisors",
		"/compute/v2.1/os-aggregates": "aggregates", "/compute/v2.1/servers/detail": "servers", "/compute/v2.1/os-migrations": "migrations",
		"/identity/v3/projects": "projects", "/identity/v3/users": "users",
	}
}

// openstack starts a Keystone and a Nova before the last server, as the cloud prod of
// clouds.yaml: openstack DATA.json LOG [FAULT...]. A fault is one of
//
//	deny=LIST  403 for a list, such as servers
//	cut=LIST   every page of it is the first one, with more to come
//	own        403 for the servers of all projects; 404 for those of others
//	cell=HOST  the cell of a host does not answer: lists leave out what is there
//	gone=ID    a server that is listed is gone when it is asked for
//	lacks=NAME Placement does not know a standard trait, as its os-traits is older
func (s *servers) openstack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: openstack DATA.json LOG [FAULT...]")
	}
	at, err := url.Parse(s.of(ts).url)
	ts.Check(err)
	f := &fakeCloud{data: ts.MkAbs(args[0]), log: ts.MkAbs(args[1]), faults: args[2:]}
	f.placement = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(at)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, "/placement")
		r.Out.Header.Set("X-Auth-Token", "admin")
		r.Out.Header.Del("Accept-Encoding")
	}}
	if trait, is := f.fault("lacks"); is {
		f.placement.ModifyResponse = func(r *http.Response) error { return leaveOutTrait(r, trait) }
	}
	is := httptest.NewServer(f)
	ts.Defer(is.Close)
	ts.Setenv("OS_CLIENT_CONFIG_FILE", ts.MkAbs("clouds.yaml"))
	ts.Check(os.WriteFile(f.log, nil, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("clouds.yaml"), fmt.Appendf(nil, `clouds:
  prod:
    auth: {auth_url: %s/identity, username: admin, password: x, project_name: admin, user_domain_id: default, project_domain_id: default}
    region_name: R
`, is.URL), 0o600))
}

// leaveOutTrait leaves a trait out of the list of all.
func leaveOutTrait(r *http.Response, trait string) error {
	if r.Request.URL.Path != "/traits" {
		return nil
	}
	var all struct {
		Traits []string `json:"traits"`
	}
	if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
		return err
	}
	all.Traits = slices.DeleteFunc(all.Traits, func(t string) bool { return t == trait })
	text, err := json.Marshal(all)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return err
}

// fault returns the argument of a fault, and whether there is such a fault.
func (f *fakeCloud) fault(name string) (string, bool) {
	for _, one := range f.faults {
		if is, of, _ := strings.Cut(one, "="); is == name {
			return of, true
		}
	}
	return "", false
}

// ServeHTTP implements http.Handler.
func (f *fakeCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.note(r)
	base := "http://" + r.Host
	list, isList := lists()[r.URL.Path]
	server, isServer := strings.CutPrefix(r.URL.Path, "/compute/v2.1/servers/")
	switch {
	case strings.HasPrefix(r.URL.Path, "/placement"):
		f.placement.ServeHTTP(w, r)
	case r.URL.Path == "/identity/v3/auth/tokens":
		w.Header().Set("X-Subject-Token", "token")
		say(w, http.StatusCreated, row{"token": row{
			"methods": []string{"password"}, "user": row{"id": "u", "name": "admin"}, "project": row{"id": "p", "name": "admin"},
			"roles": []row{{"id": "r", "name": "admin"}}, "expires_at": "2099-01-01T00:00:00.000000Z",
			"catalog": []row{endpoint("compute", base+"/compute/v2.1"), endpoint("placement", base+"/placement")},
		}})
	case strings.TrimRight(r.URL.Path, "/") == "/identity/v3":
		say(w, http.StatusOK, row{"version": row{"id": "v3.14", "status": "stable", "links": []row{{"rel": "self", "href": base + "/identity/v3/"}}}})
	case strings.TrimRight(r.URL.Path, "/") == "/identity":
		say(w, http.StatusMultipleChoices, row{"versions": row{"values": []row{{"id": "v3.14", "status": "stable", "links": []row{{"rel": "self", "href": base + "/identity/v3/"}}}}}})
	case strings.TrimRight(r.URL.Path, "/") == "/compute/v2.1":
		say(w, http.StatusOK, row{"version": row{"id": "v2.1", "status": "CURRENT", "version": "2.96", "min_version": "2.1"}})
	case isList && r.Method == http.MethodGet:
		f.list(w, r, list)
	case isServer && r.Method == http.MethodGet:
		f.server(w, server)
	default:
		say(w, http.StatusNotFound, row{"itemNotFound": row{"code": http.StatusNotFound, "message": "not here"}})
	}
}

// note writes a request to the log.
func (f *fakeCloud) note(r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	log, err := os.OpenFile(f.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return // the story is over
	}
	defer log.Close()
	_, _ = fmt.Fprintf(log, "%s %s\n", r.Method, r.URL.RequestURI())
}

// rows returns a list of the file. Those of a cell that does not answer are left out, or
// unknown.
func (f *fakeCloud) rows(list string) []row {
	text, err := os.ReadFile(f.data)
	if err != nil {
		return nil
	}
	all := map[string][]row{list: {}}
	if err := json.Unmarshal(text, &all); err != nil {
		panic(err)
	}
	silent, is := f.fault("cell")
	if !is {
		return all[list]
	}
	out := []row{}
	for _, of := range all[list] {
		hypervisor, _ := of["service"].(row)
		switch {
		case of["host"] == silent: // a service
			out = append(out, row{"binary": of["binary"], "host": silent, "status": "UNKNOWN"})
		case hypervisor["host"] != silent && of["OS-EXT-SRV-ATTR:host"] != silent:
			out = append(out, of)
		}
	}
	return out
}

// list answers with a page of a list.
//
// Source: nova/api/openstack/common.py, get_limit_and_marker and _get_collection_links.
func (f *fakeCloud) list(w http.ResponseWriter, r *http.Request, list string) {
	_, own := f.fault("own")
	if denied, _ := f.fault("deny"); denied == list || own && r.URL.Query().Has("all_tenants") {
		say(w, http.StatusForbidden, row{"forbidden": row{"code": http.StatusForbidden, "message": "not for you"}})
		return
	}
	all := f.rows(list)
	all = slices.DeleteFunc(all, func(of row) bool {
		return own && list == "servers" && of["tenant_id"] != "p" || r.URL.Query().Has("deleted") && of["OS-EXT-STS:vm_state"] != "soft-delete"
	})
	cut, _ := f.fault("cut")
	if marker := r.URL.Query().Get("marker"); marker != "" && cut != list {
		all = all[1+slices.IndexFunc(all, func(of row) bool { return of["id"] == marker || of["uuid"] == marker }):]
	}
	answer := row{list: all}
	if limit, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && limit < len(all) {
		answer[list] = all[:limit]
	}
	if cut == list && len(all) > 0 {
		answer = row{list: all[:1], list + "_links": []row{{"rel": "next", "href": r.URL.Path}}}
	}
	say(w, http.StatusOK, answer)
}

// server answers with one server. One in a cell that does not answer is unknown.
func (f *fakeCloud) server(w http.ResponseWriter, id string) {
	text := row{}
	for _, of := range f.rows("servers") {
		if of["id"] == id {
			text = of
		}
	}
	_, own := f.fault("own")
	if gone, _ := f.fault("gone"); len(text) == 0 || gone == id || own && text["tenant_id"] != "p" {
		say(w, http.StatusNotFound, row{"itemNotFound": row{"code": http.StatusNotFound, "message": "Instance could not be found."}})
		return
	}
	say(w, http.StatusOK, row{"server": text})
}

func endpoint(service, at string) row {
	return row{"type": service, "name": service, "id": service, "endpoints": []row{{"id": service, "interface": "public", "region": "R", "region_id": "R", "url": at}}}
}

func say(w http.ResponseWriter, status int, answer row) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}
