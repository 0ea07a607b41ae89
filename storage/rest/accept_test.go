package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/placetop/placetop/storage/rest"
)

// TestRefusalForms compares refusals for clients that accept HTML as well as JSON, and
// for those that accept neither, with Placement's.
func TestRefusalForms(t *testing.T) {
	t.Parallel()
	h, _ := handler(t, rest.Options{})
	const unknown = "/resource_providers/%3Cb%3E%26%22%27"
	for _, test := range []struct {
		method, path, accept string
		known                bool
		status               int
		kind, body           string // "" for JSON
	}{
		{"GET", unknown, "application/json, text/html", true, 404, "text/html; charset=UTF-8", "<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1>" +
			"<pre>The resource could not be found.\n\nNo resource provider with uuid &lt;b&gt;&amp;&#34;&#39; found</pre></body></html>"},
		{"GET", "/resource_providers/x", "text/*", true, 406, "text/html; charset=UTF-8", "<html><head><title>406 Not Acceptable</title></head><body><h1>406 Not Acceptable</h1>" +
			"<pre>Only application/json is provided</pre></body></html>"},
		{"GET", "/resource_providers/x", "text/plain", true, 406, "text/plain; charset=UTF-8", "406 Not Acceptable\n\nOnly application/json is provided"},
		{"GET", "/traits", "text/plain", false, 401, "text/plain; charset=UTF-8", "401 Unauthorized\n\nThis server could not verify that you are authorized to access the document you requested."},
		{"GET", unknown, "", true, 404, "application/json", ""},
		{"GET", unknown, "*/*", true, 404, "application/json", ""},
		{"GET", unknown, "text/html;q=0.5, application/json", true, 404, "application/json", ""},
	} {
		asked := http.Handler(h)
		if test.known {
			asked = admin(h)
		}
		r := httptest.NewRequest(test.method, test.path, nil)
		if test.accept != "" {
			r.Header.Set("Accept", test.accept)
		}
		w := httptest.NewRecorder()
		asked.ServeHTTP(w, r)
		if w.Code != test.status || w.Header().Get("Content-Type") != test.kind || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s %s for %q: %d %s\n%q, want %d %s\n%q", test.method, test.path, test.accept, w.Code, w.Header().Get("Content-Type"), w.Body, test.status, test.kind, test.body)
		}
	}
}
