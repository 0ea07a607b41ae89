package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
)

// novaKey is the key of the tables [nova.CLOUD] of the configuration file: what nova.conf
// of a live cloud has, as no API reports it.
const novaKey = "nova"

// tomlNova are these tables, by the name of the cloud or the address of its Placement.
type tomlNova map[string]*nova.Config

// readNova reads the tables, as readKeys does [keys]. An option that is wrong is left out.
func readNova(v any, wrong func(name string, err error)) tomlNova {
	clouds, ok := v.(map[string]any)
	if !ok {
		wrong("", errors.New("must be a table for each cloud, [nova.CLOUD]"))
		return nil
	}
	t := tomlNova{}
	for _, name := range slices.Sorted(maps.Keys(clouds)) {
		options, ok := clouds[name].(map[string]any)
		if !ok {
			wrong(name, fmt.Errorf("%s: must be in the table of a cloud, [nova.CLOUD]", name))
			continue
		}
		cloud := strings.TrimRight(name, "/")
		c := nova.Upstream(cloud)
		names := slices.Sorted(maps.Keys(options))
		if i := slices.Index(names, nova.OptionInPlacement); i > 0 { // whether an alias is valid depends on it
			names = slices.Insert(slices.Delete(names, i, i+1), 0, nova.OptionInPlacement)
		}
		for _, option := range names {
			if err := c.Give(option, options[option]); err != nil {
				wrong(name+"."+option, fmt.Errorf("%s: %w", name, err))
			}
		}
		t[cloud] = c
	}
	return t
}
