package component

import (
	"strconv"
	"time"

	"github.com/placetop/placetop/model/filter"
)

// AppendCount appends n with its digits in groups of three: 48 212.
func AppendCount(b []byte, n int64) []byte {
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], n, 10)
	if d[0] == '-' {
		b = append(b, '-')
		d = d[1:]
	}
	for i, c := range d {
		if i > 0 && (len(d)-i)%3 == 0 {
			b = append(b, ' ')
		}
		b = append(b, c)
	}
	return b
}

// Plural returns a count with its thing, whose plural ends in s: "1 provider",
// "1 204 providers".
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(n) + " " + thing
}

// Count returns n with its digits in groups of three: 48 212.
func Count[N ~int | ~int64 | ~uint64 | ~float64](n N) string {
	return string(AppendCount(make([]byte, 0, 26), int64(n)))
}

// Unit is what a number counts, which says how it is shortened. It is that of
// filters, so that what is shown can be typed.
type Unit = filter.Unit

// The units.
const (
	UnitCount   = filter.Count   // things: grouped digits, 17.4M from ten million on
	UnitMB      = filter.MB      // MiB: 65536 is 64G
	UnitGB      = filter.GB      // GiB: 2048 is 2T
	UnitSeconds = filter.Seconds // a time: 240 is 4m
)

// AppendAmount appends n units, shortened by the unit: 48 212, 64G, 171.2T.
// Sizes go by 1024, with one decimal where they are not whole.
func AppendAmount(b []byte, n int64, u Unit) []byte {
	const prefixes = "MGTPE"
	p := 0
	switch u {
	case UnitMB:
	case UnitGB:
		p = 1
	case UnitSeconds:
		return appendAge(b, n)
	default:
		return appendBig(b, n)
	}
	neg := n < 0
	v := uint64(n)
	if neg {
		b = append(b, '-')
		v = -v
	}
	unit := uint64(1)
	for p < len(prefixes)-1 && v/unit >= 1024 {
		unit *= 1024
		p++
	}
	whole, rest := v/unit, v%unit
	// Tenths, rounded; unit is at most 2^40 here, so nothing overflows.
	tenths := (rest*10 + unit/2) / unit
	if tenths == 10 {
		whole, tenths = whole+1, 0
		if whole == 1024 && p < len(prefixes)-1 {
			whole, p = 1, p+1
			rest = 0
		}
	}
	b = strconv.AppendUint(b, whole, 10)
	if rest != 0 && whole < 1000 {
		b = append(b, '.', byte('0'+tenths))
	}
	return append(b, prefixes[p])
}

// appendBig appends a count: in full below ten million, in thousands or millions with one
// decimal above.
func appendBig(b []byte, n int64) []byte {
	const ten = 10_000_000
	if n > -ten && n < ten {
		return AppendCount(b, n)
	}
	unit, prefix := float64(1_000_000), byte('M')
	if n <= -10_000_000_000 || n >= 10_000_000_000 {
		unit, prefix = 1_000_000_000, 'G'
	}
	b = strconv.AppendFloat(b, float64(n)/unit, 'f', 1, 64)
	return append(b, prefix)
}

// appendAge appends a time in seconds by its largest unit, rounded down: 4m.
func appendAge(b []byte, s int64) []byte {
	if s < 0 {
		b = append(b, '-')
		s = -s
	}
	for _, u := range []struct {
		from, size int64
		name       byte
	}{
		{2 * 365 * 86400, 365 * 86400, 'y'},
		{86400, 86400, 'd'},
		{3600, 3600, 'h'},
		{60, 60, 'm'},
	} {
		if s >= u.from {
			return append(strconv.AppendInt(b, s/u.size, 10), u.name)
		}
	}
	return append(strconv.AppendInt(b, s, 10), 's')
}

// Age returns a time by its largest unit, rounded down: 38s, 4m, 9d, 2y.
func Age(d time.Duration) string {
	return string(appendAge(make([]byte, 0, 16), int64(d/time.Second)))
}

// Amount returns n units, shortened by the unit.
func Amount(n int64, u Unit) string { return string(AppendAmount(make([]byte, 0, 26), n, u)) }

// AppendUsed appends used and capacity as a pair: 48 212/92 160.
func AppendUsed(b []byte, a Load, u Unit) []byte {
	b = AppendAmount(b, a.Used, u)
	b = append(b, '/')
	return AppendAmount(b, a.Capacity, u)
}
