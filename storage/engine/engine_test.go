package engine_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
)

func TestParse(t *testing.T) {
	t.Parallel()
	set := engine.Set{bolt.Engine{}, memory.Engine{}}
	for text, want := range map[string]struct{ scheme, place string }{
		"":                  {"bolt", ""},
		"cloud.db":          {"bolt", "cloud.db"},
		"/var/lib/cloud.db": {"bolt", "/var/lib/cloud.db"},
		"bolt:cloud.db":     {"bolt", "cloud.db"},
		"bolt:":             {"bolt", ""},
		"bolt":              {"bolt", "bolt"},
		"bolt:a:b":          {"bolt", "a:b"},
		"mem:":              {"mem", "mem:"},
		"mem":               {"bolt", "mem"},
		"./etcd:1":          {"bolt", "./etcd:1"},
		"2026-11-22T10:00":  {"bolt", "2026-11-22T10:00"},
		"A:x.db":            {"bolt", "A:x.db"},
		"etcd://host/cloud": {},
		"postgres:cloud":    {},
		"memory:":           {},
	} {
		e, place, err := set.Parse(text)
		if want.scheme == "" {
			if !errors.Is(err, placement.ErrInvalid) {
				t.Errorf("%q: %v, want it refused", text, err)
			}
			continue
		}
		if err != nil || e.Scheme() != want.scheme || place != want.place {
			t.Errorf("%q: %v %q %v, want %v", text, e, place, err, want)
		}
	}
}
