package owners

import (
	"context"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// hold is a row of the services that hold the gate closed, or do not count.
type hold struct{ insight.GateService }

func (h *hold) severity(list.At) style.Severity {
	switch {
	case h.State == insight.NotAsked:
		return style.SeverityNone
	case h.State.Dead():
		return style.SeverityWarn
	default:
		return style.SeverityInfo
	}
}

// word returns in a word what the service is to the gate.
func (h *hold) word(list.At) string { return string(h.State) }

// cellName returns the name of the cell, "-" for none.
func (h *hold) cellName(list.At) string {
	if h.Cell == "" {
		return "-"
	}
	return h.Cell
}

// holds is the list of services that hold the gate closed.
func (s *Screen) holds() *list.Screen {
	return list.New(list.Spec[*hold]{
		Name: "gate-holds", Thing: "service", Kind: kinds.Services,
		Of: func(list.At) func(*hold) kinds.Row { return func(h *hold) kinds.Row { return h.Service } },
		Rows: func(context.Context, *cloud.Snapshot) []*hold {
			var rows []*hold
			for _, h := range s.data.Load().ready.Holds {
				rows = append(rows, &hold{h})
			}
			return rows
		},
		ID:   func(h *hold) string { return h.Host },
		Text: func(h *hold) string { return h.Host + " " + h.Why },
		Columns: list.Show("host:8-30+1~ cell:5-16+1 version=VER> gate:9 seen:5 why:16+8", "cell seen version", list.Cells[*hold]{
			"cell": list.TextCell(themes.Text, (*hold).cellName),
			"why": func(l *component.Line, h *hold, _ list.At) {
				// the number of the version says more than half of the names of its releases
				l.AddFitting(themes.Text, h.Why, strings.Replace(h.Why, h.Release(), nova.VersionWords(h.Version, h.Judged), 1))
			},
			"gate": func(l *component.Line, h *hold, at list.At) {
				token := h.severity(at).Token()
				if h.State == insight.NotAsked {
					token = themes.Dim
				}
				l.Add(token, h.word(at))
			},
		}),
		Orders: []list.Order[*hold]{
			{Name: "gate", Key: func(h *hold, at list.At) list.Key { return list.Key{Number: -float64(h.severity(at)), Text: h.Host} }},
			{Name: "version"},
			{Name: "host"},
			{Name: "seen", Desc: true},
		},
		Fields: []*kinds.Field{
			kinds.TextField("gate", (*hold).word),
			kinds.TextField("why", func(h *hold, _ list.At) string { return h.Why }),
		},
		FilterHelp: "host or why, gate=silent cell=cell1 version<73",
		Severity:   (*hold).severity,
		Actions: func(h list.Here[*hold]) []action.Action {
			a := aim{}
			if h.Nothing == "" {
				a = aim{open: serviceOn(h.Row.Host), rule: h.Row.Rule, subject: h.Row.Host}
			}
			return s.rowActions(h.Snap, a, h.Nothing)
		},
		Empty: []string{"nobody holds the gate closed"},
	}, s.env, s.snap, "")
}

// aboutHold says why a service holds the gate, and what to do.
func (s *Screen) aboutHold(h *hold, at list.At) (string, []page.Words) {
	out := []page.Words{
		{Token: themes.Text, Text: h.Why},
		say("nova-compute is %s, %s", h.Release(), seen(h, at)), blank(),
	}
	switch {
	case h.State == insight.NotAsked:
		out = append(out, say("It does not count, so it does not hold the gate."))
	case h.State.Dead():
		out = append(out, say("No upgrade will reach it: it is silent or disabled, and its record counts all the same. Delete the record if the host is gone, or force the service down."))
	case h.State == insight.HoldsUnheard:
		out = append(out, say("It has never reported. Start it on the newest version, or delete its record if there is no such host."))
	default:
		out = append(out, say("Upgrade nova-compute on this host. The gate opens by itself once the last one is."))
	}
	for _, f := range s.data.Load().found {
		if f.Rule == h.Rule && f.Service == h.Host {
			out = append(append(out, blank()), findingWords(at.Snap, f)...)
		}
	}
	return h.Host, out
}

// seen returns how long ago a service reported, or what Nova says of it.
func seen(h *hold, at list.At) string {
	switch {
	case !h.SeenAt().IsZero():
		return "last seen " + panel.Age(at.Snap.NovasTime(at.Now), h.SeenAt()) + " ago"
	case h.Told != "":
		return string(h.Told) + ", as Nova says"
	}
	return "last seen never"
}
