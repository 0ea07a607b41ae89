package versioned

import (
	"reflect"
	"unicode/utf8"
)

// Bulk decodes the many records that a ledger is loaded from and that nothing else
// uses. It gives equal texts and equal lists of texts one place in memory, and returns
// drafts instead of records for kinds whose Schema has a Draft. A Bulk is for one
// goroutine; its records must not be changed.
type Bulk struct {
	codec *Codec
	from  CanonicalReader
}

// Draft is a leaner form of a record that a ledger can be loaded from.
type Draft interface {
	Record
	// UnmarshalCanonical reads the data of a record of the version that this program
	// writes. It reports false, and may leave the draft half read, if the slower way
	// might read something else: a field it does not know, a key that is there twice,
	// another type.
	UnmarshalCanonical(r *CanonicalReader) bool
	// Full returns the record, which shares memory with the draft.
	Full() Record
}

// shared holds what a Bulk has read before, by its bytes.
type shared struct {
	texts map[string]string
	lists map[string]reflect.Value // []T for a type T of text
}

// Bulk returns a Bulk that has read nothing yet.
func (c *Codec) Bulk() *Bulk {
	return &Bulk{codec: c, from: CanonicalReader{shared: &shared{texts: map[string]string{}, lists: map[string]reflect.Value{}}}}
}

// Decode is Codec.Decode for one record of many.
func (b *Bulk) Decode(kind Kind, data []byte) (Record, error) {
	return b.codec.decode(kind, data, &b.from)
}

// share makes the texts of r, which was not read by a CanonicalReader, share memory with
// equal ones.
func (s *shared) share(r Record) {
	Texts(r, func(text *string) bool {
		if one, ok := s.texts[*text]; ok {
			*text = one
		} else {
			s.texts[*text] = *text
		}
		return true
	})
}

// Shared reads a text that many records have, such as the id of a project: a Bulk
// keeps all equal ones in one place in memory.
func (r *CanonicalReader) Shared() string {
	if r.shared == nil {
		return string(r.Text())
	}
	b := r.bytes(cborText)
	if text, ok := r.shared.texts[string(b)]; ok {
		return text
	}
	if !utf8.Valid(b) {
		r.fail()
		return ""
	}
	text := string(b)
	r.shared.texts[text] = text
	return text
}

// sharedTexts reads an array of texts into v. In a Bulk, equal arrays share memory.
func (r *CanonicalReader) sharedTexts(v reflect.Value) {
	item := CanonicalReader{rest: r.rest, shared: r.shared}
	for range r.Array() {
		r.bytes(cborText)
	}
	if r.bad {
		return
	}
	raw := item.rest[:len(item.rest)-len(r.rest)]
	if list := r.shared.lists[string(raw)]; list.IsValid() && list.Type() == v.Type() {
		v.Set(list)
		return
	}
	item.rest = raw
	item.list(v, setText)
	if item.bad {
		r.fail()
		return
	}
	r.shared.lists[string(raw)] = reflect.ValueOf(v.Interface())
}
