package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// defaultEvents is how many events are listed unless told otherwise.
const defaultEvents = 100

// eventRow is one revision of the journal as it is printed.
type eventRow struct {
	Revision cloud.Revision `json:"revision"`
	At       *time.Time     `json:"at"`
	Actor    string         `json:"actor"`
	Note     string         `json:"note"`
	Changes  []changeRow    `json:"changes"`
	Omitted  int            `json:"omitted,omitempty"` // changes that the journal has forgotten
}

// changeRow is one record before and after.
type changeRow struct {
	Kind   versioned.Kind   `json:"kind"`
	Title  string           `json:"record"`
	Before versioned.Record `json:"before"`
	After  versioned.Record `json:"after"`
}

func eventsKind() kind {
	return kind{
		name: "events", aliases: []string{"event", "ev", "journal"},
		short:   "Events: the journal of who changed what, newest first",
		what:    "the number of a revision",
		filters: []string{byLimit},
		limit:   defaultEvents,
		print: func(q query) error {
			ask := cloud.EventQuery{Limit: q.by.limit}
			if ask.Limit == 0 {
				ask.Limit = math.MaxInt
			}
			if q.name != "" {
				n, err := strconv.ParseUint(q.name, 10, 64)
				if err != nil || n == 0 {
					return usageErrorf(`list them with "placetop get events"`, "revision %q is no number from 1", q.name)
				}
				ask = cloud.EventQuery{Until: cloud.Revision(n), Limit: 1}
			}
			events, err := q.store.Events(q.ctx, ask)
			if err != nil {
				return err
			}
			if q.name != "" && (len(events) == 0 || events[0].Revision != ask.Until) {
				return &placement.NotFoundError{What: "revision", Name: q.name + " of the journal"}
			}
			rows := make([]eventRow, len(events))
			for i, ev := range events {
				rows[i] = newEventRow(ev)
			}
			return list(q, "events", eventColumns(), rows)
		},
	}
}

func newEventRow(ev cloud.Event) eventRow {
	r := eventRow{Revision: ev.Revision, At: known(ev.At), Actor: ev.Actor, Note: ev.Note, Changes: []changeRow{}, Omitted: ev.Omitted}
	for _, c := range ev.Changes {
		r.Changes = append(r.Changes, changeRow{Kind: c.Kind(), Title: c.Title(), Before: c.Before, After: c.After})
	}
	return r
}

func eventColumns() []column[eventRow] {
	return []column[eventRow]{
		number("revision", func(r eventRow) int64 { return int64(r.Revision) }),
		text("at", func(r eventRow) string { return stamp(r.At) }),
		text("actor", func(r eventRow) string { return r.Actor }),
		number("changes", func(r eventRow) int64 { return int64(len(r.Changes) + r.Omitted) }),
		text("note", func(r eventRow) string { return r.Note }),
		wide(text("records", func(r eventRow) string {
			var titles []string
			for _, c := range r.Changes {
				titles = append(titles, c.Title)
			}
			return strings.Join(titles, ", ")
		})),
	}
}
