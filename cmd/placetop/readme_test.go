package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
)

// readmeBlock returns the README, and the text block in it after a line that begins with
// begins.
func readmeBlock(t *testing.T, begins string) (page, block string) {
	t.Helper()
	b := must.Get(os.ReadFile(readmePath()))(t)
	found := regexp.MustCompile("(?s)```text\n( *" + regexp.QuoteMeta(begins) + ".*?)```").FindStringSubmatch(string(b))
	if found == nil {
		t.Fatalf("README.md shows no text that begins with %q", begins)
	}
	return string(b), found[1]
}

func readmePath() string { return filepath.Join("..", "..", "README.md") }

// checkReadmeScreen compares the screen in the README with lines; -pictures replaces it.
func checkReadmeScreen(t *testing.T, lines []string) {
	t.Helper()
	var shows strings.Builder
	for _, l := range lines {
		shows.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	page, block := readmeBlock(t, "placetop  demo")
	switch {
	case block == shows.String():
	case *pictures:
		if err := os.WriteFile(readmePath(), []byte(strings.Replace(page, block, shows.String(), 1)), 0o644); err != nil { // for everybody to see
			t.Error(err)
		}
	default:
		t.Errorf("the README shows another screen: take it anew with -pictures, and look at it. It is\n%s", shows.String())
	}
}

// TestReadmeTransition checks that what the README says of the transition is in the
// story: its lines in the same order, and the number of steps.
func TestReadmeTransition(t *testing.T) {
	t.Parallel()
	story := tellTransition(t, time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC))
	page, block := readmeBlock(t, "STEP")
	rest := story
	for line := range strings.Lines(block) {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Errorf("the story has no line, or none at that place: %q", line)
			continue
		}
		rest = after
	}
	last := regexp.MustCompile(`(?m)^(\d+)/(\d+)  `).FindStringSubmatch(story)
	if last == nil || !strings.Contains(page, "in "+last[2]+" steps") {
		t.Errorf("the README does not tell that the story has these steps: %q", last)
	}
}
