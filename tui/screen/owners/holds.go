package owners

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/board"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// hold is a row of who holds the gate closed, and of who is not asked.
type hold struct{ insight.GateService }

func (h hold) severity(list.At) style.Severity {
	switch {
	case h.State == insight.NotAsked:
		return style.SeverityNone
	case h.State.Dead():
		return style.SeverityWarn
	default:
		return style.SeverityInfo
	}
}

// word says in a word what the service is to the gate.
func (h hold) word(list.At) string { return string(h.State) }

// cellName returns the name of the cell, "-" for none.
func (h hold) cellName(list.At) string {
	if h.Cell == "" {
		return "-"
	}
	return h.Cell
}

// holds is the list of who holds the gate closed.
func (p *page) holds() *list.Screen[hold] {
	return list.New(list.Spec[hold]{
		Name: "gate-holds", Thing: "service",
		Rows: func(context.Context, *cloud.Snapshot) []hold {
			var rows []hold
			for _, h := range p.data.Load().ready.Holds {
				rows = append(rows, hold{h})
			}
			return rows
		},
		ID:   func(h hold) string { return h.Host },
		Text: func(h hold) string { return h.Host + " " + h.Why },
		Columns: []list.Column[hold]{
			{Column: component.Column{Key: "host", Title: "HOST", Min: 8, Max: 30, Flex: 2}, Cell: list.TextCell(themes.Strong, func(h hold, _ list.At) string { return h.Host })},
			{Column: component.Column{Key: "cell", Title: "CELL", Min: 5, Max: 16, Flex: 1, Priority: 3}, Cell: list.TextCell(themes.Text, hold.cellName)},
			{Column: component.Column{Key: "version", Title: "VER", Min: 3, Align: component.AlignRight, Priority: 1}, Cell: list.TextCell(themes.Text, func(h hold, _ list.At) string { return fmt.Sprint(h.Version) })},
			{Column: component.Column{Key: "gate", Title: "GATE", Min: 9}, Cell: func(l *component.Line, h hold, at list.At) {
				token := h.severity(at).Token()
				if h.State == insight.NotAsked {
					token = themes.Dim
				}
				l.Add(token, h.word(at))
			}},
			{Column: component.Column{Key: "seen", Title: "SEEN", Min: 5, Align: component.AlignRight, Priority: 2}, Cell: list.TextCell(themes.Faint, func(h hold, at list.At) string {
				return panel.Age(at.Now, h.SeenAt())
			})},
			{Column: component.Column{Key: "why", Title: "WHY", Min: 16, Flex: 5}, Cell: list.TextCell(themes.Text, func(h hold, _ list.At) string { return h.Why })},
		},
		Orders: []list.Order[hold]{
			{Name: "gate", Column: "gate", Key: func(h hold, at list.At) list.Key { return list.Key{Number: -float64(h.severity(at)), Text: h.Host} }},
			{Name: "version", Column: "version", Key: func(h hold, _ list.At) list.Key { return list.Key{Number: float64(h.Version)} }},
			{Name: "host", Column: "host", Key: func(h hold, _ list.At) list.Key { return list.Key{Text: h.Host} }},
			{Name: "seen", Column: "seen", Key: func(h hold, _ list.At) list.Key { return list.Key{Number: float64(h.LastSeenUp)} }},
		},
		Fields: []list.Field[hold]{
			list.TextField("cell", func(h hold, _ list.At) string { return h.Cell }),
			list.TextField("gate", hold.word),
			list.NumberField("version", component.UnitCount, func(h hold, _ list.At) (float64, bool) { return float64(h.Version), true }),
		},
		FilterHelp: "host or why, gate=silent cell=cell1 version<73",
		Severity:   hold.severity,
		Actions: func(h list.Here[hold]) []action.Action {
			a := aim{}
			if h.Nothing == "" {
				a = aim{open: serviceOn(h.Row.Host), rule: h.Row.Rule, subject: h.Row.Host}
			}
			return p.rowActions(h.Snap, a, h.Nothing)
		},
		Empty: []string{"nobody holds the gate closed"},
	}, p.env, p.snap, "")
}

// aboutHold says why a service holds the gate and what to do about it.
func (p *page) aboutHold(h hold, at list.At) (string, []board.Words) {
	out := []board.Words{
		{Token: themes.Text, Text: h.Why},
		say("nova-compute is %s, last seen %s", nova.ReleaseOf(h.Version), seen(h, at)), blank(),
	}
	switch {
	case h.State == insight.NotAsked:
		out = append(out, say("It is not asked, so that it does not hold the gate."))
	case h.State.Dead():
		out = append(out, say("No upgrade will reach it: it is silent, or disabled, and its record counts all the same. Delete the record where the host is gone, or force the service down: enter leads to it."))
	case h.State == insight.HoldsUnheard:
		out = append(out, say("It has never reported. Start it on the newest version, or delete its record where the host is not there: enter leads to it."))
	default:
		out = append(out, say("Upgrade nova-compute on this host. The gate opens by itself once the last one is."))
	}
	for _, f := range p.data.Load().found {
		if f.Rule == h.Rule && f.Service == h.Host {
			out = append(append(out, blank()), findingWords(at.Snap, f)...)
		}
	}
	return h.Host, out
}

// seen says how long ago a service was heard of.
func seen(h hold, at list.At) string {
	if h.SeenAt().IsZero() {
		return "never"
	}
	return panel.Age(at.Now, h.SeenAt()) + " ago"
}
