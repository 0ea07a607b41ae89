package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"

	"github.com/klauspost/compress/s2"

	"github.com/placetop/placetop/model/versioned"
)

// A record is in the file as its envelope, whose first byte is 1, or packed: the byte
// packedRecord, the position of the key in the envelope (a byte, 0 for none), then the
// rest of the envelope as an s2 block with the dictionary of its kind. Records of a kind
// are alike, so each adds little to the dictionary. A kind gets its dictionary, once and
// for all, from the first batch that writes many records of it.
//
// Sums are always over envelopes, so they do not depend on whether a record is packed.

// packedRecord begins a packed record. No envelope begins with it, so a release that does
// not know it takes the record for that of a newer release.
const packedRecord = 0xB2

const (
	dictPrefix   = "dict/"  // prefix of the keys of dictionaries, before the kind
	dictSize     = 60 << 10 // the most bytes of a dictionary
	dictSamples  = 512      // the most records that a dictionary is made from
	dictRecords  = 256      // how many records of a kind in a batch are worth a dictionary
	leastPacked  = 48       // how many bytes are worth packing
	mostUnpacked = 64 << 20 // the most bytes of a record; what claims to be longer is damaged
)

// errPacked is matched by errors about packed data that cannot be unpacked.
var errPacked = errors.New("malformed packed data")

// dicts are the dictionaries of a file.
type dicts map[versioned.Kind]*s2.Dict

// newDict returns a dictionary made of samples, and its form in the file; nil if they are
// too short for one.
func newDict(samples []byte, table *crc32.Table) (*s2.Dict, []byte) {
	d := s2.MakeDict(samples, nil)
	if d == nil {
		return nil, nil
	}
	b := d.Bytes()
	return d, append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(b, table)), b...)
}

// parseDict is the inverse of newDict.
func parseDict(b []byte, table *crc32.Table) (*s2.Dict, error) {
	if len(b) < sumSize || binary.BigEndian.Uint32(b) != crc32.Checksum(b[sumSize:], table) {
		return nil, fmt.Errorf("a dictionary: checksum does not match: %w", errPacked)
	}
	d := s2.NewDict(append([]byte(nil), b[sumSize:]...))
	if d == nil {
		return nil, fmt.Errorf("a dictionary of %d bytes: %w", len(b), errPacked)
	}
	return d, nil
}

// add adds the entry with the given key of the bucket dict or meta, if it is a
// dictionary.
func (ds dicts) add(key, value []byte, table *crc32.Table) error {
	kind, ok := dictKind(key)
	if !ok {
		return nil
	}
	d, err := parseDict(value, table)
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	ds[kind] = d
	return nil
}

func dictKind(key []byte) (versioned.Kind, bool) {
	if len(key) <= len(dictPrefix) || string(key[:len(dictPrefix)]) != dictPrefix {
		return "", false
	}
	return versioned.Kind(key[len(dictPrefix):]), true
}

// with returns a copy of ds with more added.
func (ds dicts) with(more dicts) dicts {
	if len(more) == 0 {
		return ds
	}
	all := maps.Clone(ds)
	if all == nil {
		all = dicts{}
	}
	maps.Copy(all, more)
	return all
}

// packHead is how many bytes of a packed record come before its block.
const packHead = 2

// packer packs records, one after the other, in its own memory.
type packer struct{ rest, packed []byte }

// pack returns the form of a record in the file, from its key and envelope; d is nil if
// its kind has no dictionary.
func (p *packer) pack(d *s2.Dict, key, envelope []byte) []byte {
	if d == nil || len(envelope) < leastPacked {
		return envelope
	}
	rest, at := envelope, 0
	if i := bytes.Index(envelope, key); i > 0 && i <= math.MaxUint8 && len(key) > 0 {
		at = i
		p.rest = append(append(p.rest[:0], envelope[:i]...), envelope[i+len(key):]...)
		rest = p.rest
	}
	p.packed = slices.Grow(p.packed[:0], packHead+s2.MaxEncodedLen(len(rest)))
	packed := append(p.packed, packedRecord, byte(at))
	packed = packed[:packHead+len(d.Encode(packed[packHead:cap(packed)], rest))]
	if len(packed) >= len(envelope) {
		return envelope
	}
	return bytes.Clone(packed)
}

// unpack returns the envelope of the record stored under the given key. A packed one is
// unpacked into room if it fits; otherwise stored itself is returned.
func unpack(d *s2.Dict, key, stored, room []byte) ([]byte, error) {
	switch {
	case len(stored) == 0 || stored[0] != packedRecord:
		return stored, nil
	case len(stored) < packHead:
		return nil, fmt.Errorf("a packed record of %d bytes: %w", len(stored), errPacked)
	case d == nil:
		return nil, fmt.Errorf("a packed record without a dictionary: %w", errPacked)
	}
	n, err := s2.DecodedLen(stored[packHead:])
	if err != nil || n > mostUnpacked {
		return nil, fmt.Errorf("a packed record that claims to have %d bytes: %w", n, errPacked)
	}
	if cap(room) < n+len(key) {
		room = make([]byte, n+len(key))
	}
	envelope, err := d.Decode(room[:n], stored[packHead:])
	if err != nil {
		return nil, fmt.Errorf("a packed record: %w: %w", errPacked, err)
	}
	if at := int(stored[1]); at > n {
		return nil, fmt.Errorf("a packed record whose key lies beyond its end: %w", errPacked)
	} else if at > 0 {
		envelope = slices.Insert(envelope, at, key...)
	}
	return envelope, nil
}
