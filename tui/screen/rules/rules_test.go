package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/rules"
	"github.com/placetop/placetop/tui/screen/screentest"
)

func TestList(t *testing.T) {
	t.Parallel()
	screentest.List(rules.New).OnDemo(t)
}

// TestGreen lists every rule, including those that find nothing, and goes to what one
// finds.
func TestGreen(t *testing.T) {
	t.Parallel()
	c := screentest.Demo(t, 12)
	all := len(audit.Rules())
	h := screentest.List(rules.New).On(c, "")
	if got := h.Status(); !strings.Contains(got, fmt.Sprintf("%d of %d", all, all)) {
		t.Errorf("lists %s, want %d", got, all)
	}
	for filter, want := range map[string]string{"state=ok": "nothing is wrong with this", "state=open": " found"} {
		if text := screentest.List(rules.New).On(c, filter).Text(t, 160, 40); !strings.Contains(text, want) {
			t.Errorf("%s: want %q:\n%s", filter, want, text)
		}
	}
	h = screentest.List(rules.New).On(c, "rule=o01")
	h.Asks(t, "enter", screen.Goto{To: place.Problems{Rule: audit.RuleBothOwners}})
	h = screentest.List(rules.New).On(c, "state=ok")
	h.Asks(t, "enter", nil)
	if text := screentest.List(rules.New).On(c, "").Text(t, 80, 20); !strings.Contains(text, "o01") {
		t.Errorf("the worst are not first:\n%s", text)
	}
}
