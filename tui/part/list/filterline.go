package list

import (
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// FilterEvent is what a key did to a FilterLine.
type FilterEvent uint8

// The events.
const (
	FilterNone    FilterEvent = iota // nothing that matters outside
	FilterChanged                    // another filter was parsed: the list must follow
	FilterKept                       // enter: following keys apply to the rows that pass
	FilterUndone                     // esc: restore what there was before Open
)

// FilterLine is the line below a list for typing its filter. The list follows each key.
// An invalid filter leaves the list as it is; the line says what is wrong and stays open.
// The zero value is closed and ready.
type FilterLine struct {
	prompt  *component.Prompt // nil when closed
	history []string          // entered filters, oldest first

	// Suggest completes what is typed; nil for nothing.
	Suggest func(text string) []string
	fault   error // what is wrong with the one being typed

	// Chooses is set where enter chooses the row under the cursor, too.
	Chooses bool
}

// Open opens the line with the current filter.
func (f *FilterLine) Open(st *style.Styles, expr string) {
	f.fault, f.Chooses = nil, false
	f.prompt = component.NewPrompt(st, "/")
	f.prompt.Suggest = f.Suggest
	f.prompt.SetHistory(f.history)
	f.prompt.SetSelected(expr)
}

// Refuse opens the line with an invalid filter, and says why.
func (f *FilterLine) Refuse(st *style.Styles, expr string, fault error) {
	f.Open(st, expr)
	f.prompt.SetValue(expr) // to be corrected, not retyped
	f.fault = fault
}

// Typing reports whether the line is open: then it gets all keys.
func (f *FilterLine) Typing() bool { return f.prompt != nil }

// Key handles a key. It calls read with each new filter; if read returns an error it must
// have changed nothing.
func (f *FilterLine) Key(msg tea.KeyMsg, read func(expr string) error) FilterEvent {
	switch f.prompt.Key(msg) {
	case component.PromptSubmit:
		if f.fault == nil {
			f.history, f.prompt = f.prompt.History(), nil
			return FilterKept
		}
	case component.PromptCancel:
		f.prompt, f.fault = nil, nil
		return FilterUndone
	case component.PromptChanged:
		f.prompt.SetNote(themes.Faint, "")
		if f.fault = read(f.prompt.Value()); f.fault == nil {
			return FilterChanged
		}
	case component.PromptNone:
	}
	return FilterNone
}

// Matched shows in the line how many rows match.
func (f *FilterLine) Matched(n int) {
	if f.prompt != nil && f.fault == nil {
		keys := "   enter keep  esc undo"
		if f.Chooses {
			keys = "   enter choose  esc undo"
		}
		if all, _ := f.prompt.Suggestions(); len(all) > 0 {
			keys = "   tab complete" + keys
		}
		f.prompt.SetNote(themes.Faint, component.Count(n)+keys)
	}
}

// View returns the list, and the line below it if it is open.
func (f *FilterLine) View(st *style.Styles, w, h int, list func(w, h int) string) string {
	if f.prompt == nil || h < 2 {
		return list(w, h)
	}
	below := []string{f.prompt.View(w)}
	if f.fault != nil && h >= 3 {
		parts := component.Wrap(st, f.faultText(), w-2)
		if most := max(h/3, 1); len(parts) > most {
			parts = append(parts[:most-1], strings.Join(parts[most-1:], " ")) // it is cut
		}
		for _, part := range parts {
			below = append(below, component.NewLine(st, w).Space(1).Add(themes.Critical, part).String())
		}
	}
	return list(w, h-len(below)) + "\n" + strings.Join(below, "\n")
}

// faultText says what is wrong with the filter, after the column, counted from the sign
// at the start of the line.
func (f *FilterLine) faultText() string {
	var fe *filter.Error
	if errors.As(f.fault, &fe) && fe.Hint != "" {
		return fmt.Sprintf("column %d: %s; %s", fe.Col, fe.What, fe.Hint)
	}
	return f.fault.Error()
}
