package nova

import (
	"maps"
	"slices"
)

// KeyEdits are edits of values under keys, such as extra specs or the metadata of a host
// aggregate: keys that they do not name stay, even if others wrote them in the meantime.
type KeyEdits struct {
	Set   map[string]string
	Unset []string // a missing key is no error: it is gone
}

// EditsOf returns the edits that turn was into is.
func EditsOf(was, is map[string]string) KeyEdits {
	e := KeyEdits{Set: map[string]string{}}
	for key, value := range is {
		if old, ok := was[key]; !ok || old != value {
			e.Set[key] = value
		}
	}
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[key]; !ok {
			e.Unset = append(e.Unset, key)
		}
	}
	return e
}

// On returns was with the edits applied; nil for nothing.
func (e KeyEdits) On(was map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, was)
	for _, key := range e.Unset {
		delete(out, key)
	}
	maps.Copy(out, e.Set)
	if len(out) == 0 {
		return nil // as in a record that is read without any
	}
	return out
}
