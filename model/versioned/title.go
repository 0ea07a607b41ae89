package versioned

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// Named is implemented by records that people call by something other than their key.
type Named interface {
	Record
	// RecordName returns what people call the record, "" for its key.
	RecordName() string
}

// Name returns what people call r: a name, or a uuid. A name with characters that are
// Unseen is quoted, with these escaped.
func Name(r Record) string {
	name := ""
	if named, ok := r.(Named); ok {
		name = named.RecordName()
	}
	if name == "" {
		return KeyText(r.RecordKey())
	}
	if strings.ContainsFunc(name, Unseen) {
		return strconv.Quote(name)
	}
	return name
}

// Title names r for messages: its kind and its name, as "resource provider cmp-001".
func Title(r Record) string { return r.RecordKind().Words() + " " + Name(r) }

// Words returns the kind as people write it.
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// KeyText returns the key of a record in readable form, for when the record itself is
// not known: texts and uuids, also one after the other, and numbers. Others are in
// hex.
func KeyText(key []byte) string {
	// A key may consist of several names, with a NUL between them.
	text := strings.ReplaceAll(string(key), "\x00", " ")
	plain := func(s string) bool {
		return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) && !strings.HasPrefix(s, " ")
	}
	const number, id = 4, 16 // bytes
	switch {
	case plain(text):
		return text
	case len(key) == number:
		return strconv.FormatUint(uint64(binary.BigEndian.Uint32(key)), 10)
	case len(key) >= id && plain(text[id:]):
		return strings.TrimSpace(uuid.UUID(key[:id]).String() + " " + text[id:])
	}
	return hex.EncodeToString(key)
}
