package owners

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// finding is a row of the problems that need a human.
type finding struct{ audit.Finding }

// subject returns what the finding is about, for a provider with its host.
func (f *finding) subject(at list.At) string {
	p, ok := at.Snap.Placement().Provider(f.Provider)
	if !ok || !f.Consumer.IsZero() || p.IsRoot() {
		return f.Subject
	}
	return at.Snap.Placement().Root(p).Name() + "/" + panel.ShortName(at.Snap.Placement(), p)
}

// owner returns the owner of the provider; false if the finding is not about one.
func (f *finding) owner(at list.At) (placement.Owner, bool) {
	p, ok := at.Snap.Placement().Provider(f.Provider)
	if !ok || !f.Consumer.IsZero() {
		return placement.OwnedByNone, false
	}
	return at.Snap.Placement().Owner(p), true
}

func (f *finding) ownerWord(at list.At) string {
	if o, ok := f.owner(at); ok {
		return o.String()
	}
	return ""
}

// drawWhy draws what the rule looks for, and what it found, in short where a sentence
// would be cut.
func drawWhy(l *component.Line, f *finding, _ list.At) {
	title := audit.RuleOf(f.Finding).Title + ": "
	short := title + f.Short()
	if component.Width(l.Styles(), short) > l.Left() {
		short = f.Short()
	}
	l.AddFitting(themes.Text, title+f.Text, short)
}

// findings is the list of problems with owners.
func (s *Screen) findings() *list.Screen {
	return list.New(list.Spec[*finding]{
		Name: "owner-findings", Thing: "finding",
		Rows: func(context.Context, *cloud.Snapshot) []*finding {
			var rows []*finding
			for _, f := range s.data.Load().found {
				rows = append(rows, &finding{f})
			}
			return rows
		},
		ID: func(f *finding) string { return f.ID() },
		Text: func(f *finding) string {
			return f.Subject + " " + f.Text + " " + string(f.Rule)
		},
		Columns: list.Show("subject:16-34+2~ owner=OWN rule:6 what=WHY:15+5", "owner rule", list.Cells[*finding]{
			"owner": list.OwnerCell((*finding).owner),
			"what":  drawWhy,
			"rule": func(l *component.Line, f *finding, _ list.At) {
				l.Add(panel.Severity(f.Severity).Token(), string(f.Rule))
			},
		}),
		Orders: []list.Order[*finding]{
			{Name: "worst", Column: "rule", Key: func(f *finding, _ list.At) list.Key {
				return list.Key{Number: -float64(f.Severity), Text: string(f.Rule)}
			}},
			{Name: "subject"},
			{Name: "owner"},
		},
		Fields: []*kinds.Field{
			kinds.TextField("owner", (*finding).ownerWord),
			kinds.TextField("rule", func(f *finding, _ list.At) string { return string(f.Rule) }),
			kinds.TextField("severity", func(f *finding, _ list.At) string { return f.Severity.String() }),
			kinds.TextField("subject", (*finding).subject),
			kinds.TextField("what", func(f *finding, _ list.At) string { return f.Text }),
		},
		FilterHelp: "subject or text, owner=both rule=o01 severity=critical",
		Severity:   func(f *finding, _ list.At) style.Severity { return panel.Severity(f.Severity) },
		Actions: func(h list.Here[*finding]) []action.Action {
			return append(s.rowActions(h.Snap, aimOf(h.Snap, h.Row.Finding), h.Nothing), h.List.OwnerKey(s.Scope, 60))
		},
		Empty: []string{"nothing is wrong with any owner"},
	}, s.env, s.snap, "")
}
