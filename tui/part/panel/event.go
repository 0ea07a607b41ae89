package panel

import (
	"strings"
	"time"

	"github.com/placetop/placetop/themes"
)

// VerbToken is the colour of the verb of an event: what is new, what is gone, what changed.
func VerbToken(verb string) themes.Token {
	switch {
	case strings.HasSuffix(verb, "+"):
		return themes.Added
	case strings.HasSuffix(verb, "-"):
		return themes.Removed
	}
	return themes.Changed
}

// Clock returns when something was, in eight cells: the time of day, or the day if that is
// not today.
func Clock(now, at time.Time) string {
	now, at = now.UTC(), at.UTC()
	switch {
	case at.Year() != now.Year():
		return at.Format("Jan 2006")
	case at.YearDay() != now.YearDay():
		return at.Format("Jan _2")
	}
	return at.Format("15:04:05")
}
