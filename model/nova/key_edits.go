package nova

import (
	"maps"
	"slices"
)

// KeyEdits are edits of what stands under keys, such as extra specs or the metadata of a
// host aggregate: what they do not name stays, whoever wrote it meanwhile.
type KeyEdits struct {
	Set   map[string]string
	Unset []string // what nobody has is no fault: it is gone
}

// EditsOf returns the edits that make is of was.
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

// On returns what the edits make of was; nil for nothing.
func (e KeyEdits) On(was map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, was)
	for _, key := range e.Unset {
		delete(out, key)
	}
	maps.Copy(out, e.Set)
	if len(out) == 0 {
		return nil // as a record is read that has none
	}
	return out
}
