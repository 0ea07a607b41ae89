package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of the file's own records, which are not part of the cloud.
const (
	kindFile  versioned.Kind = "file"
	kindEvent versioned.Kind = "event"
)

// fileRecord is the file's own record. Its envelope stays at major version 1 for good, so
// that any release can read which Schema the rest has.
type fileRecord struct {
	Major     uint16    `cbor:"1,keyasint"` // of the Schema of the rest of the file
	Minor     uint16    `cbor:"2,keyasint"`
	UUID      uuid.UUID `cbor:"3,keyasint"`
	Created   int64     `cbor:"4,keyasint"` // Unix milliseconds
	CreatedBy string    `cbor:"5,keyasint,omitempty"`
	Revision  uint64    `cbor:"6,keyasint"`
	AtSec     int64     `cbor:"7,keyasint"` // time of the revision: Unix seconds
	AtNano    int64     `cbor:"8,keyasint,omitempty"`
	Sum       uint64    `cbor:"9,keyasint"` // of bucketSum.entry over all records

	// Transaction is bbolt's number of the transaction that wrote the record: every
	// one does. 0 where the file does not say it.
	Transaction uint64 `cbor:"10,keyasint,omitempty"`

	// Log is the number of the log that continues the records of a file before schema 5.0;
	// 0 for none. It is part of Sum in the file, and not here.
	Log uint64 `cbor:"11,keyasint,omitempty"`

	// Leaps has the revisions that do not follow the one before, as in "100042 200071": see
	// leapOver.
	Leaps string `cbor:"12,keyasint,omitempty"`
}

// writtenBy returns an error if the newest meta page, that of transaction txid, leads to
// content that an earlier one wrote. A disk that lost the pages of a commit but kept its
// meta page leaves that: old pages in the places of the new, each valid by itself.
func (f *fileRecord) writtenBy(txid uint64) error {
	if f.Transaction == 0 || f.Transaction >= txid { // higher if a bbolt tool rewrote the file
		return nil
	}
	return fmt.Errorf("its newest transaction is %d, but its contents are of %d: the disk lost writes that it had confirmed", txid, f.Transaction)
}

// eventRecord is the head of an event in the journal.
type eventRecord struct {
	Revision uint64 `cbor:"1,keyasint"`
	AtSec    int64  `cbor:"2,keyasint"`
	AtNano   int64  `cbor:"3,keyasint,omitempty"`
	Actor    string `cbor:"4,keyasint,omitempty"`
	Note     string `cbor:"5,keyasint,omitempty"`
	Changes  uint32 `cbor:"6,keyasint"` // how many follow
	Task     string `cbor:"7,keyasint,omitempty"`
	Step     string `cbor:"8,keyasint,omitempty"`
}

// RecordKind implements versioned.Record.
func (*fileRecord) RecordKind() versioned.Kind { return kindFile }

// RecordKey implements versioned.Record.
func (*fileRecord) RecordKey() []byte { return []byte(fileKey) }

// RecordKind implements versioned.Record.
func (*eventRecord) RecordKind() versioned.Kind { return kindEvent }

// RecordKey implements versioned.Record.
func (e *eventRecord) RecordKey() []byte { return journalKey(cloud.Revision(e.Revision), 0) }

func ownSchemas() []versioned.Schema {
	v1, v11, v12, v13 := versioned.Version{Major: 1}, versioned.Version{Major: 1, Minor: 1}, versioned.Version{Major: 1, Minor: 2}, versioned.Version{Major: 1, Minor: 3}
	return []versioned.Schema{
		{Kind: kindFile, Version: v13, New: func() versioned.Record { return new(fileRecord) }, History: []versioned.Note{
			{Version: v1, Date: "2026-11-20", Why: "the file's own description"},
			{Version: v11, Date: "2026-11-22", Why: "the transaction, to detect lost pages"},
			{Version: v12, Date: "2026-11-23", Why: "the log"},
			{Version: v13, Date: "2026-11-28", Why: "revisions that were left out"},
		}},
		{Kind: kindEvent, Version: v11, New: func() versioned.Record { return new(eventRecord) }, History: []versioned.Note{
			{Version: v1, Date: "2026-11-20", Why: "the head of an event"},
			{Version: v11, Date: "2026-11-22", Why: "the task and its step"},
		}},
	}
}

func (f *fileRecord) schema() versioned.Version {
	return versioned.Version{Major: f.Major, Minor: f.Minor}
}

func (f *fileRecord) at() time.Time { return time.Unix(f.AtSec, f.AtNano).UTC() }

// codecs encodes and decodes all that is in a file.
type codecs struct {
	cloud *versioned.Codec
	own   *versioned.Codec
}

func newCodecs() codecs {
	return codecs{cloud: cloud.NewCodec(), own: versioned.NewCodec(ownSchemas()...)}
}

// maxRecord is the most bytes of one record, so that its line in an export, which is
// several times as long, can be read back.
const maxRecord = 8 << 20

// encode returns r in the form of the file. A record that could not be stored, or read
// back, is refused with an error that matches placement.ErrInvalid: only its change
// fails, not those that share the commit.
func (c codecs) encode(r versioned.Record) ([]byte, error) {
	b, err := c.cloud.Encode(r)
	if err != nil {
		return nil, err
	}
	const header = 9 // of the envelope
	refuse := func(why string, args ...any) ([]byte, error) {
		// The title contains the key, which may be very long.
		title := []rune(versioned.Title(r))
		return nil, &placement.InvalidError{Field: string(title[:min(len(title), 100)]), Why: fmt.Sprintf(why, args...)}
	}
	switch key := len(r.RecordKey()); {
	case key > bbolt.MaxKeySize:
		return refuse("its name is %d bytes long, and the limit is %d", key, bbolt.MaxKeySize)
	case len(b) > maxRecord:
		return refuse("is %d bytes long, and the limit is %d", len(b), maxRecord)
	case !readableText(b[header:]):
		return refuse("has text that is not valid UTF-8")
	}
	return b, nil
}

// readableText reports whether every text in CBOR that this program encoded is valid
// UTF-8, as decoding requires.
func readableText(b []byte) bool {
	const (
		bytesType = 2
		textType  = 3
	)
	for len(b) > 0 {
		major, info := b[0]>>5, b[0]&31
		b = b[1:]
		n := uint64(info)
		if info >= 24 {
			width := 1 << (info - 24) // a length of 1, 2, 4 or 8 bytes; indefinite lengths are not written
			if width > 8 || len(b) < width {
				return false
			}
			var wide [8]byte
			copy(wide[8-width:], b[:width])
			n, b = binary.BigEndian.Uint64(wide[:]), b[width:]
		}
		if major != bytesType && major != textType {
			continue // numbers end with their head; arrays and maps are checked item by item
		}
		if n > uint64(len(b)) || major == textType && !utf8.Valid(b[:n]) {
			return false
		}
		b = b[n:]
	}
	return true
}

// record decodes the record under key in the bucket of kind.
func (c codecs) record(kind versioned.Kind, key, value []byte) (versioned.Record, error) {
	r, err := c.cloud.Decode(kind, value)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind.Words(), versioned.KeyText(key), err)
	}
	if own := r.RecordKey(); string(own) != string(key) {
		return nil, fmt.Errorf("%s: it is stored in the place of %s: %w", versioned.Title(r), versioned.KeyText(key), versioned.ErrMalformed)
	}
	return r, nil
}

// file decodes the file's own record.
func (c codecs) file(value []byte) (*fileRecord, error) {
	r, err := c.own.Decode(kindFile, value)
	if err != nil {
		return nil, err
	}
	f, ok := r.(*fileRecord)
	if !ok {
		return nil, versioned.ErrMalformed
	}
	f.Sum -= f.Log
	return f, nil
}

// bucketSum is the initial state of the sums of the records of one bucket.
type bucketSum struct {
	table *crc32.Table
	name  uint32
}

func sumOf(table *crc32.Table, bucket string) bucketSum {
	return bucketSum{table, crc32.Checksum([]byte(bucket), table)}
}

// entry returns what one record adds to the sum of the file: a number computed from its
// kind, key and value. The sum of all of them, modulo 2^64, does not depend on their
// order, so a write adds the new ones and subtracts the old.
func (b bucketSum) entry(key, value []byte) uint64 {
	x := uint64(crc32.Update(b.name, b.table, key))<<32 | uint64(crc32.Checksum(value, b.table))
	// The finalizer of splitmix64 spreads the bits, so that two wrong records
	// do not cancel out.
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
