package sections

import (
	"context"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/describe"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// history is what the journal says about the thing of a screen, as its key H shows it: read
// in the background, and shown where there is room.
type history struct {
	reads screen.Task[pastOf]
	pastOf
}

// pastOf is the events about one thing among the newest of the journal.
type pastOf struct {
	read  screen.Recent
	about []*cloud.Event // newest first
}

// historyPart is the section with the history of the thing.
func historyPart[T any](h *history) Part[T] {
	p := Table("HISTORY", list.EventColumns(), func(T, list.At) []*cloud.Event { return h.about },
		func(ev *cloud.Event) string { return strconv.FormatUint(uint64(ev.Revision), 10) },
		func(ev *cloud.Event) tea.Msg { return screen.Goto{To: place.Event{Revision: ev.Revision}} },
	).Titled(func(T, list.At) string {
		title := "HISTORY " + component.Count(int64(len(h.about)))
		if n := len(h.read.Events); n == screen.RecentEvents {
			title += " among the newest " + component.Count(int64(n)) + " events"
		}
		return title
	})
	p.late = true
	return p
}

// readHistory reads the journal on, up to the Snapshot that is shown.
func (s *Screen[T]) readHistory() tea.Cmd {
	if s.past == nil || s.lost != "" {
		return nil
	}
	env, of, known := s.env, s.described(), s.past.read
	return s.past.reads.Follow(env.Context, func(ctx context.Context) pastOf {
		read := env.ReadOn(ctx, of.At.Snap.Revision(), known, screen.RecentEvents, screen.RecentWhole)
		return pastOf{read, eventsAbout(of, read.Events)}
	})
}

// eventsAbout returns the events that changed records of a thing.
func eventsAbout(of describe.Thing, events []cloud.Event) []*cloud.Event {
	kind := kinds.Of(kinds.Events)
	rows := make([]kinds.Row, len(events))
	for i := range events {
		rows[i] = &events[i]
	}
	about, err := filter.Compile(describe.Records(of), kind.Fielded(of.At, rows))
	if err != nil {
		return nil // a name that no filter can have
	}
	var out []*cloud.Event
	for i := range events {
		if about.Match(i, "") {
			out = append(out, &events[i])
		}
	}
	return out
}
