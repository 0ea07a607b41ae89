package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// notOfDemo is in examples that need what a demo cloud does not have: another cloud,
// other files, a server, a terminal, what an earlier command made.
var notOfDemo = regexp.MustCompile(`\.db\b|cloud|serve|ssh |agent|-w\b|--watch|--file|\| |> |/mnt/|import|^until|tui|edit |config |source|node\.json|placetop demo|` +
	`delete trait CUSTOM_GOLD|release 9f2c41d0|unacknowledge|unmute|undo 48102|online-data-migrations`)

// shellWord is one of a command line, perhaps in single quotes.
var shellWord = regexp.MustCompile(`'[^']*'|[^' ]+`)

// TestExamplesAreOfTheDemo runs the examples in the help of commands, which are named as in
// the demo cloud, so that a newcomer can copy them.
func TestExamplesAreOfTheDemo(t *testing.T) {
	t.Parallel()
	p := &program{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}
	ran := 0
	var try func(cmd *cobra.Command)
	try = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			if line == "" || notOfDemo.MatchString(line) {
				continue
			}
			ran++
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				db := demoFile(t)
				for one := range strings.SplitSeq(line, "&&") {
					var words []string
					for _, w := range shellWord.FindAllString(one, -1) {
						words = append(words, strings.Trim(w, "'"))
					}
					var said bytes.Buffer
					if err := runWith(t.Context(), &said, signedLast(new(program).root(), append(words[1:], "--db", db))...); slices.Contains([]int{exitFailed, exitUsage, exitConflict}, exitCode(err)) {
						t.Errorf("%s: %v\n%s", one, err, &said)
					}
				}
			})
		}
		for _, sub := range cmd.Commands() {
			try(sub)
		}
	}
	try(p.root())
	if ran < 60 {
		t.Errorf("%d examples are of the demo, want the most of them", ran)
	}
}
