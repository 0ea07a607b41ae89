package form

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// slowAfter is how long a write may take before the page says that it is under
// way.
const slowAfter = 300 * time.Millisecond

// auditGap is the least time between two audits of what a change would clear and
// bring: at 10,000 hosts a pair takes some 50 ms.
const auditGap = 2 * time.Second

// Write is a change of the cloud that somebody is to see and to accept.
type Write struct {
	Title string      // of the page, in the crumb line: "release vm-1"
	Verb  string      // what enter does: "release"
	Plan  ops.Planner // is called off the event loop

	// Word returns what must be typed before it is written, "" where enter is
	// enough; nil never asks.
	Word func(*cloud.Snapshot, ops.Plan) string

	// Done says what comes after the write; nil says so and closes the page.
	Done func(cloud.Commit) tea.Cmd

	// Steps are those of a form of which the page is the last one, At is its
	// place among them; none for a page that stands alone.
	Steps []string
	At    int
}

// stage is how far a Preview is.
type stage uint8

const (
	planning stage = iota // nothing was planned yet
	planned               // the outcome is on the page
	refused               // it cannot be done as the cloud is now
	writing               // accepted, and under way
	stopping              // somebody stopped waiting; whether it was written is not known yet
	written               // kept for good
)

// proposal is a plan with what is known of its outcome.
type proposal struct {
	snap    *cloud.Snapshot
	plan    ops.Plan
	err     error
	audited bool
	at      time.Time       // when it was planned
	clears  []audit.Finding // problems that are gone after it
	brings  []audit.Finding // problems that come with it
}

// Preview is the page that shows a change before and after and writes it when
// somebody presses enter. It follows the cloud: the change is planned again on
// each new Snapshot, and what became different is marked.
type Preview struct {
	env   screen.Env
	write Write
	snap  *cloud.Snapshot

	stage stage
	prop  proposal
	first *ops.Preview // as it was first shown, to mark what moved since
	seen  *ops.Preview // as it was last looked at; nil before that
	moved []string     // what is otherwise than then
	said  sheet.Banner

	plans     screen.Sequence
	busy      bool
	again     bool
	auditedAt time.Time

	writes screen.Sequence
	slow   bool // the write takes long enough to say so

	word    *component.Prompt // nil unless a word is being typed
	request bool              // the full request is shown
	scroll  sheet.Scroll
}

// Messages of a Preview's commands.
type (
	plannedMsg struct {
		owner *Preview
		seq   uint64
		prop  proposal
	}
	wroteMsg struct {
		owner  *Preview
		seq    uint64
		commit cloud.Commit
		err    error
	}
	slowMsg struct {
		owner *Preview
		seq   uint64
	}
)

// NewPreview returns the page for a write that is planned on snap. Nothing is
// written before somebody accepts it there.
func NewPreview(env screen.Env, snap *cloud.Snapshot, w Write) *Preview {
	return &Preview{env: env, snap: snap, write: w}
}

// NewConfirm returns the page for a write that plan decides. Verb says what enter
// does; word must be typed first, unless it is empty.
func NewConfirm(env screen.Env, snap *cloud.Snapshot, verb, title string, plan ops.Planner, word string) *Preview {
	return NewPreview(env, snap, Write{
		Title: title, Verb: verb, Plan: plan,
		Word: func(*cloud.Snapshot, ops.Plan) string { return word },
	})
}

// Init implements screen.Screen.
func (p *Preview) Init() tea.Cmd { return p.plan(0) }

// Title implements screen.Screen.
func (p *Preview) Title() string { return p.write.Title }

// Status implements screen.Stater.
func (p *Preview) Status() string {
	text := map[stage]string{
		planning: "planning", planned: "PREVIEW, nothing written yet", refused: "cannot be done now",
		writing: "writing", stopping: "stopping", written: "written",
	}[p.stage]
	if n := len(p.write.Steps); n > 0 {
		text = fmt.Sprintf("step %d of %d   %s", p.write.At+1, n, text)
	}
	return text
}

// Typing implements screen.Typist.
func (p *Preview) Typing() bool { return p.word != nil }

// Pending implements screen.Pending.
func (p *Preview) Pending() string {
	if p.stage == writing || p.stage == stopping {
		return "a write is under way"
	}
	return ""
}

// Stays reports whether one cannot go back any more to what led here: it is
// written, or whether it is is not known yet.
func (p *Preview) Stays() bool { return p.stage == stopping || p.stage == written }

// Over reports whether it is written.
func (p *Preview) Over() bool { return p.stage == written }

// Update implements screen.Screen.
func (p *Preview) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		return p.follow(msg.Snapshot)
	case plannedMsg:
		if msg.owner == p && p.plans.Current(msg.seq) {
			return p.planIs(msg.prop)
		}
	case wroteMsg:
		if msg.owner == p && p.writes.Current(msg.seq) {
			return p.wrote(msg.commit, msg.err)
		}
	case slowMsg:
		if msg.owner == p && p.writes.Current(msg.seq) && p.stage == writing {
			p.slow = true
		}
	case tea.KeyMsg:
		if p.word != nil {
			return p.wordKey(msg)
		}
		if !msg.Paste {
			p.scroll.Key(msg.String())
		}
	}
	return nil
}

// follow takes a newer Snapshot and plans on it, unless a write is under way: its
// outcome is what counts then.
func (p *Preview) follow(snap *cloud.Snapshot) tea.Cmd {
	if snap == p.snap {
		return nil
	}
	p.snap = snap
	switch {
	case p.stage >= writing:
		return nil
	case p.busy:
		p.again = true
		return nil
	default:
		return p.plan(followGap)
	}
}

// plan decides the change on the newest Snapshot off the event loop, after a
// pause.
func (p *Preview) plan(pause time.Duration) tea.Cmd {
	ctx, seq := p.plans.Next(p.env.Context)
	p.busy, p.again = true, false
	snap, decide, actor := p.snap, p.write.Plan, p.env.Actor
	now := p.env.Clock()
	audit := p.prop.err != nil || !p.prop.audited || now.Sub(p.auditedAt) >= auditGap
	clears, brings := p.prop.clears, p.prop.brings
	if audit {
		p.auditedAt = now
	}
	return func() tea.Msg {
		if !wait(ctx, pause) {
			return nil
		}
		prop := proposal{snap: snap, at: now}
		prop.plan, prop.err = decide.Plan(snap)
		prop.plan.Change.Actor = actor
		switch {
		case prop.err != nil:
		case audit:
			prop.audited = true
			prop.clears, prop.brings = sheet.Consequences(snap, prop.plan.After)
		default:
			prop.audited, prop.clears, prop.brings = true, clears, brings
		}
		return plannedMsg{owner: p, seq: seq, prop: prop}
	}
}

// planIs shows what was planned.
func (p *Preview) planIs(prop proposal) tea.Cmd {
	p.busy = false
	if p.stage >= writing {
		return nil
	}
	switch {
	case prop.err != nil:
		p.stage = refused
		p.word = nil
	default:
		now := prop.plan.Preview
		switch p.stage {
		case planned:
			if p.seen == nil {
				break
			}
			if p.moved = sheet.Meanwhile(*p.seen, now); len(p.moved) > 0 {
				p.word, p.said = nil, sheet.Banner{}
				p.scroll.Home()
			}
		case refused:
			p.moved = []string{"it can be done now"}
		case planning, writing, stopping, written:
		}
		if p.first == nil {
			p.first = &now
		}
		if len(p.moved) == 0 {
			p.seen = &now
		}
		p.stage = planned
	}
	p.prop = prop
	if p.again {
		return p.plan(followGap)
	}
	return nil
}

// accept is enter: it writes what is on the page, or says what is missing.
func (p *Preview) accept() tea.Cmd {
	switch {
	case p.env.ReadOnly() != "":
		p.said = sheet.Say(style.SeverityWarn, screen.LabelDenied, "nothing can be written: "+p.env.ReadOnly())
		return nil
	case p.stage == refused:
		return p.plan(0)
	case p.stage != planned:
		return nil
	case len(p.moved) > 0:
		// It changed while somebody was about to press enter: that enter was for
		// what stood there before.
		p.said = sheet.Say(style.SeverityWarn, "AGAIN", append(p.moved, "enter again writes what is shown now")...)
		p.seen, p.moved = &p.prop.plan.Preview, nil
		p.scroll.Home()
		return nil
	case p.prop.plan.Empty():
		p.said = sheet.Say(style.SeverityInfo, screen.LabelEmpty, "there is nothing to write: the cloud is so already")
		return nil
	}
	if p.write.Word != nil {
		if word := p.write.Word(p.prop.snap, p.prop.plan); word != "" {
			p.word = component.NewPrompt(p.env.Styles, fmt.Sprintf(" type %s to %s it: ", word, p.write.Verb))
			return nil
		}
	}
	return p.start()
}

// wordKey is a key for the word that must be typed.
func (p *Preview) wordKey(msg tea.KeyMsg) tea.Cmd {
	switch p.word.Key(msg) {
	case component.PromptSubmit:
		word := p.write.Word(p.prop.snap, p.prop.plan)
		if p.word.Value() != word {
			p.word.SetNote(themes.Warn, "type "+word+", or esc")
			return nil
		}
		p.word = nil
		return p.start()
	case component.PromptCancel:
		p.word = nil
	case component.PromptChanged:
		p.word.SetNote(themes.Blank, "")
	case component.PromptNone:
	}
	return nil
}

// Back implements screen.Backer: esc first closes the full request, or stops
// waiting for a write.
func (p *Preview) Back() bool {
	switch {
	case p.request:
		p.request = false
		p.scroll.Home()
		return true
	case p.stage == writing:
		p.stage = stopping
		p.writes.Stop()
		return true
	default:
		return false
	}
}

// Actions implements screen.Screen.
func (p *Preview) Actions() []action.Action {
	ready := ""
	switch p.stage {
	case planning:
		ready = "it is still being planned"
	case writing, stopping:
		ready = "it is being written"
	case written:
		ready = "it is written"
	case refused, planned:
	}
	requests, commands := "", ""
	if len(p.prop.plan.Preview.Requests()) == 0 {
		requests = "the Placement API has no call for it"
	}
	if len(p.prop.plan.Preview.Commands()) == 0 {
		commands = "the openstack client has no command for it"
	}
	copied := func(what, text string) func() tea.Cmd {
		return func() tea.Cmd { return screen.Send(screen.CopyMsg{What: what, Text: text}) }
	}
	verb := p.write.Verb
	if p.stage == refused {
		verb = "try again"
	}
	return []action.Action{
		{ID: "preview.accept", Keys: []string{"enter"}, Title: verb, Help: "write what is shown; nothing is written before", Priority: 95, Writes: true, Disabled: ready, Run: p.accept},
		{ID: "preview.request", Keys: []string{"y"}, Title: "full request", Help: "what is sent to the Placement API, in full", Priority: 80, Disabled: requests, Run: func() tea.Cmd {
			p.request = !p.request
			p.scroll.Home()
			return nil
		}},
		{ID: "preview.copy", Keys: []string{"c"}, Title: "copy request", Priority: 70, Disabled: requests, Run: copied("the request", sheet.RequestText(p.prop.plan.Preview.Requests()))},
		{ID: "preview.command", Keys: []string{"o"}, Title: "copy command", Help: "copy it as a command of the openstack client", Priority: 60, Disabled: commands, Run: copied("the command", sheet.CommandText(p.prop.plan.Preview.Commands()))},
		sheet.ScrollAction("preview.scroll"),
	}
}
