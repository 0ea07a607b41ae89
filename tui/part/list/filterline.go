package list

import (
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
)

// filterLine is the line below a list for typing its filter. The list follows each key.
// An invalid filter leaves the list as it is; the line says what is wrong and stays open.
type filterLine struct {
	prompt  *component.Prompt // nil when closed
	history []string          // entered filters, oldest first
	fault   error             // what is wrong with the one being typed
	before  wish              // to return to when it is cancelled
	at      string            // the row under the cursor, then
	chooses bool              // enter chooses the row under the cursor, too
}

// openLine opens the filter line.
func (s *Screen) openLine() {
	p := component.NewPrompt(s.env.Styles, "/")
	p.Suggest = s.complete
	p.SetHistory(s.line.history)
	p.SetSelected(s.wish.expr)
	s.line = filterLine{prompt: p, history: s.line.history, before: s.wish, at: s.CursorID()}
}

// prepare returns the command that makes what a filter searches while its first letter is
// being typed, which would else wait for that.
func (s *Screen) prepare() tea.Cmd {
	if s.src == nil {
		return nil
	}
	ctx, form, table, at := s.env.Context, s.form, s.src.table, s.src.at
	return func() tea.Msg {
		table.searched(ctx, form, at)
		return nil
	}
}

// refuse opens the line with an invalid filter, and says why.
func (s *Screen) refuse(expr string, fault error) {
	s.openLine()
	s.line.prompt.SetValue(expr) // to be corrected, not retyped
	s.line.fault = fault
}

// lineKey handles a key for the filter line. The list follows what is typed.
func (s *Screen) lineKey(msg tea.KeyMsg) tea.Cmd {
	l := &s.line
	if key := component.ListKey(msg); s.form.Picks && key != "" {
		s.grid.Key(key)
		s.moved()
		return nil
	}
	switch l.prompt.Key(msg) {
	case component.PromptChanged:
		l.prompt.SetNote(themes.Faint, "")
		if l.fault = s.setFilter(l.prompt.Value()); l.fault == nil {
			return s.request()
		}
	case component.PromptSubmit:
		if l.fault == nil {
			l.history, l.prompt = l.prompt.History(), nil
			return s.entered()
		}
	case component.PromptCancel:
		l.prompt, l.fault = nil, nil
		if s.wish != l.before {
			s.wish, s.open.found = l.before, nil
			return s.request()
		}
	case component.PromptNone:
	}
	return nil
}

// entered has the following keys apply to the rows that pass the filter.
func (s *Screen) entered() (cmd tea.Cmd) {
	if s.src == nil || s.src.wish != s.wish { // the next key must not apply to a row of the previous list
		cmd = s.now(false)
	}
	if s.wish.expr != s.line.before.expr {
		if s.CursorID() != s.line.at && !s.form.Picks { // its row is gone
			s.grid.MoveToRow(0)
			s.toMatch()
		}
		s.toBest()
	}
	if s.line.chooses {
		s.choose()
	}
	return cmd
}

// sayMatched shows in the line how many rows match.
func (s *Screen) sayMatched() {
	l := &s.line
	if l.prompt == nil || l.fault != nil {
		return
	}
	keys := "   enter keep  esc undo"
	if l.chooses {
		keys = "   enter choose  esc undo"
	}
	if all, _ := l.prompt.Suggestions(); len(all) > 0 {
		keys = "   tab complete" + keys
	}
	l.prompt.SetNote(themes.Faint, component.Count(s.matched())+keys)
}

// lineView returns the line, and what is wrong with the filter, on at most h lines of w cells;
// nothing if it is closed.
func (s *Screen) lineView(w, h int) []string {
	l, st := &s.line, s.env.Styles
	if l.prompt == nil || h < 2 {
		return nil
	}
	below := []string{l.prompt.View(w)}
	if l.fault != nil && h >= 3 {
		parts := component.Wrap(st, l.faultText(), w-2)
		if most := max(h/3, 1); len(parts) > most {
			parts = append(parts[:most-1], strings.Join(parts[most-1:], " ")) // it is cut
		}
		for _, part := range parts {
			below = append(below, component.NewLine(st, w).Space(1).Add(themes.Critical, part).String())
		}
	}
	return below
}

// faultText says what is wrong with the filter, after the column, counted from the sign
// at the start of the line.
func (l *filterLine) faultText() string {
	var fe *filter.Error
	if errors.As(l.fault, &fe) && fe.Hint != "" {
		return fmt.Sprintf("column %d: %s; %s", fe.Col, fe.What, fe.Hint)
	}
	return l.fault.Error()
}
