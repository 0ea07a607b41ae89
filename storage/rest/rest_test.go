package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// admin has a handler asked by somebody who may do all.
func admin(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := rest.WithCaller(r.Context(), rest.Caller{User: "admin", Project: "admin", Roles: []string{rest.RoleAdmin}})
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// ask sends one request, with a body of JSON unless it is "".
func ask(h http.Handler, method, path, version, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if version != "" {
		r.Header.Set("OpenStack-API-Version", "placement "+version)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func handler(t *testing.T, w *modeltest.World, o rest.Options) http.Handler {
	t.Helper()
	start := cloud.Empty()
	if w != nil {
		start = w.Snapshot
	}
	store := memory.New(memory.Options{Clock: storagetest.Clock(), Start: start})
	t.Cleanup(func() { _ = store.Close() })
	o.Clock = storagetest.Clock()
	return rest.New(store, o)
}

func TestVersionDocument(t *testing.T) {
	t.Parallel()
	var seen []rest.Observation
	h := handler(t, nil, rest.Options{Observe: func(o rest.Observation) { seen = append(seen, o) }})
	w := ask(h, "GET", "/", "", "")
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var doc struct {
		Versions []struct {
			ID  string `json:"id"`
			Min string `json:"min_version"`
			Max string `json:"max_version"`
		} `json:"versions"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if v := doc.Versions[0]; v.ID != "v1.0" || v.Min != "1.0" || v.Max != "1.39" {
		t.Errorf("%+v", v)
	}
	if w := ask(h, "GET", "/resource_providers", "1.39", ""); w.Code != 401 {
		t.Errorf("without a caller: %d %s", w.Code, w.Body)
	}
	if len(seen) != 2 || seen[0].Route != "/" || seen[0].Microversion != "1.0" || seen[1].Status != 401 {
		t.Errorf("observed %+v", seen)
	}
}
