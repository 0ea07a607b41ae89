package object

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/versioned"
)

// kept holds the fields of objects for which their records have no column, with the data
// of the envelope as sent. A record keeps it as JSON with sorted keys, as Keep returns
// it.
type kept struct {
	// Version is the version of the class when it was written.
	Version string         `json:"version"`
	Data    map[string]any `json:"data"`
	// Was has a digest of what the record itself said about a field when it was kept; no
	// entry if it said nothing. If the record now says something else, the record is
	// newer and counts.
	Was map[string]string `json:"was,omitempty"`
}

// Keep returns what a record must keep so that nothing in sent is lost: each field
// that is missing from base, the object made from the record's columns, or differs
// there. text is what the record keeps so far: fields that sent lacks stay as they
// are. A value that differs only because an older version has to write it that way is
// not new, nor is an object inside sent that says less than is already known. The
// result is "" if there is nothing to keep.
//
// Both are of one class. Errors are those of Recall.
func (r *Registry) Keep(text string, sent, base Object) (string, error) {
	version, err := r.Version(sent)
	if err != nil {
		return "", err
	}
	fresh, err := r.data(sent, nil)
	if err != nil {
		return "", err
	}
	// If nothing is kept, and the sender has the current version, as in every report of a
	// healthy host, only the fields of base that were sent matter.
	var matters map[string]any
	if text == "" && version == r.classes[base.ObjectHeader().name].Version() {
		matters = fresh
	}
	says, err := r.data(base, matters)
	if err != nil {
		return "", err
	}
	k, err := r.readKept(text, base, says)
	if err != nil {
		return "", err
	}
	whole := says
	if matters == nil {
		if whole, err = r.asSent(base, says, k, version); err != nil {
			return "", err
		}
	}
	for field, value := range fresh {
		known, isKnown := whole[field]
		switch said, ok := says[field]; {
		case isKnown && r.covers(known, value):
		case ok && r.covers(said, value):
			delete(k.Data, field)
			delete(k.Was, field)
		default:
			k.Data[field] = value
			delete(k.Was, field)
			if ok {
				k.Was[field] = digest(said)
			}
		}
	}
	if len(k.Data) == 0 {
		return "", nil
	}
	out, err := json.Marshal(k)
	return string(out), err
}

// Recall sets the fields of base, the object made from a record's columns, that the
// record keeps as text, except those whose columns have changed since. Errors match
// versioned.ErrNewer if a newer program wrote text, or versioned.ErrMalformed.
func (r *Registry) Recall(base Object, text string) error {
	if text == "" {
		return nil
	}
	says, err := r.data(base, nil)
	if err != nil {
		return err
	}
	k, err := r.readKept(text, base, says)
	if err != nil {
		return err
	}
	for _, m := range base.ObjectHeader().members {
		if value, ok := k.Data[m.Name()]; ok {
			if err := m.decode(value, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Forget returns what a record is to keep without some fields: those that follow from
// other records, once these are counted. Text that cannot be read is returned
// unchanged.
func Forget(text string, fields ...string) string {
	if !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(text, field) }) {
		return text // usually there is nothing to forget
	}
	parsed, err := ParseJSON([]byte(text))
	if err != nil {
		return text
	}
	k, err := asKept(parsed)
	if err != nil {
		return text
	}
	for _, field := range fields {
		delete(k.Data, field)
		delete(k.Was, field)
	}
	if len(k.Data) == 0 {
		return ""
	}
	out, err := json.Marshal(k)
	if err != nil {
		return text
	}
	return string(out)
}

// readKept reads what a record keeps, without the fields of which its columns, by which
// its object says what says has, changed since.
func (r *Registry) readKept(text string, base Object, says map[string]any) (kept, error) {
	class := r.classes[base.ObjectHeader().name]
	k := kept{Data: map[string]any{}, Was: map[string]string{}}
	if text != "" {
		parsed, err := ParseJSON([]byte(text))
		if err != nil {
			return k, err
		}
		if k, err = asKept(parsed); err != nil {
			return k, fmt.Errorf("%w: the kept fields of %s: %w", versioned.ErrMalformed, class.Name, err)
		}
		if _, err := class.reads(k.Version); err != nil {
			return k, err
		}
	}
	k.Version = class.Version().String()
	for field := range k.Data {
		said, ok := says[field]
		if was, had := k.Was[field]; ok != had || ok && was != digest(said) {
			delete(k.Data, field)
			delete(k.Was, field)
		}
	}
	return k, nil
}

// asKept returns the parts of what is kept.
func asKept(parsed any) (kept, error) {
	k := kept{Was: map[string]string{}}
	top, ok := parsed.(map[string]any)
	version, isText := top["version"].(string)
	data, isDict := top["data"].(map[string]any)
	if !ok || !isText || !isDict {
		return k, errors.New("must be a dict with version and data")
	}
	k.Version, k.Data = version, data
	if was, ok := top["was"].(map[string]any); ok {
		for field, d := range was {
			k.Was[field], _ = d.(string)
		}
	}
	return k, nil
}

// asSent returns what is known of an object, by field, as the given version of its class
// would express it.
func (r *Registry) asSent(base Object, says map[string]any, k kept, version versioned.Version) (map[string]any, error) {
	class := r.classes[base.ObjectHeader().name]
	whole := maps.Clone(says)
	maps.Copy(whole, k.Data)
	o, err := r.Decode(Primitive{
		r.key("name"): class.Name, r.key("namespace"): class.Namespace, r.key("version"): class.Version().String(), r.key("data"): whole,
	})
	if err != nil {
		return nil, err
	}
	lowered, err := r.EncodeFor(o, Target{Version: version})
	if _, ok := errors.AsType[*NotExpressibleError](err); ok {
		return whole, nil // so that sent cannot have said it
	}
	if err != nil {
		return nil, err
	}
	return r.plain(lowered)
}

// data returns what an object says, by field, as JSON has it once nothing is pending: for
// the fields in only, or for all if that is nil.
func (r *Registry) data(o Object, only map[string]any) (map[string]any, error) {
	p, err := r.encode(o)
	if err != nil {
		return nil, err
	}
	if only != nil {
		maps.DeleteFunc(p[r.key("data")].(map[string]any), func(field string, _ any) bool {
			_, ok := only[field]
			return !ok
		})
	}
	return r.plain(p)
}

// plain returns the data of an envelope as it comes out of JSON.
func (r *Registry) plain(p Primitive) (map[string]any, error) {
	text, err := json.Marshal(r.settled(p[r.key("data")]))
	if err != nil {
		return nil, err
	}
	v, err := ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return v.(map[string]any), nil
}

// covers reports whether known says all that sent does: the same, or, of an object in the
// same version, its fields and more.
func (r *Registry) covers(known, sent any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		known, ok := known.(map[string]any)
		if !ok || len(known) != len(sent) {
			return false
		}
		for key, value := range sent {
			if key == r.key("data") && r.IsEnvelope(sent) {
				if !r.coversData(known[key], value) {
					return false
				}
				continue
			}
			if k, ok := known[key]; !ok || !r.covers(k, value) {
				return false
			}
		}
		return true
	case []any:
		known, ok := known.([]any)
		if !ok || len(known) != len(sent) {
			return false
		}
		for i, value := range sent {
			if !r.covers(known[i], value) {
				return false
			}
		}
		return true
	default:
		return known == sent
	}
}

// coversData is covers of the data of two envelopes.
func (r *Registry) coversData(known, sent any) bool {
	all, _ := known.(map[string]any)
	fields, _ := sent.(map[string]any)
	for field, value := range fields {
		if k, ok := all[field]; !ok || !r.covers(k, value) {
			return false
		}
	}
	return true
}

// settled takes what changed out of the envelopes in v.
func (r *Registry) settled(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if r.IsEnvelope(v) {
			delete(v, r.key("changes"))
		}
		for _, e := range v {
			r.settled(e)
		}
	case []any:
		for _, e := range v {
			r.settled(e)
		}
	}
	return v
}

// digest returns a hash of the value of a field.
func digest(v any) string {
	text, _ := json.Marshal(v) // v came from JSON or can become it
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
