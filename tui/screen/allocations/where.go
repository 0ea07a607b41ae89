package allocations

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// The least time between two searches for room because the cloud has changed, while the
// list is visible and while the preview is: at 10,000 hosts a search takes about 20 ms.
const (
	followGap = 250 * time.Millisecond
	hiddenGap = 2 * time.Second
)

// where is the second step of an allocation: the trees on which it fits, and the others
// with the reasons.
type where struct {
	env  screen.Env
	wish ops.Wish
	// snap is the newest Snapshot; the options may be those of an older one.
	snap    *cloud.Snapshot
	indexer *candidates.Indexer

	grid *component.Grid
	src  *optionSource
	line list.FilterLine
	expr string // the filter
	undo string // the filter before the line was opened

	asked screen.Sequence
	busy  bool // an answer is on its way
	again bool // and already outdated
	note  string
	wide  bool // the columns are those of a wide terminal
}

// offersMsg brings the result of a search for room.
type offersMsg struct {
	owner *where
	seq   uint64
	found offers
	err   error
}

// offers is the result of Fits for one Snapshot, ready for the list.
type offers struct {
	snap    *cloud.Snapshot
	options []ops.Option
	keys    []string // what a filter searches, in lower case
	fitting int
}

// newWhere returns the step without rows; look fills it.
func newWhere(env screen.Env, snap *cloud.Snapshot, wish ops.Wish) *where {
	s := &where{env: env, wish: wish, snap: snap, indexer: env.Indexer()}
	s.src = newOptionSource(offers{snap: snap}, wish, nil, 0)
	s.grid = component.NewGrid(env.Styles, s.src, optionColumns(s.src.main, false))
	s.grid.Empty = component.Seg{Token: themes.Dim, Text: fmt.Sprintf("looking for room on %s trees", component.Count(int64(snap.Placement().RootSet().Len())))}
	return s
}

// look searches for options off the event loop, after a pause. An answer to an older
// search is dropped.
func (s *where) look(pause time.Duration) tea.Cmd {
	ctx, seq := s.asked.Next(s.env.Context)
	s.busy, s.again = true, false
	snap, indexer, wish := s.snap, s.indexer, s.wish
	return func() tea.Msg {
		if !wait(ctx, pause) {
			return nil
		}
		found, err := find(snap, indexer, wish)
		return offersMsg{owner: s, seq: seq, found: found, err: err}
	}
}

// begin makes the first search: in a small cloud before the next key.
func (s *where) begin() tea.Cmd {
	if !screen.Small(s.snap) {
		return s.look(0)
	}
	found, err := find(s.snap, s.indexer, s.wish)
	_, seq := s.asked.Next(s.env.Context)
	return s.take(offersMsg{owner: s, seq: seq, found: found, err: err})
}

// wait waits for d and reports whether ctx is still alive.
func wait(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// find searches for room.
func find(snap *cloud.Snapshot, indexer *candidates.Indexer, wish ops.Wish) (offers, error) {
	options, err := ops.Fits(snap, indexer.Index(snap.Placement()), wish)
	if err != nil {
		return offers{}, err
	}
	o := offers{snap: snap, options: options, keys: make([]string, len(options))}
	var b strings.Builder
	for i, opt := range options {
		if opt.Fits() {
			o.fitting++
		}
		b.Reset()
		b.WriteString(opt.Anchor.Name())
		for _, p := range opt.Parts {
			b.WriteString(" " + p.Provider.Name())
		}
		if why := opt.Why(); why != "" {
			b.WriteString(" " + why)
		}
		o.keys[i] = strings.ToLower(b.String())
	}
	return o, nil
}

// follow takes a newer Snapshot: it searches again after a pause, unless a search is
// under way.
func (s *where) follow(snap *cloud.Snapshot, pause time.Duration) tea.Cmd {
	if snap == s.snap {
		return nil
	}
	s.snap = snap
	if s.busy {
		s.again = true
		return nil
	}
	return s.look(pause)
}

// take shows the result of a search, and searches again if the cloud has changed
// meanwhile.
func (s *where) take(msg offersMsg) tea.Cmd {
	if msg.owner != s || !s.asked.Current(msg.seq) {
		return nil
	}
	s.busy = false
	if msg.err != nil {
		s.note = msg.err.Error()
	} else {
		s.note = ""
		s.show(msg.found)
	}
	if s.again {
		return s.look(followGap)
	}
	return nil
}

// show puts options on the grid, filtered.
func (s *where) show(found offers) {
	f, err := filter.Compile(s.expr, optionFields{found, s.src.main})
	if err != nil {
		f = s.src.filter // it was parsed for an older Snapshot
	}
	s.src = newOptionSource(found, s.wish, f, s.src.version+1)
	what := "no provider has room, and none comes close"
	switch {
	case !f.Empty():
		what = fmt.Sprintf("none of %s trees matches", component.Count(int64(len(found.options))))
	case len(found.options) == 0:
		what = "this cloud has no resource providers"
	}
	s.grid.Empty = component.Seg{Token: themes.Dim, Text: what}
	s.grid.SetSource(s.src)
	s.line.Matched(s.src.Len())
}

// narrow sets another filter. It returns the error of an invalid one, and leaves the list
// as it is.
func (s *where) narrow(expr string) error {
	if _, err := filter.Compile(expr, optionFields{s.src.offers, s.src.main}); err != nil {
		return err
	}
	s.expr = expr
	s.show(s.src.offers)
	return nil
}

// open opens the filter line.
func (s *where) open() {
	s.note, s.undo = "", s.expr
	s.line.Open(s.env.Styles, s.expr)
}

// typing reports whether a filter is being typed: then the list gets all keys.
func (s *where) typing() bool { return s.line.Typing() }

// key handles a key for the list or the filter line.
func (s *where) key(msg tea.KeyMsg) {
	s.note = ""
	if !s.line.Typing() {
		if !msg.Paste {
			s.grid.Key(msg.String())
		}
		return
	}
	switch s.line.Key(msg, s.narrow) {
	case list.FilterChanged:
		s.grid.MoveToRow(0)
	case list.FilterUndone:
		s.expr = s.undo
		s.show(s.src.offers)
	case list.FilterNone, list.FilterKept:
	}
}

// back removes the filter, and reports whether there was one.
func (s *where) back() bool {
	if s.expr == "" {
		return false
	}
	s.expr, s.note = "", ""
	s.show(s.src.offers)
	return true
}

// pick returns the option under the cursor, and says why if it does not fit.
func (s *where) pick() (ops.Option, bool) {
	s.note = ""
	o, ok := s.current()
	switch {
	case !ok:
		s.note = "nothing to choose"
	case !o.Fits():
		s.note = o.Anchor.Name() + " cannot take it: " + o.Why()
	default:
		return o, true
	}
	return ops.Option{}, false
}

// current returns the option under the cursor.
func (s *where) current() (ops.Option, bool) {
	row, _ := s.grid.Cursor()
	if row < 0 || row >= s.src.Len() {
		return ops.Option{}, false
	}
	return s.src.option(row), true
}

// status says on how many trees the wish fits.
func (s *where) status() string {
	o := s.src.offers
	return fmt.Sprintf("fits %s of %s", component.Count(int64(o.fitting)), component.Count(int64(len(o.options))))
}

// view draws the step: the list, and the option under the cursor below it or to its
// right.
func (s *where) view(w, h int, steps []string) string {
	st := s.env.Styles
	head := sheet.Steps(st, w, steps, 1)
	ask := component.NewLine(st, w).Space(1).Add(themes.Strong, strings.ReplaceAll(wire.Resources(s.wish.Resources), ",", "  "))
	if terms := (candidates.Query{Groups: []candidates.Group{s.wish.Terms}}).URL(); terms != "" {
		ask.Add(themes.Dim, "   with ").Add(themes.Text, terms)
	}
	if p, ok := s.snap.Placement().Provider(s.wish.Provider); ok {
		ask.Add(themes.Dim, "   from ").Add(themes.Text, p.Name())
	}
	ask.Add(themes.Dim, "   "+s.status())
	if h >= 8 {
		head = component.Stack(head, ask.String())
	}
	return sheet.Page(w, h, head, s.foot(w), func(bw, bh int) string {
		list := func(b []byte, w, h int) []byte { return append(b, s.body(w, h)...) }
		return string(s.line.Draw(nil, st, bw, bh, list))
	})
}

// body draws the list, and what the option under the cursor gives.
func (s *where) body(bw, bh int) string {
	st := s.env.Styles
	wide := bw >= sheet.WideWidth
	if wide != s.wide {
		s.wide = wide
		s.grid.SetColumns(optionColumns(s.src.main, wide))
	}
	s.grid.NoHeader = bh < 6
	switch {
	case wide:
		left := bw * 11 / 20
		right := bw - left - 1
		iw, ih := component.Box{}.Inner(right, bh)
		trees := component.Box{Title: "TREES", Right: s.status(), Focused: true}
		lw, lh := trees.Inner(left, bh)
		return component.Beside(1,
			trees.Render(st, left, bh, s.grid.View(lw, lh)),
			component.Box{Title: s.title()}.Render(st, right, bh, strings.Join(s.explain(iw, ih), "\n")))
	case bh >= 9:
		lines := s.explain(bw, bh/2)
		return component.Stack(s.grid.View(bw, bh-len(lines)-1), component.Titled(st, bw, s.title(), ""), strings.Join(lines, "\n"))
	default:
		lines := s.explain(bw, max(bh/3, 1))
		return component.Stack(s.grid.View(bw, bh-len(lines)), strings.Join(lines, "\n"))
	}
}

// foot draws the last message.
func (s *where) foot(w int) string {
	if s.note == "" {
		return ""
	}
	l := component.NewLine(s.env.Styles, w).Space(1)
	component.SeverityMark(l, style.SeverityWarn)
	return l.Space(1).Add(themes.Warn, s.note).String()
}

// explain says in at most h lines of w cells what the option under the cursor gives, or
// why it does not fit.
func (s *where) explain(w, h int) []string {
	o, ok := s.current()
	if !ok {
		return nil
	}
	st, pl := s.env.Styles, s.src.offers.snap.Placement()
	var lines []string
	for _, r := range o.Reasons {
		l := component.NewLine(st, w).Space(1)
		component.SeverityMark(l, style.SeverityCritical).Space(1)
		lines = append(lines, l.Add(themes.Text, whyNot(o, r)).String())
	}
	if !o.Fits() && !s.wish.Provider.IsZero() {
		l := component.NewLine(st, w).Space(1)
		component.SeverityMark(l, style.SeverityInfo)
		lines = append(lines, l.Space(1).Add(themes.Dim, "only this provider was asked: "+st.Key("esc")+" and clear its field for any").String())
	}
	number, class, name := 0, 0, 0
	for _, p := range o.Parts {
		now, _ := sheet.LoadOf(pl, p.Provider.ID(), p.Class)
		number = max(number, sheet.UsedWidth(p.Class, now, sheet.Then(now, p.Amount)))
		class, name = max(class, len(p.Class)), max(name, len(s.giver(o, p)))
	}
	for _, p := range o.Parts {
		lines = append(lines, s.part(pl, o, p, w, min(class, w/4), number, name)...)
	}
	if o.Disabled {
		l := component.NewLine(st, w).Space(1)
		component.SeverityMark(l, style.SeverityWarn)
		lines = append(lines, l.Space(1).Add(themes.Text, "the compute service is disabled: the scheduler skips it").String())
	}
	if o.Fits() {
		l := component.NewLine(st, w).Space(1)
		component.SeverityMark(l, style.SeverityOK)
		lines = append(lines, l.Space(1).Add(themes.Dim, "room, units, traits and aggregates fit").String())
	}
	return lines[:min(len(lines), max(h, 0))]
}

// part draws what a provider would give: class, units, the bar now and after, and the
// provider. The widths are those of the texts.
func (s *where) part(pl *placement.Snapshot, o ops.Option, p candidates.Part, w, class, number, name int) []string {
	l := component.NewLine(s.env.Styles, w).Space(1)
	if o.Fits() {
		l.Glyphs(themes.Added, "+", 1)
	} else {
		component.SeverityMark(l, style.SeverityOK)
	}
	l.Space(1).Cell(class).Add(themes.Text, string(p.Class)).EndCell(component.AlignLeft)
	l.Cell(8).Add(themes.Strong, component.Count(p.Amount)).EndCell(component.AlignRight).Space(2)
	giver := s.giver(o, p)
	below := false
	if now, ok := sheet.LoadOf(pl, p.Provider.ID(), p.Class); ok {
		room := l.Left() - 2*number - 5
		bar := (room - 2 - name) / 2
		if bar < 5 {
			bar, below = room/2, true // bars say more than names, which go below
		}
		l = sheet.NowThen(l, min(bar, 20), number, now, sheet.Then(now, p.Amount), p.Class)
	}
	if giver == "" || !below {
		return []string{l.Space(2).Add(themes.Dim, giver).String()}
	}
	bars := l.String()
	return []string{bars, l.Reset(w).Space(5).Add(themes.Dim, giver).String()}
}

// giver returns which provider gives a part, if it is not the root.
func (*where) giver(o ops.Option, p candidates.Part) string {
	switch {
	case o.Shared(p):
		return "shared by " + p.Provider.Name()
	case p.Provider != o.Anchor:
		return "on " + shortOf(o, p.Provider)
	default:
		return ""
	}
}

// whyNot returns why an option does not fit, and which provider is the reason if it is
// not the root.
func whyNot(o ops.Option, r candidates.Reason) string {
	if r.Provider == nil || r.Provider == o.Anchor || !r.Condition.OfGroup() {
		return r.Words()
	}
	return shortOf(o, r.Provider) + " " + r.Words()
}

// title returns the name of the tree under the cursor.
func (s *where) title() string {
	if o, ok := s.current(); ok {
		return o.Anchor.Name()
	}
	return ""
}

// shortOf returns the name of a provider without that of the root in front.
func shortOf(o ops.Option, p *placement.ResourceProvider) string {
	if rest, ok := strings.CutPrefix(p.Name(), o.Anchor.Name()+"_"); ok && rest != "" {
		return rest
	}
	return p.Name()
}
