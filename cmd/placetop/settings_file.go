package main

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/storage/diskfile"
)

// configFile is the configuration file.
type configFile struct {
	DB tomlText `toml:"db"`

	Cloud     tomlText   `toml:"cloud"`
	Endpoint  tomlText   `toml:"endpoint"`
	TokenFile tomlText   `toml:"token_file"`
	Refresh   tomlText   `toml:"refresh"`
	Write     tomlTruth  `toml:"write"`
	InFlight  tomlNumber `toml:"in_flight"`

	Theme    tomlText  `toml:"theme"`
	ASCII    tomlTruth `toml:"ascii"`
	NoColor  tomlTruth `toml:"no_color"`
	ReadOnly tomlTruth `toml:"read_only"`
	Mouse    tomlTruth `toml:"mouse"`
	Sync     tomlSync  `toml:"sync"`
	Wait     tomlText  `toml:"wait"`
	NoAttach tomlTruth `toml:"no_attach"`

	// The tables are read once the file is known to be sound: the decoder would name the line
	// of a table for what is wrong in it.
	KeysTable    any `toml:"keys"`
	FiltersTable any `toml:"filters"`
	NovaTable    any `toml:"nova"`

	Keys    tomlKeys    `toml:"-"`
	Filters tomlFilters `toml:"-"`
	Nova    tomlNova    `toml:"-"`

	data    []byte
	themeAt string        // file, line and key of the theme; "" if the file has none
	wrong   []configFault // what is wrong
}

// configFault is a fault of a key in the configuration file, or of the whole file.
type configFault struct {
	key string // "" for the whole file
	err error  // it names file, line and key
}

// rulesKey is the key of rules of the user's own, which earlier releases had.
const rulesKey = "rule"

// themeKey is the key of the theme. Whether the theme exists is known only once the
// palettes are read, so its place is kept until then.
const themeKey = "theme"

// tomlText is a string in the configuration file. Because it decodes itself, the decoder
// reports the line of a value that is not a string.
type tomlText string

func (t *tomlText) UnmarshalTOML(v any) error {
	s, ok := v.(string)
	if !ok || s == "" {
		return errors.New("must be a string in quotes, and not empty")
	}
	*t = tomlText(s)
	return nil
}

// tomlTruth is true or false in the configuration file, "" if it is not there.
type tomlTruth string

func (t *tomlTruth) UnmarshalTOML(v any) error {
	b, ok := v.(bool)
	if !ok {
		return errors.New("must be true or false, without quotes")
	}
	*t = tomlTruth(strconv.FormatBool(b))
	return nil
}

// tomlNumber is a whole number in the configuration file, "" if it is not there.
type tomlNumber string

func (t *tomlNumber) UnmarshalTOML(v any) error {
	n, ok := v.(int64)
	if !ok {
		return errors.New("must be a number, without quotes")
	}
	*t = tomlNumber(strconv.FormatInt(n, 10))
	return nil
}

// tomlSync is the setting sync in the configuration file.
type tomlSync string

func (t *tomlSync) UnmarshalTOML(v any) error {
	s, ok := v.(string)
	if !ok || !slices.Contains(syncWords(), s) {
		return fmt.Errorf("is one of %q", syncWords())
	}
	*t = tomlSync(s)
	return nil
}

// refused is a key that the configuration file must not have.
type refused struct{}

func (*refused) UnmarshalTOML(any) error { return errors.New("unknown key") }

// readConfig reads the configuration file: the one that was named, which must be
// readable, or the default one, which need not be: nobody named it in this run, and
// commands that need no settings must work without it.
func (s *settings) readConfig(env map[string]string) (c configFile, path string, err error) {
	asked := true
	switch {
	case s.Config != "":
		path = s.Config
	case env["PLACETOP_CONFIG"] != "":
		path = env["PLACETOP_CONFIG"]
	default:
		path, asked = defaultConfig(), false
	}
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
	parseConfig(path, data, &c)
	var at toml.ParseError
	if c.Theme != "" && errors.As(refuse(data, themeKey), &at) {
		c.themeAt = fmt.Sprintf("%s:%d: %s", path, at.Position.Line, themeKey)
	}
	return c, path, nil
}

// parseConfig decodes data into c, without what is wrong.
func parseConfig(path string, data []byte, c *configFile) {
	c.data = data
	wrong := func(key string, err error, hint ...string) {
		var at toml.ParseError
		switch {
		case !errors.As(err, &at):
			err = fmt.Errorf("%s: %w", path, err)
		case at.LastKey != "":
			err = fmt.Errorf("%s:%d: %s: %s", path, at.Position.Line, at.LastKey, at.Message)
		default:
			err = fmt.Errorf("%s:%d: %s", path, at.Position.Line, at.Message)
		}
		for _, hint := range hint {
			err = fmt.Errorf("%w; %s", err, hint)
		}
		c.wrong = append(c.wrong, configFault{key, err})
	}
	md, err := toml.Decode(string(data), &map[string]any{})
	if err != nil {
		wrong("", err)
		return
	}
	known := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[configFile]()) {
		if key := f.Tag.Get("toml"); key != "" && key != "-" {
			known[key] = f
		}
	}
	told := map[string]bool{}
	for _, key := range md.Keys() {
		f, ok := known[strings.ToLower(key[0])]
		meant, like := settingLike(key[len(key)-1])
		if !like {
			meant = key[0]
		}
		switch {
		case key[0] == rulesKey:
			if !told[rulesKey] {
				c.wrong = append(c.wrong, configFault{rulesKey, fmt.Errorf("%s:%d: %s: rules of your own are no longer applied", path, boundAt(data, rulesKey, ""), rulesKey)})
			}
		case told[key[0]] && (ok || !like):
		case !ok:
			err := refuse(data, key...)
			if err == nil {
				err = fmt.Errorf("unknown key %s", key)
			}
			wrong(meant, err, "the keys are "+strings.Join(append(settingKeys(), keysKey, filtersKey, novaKey), ", "))
		default: // one by one, because the decoder stops at the first bad one
			one := reflect.New(reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: f.Type, Tag: f.Tag}}))
			if _, err := toml.Decode(string(data), one.Interface()); err != nil {
				wrong(key[0], err)
			} else {
				reflect.ValueOf(c).Elem().FieldByIndex(f.Index).Set(one.Elem().Field(0))
			}
		}
		told[key[0]] = true
	}
	c.tables(path, data)
}

// settingLike returns the setting that an unknown key was probably meant for, in a table
// or not: one that differs by a single typo, by dashes or by capitals. Writing read-only
// must not give more rights than read_only.
func settingLike(key string) (string, bool) {
	fold := func(key string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(key)) }
	for _, known := range settingKeys() {
		if sorted.OneOff(fold(key), fold(known)) {
			return known, true
		}
	}
	return "", false
}

// tables reads the tables of a decoded file.
func (c *configFile) tables(path string, data []byte) {
	wrong := func(table string) func(name string, err error) {
		return func(name string, err error) {
			c.wrong = append(c.wrong, configFault{table, fmt.Errorf("%s:%d: %s: %w", path, boundAt(data, table, name), table, err)})
		}
	}
	if c.KeysTable != nil {
		c.Keys = readKeys(c.KeysTable, wrong(keysKey))
	}
	if c.FiltersTable != nil {
		c.Filters = readFilters(c.FiltersTable, wrong(filtersKey))
	}
	if c.NovaTable != nil {
		c.Nova = readNova(c.NovaTable, wrong(novaKey))
	}
}

// refuse returns an error with the line of key in data; key includes the tables that it
// is in. It decodes data into a struct that has only this key, and refuses its value. The
// error is a toml.ParseError if data has the key.
func refuse(data []byte, key ...string) error {
	only := reflect.TypeFor[refused]()
	for _, part := range slices.Backward(key) {
		only = reflect.StructOf([]reflect.StructField{{
			Name: "Refused", Type: only, Tag: reflect.StructTag("toml:" + strconv.Quote(part)),
		}})
	}
	_, err := toml.Decode(string(data), reflect.New(only).Interface())
	return err
}
