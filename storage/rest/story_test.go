package rest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/resttest"
)

// TestStory sends the handler the requests of a story whose answers come from Placement:
// each answer must be the same. Package storage/storagetest/upstream checks the story.
func TestStory(t *testing.T) {
	t.Parallel()
	text := must.Get(os.ReadFile("testdata/story.txt"))(t)
	h, _ := handler(t, rest.Options{})
	server := httptest.NewServer(admin(h))
	defer server.Close()
	for _, x := range resttest.Parse(t, string(text)) {
		if got := x.Do(t, http.DefaultTransport, server.URL); got != x {
			t.Errorf("%s %s\n%s\nPlacement (-), we (+):\n%s", x.Method, x.Path, x.Body, cmp.Diff(x.Answer, got.Answer))
		}
	}
}
