package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/cmd/placetop/internal/open"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/remote"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
)

// Settings are what a user can set once for all commands: by flag, in the environment, or
// in the configuration file, in this order of precedence.
type Settings struct {
	DB       string        // where the cloud is, without the scheme of its engine: the path of a file
	Engine   engine.Opener // what keeps it
	ReadOnly bool
	Theme    string
	ASCII    bool
	NoColor  bool
	Sync     string        // on, off or auto: synchronized output of the dashboard
	Mouse    bool          // the mouse of the dashboard is on from the start
	Config   string        // path of the configuration file; "" for the default
	LogFile  string        // "" for no log
	Wait     time.Duration // for a file that another process has open
	NoAttach bool          // do not attach to the dashboard that has the file open

	flags     *pflag.FlagSet // the settings: a command may have a flag of its own by the name of one
	given     string         // value of --db
	MadeUp    bool           // the cloud is made up for this run: nothing in it is worth protecting
	Copies    bool           // --cloud and --endpoint name the source of a copy, and --db its target
	From      string         // the place of what is copied; "" for a file
	Cloud     string         // of clouds.yaml, in place of DB; "" for none
	Endpoint  string         // of a Placement, in place of DB; "" for none
	Elsewhere remote.Settings

	ThemeAt  string            // where the theme was named, such as "config.toml:3: theme"; "" for a flag
	Keys     action.Bindings   // of the dashboard
	Filters  map[string]string // by name
	Ignored  []error           // what in the configuration file is left out; each names file, line and word
	Unplaced error             // what is wrong in the file with the settings that name the cloud; nil if nothing is, or a flag or a variable names it
	ConfigAt string            // path of the configuration file, whether it exists or not
	Unread   error             // why the default configuration file could not be read; nil if it was, or does not exist
}

// StandardError is the only accepted name of a log that is not a regular file: it stands
// for the standard error of this run, which a container collects.
const StandardError = "/dev/stderr"

// DefaultWait is how long a command waits for a file that another process has
// open.
const DefaultWait = 200 * time.Millisecond

// FindHome sets HOME to the home directory in the system's list of users if the
// environment has none, as that of a service may not: otherwise files would be looked for
// in the root directory.
func FindHome() {
	if os.Getenv("HOME") != "" {
		return
	}
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil && u.HomeDir != "" {
		_ = os.Setenv("HOME", u.HomeDir) // it fails only for names and values that cannot be
		xdg.Reload()
	}
}

func defaultDB() string     { return filepath.Join(xdg.DataHome, "placetop", "placetop.db") }
func defaultConfig() string { return filepath.Join(xdg.ConfigHome, "placetop", "config.toml") }

// Path returns the path of the configuration file, whether or not it exists, and whether
// somebody named it in this run.
func (s *Settings) Path(env map[string]string) (path string, named bool) {
	path = cmp.Or(s.Config, env["PLACETOP_CONFIG"])
	return cmp.Or(path, defaultConfig()), path != ""
}

// Tilde shortens a path below the user's home for help texts.
func Tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, xdg.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// Resolve fills in what no flag has set: from the environment, then from the
// configuration file, then from the defaults. Errors name the place of the bad value;
// they are usage errors.
func (s *Settings) Resolve(flags *pflag.FlagSet, env map[string]string) error {
	file, path, err := s.readConfig(env)
	if err != nil {
		return err
	}
	s.ThemeAt, s.ConfigAt, s.Ignored, s.Unplaced = "", path, nil, nil
	for flag, value := range map[string]*string{"db": &s.given, "cloud": &s.Cloud, "endpoint": &s.Endpoint} {
		if !flags.Changed(flag) {
			*value = "" // as before it was resolved
		}
	}
	s.DB = ""
	s.Keys, s.Filters, s.Elsewhere.Nova = action.Bindings(file.keys), file.filters, file.nova
	if env["NO_COLOR"] != "" && !flags.Changed("no-color") {
		s.NoColor = true
	}
	for _, key := range Keys() {
		flag := s.flags.Lookup(FlagOf(key))
		if flags.Changed(flag.Name) || key == "no_color" && s.NoColor {
			continue
		}
		if v := env[Variable(key)]; v != "" {
			if err := put(flag, v); err != nil {
				return usageErrorf("correct it or unset it", "environment variable %s=%q: %w", Variable(key), v, err)
			}
			if key == themeKey {
				s.ThemeAt = "environment variable " + Variable(key)
			}
			continue
		}
		if v := file.values[key]; v != "" {
			if err := put(flag, v); err != nil {
				file.wrong = append(file.wrong, configFault{key, fmt.Errorf("%s:%d: %s = %q: %w", path, themes.LineOf(file.data, key), key, v, err)})
				continue
			}
			if key == themeKey {
				s.ThemeAt = file.themeAt
			}
		}
	}
	s.ignore(file.wrong, flags, env)
	switch err := s.place(flags, env); {
	case err == nil || s.Unplaced != nil:
	case file.values["db"]+file.values["cloud"]+file.values["endpoint"] != "" && !s.named(flags, env, "db", "cloud", "endpoint", "in_flight"):
		s.Unplaced = fmt.Errorf("%s: %w", path, err)
		s.Ignored = append(s.Ignored, s.Unplaced)
	default:
		return err
	}
	if s.Engine == nil {
		s.Engine = bolt.Engine{}
	}
	switch rest, inHome := strings.CutPrefix(s.DB, "~/"); {
	case s.Engine.Scheme() != bolt.Engine{}.Scheme():
	case s.DB == "":
		s.DB = defaultDB()
	case inHome && !flags.Changed("db"): // no shell has expanded it
		s.DB = filepath.Join(xdg.Home, rest)
	}
	return nil
}

// ignore leaves settings that are wrong in the configuration file at their defaults,
// unless that would give the user another cloud than the file names, or more rights than
// it may grant.
func (s *Settings) ignore(wrong []configFault, flags *pflag.FlagSet, env map[string]string) {
	for _, fault := range wrong {
		then := "ignored"
		switch fault.key {
		case "", "db", "cloud", "endpoint", "token_file": // "" is the whole file
			if !s.named(flags, env, "db", "cloud", "endpoint") && s.Unplaced == nil {
				s.Unplaced = usageErrorf("correct it, or name the cloud with --db, --cloud or --endpoint", "%w", fault.err)
			}
		}
		if (fault.key == "" || fault.key == "read_only") && !s.named(flags, env, "read_only") && !s.MadeUp {
			s.ReadOnly, then = true, "read-only until it is corrected"
		}
		s.Ignored = append(s.Ignored, fmt.Errorf("%w; %s", fault.err, then))
	}
}

// named reports whether a flag or a variable sets one of keys.
func (s *Settings) named(flags *pflag.FlagSet, env map[string]string, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return flags.Changed(FlagOf(key)) || env[Variable(key)] != ""
	})
}

// place determines the cloud and its engine. Flags override variables, variables the
// configuration file, and that OS_CLOUD, which other programs use, too.
func (s *Settings) place(flags *pflag.FlagSet, env map[string]string) (err error) {
	if s.Elsewhere.InFlight < 1 {
		return usageErrorf("give a number from 1", "--in-flight %d would send no requests", s.Elsewhere.InFlight)
	}
	named := []namedPlace{{"db", s.given}, {"cloud", s.Cloud}, {"endpoint", s.Endpoint}}
	for _, n := range named {
		if _, at, far := strings.Cut(n.place, "://"); far && strings.Contains(at, "@") { // places are displayed
			hint := "put a token in a file and set token-file"
			if strings.HasPrefix(n.place, "etcd:") {
				hint = "set ETCDCTL_USER and ETCDCTL_PASSWORD_FILE"
			}
			return usageErrorf(hint, "--%s: the address of %s has a user or password in it", n.flag, at[strings.LastIndex(at, "@")+1:])
		}
	}
	if s.Cloud != "" {
		named[1].place = open.PlaceOf(s.Cloud)
	}
	if s.From = ""; s.Copies {
		for _, n := range named[1:] {
			if !flags.Changed(n.flag) {
				continue
			}
			if s.From != "" {
				return usageErrorf("name only one", "cloud and endpoint exclude each other")
			}
			if s.From, err = n.only(); err != nil {
				return err
			}
		}
		if s.From != "" {
			named = named[:1]
		}
	}
	const nowhere = 3
	distance := func(n namedPlace) int {
		switch {
		case n.place == "":
			return nowhere
		case flags.Changed(n.flag):
			return 0
		case env[Variable(n.flag)] != "":
			return 1
		}
		return 2 // in the file
	}
	slices.SortStableFunc(named, func(a, b namedPlace) int { return cmp.Compare(distance(a), distance(b)) })
	if nearest := distance(named[0]); nearest < nowhere {
		if len(named) > 1 && distance(named[1]) == nearest {
			return usageErrorf("name only one", "%s and %s name two clouds", named[0].flag, named[1].flag)
		}
		if s.DB, err = named[0].only(); err != nil {
			return err
		}
	}
	if s.DB == "" && env["OS_CLOUD"] != "" && s.From == "" {
		s.DB = "cloud:" + env["OS_CLOUD"]
	}
	if rest, inHome := strings.CutPrefix(s.Elsewhere.TokenFile, "~/"); inHome && !flags.Changed("token-file") {
		s.Elsewhere.TokenFile = filepath.Join(xdg.Home, rest) // no shell has expanded it
	}
	if s.Engine, s.DB, err = open.Engines(s.Elsewhere).Parse(s.DB); err != nil {
		return usageErrorf("name a file, or a place such as bolt:FILE, mem: or cloud:NAME", "--db: %w", err)
	}
	return nil
}

// TakesToken reports whether a command line is about a Placement at an address, for which
// there is a token file: as its cloud, or as what args name.
func (s *Settings) TakesToken(args []string) bool {
	if _, is := s.Engine.(remote.Endpoint); is {
		return true
	}
	return slices.ContainsFunc(append(slices.Clone(args), s.From), func(place string) bool {
		e, _, _ := open.Engines(s.Elsewhere).Parse(place) // whatever else is wrong with it is told where it is used
		_, is := e.(remote.Endpoint)
		return is
	})
}

// namedPlace is a cloud, and the setting that names it.
type namedPlace struct{ flag, place string }

// only returns the place, unless it is a list of clouds.
func (n namedPlace) only() (string, error) {
	name := strings.TrimPrefix(n.place, remote.Cloud{}.Scheme()+":")
	if n.flag == "cloud" && strings.Contains(name, ",") && !slices.Contains(remote.Names(), name) {
		return "", usageErrorf("name one of them; :ctx in the dashboard switches to another", "--cloud %s names more than one cloud", name)
	}
	return n.place, nil
}

// Variable returns the environment variable of the setting with a key.
func Variable(key string) string { return "PLACETOP_" + strings.ToUpper(key) }

// FlagOf returns the name of the flag of the setting with a key.
func FlagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// settingFlags returns the settings in order, each by its flag, with the defaults.
func settingFlags() (list []*pflag.Flag) {
	var flags pflag.FlagSet
	flags.SortFlags = false
	new(Settings).addSettings(&flags)
	flags.VisitAll(func(f *pflag.Flag) { list = append(list, f) })
	return list
}

// Keys lists the keys of the configuration file.
func Keys() []string {
	var keys []string
	for _, f := range settingFlags() {
		keys = append(keys, strings.ReplaceAll(f.Name, "-", "_"))
	}
	return keys
}

// addSettings adds the settings as flags, with their defaults. Each is also a variable of
// the environment and a key of the configuration file: no_attach is --no-attach and
// PLACETOP_NO_ATTACH.
func (s *Settings) addSettings(f *pflag.FlagSet) {
	s.Sync, s.Wait, s.Elsewhere.Refresh = "auto", DefaultWait, remote.DefaultRefresh
	f.StringVar(&s.given, "db", "", "the `FILE` that holds the cloud (default "+Tilde(defaultDB())+")")
	f.StringVar(&s.Cloud, "cloud", "", "the cloud `NAME` of clouds.yaml (or OS_CLOUD); "+remote.EnvVars+" means the OS_* variables")
	f.StringVar(&s.Endpoint, "endpoint", "", "the Placement at `URL`")
	f.StringVar(&s.Elsewhere.TokenFile, "token-file", "", "the `FILE` that holds the token for --endpoint")
	f.Var((*waitTime)(&s.Elsewhere.Refresh), "refresh", "how often a dashboard refreshes a remote cloud: a `TIME`, or 0 for never")
	f.BoolVar(&s.Elsewhere.Write, "write", false, "allow writes to a remote cloud, which others share")
	f.IntVar(&s.Elsewhere.InFlight, "in-flight", remote.DefaultInFlight, "send at most this `NUMBER` of requests to a remote cloud at a time")
	f.BoolVar(&s.ReadOnly, "read-only", false, "refuse every write")
	f.StringVar(&s.Theme, themeKey, "", "use the theme `NAME`, such as light, mono or your own")
	f.BoolVar(&s.ASCII, "ascii", false, "draw with ASCII only")
	f.BoolVar(&s.NoColor, "no-color", false, "no colours, as with NO_COLOR in the environment")
	f.BoolVar(&s.Mouse, "mouse", false, "use the mouse in the dashboard; hold shift to select text")
	f.Var(Choose(&s.Sync, "auto", "on", "off"), "sync", "synchronized output of the dashboard: auto, on or off")
	f.Var((*waitTime)(&s.Wait), "wait", "wait `TIME`, such as 30s or 5m, for a file that somebody else has open")
	f.BoolVar(&s.NoAttach, "no-attach", false, "if a dashboard has the file open, fail or wait instead of working through it")
}

// AddFlags adds the flags that all commands take, with the defaults.
func (s *Settings) AddFlags(f *pflag.FlagSet) {
	s.flags = pflag.NewFlagSet("", pflag.ContinueOnError)
	s.addSettings(s.flags)
	f.AddFlagSet(s.flags)
	f.StringVar(&s.Config, "config", "", "the configuration `FILE` (default "+Tilde(defaultConfig())+")")
	f.StringVar(&s.LogFile, "log-file", "", "append a log to `FILE`, one record a line; "+StandardError+" and devices such as /dev/null work too")
}

// put gives a flag the value of a variable, or that of the file as fromFile returns it.
func put(f *pflag.Flag, text string) error {
	if f.Value.Type() == "int" {
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return errors.New("must be a number from 1")
		}
	}
	err := f.Value.Set(text)
	if err != nil && f.Value.Type() == "bool" {
		return errors.New("must be true or false")
	}
	return err
}

// fromFile returns a value of the configuration file as its flag takes it.
func fromFile(f *pflag.Flag, v any) (string, error) {
	text, isText := v.(string)
	words, isChoice := f.Value.(*Choice)
	switch {
	case f.Value.Type() == "bool":
		if b, ok := v.(bool); ok {
			return strconv.FormatBool(b), nil
		}
		return "", errors.New("must be true or false, without quotes")
	case f.Value.Type() == "int":
		if n, ok := v.(int64); ok {
			return strconv.FormatInt(n, 10), nil
		}
		return "", errors.New("must be a number, without quotes")
	case isChoice && !slices.Contains(words.Among, text):
		return "", fmt.Errorf("must be one of %q", words.Among)
	case !isText || text == "":
		return "", errors.New("must be a string in quotes, and not empty")
	}
	return text, nil
}
