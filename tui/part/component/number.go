package component

import (
	"fmt"
	"strconv"
	"time"

	"github.com/placetop/placetop/model/filter"
)

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
	d := strconv.FormatInt(int64(n), 10)
	for i := len(d) - 3; i > 0 && d[i-1] != '-'; i -= 3 {
		d = d[:i] + " " + d[i:]
	}
	return d
}

// Took returns how long something took: "<1 ms", "40 ms", "1.2 s".
func Took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
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

// Amount returns n units, shortened by the unit: 48 212, 64G, 171.2T.
// Sizes go by 1024, with one decimal where they are not whole.
func Amount(n int64, u Unit) string {
	const prefixes = "MGTPE"
	p := 0
	switch u {
	case UnitMB:
	case UnitGB:
		p = 1
	case UnitSeconds:
		return age(n)
	default:
		return big(n)
	}
	sign, v := "", uint64(n)
	if n < 0 {
		sign, v = "-", -v
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
	decimal := ""
	if rest != 0 && whole < 1000 {
		decimal = fmt.Sprintf(".%d", tenths)
	}
	return fmt.Sprintf("%s%d%s%c", sign, whole, decimal, prefixes[p])
}

// big returns a count: in full below ten million, in thousands or millions with one
// decimal above.
func big(n int64) string {
	const ten = 10_000_000
	if n > -ten && n < ten {
		return Count(n)
	}
	unit, prefix := float64(1_000_000), "M"
	if n <= -10_000_000_000 || n >= 10_000_000_000 {
		unit, prefix = 1_000_000_000, "G"
	}
	return strconv.FormatFloat(float64(n)/unit, 'f', 1, 64) + prefix
}

// age returns a time in seconds by its largest unit, rounded down: 4m.
func age(s int64) string {
	sign := ""
	if s < 0 {
		sign, s = "-", -s
	}
	for _, u := range []struct {
		from, size int64
		name       string
	}{
		{2 * 365 * 86400, 365 * 86400, "y"},
		{86400, 86400, "d"},
		{3600, 3600, "h"},
		{60, 60, "m"},
	} {
		if s >= u.from {
			return sign + strconv.FormatInt(s/u.size, 10) + u.name
		}
	}
	return sign + strconv.FormatInt(s, 10) + "s"
}

// Age returns a time by its largest unit, rounded down: 38s, 4m, 9d, 2y.
func Age(d time.Duration) string { return age(int64(d / time.Second)) }

// Used returns used and capacity as a pair: 48 212/92 160.
func Used(a Load, u Unit) string { return Amount(a.Used, u) + "/" + Amount(a.Capacity, u) }
