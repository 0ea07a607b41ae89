// Package pulses is the overview: in five seconds, is capacity fine, who owns
// the accelerators, what is wrong, what just happened.
//
// It is gathered off the event loop into a value that drawing only reads, so a view
// costs the same for twelve hosts as for ten thousand.
package pulses

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, _ place.Pulses) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot()), nil
		}).On("1").Called("pulses", "pulse").FoundBy("overview dashboard summary status health capacity cores ram memory trend growth").
			For("In five seconds: is there room, who owns the GPUs, is the gate open, what needs me, what just happened."),
	}
}

// wideW and wideH are the least width and height of a body with room for everything.
const wideW, wideH = 120, 24

// Screen is the overview. It is made by New.
type Screen struct {
	*page.Screen[*facts]
	env     screen.Env
	snap    *cloud.Snapshot // the newest
	facts   *facts          // their Snapshot is nil before the first
	gathers screen.Task[*facts]

	wide    bool // there was room for everything at the last View
	indexer *candidates.Indexer
	fitting screen.Task[*fits]
	fitsOf  *cloud.Snapshot // for which they were asked last

	capacity, problems, journal *page.Section
}

// New returns the screen over a Snapshot.
func New(env screen.Env, snap *cloud.Snapshot) *Screen {
	s := &Screen{env: env, snap: snap, facts: &facts{}, indexer: env.Indexer()}
	s.gathers.Clock, s.fitting.Clock = env.Clock, env.Clock
	// It cannot fail: the facts are always found.
	s.Screen, _ = page.New(s.spec(), env, snap, "")
	return s
}

// spec declares the page.
func (s *Screen) spec() page.Spec[*facts] {
	named := func(title string) func(*facts, list.At) string { return func(*facts, list.At) string { return title } }
	classes := func(f *facts, _ list.At) []insight.ClassTotal { return f.classes }
	return page.Spec[*facts]{
		Name:  "pulses",
		Find:  func(*cloud.Snapshot) (*facts, bool) { return s.facts, true },
		Title: named("pulses"),
		Status: func(f *facts, at list.At) string {
			p := at.Snap.Placement()
			text := component.Plural(p.ProviderCount(), "provider") + "   " + component.Plural(p.ConsumerCount(), "consumer")
			if f.totals.SharingPools > 0 {
				text += "   " + component.Plural(f.totals.SharingPools, "sharing pool")
			}
			return text
		},
		Parts: []page.Part[*facts]{
			page.Table("", s.capacityColumns(), classes, func(t insight.ClassTotal) string { return string(t.Class) },
				func(t insight.ClassTotal) place.Place { return place.Providers{Filter: "class=" + string(t.Class)} }, severity).
				Titled(named("CAPACITY")).Plain().With("enter the providers of a class", "no inventory yet"),
			page.Table("", ownerColumns(), owners, func(o owned) string { return o.owner.String() }, func(owned) place.Place { return place.Owners{} }, owned.severity).
				Titled(named("ACCELERATOR OWNERSHIP")).Plain().With("enter owners, gate, instances, moves", ""),
			page.Table("", standColumns(), stands, func(s stand) string { return s.name }, func(s stand) place.Place { return s.to }, func(s stand, _ list.At) style.Severity { return s.mark() }).
				Titled(named("GATE, INSTANCES, MOVES")).Plain(),
			page.Table("", problemColumns(), func(f *facts, _ list.At) []audit.Problem { return f.problems }, func(p audit.Problem) string { return string(p.Rule.ID) },
				func(p audit.Problem) place.Place { return place.Problems{Rule: p.Rule.ID} }, func(p audit.Problem, _ list.At) style.Severity { return panel.Severity(p.Rule.Severity) }).
				Titled(func(f *facts, _ list.At) string { return f.problemsTitle(s.env.Styles) }).Plain().With("enter show", "-"),
			page.Table("", fitColumns(), func(f *facts, _ list.At) []fit { return f.fits }, func(f fit) string { return f.flavor },
				func(f fit) place.Place { return place.Flavors{Filter: f.flavor} }).
				Titled(named("HOW MANY MORE FIT")).Plain().Late().With("enter why not more", ""),
			page.Table("", eventColumns(), events, func(ev *cloud.Event) string { return strconv.FormatUint(uint64(ev.Revision), 10) },
				func(ev *cloud.Event) place.Place { return place.Event{Revision: ev.Revision} }).Titled(named("JOURNAL")).Plain().With("enter show", "-"),
		},
		Arrange: s.arrange,
		Actions: func(*facts, list.At) []action.Action {
			return []action.Action{{ID: "pulses.allocate", Keys: "n", Title: "new allocation", Help: "make an allocation", Priority: 60, Writes: []intent.Op{placement.ReplaceAllocations{}}, To: place.Allocate{}}}
		},
	}
}

// arrange lays the panes out: on a wide terminal the ones of which more says more have the
// whole width.
func (s *Screen) arrange(p *page.Page) {
	var ownership, standing *page.Section
	s.capacity, ownership, standing, s.problems, s.journal = p.Sections[1], p.Sections[2], p.Sections[3], p.Sections[4], p.Sections[6]
	fits := p.Sections[5]
	s.capacity.Note = func() string { return fmt.Sprintf("used/capacity      free %-7s", s.facts.past) }
	s.capacity.Columns = func(w int) []component.Column { // names are whole where there is room for them
		columns, most := slices.Clone(s.capacity.Grid.Columns()), 9
		for _, t := range s.facts.classes {
			most = max(most, len(t.Class))
		}
		columns[0].Min = min(most, w*2/5)
		return columns
	}
	p.Through, p.WideW, p.WideH, p.RuledW, p.RuledH = true, wideW, wideH, 60, 16
	p.Rows = []page.Row{
		{Slots: []page.Slot{page.Box(5, s.capacity), {Sections: []*page.Section{ownership, standing}, Share: 3}}, Fits: true},
		{Slots: []page.Slot{page.Box(7, s.problems), page.Box(2, fits)}, Fits: true},
		{Slots: []page.Slot{page.Box(1, s.journal)}, Least: 8},
	}
	p.Ruled = []page.Row{
		{Slots: []page.Slot{page.Box(1, s.capacity)}},
		{Slots: []page.Slot{page.Box(1, ownership), {Sections: []*page.Section{standing, fits}, Share: 1}}, Fits: true},
		{Slots: []page.Slot{page.Box(1, s.problems), page.Box(1, s.journal)}},
	}
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.gather() }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == s.snap && (s.facts.of != nil || s.gathers.Busy()) {
			return nil
		}
		s.snap = msg.Snapshot
		return s.gather()
	case tea.KeyMsg:
		if s.facts.of == nil {
			return nil
		}
		return s.Screen.Update(msg)
	}
	f, ok, cmd := s.gathers.Take(msg)
	if ok {
		f.fits = s.facts.fits
		s.take(f)
	}
	found, ok, more := s.fitting.Take(msg)
	if ok {
		s.facts.fits = found.rows
		s.take(s.facts)
	}
	return tea.Batch(cmd, more)
}

// gather reads snapshot and journal.
func (s *Screen) gather() tea.Cmd {
	snap, env, known := s.snap, s.env, s.facts.read
	return s.gathers.Follow(env.Context, func(ctx context.Context) *facts { return gather(ctx, env, snap, known) })
}

// take shows what was gathered, and says why a table is empty.
func (s *Screen) take(f *facts) {
	*s.facts = *f
	say := func(of *page.Section, token themes.Token, text string) {
		of.Grid.Empty = component.Seg{Token: token, Text: text}
	}
	say(s.capacity, themes.Faint, cmp.Or(unreadOf(f.of, cloud.Contents), "no inventory yet"))
	say(s.problems, themes.OK, fmt.Sprintf("%d rules, nothing wrong", len(audit.Rules())))
	say(s.journal, themes.Faint, "nothing has happened here yet")
	if f.unjudged != "" {
		say(s.problems, themes.Warn, f.unjudged)
	}
	if f.unread != "" {
		say(s.capacity, themes.Dim, "not counted yet: "+f.unread)
		say(s.problems, themes.Dim, "not judged yet: "+f.unread)
	}
	s.journal.Note = func() string { return "newest first" }
	if fault := f.read.Fault; fault != nil {
		say(s.journal, themes.Critical, fault.Error())
		s.journal.Note = fault.Error
	}
	s.Screen.Update(screen.SnapshotMsg{Snapshot: f.of})
	s.Refresh()
}

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	say := func(label string, lines ...string) string {
		return screen.State(s.env.Styles, w, h, style.SeverityNone, label, lines...)
	}
	switch {
	case s.facts.of == nil:
		return say(screen.LabelLoading, "adding up "+component.Count(s.snap.Placement().ProviderCount())+" providers")
	case s.facts.totals.Providers > 0:
		s.wide = w >= wideW && h >= wideH
		return s.Screen.View(w, h)
	case s.facts.unread != "":
		return say(screen.LabelLoading, "no providers so far: "+s.facts.unread)
	}
	return say(screen.LabelEmpty, screen.NoProviders()...)
}

// highPart is the used part of the capacity from which a class is nearly full.
const highPart = 0.9

// severity returns the severity of a total: over-full somewhere, nearly full, or fine.
func severity(t insight.ClassTotal, _ list.At) style.Severity {
	l := panel.TotalLoad(t)
	switch {
	case t.OverProviders > 0 || l.Over():
		return style.SeverityCritical
	case l.Used > 0 && float64(l.Used) >= highPart*float64(l.Capacity):
		return style.SeverityWarn
	}
	return style.SeverityNone
}

func (s *Screen) capacityColumns() list.Columns {
	return list.Show("class=:9 bar=:6-200+1 used=:13> free=:9> spark=:9", "spark free", list.Cells[insight.ClassTotal]{
		"class": func(l *component.Line, t insight.ClassTotal, _ list.At) { l.Add(themes.Text, string(t.Class)) },
		"bar": func(l *component.Line, t insight.ClassTotal, _ list.At) {
			component.Bar(l, l.Left(), panel.TotalLoad(t))
		},
		"used": func(l *component.Line, t insight.ClassTotal, at list.At) {
			l.Add(cmp.Or(severity(t, at).Token(), themes.Text), component.Used(panel.TotalLoad(t), panel.Unit(t.Class)))
		},
		"free": func(l *component.Line, t insight.ClassTotal, _ list.At) {
			l.Add(themes.Dim, component.Amount(t.Free, panel.Unit(t.Class)))
		},
		"spark": func(l *component.Line, t insight.ClassTotal, _ list.At) {
			component.Spark(l, l.Left(), s.facts.hist.last(t.Class, l.Left()), float64(max(t.Capacity, t.Used, 1)))
		},
	})
}

// owned is how full the accelerators of an owner are, and how many have them.
type owned struct {
	owner placement.Owner
	insight.OwnerTotal
	load component.Load
}

// owners returns a row for each owner.
func owners(f *facts, _ list.At) (rows []owned) {
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth, placement.OwnedByNone} {
		row := owned{owner: o, OwnerTotal: f.totals.Owners[o]}
		for _, c := range row.Classes {
			row.load = panel.Sum(row.load, panel.TotalLoad(c))
		}
		row.load.Token = panel.Owner(o).Token()
		rows = append(rows, row)
	}
	return rows
}

func (o owned) severity(list.At) style.Severity {
	switch {
	case o.Providers > 0 && o.owner == placement.OwnedByBoth:
		return style.SeverityCritical
	case o.Providers > 0 && o.owner == placement.OwnedByNone:
		return style.SeverityWarn
	}
	return style.SeverityNone
}

func ownerColumns() list.Columns {
	some := func(text func(o owned) string) func(*component.Line, owned, list.At) {
		return list.TextCell(themes.Text, func(o owned, _ list.At) string {
			if o.Providers == 0 {
				return ""
			}
			return text(o)
		})
	}
	return list.Show("owner=:10 bar=:4-100+1 percent=:4> used=:11> cards=:4>", "used", list.Cells[owned]{
		"owner": func(l *component.Line, o owned, _ list.At) {
			panel.OwnerBadge(l, o.owner).Space(1).Add(panel.Owner(o.owner).Token(), o.owner.String())
		},
		"bar": func(l *component.Line, o owned, _ list.At) {
			if o.Providers > 0 {
				component.Bar(l, l.Left(), o.load)
			}
		},
		"percent": some(func(o owned) string { return fmt.Sprintf("%d%%", o.load.Percent()) }),
		"used":    some(func(o owned) string { return component.Used(o.load, component.UnitCount) }),
		"cards":   list.CountCell(themes.Text, func(o owned, _ list.At) int64 { return int64(o.Providers) }),
	})
}

func problemColumns() list.Columns {
	return list.Show("rule=:3 title=:12-28+2 n=:3> what=:26+5", "what", list.Cells[audit.Problem]{
		"rule": func(l *component.Line, p audit.Problem, _ list.At) {
			l.Add(panel.Severity(p.Rule.Severity).Token(), string(p.Rule.ID))
		},
		"title": list.TextCell(themes.Text, func(p audit.Problem, _ list.At) string { return p.Rule.Title }),
		"n":     list.CountCell(themes.Strong, func(p audit.Problem, _ list.At) int64 { return int64(len(p.Findings)) }),
		"what": func(l *component.Line, p audit.Problem, at list.At) {
			f := p.Findings[0]
			name, text := panel.FindingSubject(at.Snap, f), f.Text
			if component.Width(l.Styles(), name+"  "+text) > l.Left() {
				text = f.Short()
			}
			if !strings.Contains(text, name) {
				l.Add(themes.Dim, name).Space(2)
			}
			l.Add(themes.Faint, text)
		},
	})
}

// eventColumns returns those of the journal where there is less room than in a list.
func eventColumns() list.Columns {
	return list.Show("at=:6-8 verb=:6-9 what=:16-60+4 host=:7-20+2 actor=:14-24+2", "actor host", list.Cells[*cloud.Event]{
		"at": func(l *component.Line, ev *cloud.Event, at list.At) {
			when := panel.Clock(at.Now, ev.At)
			if short, _, time := strings.Cut(when, ":"); time && l.Left() < len(when) {
				when = when[:len(short)+len(":00")]
			}
			l.Add(themes.Faint, when)
		},
		"verb": func(l *component.Line, ev *cloud.Event, at list.At) {
			verb := kinds.Summarize(at.Snap, ev).Verb
			l.Add(panel.VerbToken(verb), verb)
		},
		"what": func(l *component.Line, ev *cloud.Event, at list.At) {
			told := kinds.Summarize(at.Snap, ev)
			l.KeepEnds(told.What != ev.Note).Add(themes.Text, told.What).KeepEnds(false).Space(1).Add(themes.Dim, told.Detail)
		},
		"host":  list.TextCell(themes.Text, func(ev *cloud.Event, at list.At) string { return kinds.Summarize(at.Snap, ev).Where }),
		"actor": list.TextCell(themes.Dim, func(ev *cloud.Event, _ list.At) string { return ev.Actor }),
	})
}

// mostLines is how many events are listed: more than a screen has lines.
const mostLines = 60

// events returns the newest events.
func events(f *facts, _ list.At) (rows []*cloud.Event) {
	for i := range f.read.Events[:min(len(f.read.Events), mostLines)] {
		rows = append(rows, &f.read.Events[i])
	}
	return rows
}
