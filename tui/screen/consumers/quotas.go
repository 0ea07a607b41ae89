package consumers

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// projects is the list of projects, with the quotas of each from Nova: these are read for
// visible rows, one after the other, and again when the usage of a project has changed or
// the answer is old.
type projects struct {
	list.Screen
	env   screen.Env
	asks  func(ctx context.Context, project string) ([]*nova.Quota, error) // nil if no service has them
	known atomic.Pointer[map[string]quotas]                                // by project; the map is immutable
	reads screen.Task[map[string]quotas]
}

// quotas are the quotas of a project at some usage.
type quotas struct {
	all  []*nova.Quota
	err  error
	used map[placement.ResourceClass]int64
	next time.Time     // when to ask again, if the row is visible
	wait time.Duration // how long that is, after an error
}

// fresh is how long an answer is valid, firstWait how long to wait after an error; after
// each further error twice as long, up to lastWait.
const (
	fresh     = time.Minute
	firstWait = 5 * time.Second
	lastWait  = 5 * time.Minute
)

// near is for how many rows around the cursor quotas are read, batch for how many before
// they are shown.
const near, batch = 40, 4

// Update implements screen.Screen.
func (p *projects) Update(msg tea.Msg) tea.Cmd {
	got, ok, next := p.reads.Take(msg)
	if ok {
		known := maps.Clone(*p.known.Load())
		maps.Copy(known, got)
		p.known.Store(&known)
		return tea.Batch(next, p.seek())
	}
	return tea.Batch(next, p.Screen.Update(msg), p.seek())
}

// seek reads unknown quotas of visible rows: first of the row under the cursor.
func (p *projects) seek() tea.Cmd {
	if p.asks == nil || p.reads.Busy() {
		return nil
	}
	_, rows := list.Near[tenant](&p.Screen, near)
	if _, here, ok := list.Current[tenant](&p.Screen); ok {
		rows = append([]tenant{here}, rows...)
	}
	now, known := p.env.Clock(), *p.known.Load()
	rows = slices.DeleteFunc(rows, func(t tenant) bool {
		was, ok := known[t.Project]
		return ok && now.Before(was.next) && (was.err != nil || maps.Equal(was.used, t.Used))
	})
	if len(rows) == 0 {
		return nil
	}
	return p.reads.Follow(p.env.Context, func(ctx context.Context) map[string]quotas {
		found := map[string]quotas{}
		for _, t := range rows[:min(len(rows), batch)] {
			if _, twice := found[t.Project]; !twice {
				found[t.Project] = p.ask(ctx, t, known[t.Project])
			}
		}
		return found
	})
}

// ask reads the quotas of a project, given the last answer.
func (p *projects) ask(ctx context.Context, t tenant, was quotas) quotas {
	is := quotas{used: t.Used}
	hold := fresh
	if is.all, is.err = p.asks(ctx, t.Project); is.err != nil {
		is.wait = min(max(2*was.wait, firstWait), lastWait)
		hold = is.wait
	}
	is.next = p.env.Clock().Add(hold)
	return is
}

// told returns the projects with their known quotas.
func (p *projects) told(list.At) func(tenant) kinds.Row {
	known := *p.known.Load()
	return func(t tenant) kinds.Row {
		if all := known[t.Project].all; all != nil {
			with := *t
			with.Quotas = all
			return &with
		}
		return t
	}
}

// of returns what is known of a project.
func (p *projects) of(t tenant) (is quotas, ok bool) {
	is, ok = (*p.known.Load())[t.Project]
	return is, ok
}

// fullest returns the most used quota of a project, nil if none has a limit.
func (p *projects) fullest(t tenant) (most *nova.Quota) {
	is, _ := p.of(t)
	for _, q := range is.all {
		if q.Limit > 0 && (most == nil || float64(q.Used)/float64(q.Limit) > float64(most.Used)/float64(most.Limit)) {
			most = q
		}
	}
	return most
}

func (p *projects) severity(t tenant, _ list.At) style.Severity {
	worst := kinds.Plain
	is, _ := p.of(t)
	for _, q := range is.all {
		worst = max(worst, kinds.QuotaGrade(*q))
	}
	return panel.Grade(worst)
}

// cell draws the most used quota of a project.
func (p *projects) cell(l *component.Line, t tenant, at list.At) {
	is, ok := p.of(t)
	switch q := p.fullest(t); {
	case !ok:
		l.Add(themes.Faint, l.Styles().Glyphs.Ellipsis)
	case is.err != nil:
		l.Add(themes.Dim, "not read")
	case q == nil:
		l.Add(themes.Faint, "-")
	default:
		l.Add(cmp.Or(p.severity(t, at).Token(), themes.Text), q.Name+" "+usedOf(q))
	}
}

// usedOf formats the usage of a quota, with its severity: "18 / 20 near".
func usedOf(q *nova.Quota) string {
	limit := "unlimited"
	if q.Limit != nova.Unlimited {
		limit = component.Amount(q.Limit, kinds.QuotaUnit(*q))
	}
	return strings.TrimSpace(component.Amount(q.Used, kinds.QuotaUnit(*q)) + " / " + limit + " " + q.State())
}

// lines says why the quotas of a project are unknown.
func (p *projects) lines(t tenant, a list.Area) []string {
	token, text := themes.Dim, "quotas: asking Nova"
	switch is, ok := p.of(t); {
	case p.asks == nil:
		text = "quotas: not known: only a live Nova reports them"
	case is.err != nil:
		token, text = themes.Warn, "quotas: not read: "+is.err.Error()
	case ok:
		return nil
	}
	return component.Paragraph(a.Styles, a.Width, 1, token, text)
}
