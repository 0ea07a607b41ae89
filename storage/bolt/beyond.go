package bolt

import (
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

// beyond is the records in which a newer minor version has fields that this program does
// not know, each with the error that says so. They are read without those fields, and are
// not written, as that would drop them.
type beyond map[recordID]*storage.NewerError

// recordID is the kind and the key of a record.
type recordID struct {
	kind versioned.Kind
	key  string
}

func idOf(r versioned.Record) recordID { return recordID{r.RecordKind(), string(r.RecordKey())} }

// note returns b, which may be nil, with r if its envelope has more than this program has
// read of it.
func (l *loader) note(b beyond, r versioned.Record, envelope []byte) beyond {
	v, more := l.cloud.Beyond(envelope, r)
	if !more {
		return b
	}
	if b == nil {
		b = beyond{}
	}
	schema, _ := l.cloud.Schema(r.RecordKind())
	b[idOf(r)] = &storage.NewerError{Path: l.path, What: versioned.Title(r), Has: v, Knows: schema.Version}
	return b
}

// drop removes the records that decisions deleted: their fields went with them.
func (b beyond) drop(done []*decision) {
	if len(b) == 0 {
		return
	}
	for _, d := range done {
		for _, c := range d.Event.Changes {
			if c.After == nil {
				delete(b, idOf(c.Before))
			}
		}
	}
}

// mayPut returns why r must not be written, nil if it may.
func (b beyond) mayPut(r versioned.Record) error {
	if len(b) == 0 {
		return nil
	}
	if err, ok := b[idOf(r)]; ok {
		return err
	}
	return nil
}
