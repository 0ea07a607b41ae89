package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/tui/action"
)

// The tables of the configuration file that are about the dashboard.
const (
	keysKey    = "keys"
	filtersKey = "filters"
)

// tomlKeys is the table [keys] of the configuration file: keys of the dashboard by what
// they do.
type tomlKeys action.Bindings

// readKeys reads the table [keys]. What is wrong comes with the action that it is given to,
// "" for the table as a whole.
func readKeys(v any) (tomlKeys, string, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, "", errors.New("must be a table, [keys]")
	}
	t := tomlKeys{}
	id, err := t.read("", table)
	return t, id, err
}

// read takes the keys of a table; the ids of actions have dots in them, which without
// quotes make a table of their own.
func (t tomlKeys) read(before string, table map[string]any) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		id := before + name
		var words []any
		switch v := table[name].(type) {
		case map[string]any:
			if at, err := t.read(id+".", v); err != nil {
				return at, err
			}
			continue
		case string:
			words = []any{v}
		case []any:
			words = v
		default:
			return id, fmt.Errorf("%q must be a key in quotes, or a list of them", id)
		}
		keys := []string{}
		for _, w := range words {
			text, ok := w.(string)
			if !ok {
				return id, fmt.Errorf("%q must be a key in quotes, or a list of them", id)
			}
			key, err := action.ParseKey(text)
			if err != nil {
				return id, fmt.Errorf("%q: %q %w", id, text, err)
			}
			if key == "ctrl+c" && id != "app.interrupt" {
				return id, fmt.Errorf("%q: ^c always quits, and cannot be bound", id)
			}
			keys = append(keys, key)
		}
		t[action.ID(id)] = keys
	}
	return "", nil
}

// tomlFilters is the table [filters] of the configuration file: filters by name, which
// @name stands for.
type tomlFilters map[string]string

// readFilters reads the table [filters], as readKeys does its own.
func readFilters(v any) (tomlFilters, string, error) {
	table, ok := v.(map[string]any)
	if !ok {
		return nil, "", errors.New("must be a table, [filters]")
	}
	t := tomlFilters{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		expr, ok := table[name].(string)
		if !ok || expr == "" {
			return nil, name, fmt.Errorf("%q must be a filter in quotes, and not empty", name)
		}
		t[name] = expr
	}
	return t, "", nil
}
