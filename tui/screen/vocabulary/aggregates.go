package vocabulary

import (
	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

type aggregate = *kinds.Aggregate

// NewAggregates returns the list of aggregates over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the filter line, with what is wrong with it.
func NewAggregates(env screen.Env, snap *cloud.Snapshot, filter string) screen.Screen {
	return list.New(list.Spec[aggregate]{
		Name: "aggregates", Thing: "aggregate", Kind: kinds.Aggregates,
		ID: func(a aggregate) string { return cmp.Or(a.Name, string(a.ID[:])) }, // Nova gives a new one its own uuid
		Columns: list.Show("name=AGGREGATE:12-36+2 zone:6-16+1 members vcpu_free vgpu_free disk_free pool:11-36+2 reach:8 host_count=HOSTS:6 | uuid:36-36", "host_count disk_free zone vgpu_free vcpu_free members", list.Cells[aggregate]{
			"name": func(l *component.Line, a aggregate, _ list.At) {
				if a.Name == "" {
					l.Add(themes.Dim, a.ID.String())
					return
				}
				l.Add(themes.Strong, a.Name)
			},
			"reach": func(l *component.Line, a aggregate, _ list.At) {
				switch {
				case len(a.Pools) == 0:
					l.Add(themes.Faint, "-")
				case a.Trees == 0:
					l.Mark(style.SeverityCritical).Add(themes.Critical, " nobody")
				default:
					l.Mark(style.SeverityOK).Add(themes.OK, " "+component.Count(a.Trees))
				}
			},
		}),
		Orders: append([]list.Order[aggregate]{
			{Name: "name", Key: func(a aggregate, _ list.At) list.Key { return list.Key{None: a.Name == "", Text: a.Name} }},
		}, list.By[aggregate]("-members -vcpu_free -vgpu_free -disk_free zone")...),
		Severity: func(a aggregate, _ list.At) style.Severity {
			if a.Broken() != "" {
				return style.SeverityCritical
			}
			return style.SeverityNone
		},
		Found: func(a aggregate) (out []audit.Finding) { // as where it is not mirrored
			if pass := env.Kept().Last(); pass != nil {
				for _, n := range pass.Report.Open {
					if n.Aggregate == a.ID {
						out = append(out, n.Finding)
					}
				}
			}
			return out
		},
		FilterHelp: "name or uuid, zone=az-1 host=cmp-001 pool:ceph vgpu_free>0 reach=0",
		Actions:    func(h list.Here[aggregate]) []action.Action { return append(actions(h), aggregateEdits(env, h)...) },
		Title: func(a aggregate, _ list.At) (string, string) {
			return cmp.Or(a.Name, "aggregate without a name"), a.ID.String()
		},
		Side:  true,
		Empty: []string{"there are no aggregates: no provider is in any, and nova has none", "try: `placetop set aggregate HOST +UUID` puts a host into one"},
	}, env, snap, filter)
}

func actions(h list.Here[aggregate]) []action.Action {
	name := ""
	if h.Nothing == "" {
		name = cmp.Or(h.Row.Name, h.Row.ID.String())
	}
	pools := h.About(action.Action{ID: "aggregates.pools", Keys: "i", Title: "shares", Help: "what each host has of its pools", Priority: 70}, func(a aggregate) tea.Msg {
		var terms []string
		for _, p := range a.Pools {
			terms = append(terms, filter.Is("pool", p.Name()))
		}
		return screen.Goto{To: place.Shares{Filter: strings.Join(terms, " | ")}}
	})
	if pools.Disabled == "" && len(h.Row.Pools) == 0 {
		pools.Disabled = name + " has no pool"
	}
	return []action.Action{
		h.About(action.Action{ID: "aggregates.open", Keys: "enter", Title: "members", Help: "list its providers", Priority: 90}, func(aggregate) tea.Msg {
			return screen.Goto{To: place.Providers{Filter: filter.Is("agg", name)}}
		}),
		pools,
		h.Leads(action.Action{ID: "aggregates.whatif", Keys: "w", Title: "what-if", Help: "ask for allocation candidates in it", Priority: 58}, func(a aggregate) place.Place {
			return place.WhatIf{Query: "resources=VCPU:1,MEMORY_MB:1024&member_of=" + a.ID.String()}
		}),
	}
}
