package versioned

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// CanonicalReader reads CBOR in the form that Codec writes: the shortest heads,
// definite lengths, the keys of a map in ascending order. After anything else, OK
// reports false and all further reads return zero values.
//
// Source: RFC 8949, 4.2.1.
type CanonicalReader struct {
	rest   []byte
	bad    bool
	shared *shared // nil where each record has its own texts
}

// Major types of CBOR items, in the upper three bits of their first byte.
const (
	cborUint = iota
	cborNegative
	cborBytes
	cborText
	cborArray
	cborMap
	cborSimple = 7
)

// OK reports whether everything read so far was in order.
func (r *CanonicalReader) OK() bool { return !r.bad }

// Done reports whether everything was in order and nothing follows.
func (r *CanonicalReader) Done() bool { return !r.bad && len(r.rest) == 0 }

// fail makes OK report false.
func (r *CanonicalReader) fail() { r.bad, r.rest = true, nil }

// head reads the head of an item of a major type: its value or length.
func (r *CanonicalReader) head(major byte) uint64 {
	if len(r.rest) == 0 || r.rest[0]>>5 != major {
		r.fail()
		return 0
	}
	info := r.rest[0] & 0x1f
	if info < 24 {
		r.rest = r.rest[1:]
		return uint64(info)
	}
	size := 1 << (info - 24) // bytes that follow
	if info > 27 || len(r.rest) <= size {
		r.fail()
		return 0
	}
	var n, least uint64
	switch b := r.rest[1:]; size {
	case 1:
		n, least = uint64(b[0]), 24
	case 2:
		n, least = uint64(binary.BigEndian.Uint16(b)), 1<<8
	case 4:
		n, least = uint64(binary.BigEndian.Uint32(b)), 1<<16
	default:
		n, least = binary.BigEndian.Uint64(b), 1<<32
	}
	if n < least {
		r.fail()
		return 0
	}
	r.rest = r.rest[1+size:]
	return n
}

// count reads the head of an array or a map, each element of which takes at
// least one byte.
func (r *CanonicalReader) count(major byte) int {
	n := r.head(major)
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

// Map reads the head of a map, and returns how many keys with their values
// follow.
func (r *CanonicalReader) Map() int { return r.count(cborMap) }

// Array reads the head of an array, and returns how many elements follow.
func (r *CanonicalReader) Array() int { return r.count(cborArray) }

// Int reads an integer.
func (r *CanonicalReader) Int() int64 {
	if len(r.rest) > 0 && r.rest[0]>>5 == cborNegative {
		n := r.head(cborNegative)
		if n > math.MaxInt64 {
			r.fail()
			return 0
		}
		return -1 - int64(n)
	}
	n := r.head(cborUint)
	if n > math.MaxInt64 {
		r.fail()
		return 0
	}
	return int64(n)
}

// Text reads a text. The bytes are those of the data, not a copy.
func (r *CanonicalReader) Text() []byte {
	b := r.bytes(cborText)
	if !utf8.Valid(b) {
		r.fail()
		return nil
	}
	return b
}

// Bool reads false or true.
func (r *CanonicalReader) Bool() bool {
	const no, yes = cborSimple<<5 | 20, cborSimple<<5 | 21
	if len(r.rest) == 0 || r.rest[0] != no && r.rest[0] != yes {
		r.fail()
		return false
	}
	b := r.rest[0] == yes
	r.rest = r.rest[1:]
	return b
}

// Float reads a floating-point number of any width. It refuses NaN.
func (r *CanonicalReader) Float() float64 {
	const half, single, double = cborSimple<<5 | 25, cborSimple<<5 | 26, cborSimple<<5 | 27
	var f float64
	var size int
	switch b := r.rest; {
	case len(b) > 2 && b[0] == half:
		f, size = halfFloat(binary.BigEndian.Uint16(b[1:])), 3
	case len(b) > 4 && b[0] == single:
		f, size = float64(math.Float32frombits(binary.BigEndian.Uint32(b[1:]))), 5
	case len(b) > 8 && b[0] == double:
		f, size = math.Float64frombits(binary.BigEndian.Uint64(b[1:])), 9
	}
	if size == 0 || math.IsNaN(f) {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return f
}

// halfFloat returns the number that the bits of a float16 stand for.
//
// Source: RFC 8949, appendix D.
func halfFloat(bits uint16) float64 {
	exponent, mantissa := int(bits>>10&0x1f), float64(bits&0x3ff)
	var f float64
	switch {
	case exponent == 0:
		f = math.Ldexp(mantissa, -24)
	case exponent != 0x1f:
		f = math.Ldexp(mantissa+1024, exponent-25)
	case mantissa == 0:
		f = math.Inf(1)
	default:
		return math.NaN()
	}
	if bits>>15 != 0 {
		return -f
	}
	return f
}

// Bytes reads a byte string into all of the given bytes.
func (r *CanonicalReader) Bytes(into []byte) {
	b := r.bytes(cborBytes)
	if len(b) != len(into) {
		r.fail()
		return
	}
	copy(into, b)
}

func (r *CanonicalReader) bytes(major byte) []byte {
	n := r.head(major)
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// Fields reads a map with small integers as keys, a struct, and calls field for
// each key in ascending order. field reads the value and reports whether it
// knows the key.
func (r *CanonicalReader) Fields(field func(key int64) bool) {
	last := int64(-1)
	for range r.Map() {
		key := r.Int()
		if r.bad || key <= last || !field(key) {
			r.fail()
			return
		}
		last = key
	}
}
