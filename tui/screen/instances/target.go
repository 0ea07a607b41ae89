package instances

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// flavorRow is a flavor to resize to, and where that would lead.
type flavorRow struct {
	*nova.Flavor
	total map[placement.ResourceClass]int64 // that it requests
	asks  string
	owner placement.Owner // the owner of the accelerators that it requests
	fits  int             // places
	hosts []string        // that have the places, in the order in which they are tried
	most  int             // the most candidates that Nova requests, if there are that many; else 0
	why   string          // why it cannot be chosen; "" if it can
}

// flavors returns the step of the flavors to resize to.
func (w *Wizard) flavors() form.Step {
	move := w.course(placement.ConsumerID(uuid.New()))
	flavors := list.New(list.Spec[*flavorRow]{
		Name: "flavors", Thing: "flavor", Picks: true,
		Rows: func(ctx context.Context, snap *cloud.Snapshot) []*flavorRow {
			return w.flavorRows(ctx, snap, move)
		},
		ID:   func(f *flavorRow) string { return f.Ref() },
		Text: func(f *flavorRow) string { return f.Name },
		Columns: list.Show("flavor:11-30+1~ asks=ASKS_FOR:20-36+1 owner=OWN fits=PLACES> why=WHY_NOT:10+3", "why owner fits", list.Cells[*flavorRow]{
			"flavor": func(l *component.Line, f *flavorRow, _ list.At) {
				t := themes.Strong
				if f.why != "" {
					t = themes.Faint
				}
				l.Add(t, f.Name)
			},
			"asks": func(l *component.Line, f *flavorRow, _ list.At) {
				panel.AddAmounts(l, themes.Text, f.asks)
			},
			"owner": func(l *component.Line, f *flavorRow, _ list.At) {
				panel.AskedOfBadge(l, f.owner)
			},
			"fits": func(l *component.Line, f *flavorRow, _ list.At) {
				l.Add(themes.Text, component.Count(f.fits))
				if f.most > 0 {
					l.Add(themes.Dim, "+")
				}
			},
			"why": list.TextCell(themes.Dim, func(f *flavorRow, _ list.At) string { return f.why }),
		}),
		Orders: []list.Order[*flavorRow]{
			{Name: "name", Column: "flavor", Key: func(f *flavorRow, _ list.At) list.Key { return list.Key{Text: f.Name} }},
			{Name: "places", Column: "fits", Desc: true, Key: func(f *flavorRow, _ list.At) list.Key { return list.Key{Number: float64(f.fits), Text: f.Name} }},
		},
		Fields: []*kinds.Field{
			kinds.TextField("name", func(f *flavorRow, _ list.At) string { return f.Name }),
			kinds.TextField("owner", func(f *flavorRow, _ list.At) string { return f.owner.String() }),
			kinds.NumberField("places", component.UnitCount, func(f *flavorRow, _ list.At) (float64, bool) { return float64(f.fits), true }),
			kinds.TextField("why", func(f *flavorRow, _ list.At) string { return f.why }),
		},
		FilterHelp: "name, owner=cyborg places>0",
		Severity: func(f *flavorRow, _ list.At) style.Severity {
			if f.why != "" {
				return style.SeverityCritical
			}
			return style.SeverityOK
		},
		Actions: func(h list.Here[*flavorRow]) []action.Action {
			pick := action.Action{ID: "move.flavor", Keys: "enter", Title: "choose", Help: "show where the instance can go with it", Priority: 95}
			if h.Nothing == "" && h.Row.fits > 0 { // where nothing fits, the hosts tell why
				pick.Disabled = h.Row.why
			}
			return []action.Action{h.About(pick, func(f *flavorRow) tea.Msg {
				w.flavor = f.Name
				return form.NextMsg{Step: w.places()}
			})}
		},
		Title: func(f *flavorRow, _ list.At) (title, note string) { return f.Name, "" },
		Detail: func(f *flavorRow, a list.Area) []string {
			move := move
			move.Flavor = f.Name
			checks := panel.CheckList(w.asks(move).Checks(a.Snap, w.env.Now()))
			if refused := (panel.Check{Severity: style.SeverityCritical, Text: f.why}); f.why != "" && !slices.Contains(checks, refused) {
				checks = append(checks, refused)
			}
			if len(f.hosts) > 0 && f.why == "" {
				checks = append(checks, panel.Check{Severity: style.SeverityOK, Text: placesOn(f.hosts)})
			}
			if f.most > 0 {
				checks = append(checks, panel.Check{Severity: style.SeverityInfo, Text: fmt.Sprintf("%s places among the first %s candidates: Nova asks for no more, though there may be more",
					component.Count(f.fits), component.Count(f.most))})
			}
			return panel.Checks(a.Styles, a.Width, checks...)
		},
		Empty: []string{"this cloud has no flavors to resize to"},
	}, w.env, w.Snap, "")
	if card := w.cardClass(); card != "" { // it will probably need one
		list.Seek(flavors, func(f *flavorRow) bool { return f.total[card] > 0 && f.why == "" })
	}
	return w.target(flavors, "")
}

// cardClass returns the class of an accelerator that the instance has, "" if none.
func (w *Wizard) cardClass() placement.ResourceClass {
	pl := w.Snap.Placement()
	c, ok := pl.Consumer(w.instance)
	if !ok {
		return ""
	}
	for a := range pl.Allocations(c) {
		if class := pl.ClassName(a.Class); class.IsAccelerator() {
			return class
		}
	}
	return ""
}

// flavorRows returns the flavors other than the current one, the newest revision of each
// name.
func (w *Wizard) flavorRows(ctx context.Context, snap *cloud.Snapshot, move ops.Move) []*flavorRow {
	i, ok := snap.Nova().Instance(move.Instance)
	if !ok {
		return nil
	}
	var out []*flavorRow
	for f := range snap.Nova().Flavors() {
		if ctx.Err() != nil {
			return out
		}
		newest, ok := snap.Nova().FlavorNamed(f.Name)
		if !ok || newest.Ref() != f.Ref() || f.Ref() == i.Flavor || f.Deleted {
			continue
		}
		out = append(out, w.flavorRowOf(snap, i, f, move))
	}
	return out
}

// flavorRowOf finds out what a flavor would do for an instance.
func (w *Wizard) flavorRowOf(snap *cloud.Snapshot, i *nova.Instance, f *nova.Flavor, move ops.Move) *flavorRow {
	row := &flavorRow{Flavor: f}
	if spec, err := ops.RequestSpecOf(snap, i, f); err == nil {
		if groups, err := nova.Amounts(spec); err == nil {
			row.total = nova.Total(groups)
			row.asks = panel.Amounts(row.total)
			row.owner = panel.AskedOf(cards(nova.Total(groups, placement.OwnedByNova)), len(nova.Total(groups, placement.OwnedByCyborg)) > 0)
		}
	}
	move.Flavor = f.Name
	found, err := w.placesOf(snap, move)
	named, noDevice := map[string]bool{}, ""
	for _, p := range found.Places {
		switch none := found.Unspawnable(snap, p); {
		case none == nil:
			row.fits++
		case noDevice == "":
			noDevice = form.NoDevice(none)
			continue
		default:
			continue
		}
		if !named[p.Host] {
			named[p.Host] = true
			row.hosts = append(row.hosts, p.Host)
		}
	}
	if most := found.Request.Query.Limit; most > 0 && len(found.Places)+len(found.Left) >= most {
		row.most = most
	}
	switch none := (*ops.NoValidHostError)(nil); {
	case errors.As(err, &none):
		row.why = strings.TrimPrefix(none.Error(), "no valid host was found: ") // PLACES says so
	case err != nil:
		row.why = err.Error()
	case row.fits == 0 && noDevice != "":
		row.why = noDevice
	case f.Disabled:
		row.why = "is disabled"
	}
	return row
}

// mostHosts is how many hosts that have places are named; the next page lists all.
const mostHosts = 12

// placesOn says which hosts have places.
func placesOn(hosts []string) string {
	text := component.Plural(len(hosts), "host") + " with a place: " + strings.Join(hosts[:min(len(hosts), mostHosts)], ", ")
	if n := len(hosts) - mostHosts; n > 0 {
		text += " and " + component.Count(n) + " more"
	}
	return text
}

// asks returns a move as the cloud carries it out.
func (w *Wizard) asks(m ops.Move) ops.Checker {
	if asked, ok := ops.TaskFor(w.env.Cloud.Capabilities(), m).(ops.NovaTask); ok {
		return asked
	}
	return m
}

// cards reports whether amounts are of accelerators.
func cards(amounts map[placement.ResourceClass]int64) bool {
	for class := range amounts {
		if class.IsAccelerator() {
			return true
		}
	}
	return false
}
