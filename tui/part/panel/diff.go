package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Diff draws what a change does.
type Diff struct {
	Styles  *style.Styles
	Snap    *cloud.Snapshot // before the change
	Preview ops.Preview
	First   *ops.Preview // as first shown, to mark what has changed since; nil for none
	Between *ops.Preview // halfway, while what is left and what is taken are both held; nil for none
	At      time.Time    // when it was planned: times up to then only say when something is done
	// Asked is set for what Nova is asked to do: it leaves the type of a consumer as it is.
	Asked bool
}

// Consumers draws what each consumer holds before and after.
func (v Diff) Consumers(w int) []string {
	st, pre := v.Styles, v.Preview
	var out []string
	for _, c := range pre.Consumers {
		out = append(out, v.who(c, w))
		if w < CompactWidth {
			out = append(out, v.delta(c, w)...)
			continue
		}
		half := w / 2
		out = append(out, component.Rule(st, w,
			component.Label{Text: "BEFORE  " + generation(c.GenerationBefore)},
			component.Label{Text: "AFTER  " + generation(c.GenerationAfter), At: half, Token: themes.Title}))
		before, after := v.holds(c.Before, half), v.holds(c.After, w-half)
		out = append(out, component.Columns(0, half, w-half, before, after)...)
	}
	for _, name := range pre.Names {
		out = append(out, Text(st, w, themes.Changed, " "+name))
	}
	return out
}

// who draws the name of a consumer.
func (v Diff) who(c ops.ConsumerDiff, w int) string {
	l := component.NewLine(v.Styles, w).Space(1)
	name := ConsumerName(v.Snap, c.Consumer)
	if name == c.Consumer.String() { // v.Snap does not know who is new
		name = cmp.Or(c.Name, name)
	}
	l.Add(themes.Strong, name).Add(themes.Dim, "  ")
	was := func(field string) {
		for _, f := range c.Changed {
			if f.Name == field {
				l.Add(themes.Removed, cmp.Or(f.Before, "none")).Add(themes.Dim, " > ")
			}
		}
	}
	kind := c.Type.String()
	if at := slices.IndexFunc(c.Changed, func(f delta.Text) bool { return f.Name == "type" }); v.Asked && at >= 0 {
		kind = c.Changed[at].Before
	} else {
		was("type")
	}
	l.Add(themes.Dim, kind+"   project ")
	was("project")
	l.Add(themes.Text, c.Project).Add(themes.Dim, "   user ")
	was("user")
	l.Add(themes.Text, c.User)
	if name != c.Consumer.String() && l.Left() >= 3+len("00000000 …") {
		l.Space(3).Add(themes.Faint, c.Consumer.String())
	}
	return l.String()
}

// holds draws what a consumer holds, by provider.
func (v Diff) holds(held []ops.Holding, w int) []string {
	st := v.Styles
	if len(held) == 0 {
		return []string{Text(st, w, themes.Faint, " nothing")}
	}
	var out []string
	for i := 0; i < len(held); {
		id := held[i].Provider
		out = append(out, v.provider(component.NewLine(st, w).Space(1), id, held[i].Name).String())
		l := component.NewLine(st, w).Space(5)
		for ; i < len(held) && held[i].Provider == id; i++ {
			word := string(held[i].Class) + " " + strconv.FormatInt(held[i].Amount, 10)
			if l.Pos() > 5 && len(word) > l.Left() {
				out = append(out, l.String())
				l.Reset(w).Space(5)
			}
			l.Add(themes.Text, word).Space(3)
		}
		out = append(out, l.String())
	}
	return out
}

// provider draws the owner and the name of a provider.
func (v Diff) provider(l *component.Line, id placement.ProviderID, name string) *component.Line {
	pl := v.Snap.Placement()
	if rp, ok := pl.Provider(id); ok {
		OwnerBadge(l, pl.Owner(rp)).Space(1)
	} else {
		l.Space(4)
	}
	return l.Add(themes.Strong, name)
}

// delta draws what a consumer gains and loses, for narrow terminals.
func (v Diff) delta(c ops.ConsumerDiff, w int) []string {
	var out []string
	line := func(t themes.Token, sign string, h ops.Holding) {
		l := component.NewLine(v.Styles, w).Space(1).Add(t, sign+" ")
		out = append(out, l.Add(themes.Text, fmt.Sprintf("%s %d", h.Class, h.Amount)).Add(themes.Dim, " "+h.Name).String())
	}
	gained, lost := c.Holds()
	for _, h := range lost {
		line(themes.Removed, "-", h)
	}
	for _, h := range gained {
		line(themes.Added, "+", h)
	}
	return out
}

// generation formats a generation for people.
func generation(g ops.Generation) string {
	if g == ops.NoGeneration {
		return "not there"
	}
	return "gen " + g.String()
}

// Touched draws the providers that change, with their bars now and after; nothing
// if there are none.
func (v Diff) Touched(w int) []string {
	st := v.Styles
	if len(v.Preview.Providers) == 0 {
		return nil
	}
	when := "now > after"
	if v.Between != nil {
		when = "now > until confirmed"
	}
	out := []string{component.Titled(st, w, "PROVIDERS TOUCHED", when)}
	number, more := v.numberWidths()
	names := ops.QueryNames(v.Snap)
	for _, d := range v.Preview.Providers {
		l := v.provider(component.NewLine(st, w).Space(1), d.Provider, d.Name)
		switch {
		case d.Created():
			l.Add(themes.Added, "  new")
			if d.Parent != "" {
				l.Add(themes.Dim, ", below ").Add(themes.Changed, d.Parent)
			}
		case d.Deleted():
			l.Add(themes.Removed, "  deleted")
		case d.GenerationBefore != d.GenerationAfter:
			l.Add(themes.Dim, fmt.Sprintf("   gen %d > %d", d.GenerationBefore, d.GenerationAfter))
		}
		if d.OldName != "" {
			l.Add(themes.Dim, "   was ").Add(themes.Removed, d.OldName)
		}
		switch {
		case d.Moved && d.Parent == "":
			l.Add(themes.Changed, "   now a root")
		case d.Moved:
			l.Add(themes.Dim, "   now below ").Add(themes.Changed, d.Parent)
		}
		out = append(out, l.String())
		for _, c := range d.Classes {
			out = append(out, v.class(d, c, w, number, more)...)
		}
		for _, t := range d.TraitsAdded {
			out = append(out, Text(st, w, themes.Added, "     + "+string(t)))
		}
		for _, t := range d.TraitsRemoved {
			out = append(out, Text(st, w, themes.Removed, "     - "+string(t)))
		}
		for _, a := range d.AggregatesAdded {
			out = append(out, Text(st, w, themes.Added, "     + aggregate "+names(a.String())))
		}
		for _, a := range d.AggregatesRemoved {
			out = append(out, Text(st, w, themes.Removed, "     - aggregate "+names(a.String())))
		}
	}
	return out
}

// numberWidths returns the width of the widest number beside the bars, and of the widest
// that says by how much usage changes.
func (v Diff) numberWidths() (number, more int) {
	const leastNumber, leastMore = 9, 7
	number, more = leastNumber, leastMore
	for _, d := range v.Preview.Providers {
		for _, c := range d.Classes {
			held := v.untilConfirmed(d, c)
			number = max(number, UsedWidth(c.Class, LoadIn(c.Before, c.UsedBefore), LoadIn(c.After, held)))
			more = max(more, component.Width(v.Styles, usedMore(c, held)))
		}
	}
	return number, more
}

// untilConfirmed returns the usage of a class after what is written now: what a move
// leaves is in use until the move is confirmed.
func (v Diff) untilConfirmed(d ops.ProviderDiff, c ops.ClassDiff) int64 {
	if v.Between == nil {
		return c.UsedAfter
	}
	if held, ok := classIn(v.Between, d.Provider, c.Class); ok {
		return held.UsedAfter
	}
	return c.UsedBefore
}

// usedMore says by how much the usage of a class changes, now and when a move is
// confirmed: "+4", "-4 on confirm"; "" if it does not.
func usedMore(c ops.ClassDiff, held int64) string {
	by := func(n int64) string {
		switch {
		case n > 0:
			return "+" + component.Amount(n, Unit(c.Class))
		case n < 0:
			return "-" + component.Amount(-n, Unit(c.Class))
		}
		return ""
	}
	now, then := by(held-c.UsedBefore), by(c.UsedAfter-held)
	if then == "" {
		return now
	}
	return strings.TrimSpace(now + " " + then + " on confirm")
}

// class draws a class of a provider now and after, and what others have taken of it since
// the page was opened. Numbers take number and more cells.
func (v Diff) class(d ops.ProviderDiff, c ops.ClassDiff, w, number, more int) []string {
	st := v.Styles
	indent := 5
	if w < CompactWidth {
		indent = 2
	}
	l := component.NewLine(st, w).Space(indent)
	held := v.untilConfirmed(d, c)
	now, after := LoadIn(c.Before, c.UsedBefore), LoadIn(c.After, held)
	if p, ok := v.Snap.Placement().Provider(d.Provider); ok {
		now.Token = LoadToken(v.Snap.Placement(), p, c.Class)
		after.Token = now.Token
	}
	name := min(max(w/5, 10), 24)
	l.Column(name, themes.Text, string(c.Class)).Space(1)
	bar := (l.Left() - 2*number - 5 - 1 - more) / 2
	l = NowThen(l, min(bar, 20), number, now, after, c.Class)
	if by := usedMore(c, held); by != "" {
		l.Space(1).Add(themes.Changed, by)
	}
	out := []string{l.String()}
	if fields := c.Fields(); len(fields) > 0 {
		out = append(out, Text(st, w, themes.Changed, strings.Repeat(" ", indent+2)+strings.Join(fields, "   ")))
	}
	if was, ok := classIn(v.First, d.Provider, c.Class); ok && was.UsedBefore != c.UsedBefore {
		out = append(out, Text(st, w, themes.Changed,
			strings.Repeat(" ", indent+2)+fmt.Sprintf("changed: %d used when this page was opened, %d now", was.UsedBefore, c.UsedBefore)))
	}
	return out
}

// classIn returns what a preview, which may be nil, says of a class of a provider.
func classIn(p *ops.Preview, id placement.ProviderID, class placement.ResourceClass) (ops.ClassDiff, bool) {
	if p == nil {
		return ops.ClassDiff{}, false
	}
	for _, d := range p.Providers {
		for _, c := range d.Classes {
			if d.Provider == id && c.Class == class {
				return c, true
			}
		}
	}
	return ops.ClassDiff{}, false
}

// mostFields is how many fields of a record are named: the rest are counted.
const mostFields = 8

// Records draws the records of Nova and Cyborg that change, field by field; times
// at which something is done are left out, those that were chosen are not.
func (v Diff) Records(w int) []string {
	out := v.Fields(v.Preview.Ledgers, w, mostFields)
	if len(out) == 0 {
		return nil
	}
	return append([]string{component.Titled(v.Styles, w, "RECORDS", "before > after")}, out...)
}

// Fields draws records field by field, at most that many of each.
func (v Diff) Fields(records []ops.RecordDiff, w, most int) []string {
	var out []string
	for _, d := range records {
		l := component.NewLine(v.Styles, w).Space(1).Add(themes.Dim, d.Kind().Words()+" ").Add(themes.Strong, cmp.Or(d.Called, d.Name()))
		switch {
		case d.Before == nil:
			l.Add(themes.Added, "  new")
		case d.After == nil:
			l.Add(themes.Removed, "  deleted")
		}
		out = append(out, l.String())
		named, left := 0, 0
		for _, f := range d.Fields {
			if f.Time && !v.chosen(f) {
				continue
			}
			if named++; named > most {
				left++
				continue
			}
			out = append(out, v.field(f, w)...)
		}
		if left > 0 {
			out = append(out, Text(v.Styles, w, themes.Faint, fmt.Sprintf("     and %d more fields", left)))
		}
	}
	return out
}

// chosen reports whether a time field is in the future, or was before the change.
func (v Diff) chosen(f delta.Text) bool {
	text := f.After
	if text == "" {
		text = f.Before
	}
	at, err := time.Parse(time.RFC3339, text)
	return err == nil && at.After(v.At)
}

// field draws a field of a record: on one line, or on more where its values would be cut.
func (v Diff) field(f delta.Text, w int) []string {
	if f.Elements != "" {
		return component.Paragraph(v.Styles, w, fieldAt+component.Width(v.Styles, f.Name)+2, themes.Text, f.Elements, func(l *component.Line) { l.Space(fieldAt).Add(themes.Dim, f.Name) })
	}
	was := component.Seg{Token: themes.Removed, Text: f.Before}
	is := component.Seg{Token: themes.Added, Text: f.After}
	if f.After == "" {
		is = component.Seg{Token: themes.Dim, Text: "none"}
	}
	need := fieldAt + component.Width(v.Styles, f.Name+"  "+f.Before+" > "+is.Text)
	values := fieldAt + 2 + component.Width(v.Styles, f.Before+" > "+is.Text)
	l := component.NewLine(v.Styles, w).Space(fieldAt).Add(themes.Dim, f.Name)
	var out []string
	next := func(at int) {
		out = append(out, l.String())
		l.Reset(w).Space(at)
	}
	if l.Space(2); need > w {
		next(fieldAt + 2)
	}
	if f.Before != "" {
		if l.Add(was.Token, was.Text); need > w && values > w {
			next(fieldAt + 1)
		}
		l.Add(themes.Dim, " > ")
	}
	return append(out, l.Add(is.Token, is.Text).String())
}

// fieldAt is where the fields of a record begin, in cells.
const fieldAt = 5
