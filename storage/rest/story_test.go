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

// TestStory tells the handler the story that Placement has told: each answer must be the
// same. The story is told again by storage/storagetest/upstream.
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
