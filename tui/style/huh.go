package style

import (
	"github.com/charmbracelet/bubbles/help"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/lipgloss"

	"github.com/placetop/placetop/themes"
)

// HuhTheme returns the look of forms. Every style in it belongs to the
// session's renderer: huh's own themes belong to that of the process, which
// over SSH is the server's terminal.
func HuhTheme(s *Styles) *huh.Theme {
	g := s.Glyphs
	plain := s.NewStyle()
	sign := func(t themes.Token, text string) lipgloss.Style { return s.Lipgloss(t).SetString(text) }

	f := huh.FieldStyles{
		Base: s.NewStyle().PaddingLeft(1).
			Border(lipgloss.Border{Left: g.Vertical}, false, false, false, true),
		Title:          s.Lipgloss(themes.Title),
		Description:    s.Lipgloss(themes.Dim),
		ErrorIndicator: sign(themes.Critical, " "+g.Severities[SeverityCritical]),
		ErrorMessage:   s.Lipgloss(themes.Critical),

		SelectSelector: sign(themes.Gutter, g.RowCursor+" "),
		Option:         s.Lipgloss(themes.Text),
		NextIndicator:  sign(themes.Accent, ">").MarginLeft(1),
		PrevIndicator:  sign(themes.Accent, "<").MarginRight(1),

		Directory: s.Lipgloss(themes.Accent),
		File:      s.Lipgloss(themes.Text),

		MultiSelectSelector: sign(themes.Gutter, g.RowCursor+" "),
		SelectedOption:      s.Lipgloss(themes.Marked),
		SelectedPrefix:      sign(themes.Marked, "["+g.RowMark+"] "),
		UnselectedOption:    s.Lipgloss(themes.Text),
		UnselectedPrefix:    sign(themes.Dim, "[ ] "),

		TextInput: huh.TextInputStyles{
			Cursor:      s.Lipgloss(themes.Cursor),
			CursorText:  s.Lipgloss(themes.Input),
			Placeholder: s.Lipgloss(themes.Ghost),
			Prompt:      s.Lipgloss(themes.PromptSign),
			Text:        s.Lipgloss(themes.Input),
		},

		FocusedButton: s.Lipgloss(themes.ButtonOn).Padding(0, 2).MarginRight(1),
		BlurredButton: s.Lipgloss(themes.Button).Padding(0, 2).MarginRight(1),

		NoteTitle: s.Lipgloss(themes.Title).MarginBottom(1),
		Next:      s.Lipgloss(themes.ButtonOn).Padding(0, 2).MarginRight(1),
	}
	edge := s.Lipgloss(themes.BorderFocus)
	f.Base = f.Base.BorderForeground(edge.GetForeground())
	f.Card = f.Base

	b := f
	b.Base = s.NewStyle().PaddingLeft(2)
	b.Card = b.Base
	b.Title = s.Lipgloss(themes.Dim)
	b.MultiSelectSelector = s.NewStyle().SetString("  ")
	b.SelectSelector = s.NewStyle().SetString("  ")
	b.NextIndicator, b.PrevIndicator = plain, plain
	b.FocusedButton = f.BlurredButton
	b.TextInput.Cursor, b.TextInput.CursorText = plain, plain

	return &huh.Theme{
		Form:           huh.FormStyles{Base: plain},
		Group:          huh.GroupStyles{Base: plain, Title: s.Lipgloss(themes.Title), Description: s.Lipgloss(themes.Dim)},
		FieldSeparator: s.NewStyle().SetString("\n\n"),
		Focused:        f,
		Blurred:        b,
		Help:           HelpStyles(s),
	}
}

// HelpStyles returns the look of the key hints that bubbles draws.
func HelpStyles(s *Styles) help.Styles {
	sep := s.Lipgloss(themes.Faint)
	keyStyle, desc := s.Lipgloss(themes.Key), s.Lipgloss(themes.KeyHint)
	return help.Styles{
		Ellipsis:       sep,
		ShortKey:       keyStyle,
		ShortDesc:      desc,
		ShortSeparator: sep,
		FullKey:        keyStyle,
		FullDesc:       desc,
		FullSeparator:  sep,
	}
}
