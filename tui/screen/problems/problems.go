// Package problems is the screen of all that is wrong with a cloud: by rule, and what can
// be done.
//
// The rules run once for this screen and the counters in the header, off the event loop
// unless the cloud is small. Nothing is written here: fixes and notes are previewed by the
// pages that are opened from here.
//
//	Snapshot -> pass -> rows -> list
//	                     |        |  under the cursor, and near it
//	                     |        v
//	                     |     its fixes, each tried on a copy
//	                     v
//	                     F -> choice of fixes -> preview -> write
package problems

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.Problems) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at), nil
		}).On("6", "!").Called("audit", "problems").FoundBy("check doctor health broken").
			For("What is wrong, and what repairs it.").Answering(rules()...),
	}
}

// rules returns the rules, to be gone to by what people call what they find.
func rules() []screen.Named {
	var out []screen.Named
	for _, r := range audit.Rules() {
		out = append(out, screen.Named{
			Kind: "rule", Name: string(r.ID), Title: r.Title, What: r.Title, Also: strings.ToLower(r.Title) + " " + r.Also, To: place.Problems{Rule: r.ID},
		})
	}
	return out
}

// Screen is the list of problems. It is made by New.
type Screen struct {
	list.Screen
	env   screen.Env
	snap  *cloud.Snapshot // the newest
	quiet atomic.Bool     // acknowledged and muted ones are shown, too; read off the event loop

	asks     screen.Task[*findingFixes]
	asked    string                      // about which finding, by id
	read     map[string]*findingFixes    // by id, of the findings of a pass
	of       *keeper.Pass                // that pass
	made     atomic.Pointer[keeper.Pass] // which the rows are from
	plans    atomic.Pointer[plans]       // the last; those of the previous pass are used until there are new ones
	planning screen.Task[*plans]

	unfixed *keeper.Pass             // the last before a fix; nil if none was opened since a key was pressed here
	toFix   []audit.AnnotatedFinding // what that fix is for
	counted *keeper.Pass             // with known counts
	counts  map[audit.Severity]int
}

// New returns the screen over a Snapshot, with the cursor at a place of it.
func New(env screen.Env, snap *cloud.Snapshot, at place.Problems) screen.Screen {
	env.Keeper = env.Kept()
	s := &Screen{env: env, snap: snap}
	s.asks.Clock, s.planning.Clock = env.Clock, env.Clock
	list.Make(&s.Screen, list.Spec[*row]{
		Name: "problems", Thing: "problem",
		Rows:       s.rows,
		ID:         func(r *row) string { return r.id },
		Text:       (*row).text,
		Place:      func(r *row) (own, under int) { return r.place, r.head },
		Heads:      true,
		Columns:    columns(),
		Orders:     orders(),
		Fields:     fields(),
		FilterHelp: "text, severity=critical owner=both rule=o0* state=open",
		Severity:   func(r *row, _ list.At) style.Severity { return severity(r) },
		Actions:    s.actions,
		Title:      title,
		Detail:     s.detail,
		Half:       true,
		Lines:      7,
		Side:       true,
		Nothing:    s.nothing,
		Unmatched:  unmatched,
	}, env, snap, without(env, at))
	if at != (place.Problems{}) {
		list.Seek(&s.Screen, isAbout(at))
	}
	return s
}

// unmatched says that a rule finds nothing, as after its last finding was fixed; nil for a
// filter that is not a rule.
func unmatched(expr string) []string {
	r, ok := audit.RuleByID(audit.RuleID(strings.TrimPrefix(expr, "rule=")))
	if !ok {
		return nil
	}
	return []string{fmt.Sprintf("%s %s: nothing is found", r.ID, r.Title), "try: esc shows the other problems"}
}

// without returns the filter for a rule that finds nothing, "" for any other place: no key is
// then about what another rule finds.
func without(env screen.Env, at place.Problems) string {
	pass := env.Keeper.Last()
	if at.Rule == "" || at.Subject != "" || pass == nil || slices.ContainsFunc(pass.Open(), func(f audit.Finding) bool { return f.Rule == at.Rule }) {
		return ""
	}
	return "rule=" + string(at.Rule)
}

// rows runs the rules on a Snapshot, and returns their findings.
func (s *Screen) rows(ctx context.Context, snap *cloud.Snapshot) []*row {
	pass := s.env.Inspect(snap)
	if s.made.Store(pass); pass.Of.Placement().ProviderCount() <= quickPlans {
		s.plans.Store(plansOf(ctx, pass))
	}
	return rowsOf(pass, s.quiet.Load(), s.plans.Load())
}

// Title implements screen.Screen.
func (*Screen) Title() string { return "problems" }

// Status implements screen.Stater: how many problems there are, and when the rules
// were asked last.
func (s *Screen) Status() string {
	pass := s.env.Keeper.Last()
	if pass == nil {
		return "applying the rules"
	}
	if pass.Unread != "" {
		return unreadText(pass)
	}
	if pass != s.counted {
		s.counted, s.counts = pass, audit.Count(pass.Open())
	}
	text := component.Plural(len(pass.Report.Open), "problem")
	if len(pass.Report.Open) > 0 {
		text += "  " + panel.Counted(s.env.Styles, s.counts)
	}
	if expr := s.Expr(); expr != "" {
		text = "/" + expr + "   " + text
	}
	if n := s.Marked(); n != "" {
		text = n + "   " + text
	}
	if n := len(pass.Report.Acknowledged); n > 0 {
		text += fmt.Sprintf("   %d acknowledged", n)
	}
	if n := len(pass.Report.Unjudged); n > 0 {
		text += "   " + component.Plural(n, "rule") + " not judged"
	}
	if n := len(pass.Report.Mutes); n > 0 {
		text += "   " + component.Plural(n, "rule") + " muted"
	}
	if pass.Of != s.snap {
		return text + fmt.Sprintf("   stale: of rev %d, rechecking", pass.Of.Revision())
	}
	return text + "   " + passed(pass)
}

// unreadText says that the rules wait until the whole cloud has been read.
func unreadText(pass *keeper.Pass) string { return "not judged yet: " + pass.Unread }

// passed says when the rules ran, and how long that took.
func passed(pass *keeper.Pass) string {
	return "last pass " + pass.Ended.UTC().Format("15:04:05Z") + ", " + component.Took(pass.Took)
}

// nothing says what it means that there are no problems.
func (s *Screen) nothing() []string {
	pass := s.env.Keeper.Last()
	if pass == nil {
		return nil
	}
	if pass.Unread != "" {
		return []string{unreadText(pass)}
	}
	lines := []string{fmt.Sprintf("%s, nothing wrong, %s", component.Plural(len(pass.Report.Rules), "rule"), passed(pass))}
	if n := len(pass.Report.Unjudged); n > 0 {
		lines[0] = fmt.Sprintf("nothing wrong as far as is known, %s", passed(pass))
	}
	if text := audit.UnjudgedText(pass.Report.Unjudged, len(pass.Report.Rules)); text != "" {
		lines = append(lines, text)
	}
	if n := len(pass.Report.Acknowledged) + len(pass.Report.Muted); n > 0 {
		lines = append(lines, fmt.Sprintf("%s acknowledged or muted: . shows", component.Plural(n, "problem")))
	}
	return lines
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(screen.SnapshotMsg); ok {
		pass := s.made.Load()
		if msg.Snapshot == s.snap && pass != nil && (pass != s.env.Keeper.Last() || !pass.Holds(s.snap, s.env.Now())) {
			return s.Remake() // only the time has changed
		}
		s.snap = msg.Snapshot
	}
	got, ok, next := s.asks.Take(msg)
	if ok {
		s.take(got)
		return tea.Batch(next, s.inquire())
	}
	if p, ok, then := s.planning.Take(msg); ok {
		s.plans.Store(p)
		return tea.Batch(next, then, s.Remake())
	} else if then != nil {
		return then
	}
	if _, pressed := msg.(tea.KeyMsg); pressed {
		s.unfixed = nil
	}
	return tea.Batch(next, s.Screen.Update(msg), s.raised(), s.inquire(), s.plan())
}

// raised puts the cursor on the first problem that is new after a fix, and says so: what comes next
// is then one key. A filter stays if it still shows something: there is more to be fixed under it.
func (s *Screen) raised() tea.Cmd {
	pass := s.made.Load()
	if s.unfixed == nil || pass == nil || pass.Of == s.unfixed.Of {
		return nil
	}
	if _, r, ok := list.Current[*row](&s.Screen); ok && r.pass != pass {
		return nil // the new rows are on their way
	}
	had, has := byID(s.unfixed), byID(pass)
	s.unfixed = pass
	if !slices.ContainsFunc(s.toFix, func(f audit.AnnotatedFinding) bool { return had[f.ID()] && !has[f.ID()] }) {
		return nil // it was someone else's write
	}
	s.unfixed = nil
	brought := slices.DeleteFunc(slices.Clone(pass.Open()), func(f audit.Finding) bool { return had[f.ID()] })
	if len(brought) == 0 {
		return nil
	}
	first := slices.MinFunc(brought, func(a, b audit.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	n := 0
	for _, f := range brought {
		if f.Rule == first.Rule {
			n++
		}
	}
	toast := screen.ToastMsg{Severity: style.SeverityWarn, Text: fmt.Sprintf("new: %s %s, %s", first.Rule, audit.RuleOf(first).Title, component.Plural(n, "time"))}
	var clear tea.Cmd
	if shown, _ := s.Counts(); shown == 0 {
		clear = s.Filter("")
	}
	sought := isAbout(place.Problems{Rule: first.Rule})
	seek := list.Seek(&s.Screen, sought)
	if _, r, ok := list.Current[*row](&s.Screen); ok && !sought(r) {
		toast.Hint = "esc clears the filter that hides it"
	}
	return tea.Batch(clear, seek, screen.Send(toast))
}

// byID returns which findings of a pass are open, by id.
func byID(pass *keeper.Pass) map[string]bool {
	out := map[string]bool{}
	for _, f := range pass.Open() {
		out[f.ID()] = true
	}
	return out
}

// plan computes the fixes for the rows, if they do not have them yet.
func (s *Screen) plan() tea.Cmd {
	pass, known := s.made.Load(), s.plans.Load()
	if _, shown := s.Counts(); shown == 0 || known != nil && known.pass == pass || s.planning.Busy() {
		return nil
	}
	return s.planning.Follow(s.env.Context, func(ctx context.Context) *plans { return plansOf(ctx, pass) })
}

// nextRows is how many rows around the cursor are looked into ahead, so that a step of the
// cursor shows everything at once.
const nextRows = 3

// inquire finds out what can be done about the finding under the cursor, and then about
// those next to it.
func (s *Screen) inquire() tea.Cmd {
	_, r, ok := list.Current[*row](&s.Screen)
	if !ok {
		return nil
	}
	if s.of != r.pass {
		s.read, s.of, s.asked = map[string]*findingFixes{}, r.pass, ""
	}
	if _, known := s.fixesOf(r); !known {
		return s.lookInto(r)
	}
	if s.asks.Busy() {
		return nil
	}
	_, next := list.Near[*row](&s.Screen, nextRows)
	for _, r := range next {
		if _, known := s.fixesOf(r); !known && r.pass == s.of {
			return s.lookInto(r)
		}
	}
	return nil
}

// lookInto gathers what is known about a row's first finding.
func (s *Screen) lookInto(r *row) tea.Cmd {
	f := r.first()
	if s.asks.Busy() && s.asked == f.ID() {
		return nil
	}
	s.asked = f.ID()
	of, now := r.pass, s.env.Now()
	return s.asks.Start(s.env.Context, func(context.Context) *findingFixes { return newFindingFixes(of, f, now) })
}

// take stores what was found out.
func (s *Screen) take(d *findingFixes) {
	if d.pass == s.of {
		s.read[d.id] = d
	}
}

// Back implements screen.Backer: esc, after marks and filter, hides what operators
// do not want to see.
func (s *Screen) Back() (bool, tea.Cmd) {
	if took, cmd := s.Screen.Back(); took {
		return true, cmd
	}
	if !s.quiet.Swap(false) {
		return false, nil
	}
	return true, s.Remake()
}
