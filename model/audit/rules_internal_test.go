package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every rule has a file that starts with its id, test cases, and fixes or the reason why
// there are none.
func TestEveryRuleIsWhole(t *testing.T) {
	t.Parallel()
	files := map[string]bool{}
	for _, r := range allRules() {
		file := ""
		found, _ := filepath.Glob(string(r.ID) + "_*.go")
		for _, f := range found {
			files[f] = true
			if !strings.HasSuffix(f, "_test.go") {
				file = f
			}
		}
		source, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(source), fmt.Sprintf("RuleID = %q", r.ID)) {
			t.Errorf("%s: no file %s_*.go declares it (%v)", r.ID, r.ID, err)
			continue
		}
		cases, err := os.ReadFile(strings.TrimSuffix(file, ".go") + "_test.go")
		if err != nil || !strings.Contains(string(cases), "func Test") {
			t.Errorf("%s: no cases beside %s (%v)", r.ID, file, err)
		}
		if (r.fixes == nil) == (r.people == "") {
			t.Errorf("%s: want either fixes, or the reason why only people can help", r.ID)
		}
	}
	all, _ := filepath.Glob("[a-z][0-9][0-9]_*.go")
	for _, f := range all {
		if !files[f] {
			t.Errorf("%s is of no rule", f)
		}
	}
}
