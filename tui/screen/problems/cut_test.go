package problems_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestNothingIsCutWithoutAMark goes through everything in the demo, in little room: what a
// rule blocks and the last fix are shown, or a line says that there is more.
func TestNothingIsCutWithoutAMark(t *testing.T) {
	t.Parallel()
	h := open(t, onDemo(t), "")
	cuts := 0
	seen := map[audit.RuleID]bool{}
	for _, f := range audit.Find(h.Cloud.Snapshot()) {
		if seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		_, below, _ := strings.Cut(h.At(80, 18).Text(), "─ "+string(f.Rule))
		words := audit.RuleOf(f).Why
		if fixes := audit.Fixes(h.Cloud.Snapshot(), f); len(fixes) > 0 {
			words += " " + fixes[len(fixes)-1].Title
		}
		for _, word := range strings.Fields(words) {
			if !strings.Contains(below, word) && !strings.Contains(below, "…") {
				if cuts++; !strings.Contains(below, " more line") {
					t.Errorf("%s: %q is missing:\n%s", f.Rule, word, below)
				}
			}
		}
		h.Press("j")
	}
	if cuts == 0 {
		t.Error("there was room for all of it: the test shows nothing")
	}
}

// TestFixIsToldInFull uses free lines for what a fix does.
func TestFixIsToldInFull(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(open(t, onDemo(t), "o06").At(80, 24).Text()), " ")
	if want := "migrate render-node-9 to cmp-001, to be confirmed once it runs there"; !strings.Contains(text, want) {
		t.Errorf("no %q:\n%s", want, text)
	}
}

// TestChoiceShowsWhatAFixDoes checks that the page for choosing a fix shows the effect of
// the one under the cursor.
func TestChoiceShowsWhatAFixDoes(t *testing.T) {
	t.Parallel()
	c := onDemo(t)
	h := open(t, c, "o01")
	h.Press("F")
	choice := tuitest.Open(t, c, h.Last().(screen.PushMsg).Screen)
	wants := func(width, height int, all ...string) {
		t.Helper()
		text := choice.At(width, height).Text()
		for _, want := range all {
			if !strings.Contains(text, want) {
				t.Errorf("no %q at %dx%d:\n%s", want, width, height, text)
			}
		}
	}
	wants(160, 48, "WHAT 1 DOES", "- OWNER_NOVA", "WILL SEND", "PUT /resource_providers/")
	choice.Press("j")
	wants(160, 48, "WHAT CAN BE DONE", "let them leave first")
	choice.Press("j")
	wants(160, 48, "WHAT 3 DOES", "reserved 0 > 8")
	wants(80, 20, "> ✓ 3 reserve all")
}
