package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLines calls f for each flag of each command, with the words of a command line
// before its flags, and a function that returns how a flag is set.
func commandLines(f func(cmd *cobra.Command, words []string, flag *pflag.Flag, set func(name string) string)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, below := range cmd.Commands() {
			walk(below)
		}
		words := strings.Fields(cmd.CommandPath())[1:]
		args := 0
		for args < 3 && cmd.Args != nil && cmd.Args(cmd, slices.Repeat([]string{"x"}, args)) != nil {
			args++
		}
		words = append(words, slices.Repeat([]string{"x"}, args)...)
		set := func(name string) string {
			flag := cmd.Flag(name)
			for _, value := range []string{"true", "1", "1h", "nova", "open", "root", "json", "none", "x"} {
				if flag.Value.Set(value) == nil {
					return "--" + name + "=" + value
				}
			}
			return "--" + name + "=?"
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { f(cmd, words, flag, set) })
	}
	walk((&program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}).root())
}

// TestUselessFlags refuses, in every command, each flag that does nothing without another
// one, and each pair of flags one of which does nothing beside the other.
func TestUselessFlags(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	refuses := func(words []string, want string) {
		t.Helper()
		var said bytes.Buffer
		if code := run(words, strings.NewReader(""), io.Discard, &said, nil); code != exitUsage || !strings.HasPrefix(said.String(), "placetop: "+want) {
			t.Errorf("placetop %s: exit code %d, %s; want %s", strings.Join(words, " "), code, said.String(), want)
		}
	}
	seen := map[string]bool{}
	commandLines(func(cmd *cobra.Command, words []string, flag *pflag.Flag, set func(string) string) {
		for _, required := range flag.Annotations[requiredFlags] {
			seen[cmd.CommandPath()+" --"+flag.Name] = true
			refuses(append(slices.Clone(words), set(flag.Name)), fmt.Sprintf("--%s does nothing without --%s; add --%[2]s", flag.Name, flag.Annotations[requiredFlags][0]))
			if cmd.Flag(required).Value.Type() == "bool" {
				refuses(append(slices.Clone(words), set(flag.Name), "--"+required+"=false"), fmt.Sprintf("--%s does nothing without --%s; add --%[2]s, or leave it out", flag.Name, required))
			}
		}
		for _, other := range flag.Annotations[excludedFlags] {
			seen[cmd.CommandPath()+" --"+flag.Name] = true
			refuses(append(slices.Clone(words), set(flag.Name), set(other)), "--"+other+" and --"+flag.Name+" exclude each other; leave out one of them")
		}
	})
	for _, want := range []string{"serve --ssh-auth", "serve --tls-key", "check --with", "probe --dry-run", "agent --dry-run", "demo --output", "gate --form", "candidates --zone", "set service --reason"} {
		if !seen["placetop "+want] {
			t.Errorf("%s stands alone", want)
		}
	}
	refuses([]string{"get", "traits", "--token-file", "x", "--db", "none.db"}, "--token-file does nothing without --endpoint")
	refuses([]string{"get", "traits", "--token-file", "x", "--cloud", "prod"}, "--token-file does nothing without --endpoint")
}

// TestTurnedOffFlags gives flags that are turned off: they are no change, need no other flag
// and exclude none.
func TestTurnedOffFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--open":                     "",
		"--open=false":               "has nothing to change",
		"--name false":               "",
		"--force":                    "does nothing without --open",
		"--force --open=false":       "does nothing without --open",
		"--force=false --name x":     "",
		"--open --close":             "exclude each other",
		"--open --close=false":       "",
		"--open=false --close":       "",
		"--open=false --close=false": "has nothing to change",
	} {
		cmd := &cobra.Command{Use: "door", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
		bindFlags(cmd, &struct {
			Open  bool   `flag:"open"`
			Close bool   `flag:"close" not:"open"`
			Force bool   `flag:"force" needs:"open"`
			Name  string `flag:"name"`
		}{})
		needsOneOf(cmd, "open", "close", "name")
		cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd) }
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("door %s: %v, want %q", args, err, want)
		}
	}
}

// TestFlagsInHelp has the help of a flag name another flag only where the two are tied, or
// where it is no condition.
func TestFlagsInHelp(t *testing.T) {
	t.Parallel()
	free := []string{
		"placetop --token-file --endpoint",                                           // a place may be named in other ways, too
		"placetop serve --auth --token-file", "placetop serve --auth --keystone-url", // what they imply
		"placetop serve --token-file --auth", "placetop serve --keystone-url --auth", // the other way round
		"placetop serve --metrics-only --auth", "placetop boot --candidate --flavor",
	}
	named := regexp.MustCompile(`--[a-z][a-z-]+`)
	commandLines(func(cmd *cobra.Command, _ []string, flag *pflag.Flag, _ func(string) string) {
		for _, other := range named.FindAllString(flag.Usage, -1) {
			tied := slices.Concat(flag.Annotations[requiredFlags], flag.Annotations[excludedFlags])
			row := cmd.CommandPath() + " --" + flag.Name + " " + other
			if cmd.Flag(other[2:]) != nil && !slices.Contains(tied, other[2:]) && !slices.Contains(free, row) && cmd.InheritedFlags().Lookup(flag.Name) == nil {
				t.Errorf("%s: %q, but neither requires the other", row, flag.Usage)
			}
		}
	})
}
