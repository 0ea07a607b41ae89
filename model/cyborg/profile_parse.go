package cyborg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// ParseDeviceProfile reads the body of POST /v2/device_profiles: a list of exactly
// one profile; or one profile as the API and its client print it, whose uuid, times and
// links are left out. Its uuid is left for CreateDeviceProfile. The error is a
// *placement.InvalidError with the word at fault, for JSON that says a thing twice
// too, of which other readers silently take the last.
//
// Amounts are text or numbers, and spaces around names of classes and traits are
// dropped, as upstream has it.
//
// Source: cyborg/api/controllers/v2/device_profiles.py, DeviceProfilesController.post
// and _validate_post_request.
func ParseDeviceProfile(body []byte) (*DeviceProfile, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	value, err := decode(d, "body", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid("body", "", "there is more after the list of device profiles")
	}
	list, ok := profilesIn(value).([]any)
	if !ok {
		return nil, invalid("body", "", "must be a list of one device profile, as in [{...}]")
	}
	if len(list) != 1 {
		return nil, invalid("body", "", fmt.Sprintf("must be a list of exactly one device profile, not of %d", len(list)))
	}
	fields, ok := list[0].(object)
	if !ok {
		return nil, invalid("device profile", word(list[0]), "must be an object with name and groups")
	}
	p, err := profileOf(fields)
	if err != nil {
		return nil, err
	}
	return p, p.checkRules()
}

// profilesIn returns the list of profiles in an answer of the API, and any other value as
// it is.
func profilesIn(value any) any {
	fields, ok := value.(object)
	switch {
	case !ok:
		return value
	case len(fields) == 1 && fields[0].name == "device_profiles":
		return fields[0].value
	case len(fields) == 1 && fields[0].name == "device_profile":
		return []any{fields[0].value}
	}
	return []any{fields}
}

// profileOf returns the profile described by the fields of a body.
func profileOf(fields object) (*DeviceProfile, error) {
	p := new(DeviceProfile)
	for _, f := range fields {
		var ok bool
		switch f.name {
		case "name":
			p.Name, ok = f.value.(string)
		case "description":
			p.Description, ok = f.value.(string)
			ok = ok || f.value == nil
		case "groups":
			groups, isList := f.value.([]any)
			if !isList {
				return nil, invalid("groups", word(f.value), "must be a list of objects")
			}
			for n, g := range groups {
				group, err := groupOf(n, g)
				if err != nil {
					return nil, err
				}
				p.Groups = append(p.Groups, group)
			}
			ok = true
		case "uuid", "created_at", "updated_at", "links": // of an answer of the API
			ok = true
		default:
			return nil, invalid("device profile", f.name, "is not a field of a device profile; the fields are name, description and groups")
		}
		if !ok {
			return nil, invalid(f.name, word(f.value), "must be text")
		}
	}
	return p, nil
}

// groupOf returns group n of a profile, with each name as upstream keeps it.
func groupOf(n int, value any) (map[string]string, error) {
	where := fmt.Sprintf("group %d", n)
	fields, ok := value.(object)
	if !ok {
		return nil, invalid(where, word(value), "must be an object")
	}
	group := make(map[string]string, len(fields))
	for _, f := range fields {
		kind, name := splitKey(f.name)
		key := kind + name
		if _, twice := group[key]; twice {
			return nil, invalid(where, key, "is given twice")
		}
		switch v := f.value.(type) {
		case string:
			group[key] = v
		case json.Number:
			group[key] = v.String()
		default:
			return nil, invalid(where+" "+key, word(v), "must be text or a number")
		}
		if kind == resourcesKey {
			group[key] = strings.TrimSpace(group[key])
		}
	}
	return group, nil
}

// object is a JSON object with its members in order.
type object []member

type member struct {
	name  string
	value any
}

// mostDepth is how deep values may be nested: a member of a group is at 4.
const mostDepth = 8

// decode reads one value: an object, []any, string, json.Number, bool or nil.
func decode(d *json.Decoder, where string, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, syntax(err)
	}
	if depth > mostDepth {
		return nil, invalid(where, "", "is nested too deep")
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decode(d, where, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, syntax(err)
	case json.Delim('{'):
		fields := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, syntax(err)
			}
			name, _ := key.(string)
			if slices.ContainsFunc(fields, func(m member) bool { return m.name == name }) {
				return nil, invalid(where, name, "is given twice")
			}
			v, err := decode(d, name, depth+1)
			if err != nil {
				return nil, err
			}
			fields = append(fields, member{name, v})
		}
		_, err = d.Token()
		return fields, syntax(err)
	}
	return t, nil
}

// syntax is the error about a body that is not JSON.
func syntax(err error) error {
	if err == nil {
		return nil
	}
	why := strings.TrimPrefix(err.Error(), "json: ")
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		why = fmt.Sprintf("%s, at byte %d", why, at.Offset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		why = "is cut off"
	}
	return invalid("body", "", "is not JSON: "+why)
}

// word returns a value as shown in messages.
func word(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		return "a list"
	case object:
		return "an object"
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

func invalid(field, value, why string) error {
	return &placement.InvalidError{Field: field, Value: value, Why: why}
}
