package versioned

import "unicode/utf8"

// Bulk decodes the records that a ledger is to be loaded from: very many, which
// nobody else will see. It gives equal texts and equal lists of texts one place in
// memory, and drafts in place of records of kinds whose Schema has a Draft. A
// Bulk is for one goroutine; its records must not be changed.
type Bulk struct {
	codec *Codec
	from  CanonicalReader
}

// Draft is a record as a ledger takes it to be loaded from: leaner than the record
// that it stands for.
type Draft interface {
	Canonical
	// Full returns the record, which shares memory with the draft.
	Full() Record
}

// shared is what a Bulk has read before, by its bytes.
type shared struct {
	texts map[string]string
	lists map[string]any // []T for a type T of text
}

// Bulk returns a Bulk that has read nothing yet.
func (c *Codec) Bulk() *Bulk {
	return &Bulk{codec: c, from: CanonicalReader{shared: &shared{texts: map[string]string{}, lists: map[string]any{}}}}
}

// Decode is Codec.Decode for one record of many.
func (b *Bulk) Decode(kind Kind, data []byte) (Record, error) {
	return b.codec.decode(kind, data, &b.from)
}

// share gives the texts of r, which was not read by a CanonicalReader, one place
// in memory.
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

// Shared reads a text that many records have, such as the id of a project: a
// Bulk gives all equal ones one place in memory.
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

// SharedTexts reads an array of texts from r. A Bulk gives all equal ones one
// place in memory.
func SharedTexts[T ~string](r *CanonicalReader) []T {
	if r.shared == nil {
		return readTexts[T](r)
	}
	item := CanonicalReader{rest: r.rest, shared: r.shared}
	for range r.Array() {
		r.bytes(cborText)
	}
	if r.bad {
		return nil
	}
	item.rest = item.rest[:len(item.rest)-len(r.rest)]
	if list, ok := r.shared.lists[string(item.rest)].([]T); ok {
		return list
	}
	raw := string(item.rest)
	list := readTexts[T](&item)
	if item.bad {
		r.fail()
		return nil
	}
	r.shared.lists[raw] = list
	return list
}

func readTexts[T ~string](r *CanonicalReader) []T {
	list := make([]T, r.Array())
	for i := range list {
		list[i] = T(r.Shared())
	}
	return list
}
