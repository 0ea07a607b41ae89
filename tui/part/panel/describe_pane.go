package panel

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// FaultLines returns a line of w cells that says what is wrong with a thing; nothing if nothing is,
// or that is shown elsewhere.
func FaultLines(st *style.Styles, w int, t Subject, shown func(f *kinds.Field) bool) []string {
	f := t.Kind.Field(fault)
	if f == nil || shown(f) {
		return nil
	}
	if text := t.fact(f).Text; text != "" {
		return Fault(st, w, text)
	}
	return nil
}

// DescribePane returns what is known of a thing as lines of w cells: its fields, then what it
// is made of, part by part. Shown reports which fields are shown elsewhere: they are left out,
// but for lists, of which a column may only have the number. What is empty is left out, too.
func DescribePane(st *style.Styles, w int, t Subject, shown func(f *kinds.Field) bool) []string {
	var facts []Fact
	var lists []list
	for _, f := range t.fields() {
		elsewhere := shown(f)
		if elsewhere && f.Type != kinds.Count || f.Name == "uuid" { // it is in the title
			continue
		}
		l, last := list{Fact: t.fact(f)}, len(lists)-1
		l.names, l.amounts = f.Inside(t.At, t.Row)
		switch {
		case l.Text == "", elsewhere && len(l.names) == 0:
		case len(l.names) > 1 && last >= 0 && slices.Equal(l.names, lists[last].names): // the members of an aggregate may all be hosts
			lists[last].Name += ", " + spaced(f.Name)
		case l.amounts != nil, len(l.names) > 1, component.Width(st, l.Name+l.Text) > w-3:
			l.Name = spaced(f.Name)
			lists = append(lists, l)
		default:
			if len(l.names) > 0 {
				l.Text = l.names[0]
			}
			facts = append(facts, l.Fact)
		}
	}
	lines := Facts(st, w, facts...)
	for _, l := range lists {
		lines = append(lines, l.lines(st, w)...)
	}
	for _, part := range t.Kind.Parts {
		lines = append(lines, table(st, w, part, t)...)
	}
	return lines
}

// KindFacts returns a function that gets the facts about a row of a kind: its fields, by their
// names, with its uuid as the last.
func KindFacts[R any](kind kinds.Name) func(row R, at kinds.At) []Fact {
	return func(row R, at kinds.At) []Fact {
		var out, last []Fact
		t := Subject{Kind: kinds.Of(kind), At: at, Row: row}
		for _, f := range t.fields() {
			fact := t.fact(f)
			if f.Name == "uuid" {
				fact.Token = themes.Dim
				last = append(last, fact)
				continue
			}
			out = append(out, fact)
		}
		return append(out, last...)
	}
}

// fault is the name of the field that says what is wrong with a thing.
const fault = "fault"

// mostNames is how many words of a list are shown, mostLines on how many lines.
const mostNames, mostLines = 60, 6

// fields returns the fields that tell about a thing: not what is wrong with it, what is only for
// columns, what its parts say, nor the ids of things that have a name.
func (t Subject) fields() []*kinds.Field {
	var out []*kinds.Field
	for _, f := range t.Kind.Fields {
		name, id := strings.CutSuffix(f.Name, "_id")
		switch {
		case !f.Fact(), f.Name == fault, f.Name == "name", f.Type == kinds.ID && f.Name != "uuid":
		case id && t.field(name+"_name") != "", slices.ContainsFunc(t.Kind.Parts, func(p kinds.Part) bool { return p.Plural() == f.Name }):
		default:
			out = append(out, f)
		}
	}
	return out
}

// fact returns a field with what lists show of it; no text if there is nothing to say.
func (t Subject) fact(f *kinds.Field) Fact {
	d := f.Draw(t.At)(t.Row)
	fact := Fact{Name: spaced(f.Asked()), Token: cmp.Or(Grade(d.Grade).Token(), themes.Text)}
	n, unit, counts := d.Amount()
	switch {
	case d.Text != "":
		fact.Text = d.Text
	case d.Empty() || counts && n == 0 || f.Type == kinds.Bool && d.String() == "false":
	case f.Type == kinds.Time:
		fact.Text = Age(f.Clock(t.At), d.Time())
	case counts:
		fact.Text = component.Amount(n, unit)
	case f.Type == kinds.Bool:
		fact.Text = "yes"
	case f.Type == kinds.Owner:
		owner, _ := placement.ParseOwner(d.String())
		fact.Text, fact.Token = d.String(), Owner(owner).Token()
	case f.Type == kinds.Words:
		fact.Text = strings.ReplaceAll(d.String(), ",", " ")
	default:
		fact.Text = d.String()
	}
	if fact.Text == "-" {
		fact.Text = ""
	}
	fact.Text = format.Harmless(fact.Text)
	return fact
}

// list is a fact that needs several lines: a long text, names, or how much there is of each
// class.
type list struct {
	Fact
	names   []string
	amounts map[placement.ResourceClass]int64
}

// lines draws the list under its name; of names at most mostLines.
func (f list) lines(st *style.Styles, w int) []string {
	lines := []string{Text(st, w, themes.Dim, " "+f.Name)}
	if f.amounts != nil {
		for _, class := range slices.SortedFunc(maps.Keys(f.amounts), kinds.CompareClasses) {
			l := component.NewLine(st, w).Space(3).Column(min(30, w/2), themes.Dim, string(class))
			l.Number(10, f.Token, component.Amount(f.amounts[class], kinds.UnitOf(class)))
			lines = append(lines, l.String())
		}
		return lines
	}
	text, more := f.Text, len(f.names)-mostNames
	if len(f.names) > 0 {
		text = strings.Join(f.names[:min(len(f.names), mostNames)], "  ")
	}
	for _, text := range component.Wrap(st, text, max(w-4, 1)) {
		if len(lines) > mostLines {
			more = max(more, 1)
			break
		}
		lines = append(lines, Text(st, w, f.Token, "   "+text))
	}
	if more > 0 {
		lines = append(lines, Text(st, w, themes.Dim, "   "+st.Glyphs.More+" more"))
	}
	return lines
}

// table draws the rows of a part of a thing below its name and those of the columns, as many as
// a pane may have; nothing if there are none. Ids, and columns without a value in any row, are
// left out.
func table(st *style.Styles, w int, part kinds.Part, t Subject) []string {
	rows := part.Of(t.At, t.Row)
	if len(rows) == 0 {
		return nil
	}
	columns := slices.DeleteFunc(part.TableColumns(), func(c kinds.Column) bool { return c.Wide || c.Type == kinds.ID })
	lines := make([]*component.Line, min(len(rows), mostNames)+1)
	for i := range lines {
		lines[i] = component.NewLine(st, w).Space(1)
	}
	for n, c := range columns {
		facts, width, align, most := []Fact{{Text: spaced(c.Asked()), Token: themes.Dim}}, 0, component.AlignLeft, w/3
		if n == 0 {
			facts[0].Text, most = part.Plural(), w/2
		} else if c.Type.Number() {
			align = component.AlignRight
		}
		for _, row := range rows[:len(lines)-1] {
			fact := Subject{Kind: part.Kind, At: t.At, Row: row}.fact(c.Field)
			if n == 0 {
				fact.Text = "  " + fact.Text
			}
			facts, width = append(facts, fact), max(width, component.Width(st, fact.Text))
		}
		if width > 0 {
			width = min(max(width, component.Width(st, facts[0].Text)), max(most, 8))
			for i, fact := range facts {
				lines[i].Cell(width).Add(fact.Token, fact.Text).EndCell(align).Space(2)
			}
		}
	}
	var out []string
	for _, l := range lines {
		out = append(out, l.String())
	}
	return out
}
