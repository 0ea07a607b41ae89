package owners

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/board"
	"github.com/placetop/placetop/tui/part/list"
)

// age returns the age of a finding, for its cell.
func (p *page) age(f *finding, at list.At) string {
	return p.since.Age(f.Finding, at.Now, p.env.Styles.Glyphs.Ellipsis)
}

// askSince searches the journal for the onsets of the findings.
func (p *page) askSince() tea.Cmd {
	v := p.data.Load()
	if v == nil {
		return nil
	}
	return p.since.Ask(p.env, v.of, v.found)
}

// takeSince handles the result.
func (p *page) takeSince(msg tea.Msg) (bool, tea.Cmd) {
	var found []audit.Finding
	if v := p.data.Load(); v != nil {
		found = v.found
	}
	return p.since.Take(msg, found)
}

// sinceKey orders findings by onset, newest first.
func (p *page) sinceKey(f *finding, _ list.At) list.Key {
	o, ok := p.since.Of(f.Finding)
	return list.Key{Number: float64(o.At().Unix()), None: !ok || o.At().IsZero()}
}

// sinceWords returns the onset of a finding, and its cause.
func (p *page) sinceWords(f audit.Finding, at list.At) []board.Words {
	o, ok := p.since.Of(f)
	switch {
	case !ok && p.since.Fault() != nil:
		return []board.Words{{Token: themes.Warn, Text: p.since.Fault().Error()}}
	case !ok:
		return []board.Words{{Token: themes.Faint, Text: "reading the journal ..."}}
	case o.Event.Revision > 0:
		return []board.Words{{Token: themes.Dim, Text: "for " + o.Age(at.Now) + ": " + strings.TrimSpace(o.Event.Actor+" "+o.Event.Note)}}
	case !o.Before.IsZero():
		return []board.Words{{Token: themes.Dim, Text: "for " + o.Age(at.Now) + ": it is older than the part of the journal read"}}
	}
	return []board.Words{{Token: themes.Dim, Text: "it is older than the journal"}}
}
