package audit

import (
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// longestTerm is the longest time that ParseTerm takes: time enough, and far from
// what a time.Duration can hold.
const longestTerm = 100 * 365 * 24 * time.Hour

// ParseTerm reads how long something holds: as time.ParseDuration does, or a whole
// number of days or weeks such as 7d or 2w.
//
// Errors: placement.ErrInvalid, also where it is not more than nothing.
func ParseTerm(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	for unit, size := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			var n uint64
			n, err = strconv.ParseUint(number, 10, 16)
			d = time.Duration(n) * size //nolint:gosec // of 16 bits
		}
	}
	if err != nil || d <= 0 || d > longestTerm {
		return 0, &placement.InvalidError{Field: "time", Value: text, Why: "is none: write it as 12h, 7d or 2w"}
	}
	return d, nil
}

// ParseEnd reads when a Remark that is made now ends: after a term as of ParseTerm,
// at the start of a day such as 2026-12-24, or at a time such as
// 2026-12-24T08:00:00Z.
//
// Errors: placement.ErrInvalid, also where that is past.
func ParseEnd(text string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		var d time.Duration
		d, err = ParseTerm(text)
		at = now.Add(d)
	}
	switch {
	case err != nil:
		return time.Time{}, &placement.InvalidError{Field: "end", Value: text, Why: "is neither a time from now nor a day: give 8h, 7d, 4w, or 2030-12-31"}
	case !at.After(now):
		return time.Time{}, &placement.InvalidError{Field: "end", Value: text, Why: "is over already"}
	}
	return at, nil
}
