package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestExamplesAreOfTheDemo runs the examples in the help of commands about instances and
// flavors, which are named as in the demo cloud, so that a newcomer can copy them.
func TestExamplesAreOfTheDemo(t *testing.T) {
	t.Parallel()
	made := filepath.Join(t.TempDir(), "made.db")
	must.Succeed(t, runWith(t.Context(), new(bytes.Buffer), "demo", "--no-tui", "--db", made))
	p := &program{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}
	for _, cmd := range p.root().Commands() {
		if !slices.Contains([]string{"boot", "candidates", "heal", "migrate", "resize", "terminate"}, cmd.Name()) {
			continue
		}
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "--cloud") {
				continue
			}
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				db := filepath.Join(t.TempDir(), "a.db")
				must.Succeed(t, runWith(t.Context(), new(bytes.Buffer), "copy", made, db))
				for one := range strings.SplitSeq(line, "&&") {
					words := strings.Fields(strings.ReplaceAll(one, "'", ""))
					var said bytes.Buffer
					if err := runWith(t.Context(), &said, append(words[1:], "--db", db)...); slices.Contains([]int{exitFailed, exitUsage, exitConflict}, exitCode(err)) {
						t.Errorf("%s: %v\n%s", one, err, &said)
					}
				}
			})
		}
	}
}
