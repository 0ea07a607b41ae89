package tui

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// header is the first line: cloud, rights, liveness, problems, revision.
type header struct {
	size    *size
	styles  *style.Styles
	live    *live
	past    *past
	serving bool // a server shows the dashboard
}

// line draws it.
func (h *header) line() string {
	compact := h.size.compact()
	left := []component.Seg{seg(themes.Logo, "placetop")}
	if !compact {
		left[0].Text = " placetop"
	}
	add := func(t themes.Token, text string) {
		left = append(left, seg(themes.Blank, gap(compact)), seg(t, text))
	}
	if h.live.Name != "" {
		add(themes.Strong, h.live.Name)
	}
	if h.size.width >= wideW && h.live.Store != "" {
		left = append(left, seg(themes.Dim, " ("+h.live.Store+")"))
	}
	if s := h.live.snapshot; s != nil && !s.Live() {
		if of := s.Nova().Config().CopyOf(); of != "" && h.size.width < wideW {
			add(themes.Dim, "copy")
		} else if of != "" {
			add(themes.Dim, of)
		}
	}
	if h.live.Cloud != nil {
		if h.live.can() != nil {
			add(themes.ReadOnly, "RO")
		} else {
			add(themes.Writable, "RW")
		}
		add(h.liveness(compact))
		if h.live.follows() && !h.live.closed {
			for _, of := range h.live.link.absent(compact) {
				add(themes.Stale, of)
			}
		}
	}
	return component.Spread(h.styles, h.size.width, left, h.right(compact, h.size.width-h.width(left)-1))
}

// liveness returns whether the data is current, in words.
func (h *header) liveness(compact bool) (themes.Token, string) {
	g := &h.styles.Glyphs
	token, glyph, text := themes.Live, g.Live, "live"
	switch l := h.live; {
	case l.inPast():
		token, glyph, text = themes.Replay, g.NotLive, h.past.label(compact)
	case l.closed:
		token, glyph, text = themes.Stale, g.NotLive, "closed"
	case l.paused:
		token, glyph, text = themes.Replay, g.NotLive, "paused"
		if !compact {
			text += l.link.age()
		}
		if behind := l.newest - min(l.newest, l.snapshot.Revision()); behind > 0 && !compact {
			text += fmt.Sprintf(" +%d", behind)
		}
	case l.link.state() == cloud.Stale, l.link.state() == cloud.Slow:
		token, glyph, text = themes.Stale, g.NotLive, string(l.link.state())+l.link.age()
	case l.link.Doing != "" && l.link.At.IsZero():
		token, glyph, text = themes.Stale, g.NotLive, l.link.Doing
		if compact {
			text = "reading"
		}
	case !compact:
		text += l.link.age()
	}
	if compact {
		return token, text
	}
	return token, glyph + " " + text
}

// right draws what waits for the user, problems, and the revision and time of the
// data, in room cells: without enough room the revision is left out first, then the time.
// A running clock would keep an idle terminal busy; the time of the revision only changes
// when something happens.
func (h *header) right(compact bool, room int) []component.Seg {
	parts := append(h.waiting(compact), h.showing(compact)...)
	for {
		segs := joined(parts, compact)
		if h.width(segs) <= room || len(parts) == 0 {
			return segs
		}
		least := 0
		for i, p := range parts {
			if p.dropOrder >= parts[least].dropOrder {
				least = i
			}
		}
		parts = slices.Delete(parts, least, least+1)
	}
}

// headerPart is a part of the right side of the header. The part with the greatest number
// is left out first.
type headerPart struct {
	component.Seg
	gap       string
	dropOrder int
}

// joined returns parts with what separates them.
func joined(parts []headerPart, compact bool) (segs []component.Seg) {
	for i, p := range parts {
		if i > 0 {
			segs = append(segs, seg(themes.Blank, p.gap))
		}
		segs = append(segs, p.Seg)
	}
	if !compact {
		segs = append(segs, seg(themes.Blank, " "))
	}
	return segs
}

// width returns how many cells texts take.
func (h *header) width(segs []component.Seg) (cells int) {
	for _, s := range segs {
		cells += component.Width(h.styles, s.Text)
	}
	return cells
}

// gap returns a gap that is wide if there is room.
func gap(compact bool) string {
	if compact {
		return " "
	}
	return "  "
}

// waiting returns who the user is and how many others are here, what waits for them, and
// problems.
func (h *header) waiting(compact bool) []headerPart {
	g := &h.styles.Glyphs
	var parts []headerPart
	add := func(dropOrder int, t themes.Token, text string) {
		parts = append(parts, headerPart{seg(t, text), " ", dropOrder})
	}
	if h.live.Who != nil && !compact {
		me, n := h.live.Me, len(h.live.Who())-1
		if n > 0 {
			me += fmt.Sprintf(" and %d more", n)
		}
		if n > 0 || h.serving {
			add(2, themes.Dim, me+" ")
		}
	}
	if c := h.live.reports.shown; h.live.Keeper != nil {
		due := func(n int, t themes.Token, letter, word string) {
			if n > 0 && compact {
				add(2, t, letter+component.Count(n))
			} else if n > 0 {
				add(2, t, component.Count(n)+word)
			}
		}
		due(c.Waiting, themes.Info, "~", " pending ")
		due(len(c.Interrupted), themes.Warn, "u", " unfinished ")
		if c.Critical > 0 {
			add(0, themes.Critical, g.Severities[4]+component.Count(c.Critical))
		}
		if c.Warnings > 0 {
			add(1, themes.Warn, g.Severities[3]+component.Count(c.Warnings))
		}
		if c.Critical+c.Warnings == 0 && c.Of != nil && c.Unread == "" && len(c.Unjudged) == 0 {
			add(1, themes.OK, g.Severities[1])
		}
	}
	return parts
}

// showing returns the revision and time of the data.
func (h *header) showing(compact bool) []headerPart {
	before := gap(compact)
	var parts []headerPart
	if s := h.live.snapshot; s != nil {
		if h.live.inPast() {
			return nil // the liveness has it
		}
		if !compact {
			parts = append(parts, headerPart{seg(themes.Faint, "rev "+component.Count(s.Revision())), before, 4})
		}
		if at := s.At(); !at.IsZero() {
			text := moment(at, h.live.session.Clock(), compact)
			if !compact {
				text = "written " + text // it must not look like a clock
			}
			parts = append(parts, headerPart{seg(themes.Dim, text), before, 3})
		}
	}
	return parts
}

// moment formats a time in UTC, with the day unless it is today.
func moment(at, now time.Time, compact bool) string {
	at, now = at.UTC(), now.UTC()
	sameDay := at.Year() == now.Year() && at.YearDay() == now.YearDay()
	switch {
	case compact && sameDay:
		return at.Format("15:04")
	case compact:
		return at.Format("01-02")
	case sameDay:
		return at.Format("15:04:05Z")
	default:
		return at.Format("2006-01-02 15:04Z")
	}
}
