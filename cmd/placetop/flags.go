package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/placetop/placetop/storage/remote"
)

// syncWords are the values of the setting sync.
func syncWords() []string { return []string{"auto", "on", "off"} }

// addFlags adds the flags that all commands take. A flag that can also be set in the
// environment and in the configuration file is a row of table, too.
func (s *settings) addFlags(f *pflag.FlagSet) {
	s.Sync = "auto"
	f.StringVar(&s.given, "db", "", "the `FILE` that holds the cloud (default "+tilde(defaultDB())+")")
	f.StringVar(&s.Cloud, "cloud", "", "the cloud `NAME` of clouds.yaml (or OS_CLOUD); "+remote.EnvVars+" means the OS_* variables")
	f.StringVar(&s.Endpoint, "endpoint", "", "the Placement at `URL`")
	f.StringVar(&s.Elsewhere.TokenFile, "token-file", "", "the `FILE` that holds the token for --endpoint")
	s.Elsewhere.Refresh = remote.DefaultRefresh
	f.Var((*waitTime)(&s.Elsewhere.Refresh), "refresh", "how often a dashboard refreshes a remote cloud: a `TIME`, or 0 for never (default "+s.Elsewhere.Refresh.String()+")")
	f.IntVar(&s.Elsewhere.InFlight, "in-flight", remote.DefaultInFlight, "send at most this `NUMBER` of requests to a remote cloud at a time")
	f.BoolVar(&s.Elsewhere.Write, "write", false, "allow writes to a remote cloud, which others share")
	f.BoolVar(&s.ReadOnly, "read-only", false, "refuse every write")
	f.StringVar(&s.Theme, "theme", "", "use the theme `NAME`, such as light, mono or your own")
	f.BoolVar(&s.ASCII, "ascii", false, "draw with ASCII only")
	f.BoolVar(&s.NoColor, "no-color", false, "no colours, as with NO_COLOR in the environment")
	f.BoolVar(&s.Mouse, "mouse", false, "use the mouse in the dashboard; hold shift to select text")
	f.Var(choose(&s.Sync, syncWords()...), "sync", "synchronized output of the dashboard: auto, on or off")
	f.StringVar(&s.Config, "config", "", "the configuration `FILE` (default "+tilde(defaultConfig())+")")
	f.StringVar(&s.LogFile, "log-file", "", "append a log to `FILE`, one record a line; "+standardError+" and devices such as /dev/null work too")
	s.Wait = defaultWait
	f.Var((*waitTime)(&s.Wait), "wait", "wait `TIME`, such as 30s or 5m, for a file that somebody else has open (default "+s.Wait.String()+")")
	f.BoolVar(&s.NoAttach, "no-attach", false, "if a dashboard has the file open, fail or wait instead of working through it")
}

// waitTime is the value of a flag for a time to wait.
type waitTime time.Duration

func (w *waitTime) String() string { return time.Duration(*w).String() }
func (w *waitTime) Type() string   { return "duration" }

func (w *waitTime) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("must be a time from 0, such as 500ms, 30s or 5m")
	}
	*w = waitTime(d)
	return nil
}

// choice is the value of a flag that takes one of a few words.
type choice struct {
	get     func() string
	set     func(word string)
	among   []string
	aliases map[string]string // other words for some of them, which help does not list
}

// choose returns a choice that is kept in value.
func choose[T ~string](value *T, among ...T) *choice {
	c := &choice{get: func() string { return string(*value) }, set: func(word string) { *value = T(word) }}
	for _, word := range among {
		c.among = append(c.among, string(word))
	}
	return c
}

func (c *choice) String() string { return c.get() }

func (c *choice) Type() string { return "WORD" }

func (c *choice) Set(s string) error {
	word := cmp.Or(c.aliases[s], s)
	if !slices.Contains(c.among, word) {
		return fmt.Errorf("is one of %s", strings.Join(c.among, ", "))
	}
	c.set(word)
	return nil
}

func (c *choice) names() []string { return c.among }

func (c *choice) list() string {
	names := c.among
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
