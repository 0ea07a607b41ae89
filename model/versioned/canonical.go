package versioned

import (
	"bytes"
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
	shared *shared // nil if each record has its own texts
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

// halfFloat returns the number with the given bits of a float16.
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

// CanonicalWriter writes CBOR in the form that CanonicalReader reads. The caller keeps
// the keys of maps in their order.
type CanonicalWriter struct{ to *bytes.Buffer }

// Canonical is implemented by records that are written so often that reflection takes too
// long. They write what Codec would.
type Canonical interface {
	Record
	MarshalCanonical(to *CanonicalWriter)
}

// head writes the head of an item of a major type: its value or length.
func (w *CanonicalWriter) head(major byte, n uint64) {
	b, major := w.to.AvailableBuffer(), major<<5
	switch {
	case n < 24:
		b = append(b, major|byte(n))
	case n < 1<<8:
		b = append(b, major|24, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	case n < 1<<32:
		b = binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, major|27), n)
	}
	w.to.Write(b)
}

// Map writes the head of a map with so many keys, which follow, each with its value.
func (w *CanonicalWriter) Map(n int) { w.head(cborMap, uint64(n)) }

// Array writes the head of an array with so many elements, which follow.
func (w *CanonicalWriter) Array(n int) { w.head(cborArray, uint64(n)) }

// Int writes an integer.
func (w *CanonicalWriter) Int(n int64) {
	if n < 0 {
		w.head(cborNegative, uint64(-1-n))
		return
	}
	w.head(cborUint, uint64(n))
}

// Text writes a text.
func (w *CanonicalWriter) Text(s string) {
	w.head(cborText, uint64(len(s)))
	w.to.WriteString(s)
}

// Bytes writes a byte string.
func (w *CanonicalWriter) Bytes(b []byte) {
	w.head(cborBytes, uint64(len(b)))
	w.to.Write(b)
}

// Null writes null, for a nil map.
func (w *CanonicalWriter) Null() { w.to.WriteByte(cborSimple<<5 | 22) }

// Float writes a floating-point number in the shortest of the three widths that keeps it.
func (w *CanonicalWriter) Float(f float64) {
	b := w.to.AvailableBuffer()
	switch half, ok := toHalf(f); {
	case ok:
		b = binary.BigEndian.AppendUint16(append(b, cborSimple<<5|25), half)
	case float64(float32(f)) == f:
		b = binary.BigEndian.AppendUint32(append(b, cborSimple<<5|26), math.Float32bits(float32(f)))
	default:
		b = binary.BigEndian.AppendUint64(append(b, cborSimple<<5|27), math.Float64bits(f))
	}
	w.to.Write(b)
}

// toHalf returns the bits of the float16 that is f, and false if none is. It is the
// inverse of halfFloat.
func toHalf(f float64) (bits uint16, ok bool) {
	if math.Signbit(f) {
		bits = 1 << 15
	}
	fraction, exponent := math.Frexp(math.Abs(f))
	switch {
	case math.IsNaN(f):
		return 0x7e00, true
	case math.IsInf(f, 0):
		return bits | 0x7c00, true
	case f == 0:
		return bits, true
	case exponent > 16:
		return 0, false
	case exponent > -14: // as 1.m * 2^(exponent-1)
		m := fraction * 2048
		return bits | uint16(exponent+14)<<10 | uint16(m)&0x3ff, m == math.Trunc(m)
	}
	m := math.Ldexp(math.Abs(f), 24)
	return bits | uint16(m), m == math.Trunc(m)
}
