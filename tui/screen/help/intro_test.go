package help_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestHelpExplains(t *testing.T) {
	t.Parallel()
	s := help.New(tuitest.Plain(), help.About{Title: "cards", What: "Whose the cards are.", Filter: "owner=both free>2", Fields: []string{"free", "owner"}},
		[]action.Action{{ID: "a.b", Keys: "x", Title: "do"}})
	for _, want := range []string{"for    Whose the cards are.", "⬢ N nova", "⬡ C cyborg", "✗ critical", "/ reserved", "» over", "used%>80", "e.g.   owner=both free>2", "fields free owner"} {
		if view := s.View(100, 24); !strings.Contains(view, want) {
			t.Errorf("the help has no %q:\n%s", want, view)
		}
	}
	if view := s.View(100, 10); strings.Contains(view, "nova") || !strings.Contains(view, "do") {
		t.Errorf("on a low terminal the keys come first:\n%s", view)
	}
	if view := help.New(tuitest.Plain(), help.About{Title: "page"}).View(100, 24); strings.Contains(view, "fields") {
		t.Errorf("a page without a filter explains filters:\n%s", view)
	}
}
