package problems

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

func (s *Screen) actions(h list.Here[*row]) []action.Action {
	enter := action.Action{ID: "problems.open", Keys: "enter", Title: "subject", Help: "open the subject of the problem; unfold a rule", Priority: 95, Disabled: h.Nothing, Request: func() tea.Msg {
		return screen.Goto{To: subjectPlace(h.Snap, h.Row.first().Finding)}
	}}
	if h.List.Fold() != component.FoldLeaf && len(h.Row.found) > 1 {
		enter.Request, enter.Run = nil, h.List.Unfold
		enter.Title = "unfold"
		if h.List.Fold() == component.FoldOpen {
			enter.Title = "fold"
		}
	}
	show := "show muted"
	if s.quiet.Load() {
		show = "hide muted"
	}
	return append([]action.Action{
		enter,
		s.fixing(h),
		h.List.OwnerKey("problems", 40),
		{ID: "problems.quiet", Keys: ".", Title: show, Help: "show or hide what was acknowledged or muted", Priority: 60, Run: func() tea.Cmd {
			s.quiet.Store(!s.quiet.Load())
			return s.Remake()
		}},
		h.About(action.Action{ID: "problems.copy", Keys: "c", Title: "copy", Help: "copy what is wrong"}, func(r *row) tea.Msg {
			return screen.CopyMsg{What: "what is wrong", Text: rowText(h.Snap, r)}
		}),
	}, s.remarks(h)...)
}

// Copies implements screen.Copier: what is wrong, and the command that repairs it.
func (s *Screen) Copies() []screen.CopyMsg {
	at, r, ok := list.Current[*row](&s.Screen)
	if !ok {
		return nil
	}
	return append([]screen.CopyMsg{
		{What: "text for a ticket", Text: rowText(at.Snap, r)},
		{What: "command that repairs", Text: "placetop check --fix --dry-run --only " + string(r.rule.ID)},
	}, s.Screen.Copies()...)
}

// rowText returns a row as text, a line for each finding.
func rowText(snap *cloud.Snapshot, r *row) string {
	lines := make([]string, len(r.found))
	for i, f := range r.found {
		lines[i] = strings.Join([]string{r.rule.Severity.String(), string(r.rule.ID), r.rule.Title, panel.FindingSubject(snap, f.Finding), f.Text}, "\t")
	}
	return strings.Join(lines, "\n")
}

// subjectPlace returns the place of a finding's subject.
func subjectPlace(snap *cloud.Snapshot, f audit.Finding) place.Place {
	switch {
	case f.Service != "":
		return place.Services{Filter: filter.Is("host", f.Service)}
	case !f.Consumer.IsZero():
		if _, ok := snap.Nova().Migration(f.Consumer); ok {
			return place.Migrations{Filter: "uuid=" + f.Consumer.String()}
		}
		if i, ok := snap.Nova().Instance(f.Consumer); ok && i.Live() {
			return place.Instance{ID: f.Consumer}
		}
		return place.Consumer{ID: f.Consumer}
	case !f.Provider.IsZero():
		return place.Provider{ID: f.Provider}
	default:
		// A trait that flavors require.
		return place.Flavors{Filter: "spec:" + f.Subject}
	}
}

// marked returns the marked findings, or those of the row under the cursor, without
// duplicates; for a rule the open ones, or all if none is open. If there are none it
// returns why.
func marked(h list.Here[*row]) (out []audit.AnnotatedFinding, why string) {
	rows, why := list.Chosen(h)
	seen := map[string]bool{}
	for _, r := range rows {
		for _, f := range r.found {
			if !r.one && r.open > 0 && stateOf(f) != open {
				continue
			}
			if id := f.ID(); !seen[id] {
				seen[id] = true
				out = append(out, f)
			}
		}
	}
	return out, why
}

// about names findings for the title of a page.
func about(snap *cloud.Snapshot, found []audit.AnnotatedFinding) string {
	f := found[0]
	if len(found) == 1 {
		return string(f.Rule) + " " + panel.FindingSubject(snap, f.Finding)
	}
	return string(f.Rule) + " of " + component.Plural(len(found), "subject")
}
