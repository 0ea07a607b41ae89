// Package whatif is the screen that asks for allocation candidates and says why
// the answer is what it is.
//
//	query --edit, + and ---> parse --off the event loop--> answer
//	                                                         | candidates, tree by tree
//	                                                         | funnel: what each condition leaves
//	                                                         | ways out: what would help
//	                                                         | nearest misses, each in words
//
// The answer to an older query stays until the newest one arrives.
package whatif

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(func(env screen.Env, at place.WhatIf) (screen.Screen, error) {
			return New(env, env.Cloud.Snapshot(), at), nil
		}).On("4").Called("what-if", "cand", "candidates").FoundBy("no valid host novalidhost scheduler allocation_candidates select_destinations allocationcandidates allocation candidates required forbidden simulate capacity fit").
			For("Ask what the scheduler would: who could take it, who not, and why."),
	}
}

// The sections of the page.
const (
	sectionQuery   = iota
	sectionTerms   // each with who added it
	sectionFilters // what Nova adds to the query
	sectionList    // the candidates
	sectionFunnel
	sectionWays
	sectionMisses
	sectionFits // how many copies fit
)

// Screen asks a query. It is made by New.
type Screen struct {
	env     screen.Env
	snap    *cloud.Snapshot
	indexer *candidates.Indexer
	start   initialState
	nova    *asker // nil if the query is the user's own

	query candidates.Query // the current one
	url   string           // the same as text
	task  screen.Task[*answer]
	ans   *answer // the newest, nil before the first
	err   error   // why the newest query has no answer

	prompt *component.Prompt
	typing bool
	begun  pastQuery // the query when the prompt was opened
	fault  *candidates.ParseError

	page   page.Page
	cell   int // the amount that + and - change, counted over all groups
	stage  int // the stage whose misses are shown, -1 for all
	open   map[string]bool
	listed []listRow // the rows of the list of candidates
	near   []miss    // the misses to show
	tests  []test    // which they are told by
	opened bool      // the provider that is explained is the one that the screen was opened about

	packing screen.Task[*copiesFit]
	packs   *copiesFit // the newest, nil before the first
}

// pastQuery is a query to return to.
type pastQuery struct {
	query candidates.Query
	url   string
	how   nova.AskOptions // Nova's options
}

var (
	_ screen.Screen = (*Screen)(nil)
	_ screen.Typist = (*Screen)(nil)
	_ screen.Stater = (*Screen)(nil)
	_ screen.Backer = (*Screen)(nil)
)

// New returns the screen of a place. A query that cannot be read is shown with what is
// wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, at place.WhatIf) *Screen {
	indexer := env.Indexer()
	s := &Screen{
		env: env, snap: snap, indexer: indexer, start: begin(snap, indexer, at), opened: at.Words,
		stage: -1, open: map[string]bool{},
	}
	s.task.Clock, s.packing.Clock = env.Clock, env.Clock
	s.arrange()
	s.page.Explain(at.Words)
	s.prompt = component.NewPrompt(env.Styles, "?")
	s.prompt.Suggest = func(text string) []string { return candidates.Complete(s.snap.Placement(), text) }
	q, fault := parse(snap, s.start.query)
	if fault != nil {
		s.edit(s.start.query)
		s.fault = fault
		q, _ = parse(snap, example(snap.Placement()))
	}
	if s.nova = s.start.nova; s.nova != nil {
		s.nova.effects.Clock = env.Clock
		q = s.nova.request.Query
	}
	s.query, s.url = q, q.URL()
	s.begun = s.now()
	s.fill()
	return s
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd {
	cmd := s.ask()
	if s.start.note != "" {
		return tea.Batch(cmd, screen.Send(screen.Warning(s.start.note)))
	}
	return cmd
}

// Title implements screen.Screen.
func (s *Screen) Title() string {
	if s.start.from != "" {
		return "what-if from " + s.start.from
	}
	return "what-if"
}

// Status implements screen.Stater.
func (s *Screen) Status() string {
	switch {
	case s.ans == nil:
		return "asking"
	case s.task.Busy():
		return s.ans.total() + "   asking"
	}
	text := s.ans.total()
	if n := len(s.ans.found.GaveUp); n > 0 {
		text += fmt.Sprintf("   not everything was tried on %d trees", n)
	}
	if s.ans.took > 0 {
		text += fmt.Sprintf("   %.1f ms", float64(s.ans.took.Microseconds())/1000)
	}
	return text
}

// Typing implements screen.Typist.
func (s *Screen) Typing() bool { return s.typing }

// Back implements screen.Backer: it closes what is open, one after the other.
func (s *Screen) Back() (bool, tea.Cmd) {
	closed, cmd := s.page.Back()
	switch {
	case closed:
		s.opened = false
	case s.page.Focus == sectionFits:
		s.page.Show(s.home())
	case s.stage >= 0:
		s.only(-1)
	default:
		return false, nil
	}
	return true, cmd
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == s.snap {
			return nil
		}
		s.snap = msg.Snapshot
		s.refollow()
		s.fill()
		return tea.Batch(s.task.Follow(s.env.Context, s.work()), s.pack(false))
	case tea.KeyMsg:
		if s.typing {
			return s.promptKey(msg)
		}
		if msg.Paste || !panel.ScrollAction("").Keys.Has(msg.String()) { // rows cannot be marked or sorted
			return nil
		}
		return s.page.Update(msg)
	}
	a, ok, cmd := s.task.Take(msg)
	if ok {
		s.take(a)
		return tea.Batch(cmd, s.weigh())
	}
	if s.nova != nil {
		gives, ok, next := s.nova.effects.Take(msg)
		if ok {
			s.nova.gives = gives
		}
		cmd = tea.Batch(cmd, next)
	}
	p, ok, next := s.packing.Take(msg)
	if ok {
		s.packs = p
	}
	return tea.Batch(cmd, next)
}

// work returns the function that answers the query, off the event loop.
func (s *Screen) work() func(context.Context) *answer {
	clock, indexer, snap, q, about := s.env.Clock, s.indexer, s.snap, s.query, s.start.about
	return func(context.Context) *answer { return ask(clock, indexer, snap, q, about) }
}

// ask runs the query now. A pending answer to an older one is dropped.
func (s *Screen) ask() tea.Cmd {
	var cmd tea.Cmd
	if screen.Small(s.snap) {
		s.task.Drop()
		s.take(s.work()(s.env.Context))
		cmd = s.weigh()
	} else {
		cmd = s.task.Start(s.env.Context, s.work())
	}
	return tea.Batch(cmd, s.pack(true))
}

// look computes what the section with the focus shows.
func (s *Screen) look() tea.Cmd { return tea.Batch(s.weigh(), s.pack(true)) }

// take shows an answer. Without one, the last good one stays.
func (s *Screen) take(a *answer) {
	s.err = a.err
	if a.err != nil {
		return
	}
	first := s.ans == nil
	other := first || s.ans.url != a.url
	if other {
		s.stage = -1
	}
	s.ans = a
	s.fill()
	if other {
		_, emptied := worst(a.why.Stages)
		s.table(sectionFunnel).MoveToRow(emptied + 1)
		if s.page.Focus != sectionMisses { // a user who looks at one follows it from one query to the next
			s.table(sectionMisses).MoveToRow(0)
		}
	}
	if at := s.page.Focus; first || at > sectionFilters && at < sectionFits && s.rows(at) == 0 && (s.stage < 0 || at == sectionList) {
		s.page.Show(s.home())
	}
}

// home returns the section that says most about the answer.
func (s *Screen) home() int {
	if s.ans != nil && len(s.ans.kinds) > 0 {
		return sectionList
	}
	return sectionFunnel
}

// find finds the rows of candidates and misses.
func (s *Screen) find() {
	if s.stage >= len(s.ans.why.Stages) {
		s.stage = -1
	}
	s.listed = s.list()
	s.near = s.ans.misses
	if s.stage < 0 {
		return
	}
	s.near = nil
	words := s.ans.why.Stages[s.stage].Condition.Words()
	for _, m := range s.ans.misses {
		if slices.ContainsFunc(m.Reasons, func(r candidates.Reason) bool { return r.Condition.Words() == words }) {
			s.near = append(s.near, m)
		}
	}
}

// only shows the misses that a stage removed, all for -1.
func (s *Screen) only(stage int) {
	s.stage = stage
	s.fill()
	s.table(sectionMisses).MoveToRow(0)
}

// told returns the provider that is explained in words: the one under the cursor, or the
// one that the screen was opened about, which comes first if it was opened for words.
func (s *Screen) told() (candidates.Verdict, bool) {
	if s.ans == nil {
		return candidates.Verdict{}, false
	}
	if s.ans.told && s.opened {
		return s.ans.about, true
	}
	if i := s.row(sectionList); i >= 0 && s.page.Focus == sectionList {
		return s.ans.why.Provider(s.ans.found.Parts(s.listed[i].i)[0].Provider), true
	}
	if s.ans.told && s.page.Focus != sectionMisses {
		return s.ans.about, true
	}
	if i := s.row(sectionMisses); i >= 0 {
		return s.near[i].verdict, true
	}
	return candidates.Verdict{}, false
}

// listRow is a row of the list of candidates.
type listRow struct {
	root  *placement.ResourceProvider
	i     int  // index of the candidate
	more  int  // of the same kind, folded away below it
	first bool // of its tree

	phantom string // why it takes capacity that no guest can have, "" if it does not
}

// list returns the candidates as rows: one for each kind, or all of an unfolded kind.
func (s *Screen) list() []listRow {
	var out []listRow
	for k, kind := range s.ans.kinds {
		first := k == 0 || s.ans.kinds[k-1].root != kind.root
		if len(s.open) == 0 || !s.open[kindKey(kind)] {
			out = append(out, listRow{root: kind.root, i: kind.which[0], more: len(kind.which) - 1, first: first, phantom: kind.phantom})
			continue
		}
		for n, i := range kind.which {
			out = append(out, listRow{root: kind.root, i: i, first: first && n == 0, phantom: kind.phantom})
		}
	}
	return out
}

// kindKey identifies a kind across answers.
func kindKey(k kind) string { return fmt.Sprintf("%s %d", k.root.ID(), k.which[0]) }
