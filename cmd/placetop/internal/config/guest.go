package config

import (
	"slices"

	"github.com/spf13/pflag"
)

// AsGuest fills in the settings of a guest: those of the host, with what guests may
// choose for their own terminal.
func (s *Settings) AsGuest(of Settings, flags *pflag.FlagSet, env map[string]string) error {
	own := *s
	var refused error
	flags.Visit(func(f *pflag.Flag) {
		if refused == nil && s.machines(f.Name) {
			refused = usageErrorf("leave it out", "--%s cannot be used over ssh: it is about the server's own machine", f.Name)
		}
	})
	if refused != nil {
		return refused
	}
	*s = of
	s.LogFile, s.Unread, s.Ignored, s.From = "", nil, nil, ""
	s.ReadOnly = of.ReadOnly || own.ReadOnly
	s.ASCII, s.Sync, s.Mouse = own.ASCII, own.Sync, own.Mouse
	s.NoColor = own.NoColor || env["NO_COLOR"] != ""
	if flags.Changed(themeKey) {
		s.Theme, s.ThemeAt = own.Theme, ""
	}
	return nil
}

// guestFlags returns the global flags that may be given over ssh: they say how the
// guest's terminal is drawn, or restrict what is done. The others name things of the
// server's machine.
func guestFlags() []string {
	return []string{"ascii", "mouse", "no-color", "read-only", "sync", "theme", "help", "version"}
}

// machines reports whether a global flag is only for users of the machine itself.
func (s *Settings) machines(name string) bool {
	var all pflag.FlagSet
	new(Settings).AddFlags(&all)
	return all.Lookup(name) != nil && !slices.Contains(guestFlags(), name)
}
