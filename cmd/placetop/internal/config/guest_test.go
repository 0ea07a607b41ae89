package config

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// TestGuestFlags checks that it is said of every global flag whether it can be given over
// ssh.
func TestGuestFlags(t *testing.T) {
	t.Parallel()
	here := []string{"db", "cloud", "endpoint", "token-file", "refresh", "in-flight", "write", "config", "log-file", "wait", "no-attach"}
	var s Settings
	var flags pflag.FlagSet
	s.AddFlags(&flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if s.machines(f.Name) == slices.Contains(guestFlags(), f.Name) || s.machines(f.Name) != slices.Contains(here, f.Name) {
			t.Errorf("it is not said whether --%s can be given over ssh: see guestFlags", f.Name)
		}
	})
}
