package pulses

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
)

// line is an event in a few words.
type line struct {
	at    time.Time
	actor string
	kinds.EventSummary
}

// describe returns an event in words.
func describe(s *cloud.Snapshot, ev cloud.Event) line {
	return line{at: ev.At.UTC(), actor: ev.Actor, EventSummary: kinds.Summarize(s, &ev)}
}
