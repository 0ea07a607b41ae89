package problems

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// remarks returns what operators can note about a row: acknowledge it, mute its rule, or
// withdraw that. One key opens it, as the form asks which of the two.
func (s *Screen) remarks(h list.Here[*row]) []action.Action {
	know := action.Action{
		ID: "problems.acknowledge", Many: true, Keys: "A", Title: "acknowledge", Priority: 80,
		Help:   "silence it, or its whole rule, with why and until when; or undo that",
		Writes: []intent.Op{operator.Acknowledge{}, operator.Unacknowledge{}, operator.MuteRule{}, operator.UnmuteRule{}},
	}
	if h.Nothing == "" {
		switch f := h.Row.first(); {
		case f.Mute != nil:
			know.Title = "unmute rule"
		case f.Acknowledgement != nil && h.Row.state() == acknowledged:
			know.Title = "withdraw"
		}
	}
	return []action.Action{h.About(know, func(*row) tea.Msg { return s.acknowledge(h) })}
}

// acknowledge opens the form that acknowledges the marked findings. If all are silenced
// already, it opens the page that withdraws that.
func (s *Screen) acknowledge(h list.Here[*row]) tea.Msg {
	found, why := marked(h)
	if why != "" {
		return screen.Warning(why)
	}
	if mute := found[0].Mute; mute != nil {
		return screen.PushMsg{Screen: NewUnmute(s.env, s.snap, found[0].Rule)}
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
	return screen.PushMsg{Screen: NewAcknowledge(s.env, s.snap, what, h.Row.rule, audit.Findings(found))}
}
