// Package clouds is the screen of one kind of thing in several clouds: one list, with a
// column for the cloud.
package clouds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(New).Called("all").Titled("all clouds").
			For("The providers of several clouds in one list, or another kind with :all KIND."),
	}
}

const (
	// newsGap is the least time between two looks at a cloud, retry the time before a
	// cloud that failed to open is tried again.
	newsGap = time.Second
	retry   = 30 * time.Second
)

// Screen is the list. It is made by New.
type Screen struct {
	list.Screen
	env   screen.Env
	kind  *kinds.Kind
	parts []part
	seen  *atomic.Pointer[[]part] // the clouds that rows are made from
	asked time.Time               // when the list of clouds was last read
}

// part is one of the clouds.
type part struct {
	name string
	look screen.Look
	snap *cloud.Snapshot // nil until it is open
	why  error           // why it cannot be opened
	news tea.Cmd         // waits for another Snapshot
	link tea.Cmd         // waits for a change of its state
}

// row is a thing of a cloud.
type row struct {
	*kinds.OfCloud
	id string
}

type (
	// openedMsg is a cloud that was to be opened, or why it could not be.
	openedMsg struct {
		part int
		look screen.Look
		err  error
	}
	// newsMsg says that a cloud has changed, linkMsg that its state has, and againMsg
	// that it is time to open it again.
	newsMsg  struct{ part int }
	linkMsg  struct{ part int }
	againMsg struct{ part int }
	// togetherMsg has the names of the clouds that have been requested or opened by now.
	togetherMsg struct{ names []string }
)

// New makes the screen of a place.
//
// Errors: placement.ErrInvalid for an unknown kind.
func New(env screen.Env, at place.All) (screen.Screen, error) {
	if env.Clouds == nil {
		env.Clouds = screen.Alone("here")
	}
	kind, err := kindOf(string(cmp.Or(at.Kind, kinds.Providers)))
	if err != nil {
		return nil, err
	}
	s := &Screen{env: env, kind: kind, seen: new(atomic.Pointer[[]part])}
	for _, name := range env.Clouds.Together() {
		s.parts = append(s.parts, part{name: name})
	}
	s.shows(env.Cloud.Snapshot())
	across := kinds.Across(kind)
	thing := strings.TrimSuffix(kind.Plural(), "s")
	list.Make(&s.Screen, list.Spec[*row]{
		Name: "all", Thing: thing, Kind: kind.Name, Across: true,
		Of:      func(list.At) func(*row) kinds.Row { return func(r *row) kinds.Row { return r.OfCloud } },
		Rows:    func(ctx context.Context, _ *cloud.Snapshot) []*row { return rows(ctx, kind, *s.seen.Load()) },
		ID:      func(r *row) string { return r.id },
		Columns: list.Plain[*row](across),
		Orders:  []list.Order[*row]{{Name: "cloud"}, {Name: across.TableColumns()[1].Asked()}},
		Sorted:  true,
		Top:     func(_ []*row, _ int, a list.Area) []string { return []string{s.standing(a)} },
		Nothing: s.nothing,
		Actions: s.actions,

		FilterHelp: "text, cloud=" + s.parts[0].name,
	}, env, env.Cloud.Snapshot(), at.Filter)
	return s, nil
}

// kindOf returns the kind with a name or an alias, if clouds have many things of it.
func kindOf(name string) (*kinds.Kind, error) {
	var known []string
	for _, k := range kinds.All() {
		if k.Rows == nil || k.Only {
			continue
		}
		if string(k.Name) == name || slices.Contains(k.Aliases, name) {
			return k, nil
		}
		known = append(known, string(k.Name))
	}
	return nil, &placement.InvalidError{Field: "all", Value: name, Why: "is none of " + strings.Join(known, ", ")}
}

// rows returns the things of all open clouds, cloud by cloud.
func rows(ctx context.Context, kind *kinds.Kind, parts []part) []*row {
	var out []*row
	ids := map[string]int{}
	for _, p := range parts {
		if p.snap == nil {
			continue
		}
		at := kinds.At{Snap: p.snap}
		id := kind.ID(at)
		for of := range kind.Rows(at, false) {
			if ctx.Err() != nil {
				return out
			}
			r := &row{&kinds.OfCloud{Cloud: p.name, Snap: p.snap, Row: of}, p.name + "\x00" + id(of)}
			if ids[r.id]++; ids[r.id] > 1 {
				r.id += "\x00" + strconv.Itoa(ids[r.id])
			}
			out = append(out, r)
		}
	}
	return out
}

// publish makes the next rows come from what is known now.
func (s *Screen) publish() {
	parts := slices.Clone(s.parts)
	s.seen.Store(&parts)
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd {
	cmds := []tea.Cmd{s.Screen.Init()}
	for i := range s.parts {
		if s.parts[i].name != s.env.Clouds.Shown() {
			cmds = append(cmds, s.open(i))
		}
	}
	return screen.Batch(cmds...)
}

// open opens a cloud.
func (s *Screen) open(i int) tea.Cmd {
	ctx, clouds, name := s.env.Context, s.env.Clouds, s.parts[i].name
	return func() tea.Msg {
		look, err := clouds.Look(ctx, name)
		return openedMsg{i, look, err}
	}
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return s.opened(msg)
	case againMsg:
		return s.open(msg.part)
	case linkMsg:
		return s.parts[msg.part].link
	case newsMsg:
		p := &s.parts[msg.part]
		p.read()
		s.publish()
		return screen.Batch(s.Remake(), p.news)
	case togetherMsg:
		return s.joined(msg.names)
	case screen.SnapshotMsg:
		s.shows(msg.Snapshot)
	}
	return screen.Batch(s.Screen.Update(msg), s.together())
}

// together fetches the current list of clouds, which reads files.
func (s *Screen) together() tea.Cmd {
	now := s.env.Clock()
	if now.Sub(s.asked) < newsGap {
		return nil
	}
	s.asked = now
	return func() tea.Msg { return togetherMsg{s.env.Clouds.Together()} }
}

// joined opens the clouds that are not in the list yet.
func (s *Screen) joined(names []string) tea.Cmd {
	var cmds []tea.Cmd
	for _, name := range names {
		if !slices.ContainsFunc(s.parts, func(p part) bool { return p.name == name }) {
			s.parts = append(s.parts, part{name: name})
			cmds = append(cmds, s.open(len(s.parts)-1))
		}
	}
	if cmds == nil {
		return nil
	}
	s.publish()
	return screen.Batch(append(cmds, s.Remake())...)
}

// shows takes a Snapshot of the dashboard's own cloud.
func (s *Screen) shows(snap *cloud.Snapshot) {
	for i := range s.parts {
		if s.parts[i].name == s.env.Clouds.Shown() {
			s.parts[i].snap = snap
		}
	}
	s.publish()
}

// opened takes a cloud, and waits for news of it unless it is the dashboard's own. A
// cloud that failed to open is tried again.
func (s *Screen) opened(msg openedMsg) tea.Cmd {
	p := &s.parts[msg.part]
	if p.why = msg.err; msg.err != nil {
		return screen.After(s.env.Context, retry, againMsg{msg.part})
	}
	p.look = msg.look
	if p.look.Linked != nil {
		p.link = next(s.env.Context, p.look.Linked(s.env.Context), linkMsg{msg.part})
	}
	p.news = next(s.env.Context, p.look.Watch(s.env.Context), newsMsg{msg.part})
	p.read()
	s.publish()
	return screen.Batch(s.Remake(), p.news, p.link)
}

// read takes the current state of the cloud.
func (p *part) read() { p.snap = p.look.Snapshot() }

// next returns a command that waits for a value on a channel, and returns msg after a
// pause that combines several; nil if the channel is closed.
func next[T any](ctx context.Context, from <-chan T, msg tea.Msg) tea.Cmd {
	soon := screen.After(ctx, newsGap, msg)
	return func() tea.Msg {
		if _, open := <-from; !open {
			return nil
		}
		return soon()
	}
}

// Title implements screen.Screen.
func (s *Screen) Title() string { return s.kind.Plural() + " of all clouds" }

// standing returns a line about the state of the clouds.
func (s *Screen) standing(a list.Area) string {
	l := a.Line()
	for _, p := range s.parts {
		severity, text := p.standing()
		l.Space(1).Add(severity.Token(), a.Styles.Glyphs.Severities[severity]+" ").Add(themes.Strong, p.name)
		if text != "" {
			l.Space(1).Add(themes.Dim, text)
		}
		l.Space(2)
	}
	if len(s.parts) == 1 {
		l.AddFitting(themes.Dim, "is the only one: :ctx opens another, placetop --cloud a,b opens both", "alone: :ctx opens another")
	}
	return l.String()
}

// standing returns the state of a cloud, in a few words.
func (p *part) standing() (style.Severity, string) {
	switch {
	case p.why != nil:
		return style.SeverityCritical, p.why.Error()
	case p.snap == nil:
		return style.SeverityInfo, "opening"
	case p.look.Standing == nil: // it is local, or the header says it
		return style.SeverityOK, ""
	}
	at, why := p.look.Standing()
	read := "not read yet"
	if !at.IsZero() {
		read = "read " + at.UTC().Format("15:04:05Z")
	}
	if why != "" {
		return style.SeverityWarn, read + ": " + why
	}
	return style.SeverityOK, read
}

// nothing says why there are no rows.
func (s *Screen) nothing() []string {
	lines := []string{"no cloud has " + s.kind.Plural()}
	for i := range s.parts {
		if severity, text := s.parts[i].standing(); severity != style.SeverityOK {
			lines = append(lines, s.parts[i].name+": "+text)
		}
	}
	return lines
}

// Status implements screen.Stater: with how many of the clouds are missing.
func (s *Screen) Status() string {
	there := 0
	for i := range s.parts {
		if severity, _ := s.parts[i].standing(); severity == style.SeverityOK {
			there++
		}
	}
	if len(s.parts) == 1 {
		return s.Screen.Status()
	}
	return fmt.Sprintf("%d of %d clouds", there, len(s.parts)) + screen.StatusGap + s.Screen.Status()
}

// Actions implements screen.Screen: it leaves out those that would ask the
// wrong cloud.
func (s *Screen) Actions() []action.Action {
	return slices.DeleteFunc(s.Screen.Actions(), func(a action.Action) bool { return a.ID == "all.history" })
}

func (s *Screen) actions(h list.Here[*row]) []action.Action {
	open := action.Action{ID: "all.open", Keys: []string{"enter"}, Title: "open", Help: "switch to the cloud, and open the row there", Priority: 90}
	var to place.Place
	if h.Nothing == "" {
		if to = s.placeOf(h.Row); to == nil {
			open.Disabled = s.kind.Plural() + " have no page"
		}
	}
	return []action.Action{h.About(open, func(r *row) tea.Msg { return screen.Goto{To: to, Cloud: r.Cloud} })}
}

// placeOf returns where a thing is in its own cloud: its page, or the list of its kind
// narrowed to it; nil for neither.
func (s *Screen) placeOf(r *row) place.Place {
	switch of := r.Row.(type) {
	case *placement.ResourceProvider:
		return place.Provider{ID: of.ID()}
	case *nova.Instance:
		return place.Instance{ID: of.UUID}
	case *nova.Flavor:
		return place.Flavor{Ref: of.Ref()}
	case *cyborg.Device:
		return place.Device{ID: of.UUID}
	}
	says := func(f *kinds.Field) string { return f.Get(kinds.At{Snap: r.Snap})(r.Row).String() }
	if of := s.kind.Field("resource_provider_uuid"); of != nil {
		if id, err := placement.ParseProviderID(says(of)); err == nil {
			return place.Provider{ID: id}
		}
	}
	field := s.kind.Field("uuid")
	if field == nil {
		field = s.kind.TableColumns()[0].Field
	}
	for _, v := range s.env.Views() {
		if v.Name == string(s.kind.Name) {
			to, err := place.Parse(v.To, "/"+filter.Is(field.Asked(), says(field)))
			if err == nil {
				return to
			}
		}
	}
	return nil
}
