package audit_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
)

// TestUnjudged checks which rules find nothing if parts of a cloud were not read.
func TestUnjudged(t *testing.T) {
	t.Parallel()
	if got, text := audit.Unjudged(nil), audit.UnjudgedText(nil); len(got) > 0 || text != "" {
		t.Errorf("of a cloud that was read: %v, %q", got, text)
	}
	all := map[audit.RuleID]bool{}
	for part, want := range map[cloud.Part]string{
		cloud.Services: "v02 v03 v04 v01", cloud.Flavors: "o06 a03 d01", cloud.Migrations: "a08 a01 a06 a09", cloud.ARQs: "d02 d04 d05", cloud.Profiles: "",
	} {
		var got []string
		for _, id := range audit.Unjudged([]cloud.Reading{{Part: part}}) {
			got = append(got, string(id))
			all[id] = true
		}
		if strings.Join(got, " ") != want {
			t.Errorf("without %s: %q, want %q", part, got, want)
		}
	}
	if text := audit.UnjudgedText([]cloud.Reading{{Part: cloud.Services}, {Part: cloud.Profiles}}); !strings.HasPrefix(text, "4 of 3") || !strings.HasSuffix(text, " rules cannot be judged: not read: services, device profiles") {
		t.Errorf("%q", text)
	}
	for id := range all {
		if _, ok := audit.RuleByID(id); !ok {
			t.Errorf("there is no rule %s", id)
		}
	}
}
