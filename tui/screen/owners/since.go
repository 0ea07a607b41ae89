package owners

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/board"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/onset"
	"github.com/placetop/placetop/tui/screen"
)

// since is since when the findings about owners stand, as far as the journal was
// asked.
type since struct {
	known onset.Known
	asks  screen.Task[onset.Answers]
	told  onset.Answers // the last
	of    *survey       // that they are about
	done  *survey       // of which all is known that can be
}

// take keeps what the journal said, and reports whether a message brought that.
func (s *since) take(msg tea.Msg, v *survey) (bool, tea.Cmd) {
	got, ok, next := s.asks.Take(msg)
	if ok {
		s.told = got
		s.known.Learn(got.Begun, v.found)
	}
	return ok, next
}

// ask has the journal asked about what is not known, piece by piece with rests
// between.
func (s *since) ask(env screen.Env, v *survey) tea.Cmd {
	if v == nil || v == s.done || s.asks.Busy() {
		return nil
	}
	unknown := s.known.Unknown(v.found)
	if len(unknown) == 0 || v == s.of && s.told.Fault != nil {
		s.done = v
		return nil
	}
	s.of = v
	q := onset.Inquiry{Of: v.of, Found: unknown, Read: s.told.Recent}
	return s.asks.Follow(env.Context, func(ctx context.Context) onset.Answers { return q.Ask(ctx, env) })
}

// age returns since when a finding stands, for its cell: an ellipsis while that is
// being found out, "-" where the journal cannot be read.
func (p *page) age(f finding, at list.At) string {
	o, ok := p.since.known.Of(f.Finding)
	switch {
	case ok:
		return o.Age(at.Now)
	case p.since.told.Fault != nil:
		return "-"
	}
	return p.env.Styles.Glyphs.Ellipsis
}

// sinceKey orders findings by since when they stand, the newest first.
func (p *page) sinceKey(f finding, _ list.At) list.Key {
	o, ok := p.since.known.Of(f.Finding)
	return list.Key{Number: float64(o.At().Unix()), None: !ok || o.At().IsZero()}
}

// sinceWords says since when a finding stands, and what brought it about.
func (p *page) sinceWords(f audit.Finding, at list.At) []board.Words {
	o, ok := p.since.known.Of(f)
	switch {
	case !ok && p.since.told.Fault != nil:
		return []board.Words{{Token: themes.Warn, Text: p.since.told.Fault.Error()}}
	case !ok:
		return []board.Words{{Token: themes.Faint, Text: "reading the journal ..."}}
	case o.Event.Revision > 0:
		return []board.Words{{Token: themes.Dim, Text: "for " + o.Age(at.Now) + ": " + strings.TrimSpace(o.Event.Actor+" "+o.Event.Note)}}
	case !o.Before.IsZero():
		return []board.Words{{Token: themes.Dim, Text: "for " + o.Age(at.Now) + ": it is older than what was read of the journal"}}
	}
	return []board.Words{{Token: themes.Dim, Text: "it is older than the journal"}}
}
