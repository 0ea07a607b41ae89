package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// Every help text fits a terminal of 80 columns. Only examples may be longer: a command
// line that is meant to be copied cannot be broken.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	const columns = 80
	p := &program{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Error(err)
		}
		examples := strings.Split(cmd.Example, "\n")
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if w := ansi.StringWidth(line); w > columns && !slices.Contains(examples, line) {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), w, line)
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(p.root())
}
