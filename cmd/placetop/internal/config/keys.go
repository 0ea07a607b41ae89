package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/tui/action"
)

// The keys of the tables of the configuration file for the dashboard.
const (
	KeysTable    = "keys"
	FiltersTable = "filters"
)

// tomlKeys is the table [keys] of the configuration file: keys of the dashboard by
// action.
type tomlKeys action.Bindings

// readKeys reads the table [keys]. It reports what is wrong with the action, "" for the
// whole table, and leaves that out.
func readKeys(v any, wrong func(id string, err error)) tomlKeys {
	table, ok := v.(map[string]any)
	if !ok {
		wrong("", errors.New("must be a table, [keys]"))
		return nil
	}
	t := tomlKeys{}
	t.read("", table, wrong)
	return t
}

// read reads the keys in a table; ids of actions contain dots, which make tables of their
// own unless quoted.
func (t tomlKeys) read(before string, table map[string]any, wrong func(id string, err error)) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		id := before + name
		if inner, ok := table[name].(map[string]any); ok {
			t.read(id+".", inner, wrong)
			continue
		}
		if keys, err := keysOf(id, table[name]); err != nil {
			wrong(id, err)
		} else {
			t[action.ID(id)] = keys
		}
	}
}

// keysOf parses the keys of one action.
func keysOf(id string, v any) ([]string, error) {
	words, ok := v.([]any)
	if !ok {
		words = []any{v}
	}
	keys := []string{}
	for _, w := range words {
		text, ok := w.(string)
		if !ok {
			return nil, fmt.Errorf("%q must be a key in quotes, or a list of them", id)
		}
		key, err := action.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %q %w", id, text, err)
		}
		if key == "ctrl+c" && id != "app.interrupt" {
			return nil, fmt.Errorf("%q: ^c always quits, and cannot be bound", id)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// tomlFilters is the table [filters] of the configuration file: filters by name, for use
// as @name.
type tomlFilters map[string]string

// readFilters reads the table [filters], as readKeys does [keys].
func readFilters(v any, wrong func(name string, err error)) tomlFilters {
	table, ok := v.(map[string]any)
	if !ok {
		wrong("", errors.New("must be a table, [filters]"))
		return nil
	}
	t := tomlFilters{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if expr, ok := table[name].(string); ok && expr != "" {
			t[name] = expr
		} else {
			wrong(name, fmt.Errorf("%q must be a filter in quotes, and not empty", name))
		}
	}
	return t
}
