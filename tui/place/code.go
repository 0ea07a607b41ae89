package place

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Code returns a place as a text that Decode reads back: its kind and, as JSON, what it is
// about. It is for files, not for people.
func Code(p Place) string {
	doc, err := json.Marshal(p)
	if err != nil || string(doc) == "{}" {
		return Kind(p)
	}
	return Kind(p) + " " + string(doc)
}

// Decode reads what Code returned, as a place of one of the sorts. Fields that a place no
// longer has are left out.
func Decode(text string, sorts []Place) (Place, error) {
	kind, doc, more := strings.Cut(text, " ")
	for _, of := range sorts {
		if Kind(of) != kind {
			continue
		}
		p := reflect.New(reflect.TypeOf(of))
		if more {
			if err := json.Unmarshal([]byte(doc), p.Interface()); err != nil {
				return nil, fmt.Errorf("place %q: %w", text, err)
			}
		}
		return p.Elem().Interface().(Place), nil // it is of the sort
	}
	return nil, fmt.Errorf("place %q: there is no screen %q", text, kind)
}
