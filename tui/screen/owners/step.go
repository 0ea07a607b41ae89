package owners

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// verb returns what enter does for a step.
func verb(k ops.HandoverKind) string {
	if k == ops.HandoverLeave {
		return "let it leave"
	}
	return k.String()
}

// step is a row: one thing to do for a card.
type step struct {
	ops.HandoverStep
	id    string
	name  string // what is done, or who must leave
	holds string // what the consumer that must leave holds of the card
	leave leave  // how that leaves; zero for other steps
	of    *course
}

// consumer returns the consumer that must leave; zero for other steps.
func (st *step) consumer() placement.ConsumerID {
	if st.Consumer == nil {
		return placement.ConsumerID{}
	}
	return st.Consumer.ID()
}

func (st *step) token() themes.Token {
	if st.State == ops.HandoverDue {
		return themes.Strong
	}
	return themes.Dim
}

// severity returns the state of a step as a severity.
func (st *step) severity() style.Severity {
	switch {
	case st.leave.blocked:
		return style.SeverityCritical
	case st.State == ops.HandoverDue:
		return style.SeverityWarn
	case st.State == ops.HandoverDone:
		return style.SeverityOK
	default:
		return style.SeverityNone
	}
}

// course is a handover as a list: its steps, none if the card is gone, and the cloud after
// all holders that can have left. It is immutable.
type course struct {
	steps []*step
	after *cloud.Snapshot
}

// courseOf returns the course of a handover in a cloud.
func courseOf(env screen.Env, s *cloud.Snapshot, h ops.Handover) *course {
	out := &course{after: s}
	steps, err := h.Steps(s)
	p, ok := s.Placement().Provider(h.Provider)
	if err != nil || !ok {
		return out
	}
	for _, of := range steps {
		st := &step{HandoverStep: of, id: of.Kind.String(), name: strings.TrimSuffix(of.Text, " and open it")}
		if of.Consumer != nil {
			st.name = panel.ConsumerName(s, of.Consumer.ID())
			st.id, st.holds = of.Consumer.ID().String(), panel.Held(s.Placement(), of.Consumer, p)
		}
		st.of = out
		out.steps = append(out.steps, st)
	}
	out.after = plan(env, s, h, out.steps)
	return out
}

// tasks returns what moves the holders that can be moved, or confirms those that wait for
// that.
func (c *course) tasks(waits bool) (out []func() ops.Task) {
	if c == nil {
		return nil
	}
	for _, st := range c.steps {
		if st.leave.task != nil && st.leave.confirms == waits {
			out = append(out, st.leave.task)
		}
	}
	return out
}

// goes draws where a holder goes, or what is in its way, and the state of another step.
func goes(l *component.Line, st *step, at list.At) {
	way := &st.leave
	switch {
	case st.Kind != ops.HandoverLeave:
		text := st.State.String()
		if st.State == ops.HandoverDue && st.Kind == ops.HandoverDrain {
			text = "so that nothing new lands on it"
		}
		l.Add(themes.Dim, text)
	case way.there != nil:
		pl := at.Snap.Placement()
		panel.OwnerBadge(l, pl.Owner(way.there)).Space(1)
		l.Add(themes.Text, pl.Root(way.there).Name()+"/"+panel.WithoutDomain(panel.ShortName(pl, way.there))).Space(2)
		l.Add(themes.Dim, component.Count(way.now.Used)+" ").Glyphs(themes.Dim, l.Styles().Glyphs.Arrow, 1).Space(1)
		l.Add(themes.Text, component.Used(way.then, panel.Unit(way.class)))
	case way.blocked:
		key := ""
		if way.trouble.Rule != "" {
			key = "F"
		}
		text := way.text
		if fits := l.Left() - 2*len(key) - 1; key != "" && component.Width(l.Styles(), text) > fits {
			text = audit.RuleOf(way.trouble).Title
		}
		l.Add(themes.Critical, text).Space(2).Add(themes.Key, key)
	default:
		l.Add(themes.Text, way.text)
	}
}

// top shows the card, and its way from one owner to the other: what holders of the old owner
// have of it, what is free, and what is kept for the new owner.
func top(a list.Area, h ops.Handover) []string {
	pl := a.Snap.Placement()
	p, ok := pl.Provider(h.Provider)
	stage, err := h.Stage(a.Snap)
	if !ok || err != nil {
		return nil
	}
	var held, used, total int64
	for _, iu := range p.Inventories() {
		if pl.ClassName(iu.Class).IsAccelerator() {
			total, used = total+max(iu.Total, iu.Used), used+iu.Used
		}
	}
	for _, c := range stage.Holders {
		for of := range pl.Allocations(c) {
			if of.Provider.ID() == p.ID() && pl.ClassName(of.Class).IsAccelerator() {
				held += of.Used
			}
		}
	}
	free := total - used
	said := fmt.Sprintf("%s of %s %s to leave", component.Count(held), component.Count(total), stage.Classes[0])
	switch {
	case stage.Given:
		held, free, said = 0, 0, "handed over"
	case held == 0:
		free, said = 0, "nobody has to leave"
	case stage.Drained:
		free = 0
		said += ", the rest is kept free"
	default:
		said += ", " + component.Count(free) + " open to all"
	}
	l := a.Line().Space(1).Add(themes.Strong, strings.Join(panel.Path(pl, p), "/"))
	lines := []string{l.Space(2).Add(themes.Dim, said).String()}
	l = a.Line().Space(1)
	if from := pl.Owner(p); !stage.Given {
		panel.OwnerBadge(l, from).Space(1)
	}
	w := min(max(l.Left()-7, 4), 60)
	g := &l.Styles().Glyphs
	at := func(n int64) int { return int((n*int64(w) + total - 1) / max(total, 1)) }
	old := panel.Owner(pl.Owner(p)).Token()
	glyph := g.Bar[8]
	if old == themes.OwnerBoth {
		old, glyph = themes.BarOver, g.Both
	}
	l.Glyphs(old, glyph, at(held)).Glyphs(themes.BarFree, g.Bar[0], min(at(held+free), w)-at(held))
	l.Glyphs(panel.Owner(h.To).Token(), g.Held, w-min(at(held+free), w))
	if stage.Given {
		l = a.Line().Space(1)
		panel.OwnerBadge(l, h.To).Space(1).Glyphs(panel.Owner(h.To).Token(), g.Bar[8], w)
		return append(lines, l.String())
	}
	l.Space(1).Glyphs(themes.Dim, g.Arrow, 1).Space(1)
	return append(lines, panel.OwnerBadge(l, h.To).String())
}

// detail says what a step is for, with what it changes, and what to consider.
func detail(a list.Area, h ops.Handover, st *step) []string {
	say := func(text string) []string { return component.Paragraph(a.Styles, a.Width, 1, themes.Text, text) }
	switch st.Kind {
	case ops.HandoverDrain:
		return append(say("All of it is reserved, so that nothing new lands on it. Whoever holds some keeps it."), around(a, h, st.of)...)
	case ops.HandoverLeave:
		return leaving(a, h, st)
	default:
		stage, err := h.Stage(a.Snap)
		if err != nil {
			return nil
		}
		lines := say(fmt.Sprintf("It then has only %s's owner trait, and %s.", h.To, stage.Stays.Words()))
		lines = append(lines, remarks(a, h)...)
		if !a.Beside { // see leaving
			return lines
		}
		return append(lines, whereAll(a, h, st.of)...)
	}
}

// leaving shows a holder: where it goes with both cards before and after, or what is in its
// way. Beside the list it also shows what it holds, and where all go: below that, these would
// be on other lines for each row, see list.Area.Head.
func leaving(a list.Area, h ops.Handover, st *step) []string {
	var lines []string
	way := &st.leave
	c, ok := a.Snap.Placement().Consumer(st.consumer())
	if !ok {
		return nil
	}
	switch {
	case way.there != nil:
		here, _ := a.Snap.Placement().Provider(h.Provider)
		for of := range a.Snap.Placement().Allocations(c) {
			if of.Provider.ID() == h.Provider && a.Snap.Placement().ClassName(of.Class) == way.class {
				now := loadOf(a.Snap, h.Provider, of.Class)
				now.Capacity, now.Reserved = now.Total, 0 // it is reserved for the other owner only on the way
				lines = append(lines, nowThen(a, here, now, panel.Then(now, -of.Used), way.class))
			}
		}
		lines = append(lines, nowThen(a, way.there, way.now, way.then, way.class))
	case way.blocked:
		lines = panel.Checks(a.Styles, a.Width, panel.Check{Severity: style.SeverityCritical, Text: way.text})
		help := fmt.Sprintf("r resizes it to a flavor with devices of %s", h.To)
		if way.trouble.Rule != "" {
			help = "F plans the repair: " + string(way.trouble.Rule) + " " + audit.RuleOf(way.trouble).Title
		}
		lines = append(lines, component.Paragraph(a.Styles, a.Width, 3, themes.Text, help)...)
	}
	if way.there != nil && !a.Beside {
		return lines
	}
	lines = append(lines, a.Line().String(), a.Head("HOLDS"))
	lines = append(lines, panel.Holdings(a.Styles, a.Snap.Placement(), c, a.Width, max(min(a.Height-len(lines), mostHeld), 1))...)
	if !a.Beside {
		return lines
	}
	return append(lines, around(a, h, st.of)...)
}

// mostHeld is the most lines of what a holder has, so that it leaves room for where all go.
const mostHeld = 6

// around shows what concerns all steps: where all go, and what to consider.
func around(a list.Area, h ops.Handover, all *course) []string {
	return slices.Concat(whereAll(a, h, all), []string{a.Line().String(), a.Head("TO CONSIDER")}, remarks(a, h))
}

func remarks(a list.Area, h ops.Handover) (lines []string) {
	for _, text := range h.Remarks(a.Snap) {
		lines = append(lines, panel.Checks(a.Styles, a.Width, panel.Check{Severity: style.SeverityWarn, Text: text})...)
	}
	return lines
}

// whereAll shows the cards that holders would move to, before and after all that can have
// moved.
func whereAll(a list.Area, h ops.Handover, all *course) []string {
	var lines []string
	seen := map[placement.ProviderID]bool{h.Provider: true}
	for _, st := range all.steps {
		there := st.leave.there
		if there == nil || seen[there.ID()] {
			continue
		}
		seen[there.ID()] = true
		class, _ := a.Snap.Placement().ClassID(st.leave.class)
		lines = append(lines, nowThen(a, there, loadOf(a.Snap, there.ID(), class), loadOf(all.after, there.ID(), class), st.leave.class))
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{a.Line().String(), a.Head("WHERE ALL THAT CAN GO WOULD GO")}, lines...)
}

// nowThen draws a card before and after.
func nowThen(a list.Area, p *placement.ResourceProvider, now, then component.Load, class placement.ResourceClass) string {
	pl := a.Snap.Placement()
	l := panel.OwnerBadge(a.Line().Space(1), pl.Owner(p)).Space(1)
	l.Column(min(max(a.Width/3, 16), 30), themes.Text, pl.Root(p).Name()+"/"+panel.WithoutDomain(panel.ShortName(pl, p))).Space(1)
	number := panel.UsedWidth(class, now, then)
	return panel.NowThen(l, min((l.Left()-2*number-5)/2, 20), number, now, then, class).String()
}
