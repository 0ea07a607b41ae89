package owners

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// cell is a row of the cells with the versions of their computes.
type cell struct {
	insight.CellVersions
	need int
}

// name returns the name of the cell.
func (c *cell) name(list.At) string {
	if c.Name == "" {
		return "no cell"
	}
	return c.Name
}

// old returns the versions that hold the gate, with the hosts: "66 x1: cmp-012".
func (c *cell) old(list.At) string {
	text := ""
	for _, v := range c.Versions {
		if v.Version < c.need {
			text += fmt.Sprintf("%s x%d: %s   ", v.Words(), len(v.Hosts), join(v.Hosts, 4))
		}
	}
	switch {
	case c.Down:
		return "does not answer, and does not count"
	case text == "" && c.Asked == 0:
		return "no nova-compute that counts"
	case text == "":
		return "all upgraded"
	}
	return text
}

// cells is the list of cells with the progress of each.
func (p *base) cells() *list.Screen {
	s := list.New(list.Spec[*cell]{
		Name: "gate-cells", Thing: "cell",
		Rows: func(context.Context, *cloud.Snapshot) []*cell {
			r := p.data.Load().ready
			var rows []*cell
			for _, c := range r.Cells {
				rows = append(rows, &cell{c, r.Gate.Need})
			}
			return rows
		},
		ID:   func(c *cell) string { return "cell " + c.Name },
		Text: func(c *cell) string { return c.Name },
		Columns: list.Show("cell:8-24+1 bar=:10-40+2 done=UPGRADED:11> versions=OLD:16+4", "bar versions", list.Cells[*cell]{
			"bar": func(l *component.Line, c *cell, _ list.At) {
				if c.Asked > 0 {
					component.Bar(l, l.Left(), component.Load{Total: int64(c.Asked), Capacity: int64(c.Asked), Used: int64(c.Asked - c.Old)})
				}
			},
		}).Colour("versions", func(c *cell, _ list.At) themes.Token {
			if c.Old > 0 {
				return themes.Warn
			}
			return themes.Dim
		}),
		Fields: []list.Field[*cell]{
			list.TextField("cell", (*cell).name),
			list.TextField("done", func(c *cell, _ list.At) string {
				return component.Count(c.Asked-c.Old) + "/" + component.Count(c.Asked)
			}),
			list.TextField("versions", (*cell).old),
		},
		FilterHelp: "name",
		Severity: func(c *cell, _ list.At) style.Severity {
			if c.Down {
				return style.SeverityWarn
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[*cell]) []action.Action {
			a := aim{open: place.Services{Filter: filter.Is("cell", h.Row.Name)}}
			if h.Row.Name == "" {
				a.open = place.Services{}
			}
			return p.rowActions(h.Snap, a, h.Nothing)
		},
		Empty: []string{"not connected to nova: no cells or services are known"},
	}, p.env, p.snap, "")
	s.Headless()
	return s
}

// aboutCell lists the versions of a cell.
func aboutCell(c *cell, at list.At) (string, []page.Words) {
	out := []page.Words{say("%s, %d count, %d below %d", component.Plural(c.Services, "nova-compute service"), c.Asked, c.Old, c.need)}
	for _, v := range c.Versions {
		out = append(out, say("  version %s on %s: %s", v.Words(), component.Plural(len(v.Hosts), "host"), join(v.Hosts, 20)))
	}
	return c.name(at), out
}
