package page

import (
	"context"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// history is what the journal says about the thing of a screen, as its key H shows it: read
// in the background while there is room for it.
type history struct {
	reads screen.Task[*subjectHistory]
	until *cloud.Snapshot // up to which it was last read, or is being read
	subjectHistory
}

// subjectHistory is the events about one thing among the newest of the journal.
type subjectHistory struct {
	read  screen.Recent
	about []*cloud.Event // newest first
}

// historyPart is the section with the history of the thing.
func historyPart[T any](h *history) Part[T] {
	p := Table("HISTORY", list.EventColumns(), func(T, list.At) []*cloud.Event { return h.about },
		func(ev *cloud.Event) string { return strconv.FormatUint(uint64(ev.Revision), 10) },
		func(ev *cloud.Event) place.Place { return place.Event{Revision: ev.Revision} })
	p.titled = func(T, list.At) string {
		title := "HISTORY " + component.Count(len(h.about))
		if n := len(h.read.Events); n == screen.RecentEvents {
			title += " among the newest " + component.Count(n) + " events"
		}
		if h.read.Fault != nil && len(h.about) > 0 {
			title += "   " + h.read.Fault.Error()
		}
		return title
	}
	feed, section := p.feed, p.section
	p.feed = func(thing T, at list.At) int {
		row, _ := section.Grid.Cursor()
		n := feed(thing, at)
		if row <= 0 && section.Grid.Blurred {
			section.Grid.MoveToRow(0) // the newest are in view
		}
		if section.Told = h.read.Fault != nil; section.Told {
			section.Grid.Empty = component.Seg{Token: themes.Warn, Text: h.read.Fault.Error()}
		}
		return n
	}
	return p.Late()
}

// AfterView implements screen.AfterViewer: it reads the journal on, up to the Snapshot that
// is shown, where there is room for a history.
func (s *Screen[T]) AfterView() tea.Cmd {
	if s.past == nil || s.lost != "" || !s.page.roomy || s.past.until == s.snap {
		return nil
	}
	s.past.until = s.snap
	env, of, known := s.env, s.described(), s.past.read
	return s.past.reads.Follow(env.Context, func(ctx context.Context) *subjectHistory {
		return historyOf(of, env.ReadOn(ctx, of.At.Snap.Revision(), known, screen.RecentEvents, screen.RecentWhole))
	})
}

// historyOf returns the events about a thing among those that were read.
func historyOf(of panel.Subject, read screen.Recent) *subjectHistory {
	out := &subjectHistory{read: read}
	rows := make([]kinds.Row, len(read.Events))
	for i := range read.Events {
		rows[i] = &read.Events[i]
	}
	about, err := filter.Compile(of.Journal(), kinds.Of(kinds.Events).Fielded(of.At, rows))
	if err != nil {
		return out // a name that no filter can have
	}
	for i := range rows {
		if about.Match(i, "") {
			out.about = append(out.about, &read.Events[i])
		}
	}
	return out
}
