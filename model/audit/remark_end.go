package audit

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// ParseEnd reads when a Remark made now ends: after a duration as in cloud.ParseTerm,
// at the start of a day such as 2026-12-24, or at a time such as 2026-12-24T08:00:00Z.
//
// Errors: placement.ErrInvalid, also for a past time.
func ParseEnd(text string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		var d time.Duration
		d, err = cloud.ParseTerm(text)
		at = now.Add(d)
	}
	switch {
	case err != nil:
		return time.Time{}, placement.Invalid("end", text, "is neither a duration nor a date: give 8h, 7d, 4w, or 2030-12-31")
	case !at.After(now):
		return time.Time{}, placement.Invalid("end", text, "is already over")
	}
	return at, nil
}
