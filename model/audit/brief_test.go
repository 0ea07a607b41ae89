package audit_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
)

// TestBriefIsBrief checks that each finding of the demo has a short text: beside the
// title of its rule and the subject, which they do not repeat.
func TestBriefIsBrief(t *testing.T) {
	t.Parallel()
	const room = 34
	s := demotest.Snapshot(t, demo.Options{Troubles: true, Seed: 1, Now: modeltest.At(0)})
	for _, f := range audit.Find(s) {
		short := f.Short()
		if len(short) > room || len(short) > len(f.Text) || short == "" {
			t.Errorf("%s %s: %q takes %d cells, not %d: %s", f.Rule, f.Subject, short, len(short), room, f.Text)
		}
		if strings.Contains(short, f.Subject) || strings.HasPrefix(short, audit.RuleOf(f).Title) {
			t.Errorf("%s %s: %q repeats what stands beside it", f.Rule, f.Subject, short)
		}
	}
}
