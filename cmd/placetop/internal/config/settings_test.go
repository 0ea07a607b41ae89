package config

import (
	"os"
	"os/user"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/remote"
)

// resolved returns settings resolved from flags, environment and a configuration file.
func resolved(t *testing.T, args []string, env map[string]string, config string) (Settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	must.Succeed(t, os.WriteFile(path, []byte(config), 0o600))
	var s Settings
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	s.AddFlags(flags)
	must.Succeed(t, flags.Parse(append([]string{"--config", path}, args...)))
	err := s.Resolve(flags, env)
	s.Config, s.ConfigAt, s.ThemeAt = "", "", strings.TrimPrefix(s.ThemeAt, filepath.Dir(path)+"/")
	return s, err
}

// TestSettingsOrder checks for each setting that a flag overrides the environment, which
// overrides the file, which overrides the default.
func TestSettingsOrder(t *testing.T) {
	t.Parallel()
	const file = "db = \"file.db\"\ntheme = \"file\"\nascii = true\nno_color = true\nread_only = true\nsync = \"on\"\nwait = \"1m\"\nno_attach = true\n"
	for _, c := range []struct {
		name   string
		args   []string
		env    map[string]string
		config string
		want   Settings
	}{
		{"the default", nil, nil, "", Settings{DB: defaultDB(), Sync: "auto"}},
		{"the file", nil, nil, file, Settings{DB: "file.db", Theme: "file", ThemeAt: "config.toml:2: theme", ASCII: true, NoColor: true, ReadOnly: true, Sync: "on", Wait: time.Minute, NoAttach: true}},
		{
			"the environment", nil,
			map[string]string{
				"PLACETOP_DB": "env.db", "PLACETOP_THEME": "env", "PLACETOP_ASCII": "false", "PLACETOP_NO_COLOR": "0",
				"PLACETOP_READ_ONLY": "false", "PLACETOP_SYNC": "off", "PLACETOP_WAIT": "2s", "PLACETOP_NO_ATTACH": "false",
			},
			file,
			Settings{DB: "env.db", Theme: "env", ThemeAt: "environment variable PLACETOP_THEME", Sync: "off", Wait: 2 * time.Second},
		},
		{
			"flags",
			[]string{"--db", "flag.db", "--theme", "flag", "--ascii=false", "--no-color=false", "--read-only=false", "--sync", "auto", "--wait", "3s", "--no-attach=false"},
			map[string]string{"PLACETOP_DB": "env.db", "PLACETOP_THEME": "env", "PLACETOP_ASCII": "true", "PLACETOP_SYNC": "off", "NO_COLOR": "1"},
			file,
			Settings{DB: "flag.db", Theme: "flag", Sync: "auto", Wait: 3 * time.Second},
		},
		{"NO_COLOR wins over the file", nil, map[string]string{"NO_COLOR": "1"}, "no_color = false\n", Settings{DB: defaultDB(), NoColor: true, Sync: "auto"}},
		{"NO_COLOR that is empty", nil, map[string]string{"NO_COLOR": ""}, "", Settings{DB: defaultDB(), Sync: "auto"}},
		{"the file, said to be false", nil, nil, "ascii = false\n", Settings{DB: defaultDB(), Sync: "auto"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := resolved(t, c.args, c.env, c.config)
			c.want.Engine = bolt.Engine{}
			if c.want.Wait == 0 {
				c.want.Wait = DefaultWait
			}
			c.want.Elsewhere = remote.Settings{Refresh: remote.DefaultRefresh, InFlight: remote.DefaultInFlight}
			got.given, got.flags = "", nil
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

// TestSettingsTwice resolves twice, as completion does once it has parsed more flags.
func TestSettingsTwice(t *testing.T) {
	t.Parallel()
	var s Settings
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	s.AddFlags(flags)
	env := map[string]string{"PLACETOP_CONFIG": "", "PLACETOP_DB": "env.db"}
	for range 2 {
		if err := s.Resolve(flags, env); err != nil || s.DB != "env.db" {
			t.Fatalf("%q, %v", s.DB, err)
		}
	}
	must.Succeed(t, flags.Parse([]string{"--db", "flag.db"}))
	if err := s.Resolve(flags, env); err != nil || s.DB != "flag.db" {
		t.Fatalf("%q, %v", s.DB, err)
	}
}

func TestSettingsHome(t *testing.T) {
	t.Parallel()
	got, err := resolved(t, nil, nil, "db = \"~/clouds/x.db\"\n")
	if err != nil || !filepath.IsAbs(got.DB) || !strings.HasSuffix(got.DB, "/clouds/x.db") || strings.Contains(got.DB, "~") {
		t.Errorf("%q, %v", got.DB, err)
	}
	// What a shell has expanded is taken as it is.
	if got, err := resolved(t, []string{"--db", "~/x.db"}, nil, ""); err != nil || got.DB != "~/x.db" {
		t.Errorf("%q, %v", got.DB, err)
	}
}

func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"theme = \"dark\"\n", "[ui]\na = 1\n", "\"a,b\" = 1", "ascii = 1", "a.b.c = 1", "[[x]]\n", "sync = \"on\"\nsync = \"off\"", "\"\" = 1",
		"\"a\\tb\" = 1", "DB = \"x\"", "x = {y = 1}", "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, wrong := range parseConfig("config.toml", data).wrong {
			if !strings.HasPrefix(wrong.err.Error(), "config.toml:") {
				t.Errorf("no file in %v", wrong.err)
			}
		}
	})
}

// TestNoHome finds the home directory of a user whose environment has none.
func TestNoHome(t *testing.T) {
	me, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || me.HomeDir == "" {
		t.Skip("the system knows no home directory of this user")
	}
	t.Cleanup(xdg.Reload)
	t.Setenv("HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	FindHome()
	must.Be(t, defaultDB(), filepath.Join(me.HomeDir, ".local", "share", "placetop", "placetop.db"))
}
