package form

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
)

// counted is a step that counts what it gets.
type counted struct{ got []tea.Msg }

func (*counted) Init() tea.Cmd            { return nil }
func (*counted) Title() string            { return "counted" }
func (*counted) Status() string           { return "" }
func (*counted) Typing() bool             { return false }
func (*counted) Back() (bool, tea.Cmd)    { return false, nil }
func (*counted) View(_, _ int) string     { return "" }
func (*counted) Actions() []action.Action { return nil }
func (c *counted) Update(msg tea.Msg) tea.Cmd {
	c.got = append(c.got, msg)
	return nil
}

// TestHiddenSteps checks that a step that is not shown gets answers that it may wait for, and
// nothing that is about the screen.
func TestHiddenSteps(t *testing.T) {
	t.Parallel()
	hidden, shown := &counted{}, &counted{}
	w := Begin(cloud.Empty(), "", hidden)
	w.Update(NextMsg{Step: shown})
	for _, msg := range []tea.Msg{screen.ResumeMsg{}, screen.MadeMsg{ID: "x"}, tea.WindowSizeMsg{}, tea.KeyMsg{}, "an answer"} {
		w.Update(msg)
	}
	if len(hidden.got) != 1 || hidden.got[0] != tea.Msg("an answer") || len(shown.got) != 5 {
		t.Errorf("the hidden step got %v, the shown one %v", hidden.got, shown.got)
	}
	if all := w.Copies(); len(all) != 1 || all[0].Text != "counted" {
		t.Errorf("%v can be copied", all)
	}
}
