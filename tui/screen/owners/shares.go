package owners

import (
	"context"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/style"
)

// share is what one owner has of a class.
type share struct {
	owner placement.Owner
	class placement.ResourceClass // "" if the owner has nothing
	total insight.ClassTotal
	users int
}

// shares is the list of what each owner has, and how much is in use.
func (s *Screen) shares() *list.Screen {
	l := list.New(list.Spec[*share]{
		Name: "owner-classes", Thing: "owner",
		Rows: func(context.Context, *cloud.Snapshot) []*share { return sharesOf(s.data.Load()) },
		ID:   func(s *share) string { return s.owner.String() + " " + string(s.class) },
		Text: func(s *share) string { return s.owner.String() + " " + string(s.class) },
		Columns: list.Show("owner:10 class:10-24+2~ bar=:8-120+3 providers=PROVS> used=USED/CAP:14> users=CONSUMERS:10>", "bar users providers", list.Cells[*share]{
			"owner": func(l *component.Line, s *share, _ list.At) {
				panel.OwnerBadge(l, s.owner).Space(1).Add(panel.Owner(s.owner).Token(), s.owner.String())
			},
			"class": func(l *component.Line, s *share, _ list.At) {
				l.Add(themes.Text, string(s.class))
			},
			"bar": drawShare,
			"used": func(l *component.Line, s *share, _ list.At) {
				if s.total.Providers > 0 {
					l.Add(themes.Text, component.Used(panel.TotalLoad(s.total), component.UnitCount))
				}
			},
		}),
		Fields: []*kinds.Field{
			kinds.TextField("class", func(s *share, _ list.At) string { return string(s.class) }),
			kinds.TextField("owner", func(s *share, _ list.At) string { return s.owner.String() }),
			kinds.NumberField("providers", component.UnitCount, func(s *share, _ list.At) (float64, bool) { return float64(s.total.Providers), true }),
			kinds.NumberField("users", component.UnitCount, func(s *share, _ list.At) (float64, bool) { return float64(s.users), true }),
		},
		FilterHelp: "owner=cyborg class=VGPU",
		Severity: func(s *share, _ list.At) style.Severity {
			switch {
			case s.total.OverProviders > 0, s.owner == placement.OwnedByBoth && s.total.Providers > 0:
				return style.SeverityCritical
			case s.owner == placement.OwnedByNone && s.total.Providers > 0:
				return style.SeverityWarn
			}
			return style.SeverityNone
		},
		Actions: func(h list.Here[*share]) []action.Action {
			arg := "owner=" + h.Row.owner.String()
			if h.Row.class != "" {
				arg += " class=" + string(h.Row.class)
			}
			a := aim{open: place.Providers{Filter: arg}, cards: arg}
			if h.Row.total.Providers > 0 {
				switch h.Row.owner {
				case placement.OwnedByBoth:
					a.rule = audit.RuleBothOwners
				case placement.OwnedByNone:
					a.rule = audit.RuleNoOwner
				default:
				}
			}
			return append(s.rowActions(h.Snap, a, h.Nothing), h.List.OwnerKey(s.Scope, 60))
		},
	}, s.env, s.snap, "")
	l.Headless()
	return l
}

// drawShare draws the usage of an owner's share.
func drawShare(l *component.Line, s *share, _ list.At) {
	if s.total.Providers > 0 && l.Left() > 0 {
		load := panel.TotalLoad(s.total)
		load.Token = panel.Owner(s.owner).Token()
		component.Bar(l, l.Left(), load)
	}
}

// sharesNote explains the numbers of a row, above them.
func sharesNote() string { return "provs  used/capacity  consumers" }

// sharesOf returns a row for the most telling class of each owner, even without any, and
// then one for each other class.
func sharesOf(v *survey) []*share {
	var rows, more []*share
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		main := &share{owner: o}
		for i, c := range v.owners.Owners[o].Classes {
			row := &share{o, c.Class, c, v.owners.Users[insight.OwnerClass{Owner: o, Class: c.Class}]}
			switch {
			case i == 0:
				main = row
			case c.Class == placement.VGPU:
				main, row = row, main
				more = append(more, row)
			default:
				more = append(more, row)
			}
		}
		rows = append(rows, main)
	}
	return append(rows, more...)
}
