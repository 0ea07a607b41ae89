// Package consumers is the screen of who holds what, where and since when.
//
// Its rows are made off the event loop: a cloud has more consumers than anything
// else. Until newer ones are there, the rows before them stay, with the Snapshot
// that they are of.
package consumers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/panel"
)

// Screen is the list of consumers. It is made by New.
type Screen struct {
	env  screen.Env
	snap *cloud.Snapshot // the newest
	wish wish            // what is asked for; that of src may be an older one

	src     *source // what is shown; nil before the first list is there
	grid    *component.Grid
	version uint64

	prompt  *component.Prompt // nil when closed
	history []string          // filters entered, the oldest first
	before  wish              // to go back to when the prompt is cancelled
	fault   error             // what is wrong with the filter being typed

	lists screen.Task[*list]
	after tea.Cmd
}

// New returns the screen over a Snapshot, narrowed by a filter. One that cannot
// be read is put into the prompt, with what is wrong with it.
func New(env screen.Env, snap *cloud.Snapshot, filter string) *Screen {
	s := &Screen{env: env, snap: snap}
	s.lists.Clock = env.Clock
	s.grid = component.NewGrid(env.Styles, nil, columns())
	if filter == "" {
		return s
	}
	if err := s.setFilter(filter); err != nil {
		s.openPrompt()
		s.prompt.SetValue(filter)
		s.fault = err
	}
	return s
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.request() }

// Title implements screen.Screen.
func (s *Screen) Title() string { return "consumers" }

// Status implements screen.Stater.
func (s *Screen) Status() string {
	all := component.Count(int64(s.snap.Placement().ConsumerCount()))
	if s.src == nil {
		return "reading " + all
	}
	var parts []string
	if s.wish.expr != "" {
		parts = append(parts, "/"+s.wish.expr)
	}
	parts = append(parts, component.Count(int64(s.src.Len()))+" of "+all)
	arrow := s.env.Styles.Glyphs.SortUp
	if s.wish.desc {
		arrow = s.env.Styles.Glyphs.SortDown
	}
	return strings.Join(append(parts, "sort "+s.wish.sort.String()+" "+arrow), "   ")
}

// Typing implements screen.Typist.
func (s *Screen) Typing() bool { return s.prompt != nil }

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		if msg.Snapshot == s.snap && (s.src != nil || s.lists.Busy()) {
			return nil
		}
		s.snap = msg.Snapshot
		return s.lists.Follow(s.env.Context, s.job())
	case tea.KeyMsg:
		switch {
		case s.prompt != nil:
			return s.promptKey(msg)
		case msg.Paste || s.src == nil:
		case s.grid.Key(msg.String()) == component.EffectSorted:
			return s.sortByColumn()
		}
		return nil
	}
	l, ok, cmd := s.lists.Take(msg)
	if ok {
		s.show(l)
	}
	return cmd
}

// job returns the work that makes the list that is wished for.
func (s *Screen) job() func(context.Context) *list {
	r := request{snap: s.snap, wish: s.wish, now: s.env.Clock()}
	if s.src != nil {
		r.old = s.src.list
	}
	return func(ctx context.Context) *list { return build(ctx, r) }
}

// request makes the list because a person asked for another one.
func (s *Screen) request() tea.Cmd { return s.lists.Start(s.env.Context, s.job()) }

// show puts a list on the grid.
func (s *Screen) show(l *list) {
	s.version++
	s.src = &source{list: l, clock: s.env.Clock, version: s.version}
	s.grid.SetSource(s.src)
	at := slices.IndexFunc(s.grid.Columns(), func(c component.Column) bool { return c.Key == l.wish.sort.column() })
	if col, desc := s.grid.Sort(); col != at || desc != l.wish.desc {
		s.grid.SetSort(at, l.wish.desc)
	}
	if s.prompt != nil && s.fault == nil {
		s.prompt.SetNote(themes.Faint, component.Count(int64(s.src.Len()))+"   enter keep  esc undo")
	}
}

// sortByColumn sorts by what the grid was told to.
func (s *Screen) sortByColumn() tea.Cmd {
	col, desc := s.grid.Sort()
	for o := range orders {
		if col >= 0 && o.column() == s.grid.Columns()[col].Key {
			s.wish.desc = desc && s.wish.sort == o
			s.wish.sort = o
			return s.request()
		}
	}
	return nil
}

// setFilter reads a filter. One that cannot be read changes nothing.
func (s *Screen) setFilter(expr string) error {
	expr = strings.TrimSpace(expr)
	if _, err := component.CompileFilter(expr, fields{}); err != nil {
		return err
	}
	s.wish.expr = expr
	return nil
}

// Back implements screen.Backer: esc first drops a range, marks, the filter.
func (s *Screen) Back() bool {
	switch {
	case s.grid.DropRange() || s.grid.ClearMarks():
		return true
	case s.wish.expr != "":
		s.wish.expr = ""
		s.after = s.request()
		return true
	}
	return false
}

// AfterBack implements screen.AfterBacker.
func (s *Screen) AfterBack() tea.Cmd {
	cmd := s.after
	s.after = nil
	return cmd
}

// openPrompt opens the filter line with the filter there is.
func (s *Screen) openPrompt() tea.Cmd {
	s.before, s.fault = s.wish, nil
	s.prompt = component.NewPrompt(s.env.Styles, "/")
	s.prompt.SetHistory(s.history)
	s.prompt.SetValue(s.wish.expr)
	return nil
}

// promptKey is a key for the filter line. The list follows what is typed.
func (s *Screen) promptKey(msg tea.KeyMsg) tea.Cmd {
	switch s.prompt.Key(msg) {
	case component.PromptSubmit:
		if s.fault == nil {
			s.history, s.prompt = s.prompt.History(), nil
		}
	case component.PromptCancel:
		s.prompt, s.fault = nil, nil
		if s.wish != s.before {
			s.wish = s.before
			return s.request()
		}
	case component.PromptChanged:
		s.prompt.SetNote(themes.Faint, "")
		if s.fault = s.setFilter(s.prompt.Value()); s.fault == nil {
			return s.request()
		}
	case component.PromptNone:
	}
	return nil
}

// faultText says what is wrong with the filter being typed.
func (s *Screen) faultText() string {
	var fe *component.FilterError
	if errors.As(s.fault, &fe) && fe.Hint != "" {
		return fmt.Sprintf("column %d: %s; %s", fe.Col, fe.What, fe.Hint)
	}
	return s.fault.Error()
}

// current returns the consumer under the cursor, as it is in the Snapshot that is
// shown.
func (s *Screen) current() (*placement.Consumer, bool) {
	r, id := s.grid.Cursor()
	if s.src == nil || id == "" {
		return nil, false
	}
	return s.src.consumer(r), true
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	c, ok := s.current()
	nothing := ""
	if !ok {
		nothing = "no consumer under the cursor"
	}
	list := []action.Action{
		{ID: "consumers.open", Keys: []string{"enter"}, Title: "provider", Help: "go to the provider where the consumer is: its card, or its host", Priority: 90, Disabled: nothing, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.Provider, Arg: where(s.src.snap.Placement(), c)})
		}},
		{ID: "consumers.filter", Keys: []string{"/"}, Title: "filter", Help: "filter: name, project=ml-* type=INSTANCE class=VGPU where:cmp-001", Priority: 88, Run: s.openPrompt},
		{ID: "consumers.release", Keys: []string{"D"}, Title: "release...", Help: "release all that the consumer holds, with a preview", Priority: 80, Writes: true, Disabled: nothing, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.Release, Arg: c.ID().String()})
		}},
		{ID: "consumers.allocate", Keys: []string{"n"}, Title: "new allocation", Help: "make an allocation", Priority: 70, Writes: true, Run: func() tea.Cmd {
			return screen.Send(screen.Goto{Kind: screen.Allocate})
		}},
		{ID: "consumers.sort", Keys: []string{"s"}, Title: "sort", Help: "sort by the next: age, name, project, type", Priority: 50, Run: func() tea.Cmd {
			s.wish.sort = (s.wish.sort + 1) % orders
			return s.request()
		}},
		{ID: "consumers.reverse", Keys: []string{"S"}, Title: "reverse", Help: "turn the order round", Run: func() tea.Cmd {
			s.wish.desc = !s.wish.desc
			return s.request()
		}},
		{ID: "consumers.copy", Keys: []string{"c"}, Title: "copy uuid", Help: "copy the uuid", Disabled: nothing, Run: func() tea.Cmd {
			return screen.Send(screen.CopyMsg{What: "uuid of " + panel.ConsumerName(s.src.snap, c.ID()), Text: c.ID().String()})
		}},
	}
	about := ""
	if ok {
		about = "consumer:" + c.ID().String()
	}
	return slices.Concat(list, panel.Asking("consumers", about, nothing), panel.GridMoves(), panel.ColumnMoves())
}

// where returns the uuid of the provider that a consumer is most at home on: the
// deepest one, which for a GPU instance is the card.
func where(pl *placement.Snapshot, c *placement.Consumer) string {
	best, depth := "", -1
	for a := range pl.Allocations(c) {
		d := 1
		for p, ok := pl.Parent(a.Provider); ok; p, ok = pl.Parent(p) {
			d++
		}
		if pl.Shares(a.Provider) {
			d = 0
		}
		if d > depth {
			best, depth = a.Provider.ID().String(), d
		}
	}
	return best
}
