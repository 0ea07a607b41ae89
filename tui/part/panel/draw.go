package panel

import (
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Text returns text as a line of w cells in one colour. It is drawn as it is: text that names
// keys goes through style.Styles.Says first, once.
func Text(st *style.Styles, w int, t themes.Token, text string) string {
	return component.NewLine(st, w).Add(t, text).String()
}

// Traits returns the traits of p as tags, lines of w cells.
func Traits(st *style.Styles, s *placement.Snapshot, p *placement.ResourceProvider, w int) []string {
	if len(p.TraitIDs()) == 0 {
		return []string{Text(st, w, themes.Faint, "  no traits")}
	}
	names := make([]string, len(p.TraitIDs()))
	for i, t := range p.TraitIDs() {
		names[i] = string(s.TraitName(t))
	}
	lines := strings.Split(component.Tags(st, max(w-2, 0), names), "\n")
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// Finding returns what is wrong as a few lines of w cells: sign, rule, text.
func Finding(st *style.Styles, f audit.Finding, w int) []string {
	return finding(st, f, "", w, mostFinding)
}

// FindingOn is Finding beside a provider, with the subject where that is another provider or
// a consumer.
func FindingOn(st *style.Styles, s *cloud.Snapshot, p *placement.ResourceProvider, f audit.Finding, w int) []string {
	return findingOn(st, s, p, f, w, mostFinding)
}

func findingOn(st *style.Styles, s *cloud.Snapshot, p *placement.ResourceProvider, f audit.Finding, w, n int) []string {
	subject := ""
	if name := FindingSubject(s, f); (f.Provider != p.ID() || !f.Consumer.IsZero()) && !strings.Contains(f.Text, name) {
		subject = name
	}
	return finding(st, f, subject, w, n)
}

// Counted tells counts of findings by severity, the worst first: "✗4 !10 i2".
func Counted(st *style.Styles, counts map[audit.Severity]int) string {
	var parts []string
	for _, sev := range []audit.Severity{audit.Critical, audit.Warning, audit.Info} {
		if n := counts[sev]; n > 0 {
			parts = append(parts, st.Glyphs.Severities[Severity(sev)]+component.Count(n))
		}
	}
	return strings.Join(parts, " ")
}

// FindingSubject names what a finding is about, as people know it.
func FindingSubject(s *cloud.Snapshot, f audit.Finding) string {
	if !f.Consumer.IsZero() {
		return ConsumerName(s, f.Consumer)
	}
	if p, ok := s.Placement().Provider(f.Provider); ok {
		if path := Path(s.Placement(), p); len(path) > 1 {
			return path[0] + "/" + path[len(path)-1]
		}
	}
	return f.Subject
}

// mostFinding is the most lines of a finding; a longer one is cut to one.
const mostFinding = 3

// finding draws a finding on at most n lines.
func finding(st *style.Styles, f audit.Finding, subject string, w, n int) []string {
	l := component.NewLine(st, w)
	sev := Severity(f.Severity)
	l.Mark(sev).Space(1)
	l.Add(sev.Token(), string(f.Rule)).Space(1)
	at := l.Pos()
	text := f.Text
	if subject != "" {
		text = subject + " " + text
	}
	parts := component.Wrap(st, text, w-at)
	if len(parts) > n || w-at < leastFinding {
		parts = []string{text}
	}
	var lines []string
	for i, part := range parts {
		if i > 0 {
			lines = append(lines, l.String())
			l.Reset(w).Space(at)
		} else if rest, ok := strings.CutPrefix(part, subject); ok {
			l.Add(themes.Strong, subject)
			part = rest
		}
		l.Add(themes.Text, part)
	}
	return append(lines, l.String())
}

// leastFinding is the least width at which a finding continues on further lines.
const leastFinding = 20

// Summary returns a provider in at most h lines of w cells, for the pane below a
// list: its inventories in words, where it stands, what is wrong with it. Where
// there is no room for all inventories, a line says how many are left out.
func Summary(st *style.Styles, s *cloud.Snapshot, p *placement.ResourceProvider, found []audit.Finding, w, h int) []string {
	pl := s.Placement()
	var lines []string
	names := 0
	for _, iu := range p.Inventories() {
		names = max(names, min(len(pl.ClassName(iu.Class)), w/4))
	}
	for _, iu := range p.Inventories() {
		lines = append(lines, inventoryWords(st, pl, p, iu, w, names))
	}
	if len(lines) == 0 {
		lines = append(lines, Text(st, w, themes.Faint, " no inventory: this provider only groups its children"))
	}
	var tail []string
	for _, most := range []int{mostFinding, 1} { // inventories come before complete sentences
		if tail = []string{standing(st, pl, p, w)}; most > 1 && len(lines)+len(found)+1 > h {
			continue
		}
		for _, f := range found {
			tail = append(tail, findingOn(st, s, p, f, w, most)...)
		}
		if len(lines)+len(tail) <= h {
			break
		}
	}
	if keep := max(h-1, 0); len(tail) > keep {
		tail = tail[:keep]
	}
	if room := max(h-len(tail), 0); len(lines) > room {
		left := len(lines) - max(room-1, 0)
		lines = lines[:max(room-1, 0)]
		if room > 0 {
			lines = append(lines, component.NewLine(st, w).Space(1).Add(themes.Dim, st.Glyphs.More+" "+component.Count(left)+" more inventories").String())
		}
	}
	return append(lines, tail...)
}

// exactFrom is the width from which there is room for exact large amounts.
const exactFrom = 100

// inventoryWords returns an inventory as a line of words, the most important first, with
// names cells for the class.
func inventoryWords(st *style.Styles, pl *placement.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage, w, names int) string {
	load, class := WithHeld(pl, p, iu.Class, Load(pl, p, iu)), pl.ClassName(iu.Class)
	amount := component.Count[int64]
	if w < exactFrom {
		amount = func(n int64) string { return component.Amount(n, Unit(class)) }
	}
	l := component.NewLine(st, w).Space(1).Column(names, themes.Strong, string(class))
	free := themes.Text
	if load.Free() < 0 {
		free = themes.Critical
	}
	num := func(t themes.Token, n int64) { l.Add(t, amount(n)) }
	gap, word := "   ", themes.Dim
	if w < exactFrom { // in one colour, because colours for each word are too much for a slow line
		gap, word = "  ", themes.Text
	}
	l.Add(word, "  used ")
	num(free, load.Used)
	if load.Held > 0 {
		l.Add(word, " (").Add(themes.Info, amount(load.Held)).Add(word, " held)")
	}
	l.Add(word, " of ")
	num(themes.Text, load.Capacity)
	l.Add(word, " free ")
	num(free, load.Free())
	l.Add(word, gap+"total ")
	num(themes.Text, iu.Total)
	if iu.Reserved != 0 || w >= exactFrom {
		l.Add(word, " reserved ")
		num(themes.Text, iu.Reserved)
	}
	// Fields with their usual value would only push the rest off the line.
	if iu.AllocationRatio != 1 {
		l.Add(word, " ratio ").Add(themes.Text, Ratio(iu.AllocationRatio, 9))
	}
	if iu.MinUnit != 1 || iu.MaxUnit < iu.Total {
		up := most(iu.MaxUnit, 20)
		if iu.MaxUnit != placement.MaxInt {
			up = amount(iu.MaxUnit)
		}
		l.Add(word, " unit ").Add(themes.Text, amount(iu.MinUnit)+".."+up)
	}
	if iu.StepSize != 1 {
		l.Add(word, " step ")
		num(themes.Text, iu.StepSize)
	}
	return l.String()
}

// standing returns a line about a provider among others: where it is, its owner, and how
// many consumers it has.
func standing(st *style.Styles, pl *placement.Snapshot, p *placement.ResourceProvider, w int) string {
	l, word := component.NewLine(st, w).Space(1), themes.Dim
	if w < exactFrom {
		word = themes.Text
	}
	if path := Path(pl, p); len(path) > 1 {
		l.Add(word, "in ").Cell(min(component.Width(st, strings.Join(path[:len(path)-1], " > ")), w/2))
		l.Add(themes.Text, strings.Join(path[:len(path)-1], " > ")).EndCell(component.AlignLeft).Space(3)
	}
	l.Add(word, "owner ").Add(Owner(pl.Owner(p)).Token(), pl.Owner(p).String())
	l.Add(word, "   traits ").Add(themes.Text, strconv.Itoa(len(p.TraitIDs())))
	l.Add(word, "   aggs ").Add(themes.Text, strconv.Itoa(len(p.Aggregates())))
	l.Add(word, "   consumers ").Add(themes.Text, component.Count(pl.CountConsumersOf(p)))
	return l.String()
}

// ConsumerLine draws a consumer of p on what is left of l: name, type where there is room
// unless it is an instance, as nearly all are, what it holds there, project, age. c and p
// must be of s.
func ConsumerLine(l *component.Line, s *cloud.Snapshot, c *placement.Consumer, p *placement.ResourceProvider, now time.Time) *component.Line {
	w := l.Left()
	name := min(max(w*3/10, 12), 36)
	l.Column(name, themes.Strong, ConsumerName(s, c.ID())).Space(1)
	rest := w - name - 1
	age, project := 0, 0
	if rest >= 18 {
		age = 5
	}
	if rest >= 54 {
		project = 16
	}
	l.Cell(rest - age - project)
	if of := c.Type(); of != placement.InstanceConsumer && rest >= 40 {
		l.Add(themes.Dim, of.String()).Space(2)
	}
	l.Add(themes.Text, Held(s.Placement(), c, p)).EndCell(component.AlignLeft)
	if project > 0 {
		l.Space(1).Column(project-1, themes.Dim, c.Project())
	}
	if age > 0 {
		l.Space(1).Number(age-1, themes.Faint, Age(now, c.Created()))
	}
	return l
}
