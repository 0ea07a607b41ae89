package versioned

import "time"

// Millis returns t as records keep it: in milliseconds since 1970, 0 for the zero
// time.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the inverse of Millis: the time that a record keeps, in UTC, and the zero
// time for 0. A time outside the years 0 to 9999, which JSON has no way to write,
// counts as unknown and gives the zero time.
func Time(ms int64) time.Time {
	if ms == 0 || ms < firstMilli || ms > lastMilli {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
