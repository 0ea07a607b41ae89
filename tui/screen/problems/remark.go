package problems

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// remarks returns what operators can write down about a row: that they know of it,
// or that they do not want to hear of its rule; and that they do again.
func (s *Screen) remarks(h list.Here[row]) []action.Action {
	know := action.Action{ID: "problems.acknowledge", Many: true, Keys: []string{"A"}, Title: "acknowledge", Help: "say that it is known, why, and until when; of what is acknowledged, take that back", Priority: 80, Writes: []intent.Op{operator.Acknowledge{}, operator.Unacknowledge{}}}
	mute := action.Action{ID: "problems.mute", Keys: []string{"M"}, Title: "mute rule", Help: "keep all that the rule finds quiet, until when you say; a muted rule is unmuted", Priority: 70, Writes: []intent.Op{operator.MuteRule{}, operator.UnmuteRule{}}}
	if h.Nothing == "" {
		if h.Row.first().Acknowledgement != nil && h.Row.state() == acknowledged {
			know.Title = "take back"
		}
		if h.Row.first().Mute != nil {
			mute.Title = "unmute rule"
		}
	}
	return []action.Action{
		h.About(know, func(r row) tea.Msg { return s.acknowledge(h) }),
		h.About(mute, func(r row) tea.Msg {
			if r.first().Mute != nil {
				return screen.PushMsg{Screen: NewUnmute(s.env, s.snap, r.rule.ID)}
			}
			return screen.PushMsg{Screen: NewMute(s.env, s.snap, r.rule)}
		}),
	}
}

// acknowledge opens the form that acknowledges what is marked. Where all of it is
// acknowledged already, it opens the page that takes that back.
func (s *Screen) acknowledge(h list.Here[row]) tea.Msg {
	found, why := marked(h)
	if why != "" {
		return screen.ToastMsg{Severity: style.SeverityWarn, Text: why}
	}
	var held []*operator.Acknowledgement
	for _, f := range found {
		if f.Acknowledgement != nil && f.Lapse == audit.InForce {
			held = append(held, f.Acknowledgement)
		}
	}
	what := about(s.snap, found)
	if len(held) == len(found) {
		return screen.PushMsg{Screen: NewUnacknowledge(s.env, s.snap, what, held)}
	}
	return screen.PushMsg{Screen: NewAcknowledge(s.env, s.snap, what, audit.Findings(found))}
}
