// Package config reads what a user can set once for all commands: by flag, in the
// environment, or in the configuration file.
package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/suggest"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/themes"
)

// Example is a configuration file with every setting, commented out.
//
//go:embed config.toml
var Example []byte

// configFile is the configuration file.
type configFile struct {
	values  map[string]string // of the settings, as a flag takes them
	keys    tomlKeys
	filters tomlFilters
	nova    tomlNova

	data    []byte
	themeAt string        // file, line and key of the theme; "" if the file has none
	wrong   []configFault // what is wrong
}

// configFault is a fault of a key in the configuration file, or of the whole file.
type configFault struct {
	key string // "" for the whole file
	err error  // it names file, line and key
}

// themeKey is the key of the theme. Whether the theme exists is known only once the
// palettes are read, so its place is kept until then.
const themeKey = "theme"

// readConfig reads the configuration file: the one that was named, which must be
// readable, or the default one, which need not be: nobody named it in this run, and
// commands that need no settings must work without it.
func (s *Settings) readConfig(env map[string]string) (c configFile, _ string, err error) {
	path, asked := s.Path(env)
	data, err := diskfile.ReadText(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !asked:
		return c, path, nil
	case err != nil && !asked:
		s.Unread = err
		return c, path, nil
	case err != nil:
		return c, path, usageErrorf("name another file with --config", "configuration: %w", err)
	}
	c = parseConfig(path, data)
	if c.values[themeKey] != "" {
		c.themeAt = fmt.Sprintf("%s:%d: %s", path, themes.LineOf(data, themeKey), themeKey)
	}
	return c, path, nil
}

// parseConfig reads a configuration file, without what is wrong.
func parseConfig(path string, data []byte) configFile {
	c := configFile{data: data, values: map[string]string{}}
	wrong := func(key string, line int, format string, args ...any) {
		c.wrong = append(c.wrong, configFault{key, fmt.Errorf("%s:%d: %w", path, line, fmt.Errorf(format, args...))})
	}
	doc := map[string]any{}
	md, err := toml.Decode(string(data), &doc)
	if err != nil {
		at, _ := errors.AsType[toml.ParseError](err)
		switch {
		case at.Position.Line == 0:
			c.wrong = append(c.wrong, configFault{"", fmt.Errorf("%s: %w", path, err)})
		case at.LastKey != "":
			wrong("", at.Position.Line, "%s: %s", at.LastKey, at.Message)
		default:
			wrong("", at.Position.Line, "%s", at.Message)
		}
		return c
	}
	told, flags := map[string]bool{}, settingFlags()
	for _, key := range md.Keys() {
		top := key[0]
		n := slices.IndexFunc(flags, func(f *pflag.Flag) bool { return strings.EqualFold(strings.ReplaceAll(f.Name, "-", "_"), top) })
		meant, like := settingLike(key[len(key)-1])
		if _, list := doc[top].([]map[string]any); !like || list { // no setting is in a list of tables
			meant, like = top, false
		}
		switch {
		case n >= 0 && told[top]:
		case n >= 0:
			text, err := fromFile(flags[n], doc[top])
			if err != nil {
				wrong(Keys()[n], themes.LineOf(data, key...), "%s: %w", top, err)
				break
			}
			c.values[Keys()[n]] = text
		case slices.Contains(tableKeys(), strings.ToLower(top)):
			if !told[top] {
				c.table(strings.ToLower(top), doc[top], func(name string, err error) { wrong(top, themes.LineOf(data, top, name), "%s: %w", top, err) })
			}
		case !told[top] || like:
			wrong(meant, themes.LineOf(data, key...), "%s: unknown key; the keys are %s", key, strings.Join(append(Keys(), tableKeys()...), ", "))
		}
		told[top] = true
	}
	return c
}

// settingLike returns the setting that an unknown key was probably meant for, in a table
// or not: one that differs by a single typo, by dashes or by capitals. Writing read-only
// must not give more rights than read_only.
func settingLike(key string) (string, bool) {
	fold := func(key string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key)) }
	for _, known := range Keys() {
		if suggest.OneOff(fold(key), fold(known)) {
			return known, true
		}
	}
	return "", false
}

// tableKeys lists the tables of the configuration file.
func tableKeys() []string { return []string{KeysTable, FiltersTable, novaKey} }

// table reads a table.
func (c *configFile) table(key string, v any, wrong func(name string, err error)) {
	switch key {
	case KeysTable:
		c.keys = readKeys(v, wrong)
	case FiltersTable:
		c.filters = readFilters(v, wrong)
	case novaKey:
		c.nova = readNova(v, wrong)
	}
}
