package kinds

import (
	"bytes"
	"encoding/json"
)

// Records are rows that marshal themselves as JSON: a list of objects, each with the
// fields of the kind in order.
type Records struct {
	Kind *Kind
	At   At
	Rows []Row
	// One is set if one thing was asked for by its name: JSON then has the thing itself,
	// and of that what is too long for a list.
	One bool
}

// MarshalJSON implements json.Marshaler.
func (r Records) MarshalJSON() ([]byte, error) {
	members := r.members()
	one := r.One && len(r.Rows) == 1
	var out []byte
	if !one {
		out = append(out, '[')
	}
	for i, row := range r.Rows {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendObject(out, members, row); err != nil {
			return nil, err
		}
	}
	if !one {
		out = append(out, ']')
	}
	return out, nil
}

// member is a field as shown in JSON.
type member struct {
	*Field
	get func(Row) any
}

func (r Records) members() []member {
	var out []member
	for _, f := range r.Kind.Fields {
		switch {
		case f.where&notJSON != 0, f.where&ofOne != 0 && !r.One:
		case f.json != nil:
			out = append(out, member{f, f.json(r.At)})
		default:
			get := f.open(r.At)
			out = append(out, member{f, func(row Row) any { return get(row) }})
		}
	}
	return out
}

func appendObject(out []byte, members []member, row Row) ([]byte, error) {
	out = append(out, '{')
	first := true
	for _, m := range members {
		v := m.get(row)
		if leaf, ok := v.(Value); m.where&omitEmpty != 0 && (v == nil || ok && leaf.Empty()) {
			continue
		}
		doc, err := marshal(v)
		if err != nil {
			return nil, err
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(append(append(out, '"'), m.Name...), '"', ':')
		out = append(out, doc...)
	}
	return append(out, '}'), nil
}

// marshal is json.Marshal, but keeps <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
