//go:build placement

package upstream_test

import (
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest/resttest"
)

var update = flag.Bool("update", false, "have Placement tell the story of package rest anew")

// TestStoryIsTrue checks that Placement gives the answers of the story that our handler
// is tested against without it.
func TestStoryIsTrue(t *testing.T) {
	t.Parallel()
	const file = "../../rest/testdata/story.txt"
	text := must.Get(os.ReadFile(file))(t)
	server := Start(t)
	var told []string
	for _, x := range resttest.Parse(t, string(text)) {
		got := x.Do(t, http.DefaultTransport, server.URL)
		if got != x && !*update {
			t.Errorf("%s %s: the story (-), Placement (+):\n%s", x.Method, x.Path, cmp.Diff(x.Answer, got.Answer))
		}
		told = append(told, got.String())
	}
	if *update {
		must.Succeed(t, os.WriteFile(file, []byte(strings.Join(told, "\n")), 0o600))
	}
}
