package audit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/placement"
)

func TestParseEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"90m":                  now.Add(90 * time.Minute),
		"8h":                   now.Add(8 * time.Hour),
		"7d":                   now.Add(7 * 24 * time.Hour),
		"2w":                   now.Add(14 * 24 * time.Hour),
		"2026-12-24":           time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC),
		"2026-12-24T08:00:00Z": time.Date(2026, 12, 24, 8, 0, 0, 0, time.UTC),
		"":                     {}, "soon": {}, "d": {}, "-1d": {}, "0h": {}, "7": {}, "99999w": {}, "1.5d": {},
		"2026-11-20": {}, "2026-13-01": {}, "9999999h": {},
	} {
		got, err := audit.ParseEnd(text, now)
		if !got.Equal(want) || errors.Is(err, placement.ErrInvalid) != want.IsZero() {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}
