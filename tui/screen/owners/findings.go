package owners

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/onset"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// finding is a row of what needs a human.
type finding struct{ audit.Finding }

// subject returns what the finding is about, a provider with its host.
func (f finding) subject(at list.At) string {
	p, ok := at.Snap.Placement().Provider(f.Provider)
	if !ok || !f.Consumer.IsZero() || p.IsRoot() {
		return f.Subject
	}
	return at.Snap.Placement().Root(p).Name() + "/" + panel.ShortName(at.Snap.Placement(), p)
}

// owner returns whose the provider is; false where the finding is about none.
func (f finding) owner(at list.At) (placement.Owner, bool) {
	p, ok := at.Snap.Placement().Provider(f.Provider)
	if !ok || !f.Consumer.IsZero() {
		return placement.OwnedByNone, false
	}
	return at.Snap.Placement().Owner(p), true
}

func (f finding) ownerWord(at list.At) string {
	if o, ok := f.owner(at); ok {
		return o.String()
	}
	return ""
}

// findings is the list of what is wrong with owners.
func (p *page) findings() *list.Screen[finding] {
	return list.New(list.Spec[finding]{
		Name: "owner-findings", Thing: "finding",
		Rows: func(context.Context, *cloud.Snapshot) []finding {
			var rows []finding
			for _, f := range p.data.Load().found {
				rows = append(rows, finding{f})
			}
			return rows
		},
		ID: func(f finding) string { return onset.ID(f.Finding) },
		Text: func(f finding) string {
			return f.Subject + " " + f.Text + " " + string(f.Rule)
		},
		Columns: []list.Column[finding]{
			{Column: component.Column{Key: "subject", Title: "SUBJECT", Min: 12, Max: 34, Flex: 2}, Cell: list.TextCell(themes.Strong, finding.subject)},
			{Column: component.Column{Key: "owner", Title: "OWN", Min: 3, Priority: 2}, Cell: func(l *component.Line, f finding, at list.At) {
				if o, ok := f.owner(at); ok {
					component.OwnerBadge(l, panel.Owner(o))
				}
			}},
			{Column: component.Column{Key: "rule", Title: "RULE", Min: 5, Priority: 1}, Cell: func(l *component.Line, f finding, _ list.At) {
				l.Add(panel.Severity(f.Severity).Token(), string(f.Rule))
			}},
			{Column: component.Column{Key: "what", Title: "WHY", Min: 20, Flex: 5}, Cell: list.TextCell(themes.Text, func(f finding, _ list.At) string { return f.Text })},
			p.sinceColumn(),
		},
		Orders: []list.Order[finding]{
			{Name: "worst", Column: "rule", Key: func(f finding, _ list.At) list.Key {
				return list.Key{Number: -float64(f.Severity), Text: string(f.Rule)}
			}},
			{Name: "subject", Column: "subject", Key: func(f finding, at list.At) list.Key { return list.Key{Text: f.subject(at)} }},
			{Name: "owner", Column: "owner", Key: func(f finding, at list.At) list.Key {
				o, ok := f.owner(at)
				return list.Key{Number: -float64(o), None: !ok}
			}},
			{Name: "since", Column: "since", Desc: true, Key: p.sinceKey},
		},
		Fields: []list.Field[finding]{
			list.TextField("owner", finding.ownerWord),
			list.TextField("rule", func(f finding, _ list.At) string { return string(f.Rule) }),
			list.TextField("severity", func(f finding, _ list.At) string { return f.Severity.String() }),
		},
		FilterHelp: "subject or text, owner=both rule=o01 severity=critical",
		Severity:   func(f finding, _ list.At) style.Severity { return panel.Severity(f.Severity) },
		Actions: func(h list.Here[finding]) []action.Action {
			return append(p.rowActions(h.Snap, aimOf(h.Snap, h.Row.Finding), h.Nothing), p.ownerKey(h.Expr(), h.Filter))
		},
		Empty: []string{"nothing is wrong with the owners of anything"},
	}, p.env, p.snap, "")
}
