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

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/versioned"
)

// kept holds the fields of objects for which their records have no column, with the data
// of the envelope as sent. A record keeps it as JSON with sorted keys.
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
// there. was is what the record keeps so far: fields that sent lacks stay as they
// are. A value that differs only because an older version has to write it that way is
// not new, nor is an object inside sent that says less than is already known. The
// result is "" if there is nothing to keep.
//
// Both are of one class. What older versions require is looked for in s. Errors match
// versioned.ErrNewer if a newer program wrote was, or versioned.ErrMalformed.
func Keep(s *nova.Snapshot, was nova.ExtraFields, sent, base *Object) (nova.ExtraFields, error) {
	k, err := readKept(was, base)
	if err != nil {
		return "", err
	}
	whole, err := k.asSent(s, base, sent.Version)
	if err != nil {
		return "", err
	}
	for field, value := range sent.Data {
		known, isKnown := whole[field]
		switch said, ok := base.Data[field]; {
		case isKnown && covers(known, value):
		case ok && covers(said, value):
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
	return k.text()
}

// Forget returns what a record is to keep without some fields: those that follow from
// other records, once these are counted. Text that cannot be read is returned
// unchanged.
func Forget(text nova.ExtraFields, fields ...string) nova.ExtraFields {
	if !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(string(text), field) }) {
		return text // usually there is nothing to forget
	}
	k, err := parseKept(text)
	if err != nil {
		return text
	}
	for _, field := range fields {
		delete(k.Data, field)
		delete(k.Was, field)
	}
	out, err := k.text()
	if err != nil {
		return text
	}
	return out
}

func (k kept) text() (nova.ExtraFields, error) {
	if len(k.Data) == 0 {
		return "", nil
	}
	text, err := json.Marshal(k)
	return nova.ExtraFields(text), err
}

// readKept reads what the record of an object, made from its columns, keeps, without the
// fields of which its columns changed since.
func readKept(text nova.ExtraFields, base *Object) (kept, error) {
	class := classes()[base.Class]
	k := kept{Data: map[string]any{}, Was: map[string]string{}}
	if text != "" {
		var err error
		if k, err = parseKept(text); err != nil {
			return k, fmt.Errorf("%w: the kept fields of %s: %w", versioned.ErrMalformed, base.Class, err)
		}
		if _, err := class.reads(k.Version); err != nil {
			return k, err
		}
		if k.Data, err = class.values(k.Data, false); err != nil {
			return k, err
		}
	}
	k.Version = class.version.String()
	for field := range k.Data {
		said, ok := base.Data[field]
		if was, had := k.Was[field]; ok != had || ok && was != digest(said) {
			delete(k.Data, field)
			delete(k.Was, field)
		}
	}
	return k, nil
}

func parseKept(text nova.ExtraFields) (kept, error) {
	k := kept{}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err := dec.Decode(&k); err != nil {
		return k, err
	}
	if k.Data == nil {
		return k, errors.New("must be a dict with version and data")
	}
	if k.Was == nil {
		k.Was = map[string]string{}
	}
	return k, nil
}

// asSent returns what is known of an object, by field, as the given version of its class
// would express it.
func (k kept) asSent(s *nova.Snapshot, base *Object, version versioned.Version) (Fields, error) {
	whole := maps.Clone(base.Data)
	maps.Copy(whole, k.Data)
	o, err := lowered(s, &Object{base.Class, base.Version, whole}, version)
	switch _, not := errors.AsType[*NotExpressibleError](err); {
	case not:
		return whole, nil // so that sent cannot have said it
	case err != nil:
		return nil, err
	}
	return o.Data, nil
}

// covers reports whether known says all that sent does: the same, or, of an object in the
// same version, its fields and more.
func covers(known, sent any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		known, ok := known.(map[string]any)
		_, is := sent[keyName]
		if !ok || len(known) != len(sent) && !is {
			return false
		}
		for key, value := range sent {
			k, ok := known[key]
			has, of := k.(map[string]any)
			if data, inside := value.(map[string]any); is && key == keyData && of && inside {
				for field, v := range data {
					if k, ok := has[field]; !ok || !covers(k, v) {
						return false
					}
				}
			} else if !ok || !covers(k, value) {
				return false
			}
		}
		return true
	case []any:
		known, ok := known.([]any)
		return ok && slices.EqualFunc(known, sent, covers)
	default:
		return known == sent
	}
}

// digest returns a hash of the value of a field.
func digest(v any) string {
	text, _ := json.Marshal(v) // v came from JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
