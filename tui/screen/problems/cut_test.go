package problems_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
)

// TestNothingIsCutWithoutAMark goes through all that the demo has, in little room:
// what a rule blocks is there in full, or ends with an ellipsis.
func TestNothingIsCutWithoutAMark(t *testing.T) {
	t.Parallel()
	h := open(demo(t), "")
	cuts := 0
	seen := map[audit.RuleID]bool{}
	for _, f := range audit.Find(h.Cloud.Snapshot()) {
		if seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		_, below, _ := strings.Cut(h.Text(t, 80, 18), "─ "+string(f.Rule))
		why := audit.RuleOf(f).Why
		text := strings.Join(strings.Fields(label(below, "What it blocks")), " ")
		switch start, cut := strings.CutSuffix(text, "…"); {
		case text == why:
		case cut && strings.HasPrefix(why, start):
			cuts++
		default:
			t.Errorf("%s blocks %q, the screen says %q", f.Rule, why, text)
		}
		h.Press("j")
	}
	if cuts == 0 {
		t.Error("there was room for all of it: the test shows nothing")
	}
}

// TestFixIsToldInFull takes the lines that are free for what a fix does.
func TestFixIsToldInFull(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(open(demo(t), "o06").Text(t, 80, 24)), " ")
	if want := "migrate render-node-9 to cmp-001, to be confirmed once it runs there"; !strings.Contains(text, want) {
		t.Errorf("no %q:\n%s", want, text)
	}
}

// label returns the text beside a label of the lines about a row.
func label(text, name string) string {
	_, rest, _ := strings.Cut(text, name)
	var out []string
	for i, line := range strings.Split(rest, "\n") {
		if i > 0 && (line == "" || strings.TrimSpace(line[:min(len(line), 18)]) != "") {
			break
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}
