package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// FuzzRequest sends a handler arbitrary requests: it never fails with a 500, refusals are
// JSON, and what it refuses changes nothing.
func FuzzRequest(f *testing.F) {
	root, card, vm := storagetest.Provider(1).String(), storagetest.Provider(2).String(), storagetest.Consumer(9).String()
	rp := "/resource_providers/" + root
	inventory := `{"resource_provider_generation": 1, "total": 4, "reserved": 1, "allocation_ratio": 1.5}`
	for _, seed := range [][4]string{ // method, path, query, body
		{"GET", "/", "", ""},
		{"GET", "/resource_classes", "", ""},
		{"POST", "/resource_classes", "", `{"name": "CUSTOM_A"}`},
		{"PUT", "/resource_classes/CUSTOM_B", "", ""},
		{"DELETE", "/resource_classes/CUSTOM_B", "", ""},
		{"GET", "/resource_providers", "in_tree=" + root + "&resources=VCPU:1&required=!OWNER_NOVA&member_of=!in:" + root + "," + card, ""},
		{"GET", "/resource_providers", "required=in:OWNER_NOVA,CUSTOM_A&name=x&uuid=" + card, ""},
		{"POST", "/resource_providers", "", `{"name": "new", "uuid": "` + vm + `", "parent_provider_uuid": "` + root + `"}`},
		{"PUT", rp, "", `{"name": "other", "parent_provider_uuid": null}`},
		{"DELETE", "/resource_providers/" + card, "", ""},
		{"GET", rp, "", ""},
		{"PUT", rp + "/inventories", "", `{"resource_provider_generation": 1, "inventories": {"VCPU": {"total": 8}, "CUSTOM_A": {"total": 1e2}}}`},
		{"POST", rp + "/inventories", "", `{"resource_class": "VGPU", "total": 8}`},
		{"DELETE", rp + "/inventories", "", ""},
		{"PUT", rp + "/inventories/VCPU", "", inventory},
		{"DELETE", rp + "/inventories/VCPU", "", ""},
		{"GET", rp + "/inventories/VCPU", "", ""},
		{"PUT", rp + "/traits", "", `{"traits": ["OWNER_NOVA", "OWNER_NOVA"], "resource_provider_generation": 1}`},
		{"DELETE", rp + "/traits", "", ""},
		{"GET", rp + "/traits", "", ""},
		{"PUT", rp + "/aggregates", "", `{"aggregates": ["` + vm + `"], "resource_provider_generation": 1}`},
		{"PUT", rp + "/aggregates", "", `["{` + vm + `}"]`},
		{"GET", rp + "/allocations", "", ""},
		{"GET", rp + "/usages", "", ""},
		{"PUT", "/allocations/" + vm, "", claimOf(storagetest.Provider(2))},
		{"PUT", "/allocations/" + vm, "", `{"allocations": [{"resource_provider": {"uuid": "` + root + `"}, "resources": {"VCPU": 1}}], "project_id": "p", "user_id": "u"}`},
		{"POST", "/allocations", "", `{"` + vm + `": ` + claimOf(storagetest.Provider(2)) + `}`},
		{"DELETE", "/allocations/" + vm, "", ""},
		{"GET", "/allocations/" + vm, "", ""},
		{"POST", "/reshaper", "", `{"inventories": {"` + card + `": {"resource_provider_generation": 2, "inventories": {"VGPU": {"total": 8}}}}, "allocations": {}}`},
		{"GET", "/allocation_candidates", "resources=VCPU:1&resources_A=VGPU:1&required_A=OWNER_NOVA&group_policy=none&same_subtree=_A&limit=3", ""},
		{"GET", "/allocation_candidates", "resources=VCPU:1,MEMORY_MB:512&root_required=!COMPUTE_NODE&in_tree=" + root, ""},
		{"GET", "/traits", "name=startswith:HW_%25&associated=true", ""},
		{"PUT", "/traits/CUSTOM_X", "", ""},
		{"DELETE", "/traits/CUSTOM_X", "", ""},
		{"GET", "/usages", "project_id=p&user_id=u&consumer_type=all", ""},
	} {
		for _, version := range []string{"placement 1.39", "placement 1.11", ""} {
			f.Add(seed[0], seed[1], seed[2], version, "application/json", "*/*", []byte(seed[3]))
			f.Add(seed[0], seed[1], seed[2], version, "application/json", "text/html;q=0.5, */*", []byte(seed[3]))
		}
	}
	store := memory.New(memory.Options{Clock: storagetest.Clock()})
	for _, c := range []cloud.Change{
		{Ops: storagetest.Host(1, 64, 4)},
		{Ops: []cloud.Op{placement.CreateTrait{Name: "CUSTOM_X"}, placement.CreateClass{Name: "CUSTOM_B"}}},
		storagetest.Claim(9, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 2}),
	} {
		must.Get(store.Apply(f.Context(), c).Result())(f)
	}
	start := store.Snapshot()
	f.Fuzz(func(t *testing.T, method, path, query, version, kind, accept string, body []byte) {
		store := memory.New(memory.Options{Clock: storagetest.Clock(), Start: start})
		h := admin(rest.New(store, rest.Options{Clock: storagetest.Clock()}))
		r := (&http.Request{
			Method: method, URL: &url.URL{Path: path, RawQuery: query}, Host: "localhost", Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(string(body))), ContentLength: int64(len(body)),
		}).WithContext(t.Context())
		for name, value := range map[string]string{"Openstack-Api-Version": version, "Content-Type": kind, "Accept": accept} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		page := w.Code >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/")
		if text := w.Body.Bytes(); len(text) > 0 && !page && !json.Valid(text) {
			t.Fatalf("no JSON: %s", text)
		}
		now := store.Snapshot()
		if w.Code >= 400 && now != start {
			t.Fatalf("%d, and something was written", w.Code)
		}
		if now != start {
			if found := now.Check(); len(found) > 0 {
				t.Fatal(found)
			}
		}
	})
}
