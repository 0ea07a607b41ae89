package cloud

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// Moment is the layout of times in sentences, in UTC.
const Moment = "2006-01-02 15:04:05Z"

// FindRevision parses a revision: its number; -3 for three before the newest; or a
// moment, for the newest revision at that time: an age such as 90s, 2h or 7d, a past time
// of day such as 13:58 or 13:58:11, yesterday for a day ago, a date such as 2026-11-23, with or without a time of
// day, or 2026-11-23T13:58:11Z. Times are in UTC. The journal is that of the cloud, and s
// its newest Snapshot.
//
// Errors: placement.ErrInvalid, also for what is still to come; those of RevisionAt.
func FindRevision(ctx context.Context, journal Historian, s *Snapshot, text string, now time.Time) (Revision, error) {
	text = strings.TrimSpace(text)
	newest := s.Revision()
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		if rev := Revision(n); rev <= newest {
			return rev, nil
		}
		return 0, placement.Invalid("revision", text, "does not exist yet: the newest is "+strconv.FormatUint(uint64(newest), 10))
	}
	if ago, ok := strings.CutPrefix(text, "-"); ok {
		if n, err := strconv.ParseUint(ago, 10, 64); err == nil {
			if rev := Revision(n); rev <= newest {
				return newest - rev, nil
			}
			return 0, placement.Invalid("revision", text, "is before the first: the newest is "+strconv.FormatUint(uint64(newest), 10))
		}
	}
	at, err := parseMoment(text, now.UTC())
	if err != nil {
		return 0, err
	}
	if at.After(now) {
		return 0, placement.Invalid("time", text, "is in the future")
	}
	return RevisionAt(ctx, journal, s, at)
}

// parseMoment reads a time in the past.
func parseMoment(text string, now time.Time) (time.Time, error) {
	switch d, err := parseTerm(strings.TrimPrefix(strings.TrimSuffix(text, " ago"), "-")); {
	case d > longestTerm:
		return time.Time{}, placement.Invalid("time", text, "is more than 100 years ago: write it like 10m, 12h or 7d")
	case err == nil && d > 0:
		return now.Add(-d), nil
	}
	if text == "yesterday" {
		return now.AddDate(0, 0, -1), nil
	}
	for _, form := range []string{"15:04", "15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			at = time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
			if at.After(now) {
				at = at.AddDate(0, 0, -1)
			}
			return at, nil
		}
	}
	for _, form := range []string{time.RFC3339, time.DateOnly, "2006-01-02 15:04", time.DateTime, Moment, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, placement.Invalid("moment", text, "is not a time: try 1h, 13:58, yesterday or 2026-11-23")
}

// longestTerm is the longest time that ParseTerm takes, well within what a time.Duration
// can hold.
const longestTerm = 100 * 365 * 24 * time.Hour

// ParseTerm reads a duration as time.ParseDuration does, or a whole number of days or
// weeks such as 7d or 2w.
//
// Errors: placement.ErrInvalid, also if it is not positive, or more than 100 years.
func ParseTerm(text string) (time.Duration, error) {
	switch d, err := parseTerm(text); {
	case d > longestTerm:
		return 0, placement.Invalid("time", text, "is more than 100 years: write it like 12h, 7d or 2w")
	case err == nil && d > 0:
		return d, nil
	}
	return 0, placement.Invalid("time", text, "is not a duration: write it like 12h, 7d or 2w")
}

// parseTerm reads a duration as ParseTerm does, and whatever its size: one that is more
// than a time.Duration can hold is longer than longestTerm.
func parseTerm(text string) (time.Duration, error) {
	unit := strings.TrimLeft(text, "0123456789")
	size, whole := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[unit]
	if !whole {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(text, unit), 10, 64)
	if errors.Is(err, strconv.ErrRange) || n > uint64(longestTerm/size) {
		return longestTerm + 1, nil
	}
	return time.Duration(n) * size, err // it is at most longestTerm
}
