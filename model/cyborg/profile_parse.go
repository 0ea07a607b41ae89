package cyborg

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, invalid("body", "", "is not JSON: "+err.Error())
	}
	list := profilesIn(whole)
	if len(list) != 1 {
		return nil, invalid("body", "", fmt.Sprintf("must be a list of exactly one device profile, not of %d", len(list)))
	}
	p, err := profileOf(list[0])
	if err != nil {
		return nil, err
	}
	return p, p.checkRules()
}

// profilesIn returns the profiles in a list or in an answer of the API. Anything else
// counts as one.
func profilesIn(body json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil {
		return list
	}
	fields, err := members("body", body)
	switch {
	case err == nil && len(fields) == 1 && fields[0].name == "device_profiles" && json.Unmarshal(fields[0].value, &list) == nil:
		return list
	case err == nil && len(fields) == 1 && fields[0].name == "device_profile":
		return []json.RawMessage{fields[0].value}
	}
	return []json.RawMessage{body}
}

// profileOf returns the profile described by an object.
func profileOf(body json.RawMessage) (*DeviceProfile, error) {
	fields, err := members("device profile", body)
	if err != nil {
		return nil, err
	}
	p := new(DeviceProfile)
	for _, f := range fields {
		switch f.name {
		case "name":
			err = f.read(&p.Name, "must be text")
		case "description":
			err = f.read(&p.Description, "must be text")
		case "groups":
			var groups []json.RawMessage
			err = f.read(&groups, "must be a list of objects")
			for n, g := range groups {
				group, err := groupOf(fmt.Sprintf("group %d", n), g)
				if err != nil {
					return nil, err
				}
				p.Groups = append(p.Groups, group)
			}
		case "uuid", "created_at", "updated_at", "links": // of an answer of the API
		default:
			err = invalid("device profile", f.name, "is not a field of a device profile; the fields are name, description and groups")
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// groupOf returns a group of a profile, with each name as upstream keeps it.
func groupOf(where string, body json.RawMessage) (map[string]string, error) {
	fields, err := members(where, body)
	if err != nil {
		return nil, err
	}
	group := make(map[string]string, len(fields))
	for _, f := range fields {
		kind, name := splitKey(f.name)
		key := kind + name
		if _, twice := group[key]; twice {
			return nil, invalid(where, key, "is given twice")
		}
		var text string
		switch first := f.value[0]; {
		case first == '"':
			err = f.read(&text, "must be text or a number")
		case first == '-' || first >= '0' && first <= '9':
			text = string(f.value)
		default:
			err = invalid(where+" "+key, "", "must be text or a number")
		}
		if err != nil {
			return nil, err
		}
		if kind == resourcesKey {
			text = strings.TrimSpace(text)
		}
		group[key] = text
	}
	return group, nil
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// read decodes the value, which is refused with why if it is not of the type.
func (m member) read(to any, why string) error {
	if json.Unmarshal(m.value, to) != nil {
		return invalid(m.name, "", why)
	}
	return nil
}

// members returns the members of an object in order.
func members(where string, body json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, invalid(where, "", "must be an object")
	}
	var out []member
	for d.More() {
		key, err := d.Token()
		m := member{name: fmt.Sprint(key)}
		if err == nil {
			err = d.Decode(&m.value)
		}
		if err != nil {
			return nil, invalid(where, "", "is not JSON: "+err.Error())
		}
		if slices.ContainsFunc(out, func(has member) bool { return has.name == m.name }) {
			return nil, invalid(where, m.name, "is given twice")
		}
		out = append(out, m)
	}
	return out, nil
}

func invalid(field, value, why string) error {
	return placement.Invalid(field, value, why)
}
