package form

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/screen"
)

// Claim is the form for an allocation of which it is settled who gives what, such
// as an allocation candidate: who shall hold it, and the page that shows it
// before it is written.
type Claim struct {
	env         screen.Env
	snap        *cloud.Snapshot
	name        string // of the tree
	allocations map[placement.ProviderID]map[placement.ResourceClass]int64

	what    *what
	touched bool
	preview *Preview // nil while the fields are shown
	reads   screen.Sequence
}

var (
	_ screen.Screen  = (*Claim)(nil)
	_ screen.Typist  = (*Claim)(nil)
	_ screen.Stater  = (*Claim)(nil)
	_ screen.Backer  = (*Claim)(nil)
	_ screen.Pending = (*Claim)(nil)
)

// claimVocabularyMsg brings the names to complete from.
type claimVocabularyMsg struct {
	owner *Claim
	seq   uint64
	voc   vocabulary
}

// NewClaim returns the form for allocations, by provider and class, on the tree
// called name, for a new consumer with a uuid made up for it.
func NewClaim(env screen.Env, snap *cloud.Snapshot, name string, allocations map[placement.ProviderID]map[placement.ResourceClass]int64) *Claim {
	w := newWhat(env.Styles, snap, placement.ConsumerID(uuid.New()), env.Actor, "")
	w.resources.text = ops.FormatResources(sumOf(allocations))
	w.fields = newFields(env.Styles, w.consumer, w.kind, w.project, w.user)
	return &Claim{env: env, snap: snap, name: name, allocations: allocations, what: w}
}

// sumOf returns the units of each class over all providers.
func sumOf(allocations map[placement.ProviderID]map[placement.ResourceClass]int64) map[placement.ResourceClass]int64 {
	sum := map[placement.ResourceClass]int64{}
	for _, by := range allocations {
		for class, n := range by {
			sum[class] += n
		}
	}
	return sum
}

// claimSteps are the names of the steps.
func claimSteps() []string { return []string{"who", "preview"} }

// Init implements screen.Screen: it collects the names to complete from.
func (c *Claim) Init() tea.Cmd {
	ctx, seq := c.reads.Next(c.env.Context)
	snap := c.snap
	return func() tea.Msg { return claimVocabularyMsg{owner: c, seq: seq, voc: readVocabulary(ctx, snap)} }
}

// Title implements screen.Screen.
func (c *Claim) Title() string { return "allocate on " + c.name }

// Status implements screen.Stater.
func (c *Claim) Status() string {
	if c.preview != nil {
		return c.preview.Status()
	}
	return "step 1 of 2   " + c.what.resources.text
}

// Typing implements screen.Typist.
func (c *Claim) Typing() bool { return c.preview == nil || c.preview.Typing() }

// Pending implements screen.Pending.
func (c *Claim) Pending() string {
	switch {
	case c.preview != nil && c.preview.stage == written:
		return ""
	case c.preview != nil && c.preview.Pending() != "":
		return c.preview.Pending()
	case c.touched:
		return "a new allocation is not written yet"
	default:
		return ""
	}
}

// Back implements screen.Backer: esc on the preview goes back to the fields.
func (c *Claim) Back() bool {
	if c.preview == nil {
		return false
	}
	if c.preview.Back() {
		return true
	}
	if s := c.preview.stage; s == stopping || s == written {
		return false
	}
	c.preview = nil
	return true
}

// Update implements screen.Screen.
func (c *Claim) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		c.snap = msg.Snapshot
		c.what.follow(c.snap)
	case claimVocabularyMsg:
		if msg.owner == c && c.reads.Current(msg.seq) {
			c.what.know(msg.voc)
		}
		return nil
	case tea.KeyMsg:
		if c.preview == nil {
			return c.whatKey(msg)
		}
	}
	if c.preview != nil {
		return c.preview.Update(msg)
	}
	return nil
}

// whatKey is a key for the fields.
func (c *Claim) whatKey(msg tea.KeyMsg) tea.Cmd {
	switch c.what.key(msg) {
	case fieldCancel:
		return screen.Send(screen.PopMsg{})
	case fieldChanged:
		c.touched = true
	case fieldSubmit:
		wish, err := c.what.wish()
		if err != nil {
			return nil // the fields were checked; the cloud has changed since
		}
		c.touched = true
		c.preview = NewPreview(c.env, c.snap, Write{
			Title: c.Title(), Verb: "allocate", Steps: claimSteps(), At: 1,
			Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanChange(s, c.change(wish)) },
			Done: func(done cloud.Commit) tea.Cmd {
				return finish(done, screen.Goto{Kind: screen.Consumer, Arg: wish.Consumer.String(), Replace: true})
			},
		})
		return c.preview.Init()
	case fieldNone:
	}
	return nil
}

// change returns what is written: the allocations as they were chosen, for a
// consumer that holds nothing yet.
func (c *Claim) change(w ops.Wish) cloud.Change {
	return cloud.Change{
		Note: fmt.Sprintf("allocate %s on %s", ops.FormatResources(w.Resources), c.name),
		Placement: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: w.Consumer, Generation: placement.NewConsumer(), Type: w.Type,
			Project: w.Project, User: w.User, Allocations: maps.Clone(c.allocations),
		}}}},
	}
}

// View implements screen.Screen.
func (c *Claim) View(w, h int) string {
	if c.preview != nil {
		return c.preview.View(w, h)
	}
	head := component.Stack(sheet.Steps(c.env.Styles, w, claimSteps(), 0), component.Titled(c.env.Styles, w, "NEW ALLOCATION", c.what.resources.text))
	foot := fieldHints(c.env.Styles, w)
	return sheet.Page(w, h, head, foot, func(bw, bh int) string {
		lines, focus, end := c.what.lines(bw)
		if takes := c.takes(bw); bh > len(lines)+len(takes) {
			lines = append(append(lines, ""), takes...)
		}
		return strings.Join(window(lines, focus, end, bh), "\n")
	})
}

// takes says what comes from whom, a line for each provider, by name.
func (c *Claim) takes(w int) []string {
	type from struct{ name, what string }
	var list []from
	for id, by := range c.allocations {
		name := id.String()
		if p, ok := c.snap.Placement().Provider(id); ok {
			name = p.Name()
		}
		list = append(list, from{name, ops.FormatResources(by)})
	}
	slices.SortFunc(list, func(a, b from) int { return cmp.Compare(a.name, b.name) })
	lines := make([]string, len(list))
	for i, f := range list {
		l := component.NewLine(c.env.Styles, w).Space(gutterWidth)
		if i == 0 {
			l.Add(themes.Faint, "takes")
		}
		l.To(min(gutterWidth+labelWidth, w/4)).Add(themes.Text, f.what).Add(themes.Dim, " of ").Add(themes.Strong, f.name)
		lines[i] = l.String()
	}
	return lines
}

// Actions implements screen.Screen.
func (c *Claim) Actions() []action.Action {
	if c.preview != nil {
		return c.preview.Actions()
	}
	key := func(id, title, help string, keys ...string) action.Action {
		return action.Action{ID: action.ID("claim." + id), Keys: keys, Title: title, Help: help}
	}
	return []action.Action{
		key("next", "next field", "next field; from the last one to the preview", "enter"),
		key("complete", "complete", "complete the word, or next field", "tab"),
		key("prev", "field before", "", "shift+tab", "up"),
		key("down", "next field", "", "down"),
	}
}
