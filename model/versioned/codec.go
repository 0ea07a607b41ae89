package versioned

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/fxamacker/cbor/v2"
)

// format is the first byte of an encoded record: the layout of the header that
// follows. It changes only if the header itself does.
const format = 1

// headerSize is format (1), major and minor (2 each), CRC-32C of all that
// follows the checksum and of the six bytes before it (4).
const headerSize = 1 + 2 + 2 + 4

// cborMap is the major type of a map, in the upper three bits of its first byte.
const cborMap = 5

// ErrChecksum is matched when the bytes of a record are not those that were written.
var ErrChecksum = errors.New("checksum does not match")

// Codec encodes and decodes the records of a set of schemas.
type Codec struct {
	schemas map[Kind]Schema
	kinds   []Kind
	enc     cbor.EncMode
	dec     cbor.DecMode
	table   *crc32.Table
}

// NewCodec returns a codec for the given schemas. It panics when a kind is given
// twice, which can only be a mistake in this program.
func NewCodec(schemas ...Schema) *Codec {
	enc, err := cbor.CoreDetEncOptions().EncMode() // one encoding of each value, the shortest (RFC 8949, 4.2.1)
	if err != nil {
		panic(err)
	}
	dec, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		MaxArrayElements: 1 << 24,
		MaxMapPairs:      1 << 24,
		MaxNestedLevels:  16,
		TagsMd:           cbor.TagsForbidden,
		UTF8:             cbor.UTF8RejectInvalid,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	c := &Codec{
		schemas: map[Kind]Schema{}, enc: enc, dec: dec, table: crc32.MakeTable(crc32.Castagnoli),
	}
	for _, s := range schemas {
		if _, ok := c.schemas[s.Kind]; ok {
			panic("versioned: two schemas for kind " + string(s.Kind))
		}
		c.schemas[s.Kind] = s
		c.kinds = append(c.kinds, s.Kind)
	}
	return c
}

// Kinds returns the kinds of the codec in the order in which they were given,
// which is the order in which records may refer to each other.
func (c *Codec) Kinds() []Kind { return c.kinds }

// Schema returns the schema of kind.
func (c *Codec) Schema(kind Kind) (Schema, bool) {
	s, ok := c.schemas[kind]
	return s, ok
}

// Encode returns r with its version and checksum, as it is stored in a file.
func (c *Codec) Encode(r Record) ([]byte, error) {
	s, ok := c.schemas[r.RecordKind()]
	if !ok {
		return nil, fmt.Errorf("encode %s: unknown kind", r.RecordKind())
	}
	data, err := c.enc.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.RecordKind(), err)
	}
	b := append(make([]byte, headerSize, headerSize+len(data)), data...)
	b[0] = format
	binary.BigEndian.PutUint16(b[1:], s.Version.Major)
	binary.BigEndian.PutUint16(b[3:], s.Version.Minor)
	binary.BigEndian.PutUint32(b[5:], c.sum(b))
	return b, nil
}

// sum is the checksum of an encoded record: of the header before the checksum
// and the data after it.
func (c *Codec) sum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:5], c.table), c.table, b[headerSize:])
}

// Beyond returns the version of b, an encoded record, and whether it is newer than this
// program's and b holds more than r, which was decoded from it: whoever writes r in its
// place drops the rest.
func (c *Codec) Beyond(b []byte, r Record) (Version, bool) {
	knows := c.schemas[r.RecordKind()].Version
	v := Version{Major: binary.BigEndian.Uint16(b[1:]), Minor: binary.BigEndian.Uint16(b[3:])}
	if v.Major != knows.Major || v.Minor <= knows.Minor {
		return v, false
	}
	own, err := c.Encode(r)
	return v, err != nil || !bytes.Equal(own[headerSize:], b[headerSize:])
}

// Decode returns the record of kind that b holds. Errors match ErrChecksum,
// ErrMalformed or ErrNewer. The record shares no memory with b.
func (c *Codec) Decode(kind Kind, b []byte) (Record, error) {
	s, ok := c.schemas[kind]
	switch {
	case !ok:
		return nil, fmt.Errorf("decode %s: unknown kind: %w", kind, ErrMalformed)
	case len(b) <= headerSize:
		return nil, fmt.Errorf("%s record of %d bytes is cut off: %w", kind, len(b), ErrMalformed)
	case b[0] != format: // the checksum may be elsewhere then
		return nil, fmt.Errorf("%s record with header format %d: %w", kind, b[0], ErrNewer)
	case binary.BigEndian.Uint32(b[5:]) != c.sum(b):
		return nil, fmt.Errorf("%s record: %w", kind, ErrChecksum)
	case b[headerSize]>>5 != cborMap: // null would leave the record empty
		return nil, fmt.Errorf("%s record is not a CBOR map: %w", kind, ErrMalformed)
	}
	v := Version{Major: binary.BigEndian.Uint16(b[1:]), Minor: binary.BigEndian.Uint16(b[3:])}
	return s.decodeInto(v, func(into any) error { return c.dec.Unmarshal(b[headerSize:], into) })
}

// line is the envelope as JSON.
type line struct {
	Kind    Kind            `json:"kind"`
	Version string          `json:"version"`
	Data    json.RawMessage `json:"data"`
}

// EncodeJSON returns r in its envelope as one line of JSON, without the line end:
// {"kind":...,"version":"1.0","data":{...}}. Characters that are Unseen are escaped,
// so that no name can steer a terminal that shows the line.
func (c *Codec) EncodeJSON(r Record) ([]byte, error) {
	s, ok := c.schemas[r.RecordKind()]
	if !ok {
		return nil, fmt.Errorf("encode %s: unknown kind", r.RecordKind())
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", r.RecordKind(), err)
	}
	out, err := json.Marshal(line{Kind: s.Kind, Version: s.Version.String(), Data: data})
	return EscapeUnseen(out), err
}

// DecodeJSON is the inverse of EncodeJSON. Errors match ErrMalformed or
// ErrNewer.
func (c *Codec) DecodeJSON(b []byte) (Record, error) {
	r, _, err := c.ReadJSON(b)
	return r, err
}

// Reading is what a line of JSON says in addition to its record.
type Reading struct {
	Version Version
	Newer   bool // a newer minor version than that of the schema
	// Lost are the paths of the fields that came with the newer version, which the
	// record does not have.
	Lost []string
}

// ReadJSON is DecodeJSON that also reports how it went. A field that this program does
// not know is an error, except in a newer minor version. A field that is there twice
// and text that is not UTF-8 are always errors; the error has the path to it.
func (c *Codec) ReadJSON(b []byte) (Record, Reading, error) {
	// What EncodeJSON writes again is read whole. Most lines are such, and are read faster so.
	if r, how, err := c.readJSON(b, func([]byte, any) ([]string, error) { return nil, nil }); err == nil {
		if own, err := c.EncodeJSON(r); err == nil && bytes.Equal(own, b) {
			return r, how, nil
		}
	}
	return c.readJSON(b, strictJSON)
}

// readJSON is ReadJSON with a check of text that was decoded into v, which returns the paths
// of the fields that v lacks.
func (c *Codec) readJSON(b []byte, check func(text []byte, v any) ([]string, error)) (Record, Reading, error) {
	var (
		l    line
		none Reading
	)
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&l); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, none, fmt.Errorf("%w: it is cut off", ErrMalformed)
	} else if err != nil {
		return nil, none, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, none, fmt.Errorf("%w: there is more after the %s record", ErrMalformed, l.Kind)
	}
	if lost, err := check(b, &l); err != nil {
		return nil, none, fmt.Errorf("%w: %w", ErrMalformed, err)
	} else if len(lost) > 0 {
		return nil, none, fmt.Errorf("%w: %w", ErrMalformed, unknownField(lost[0]))
	}
	s, ok := c.schemas[l.Kind]
	if !ok {
		return nil, none, &KindError{Kind: l.Kind}
	}
	v, err := ParseVersion(l.Version)
	if err != nil {
		return nil, none, fmt.Errorf("%w: %s record: %w", ErrMalformed, l.Kind, err)
	}
	if len(l.Data) == 0 || bytes.Equal(l.Data, []byte("null")) {
		return nil, none, fmt.Errorf("%w: %s record has no data", ErrMalformed, l.Kind)
	}
	how := Reading{Version: v, Newer: v.Major == s.Version.Major && v.Minor > s.Version.Minor}
	r, err := s.decodeInto(v, func(into any) (err error) {
		if err := json.Unmarshal(l.Data, into); err != nil {
			return err
		}
		if how.Lost, err = check(l.Data, into); err == nil && len(how.Lost) > 0 && !how.Newer {
			err = unknownField(how.Lost[0])
		}
		return err
	})
	return r, how, err
}
