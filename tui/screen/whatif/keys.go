package whatif

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// another goes to another amount.
func (s *Screen) another(key string) {
	switch key {
	case "j", "down":
		s.cell++
	case "k", "up":
		s.cell--
	case "g", "home":
		s.cell = 0
	case "G", "end":
		s.cell = s.cells() - 1
	}
	s.cell = max(min(s.cell, s.cells()-1), 0)
}

// fold unfolds or folds the candidates of the kind under the cursor.
func (s *Screen) fold() {
	i := s.row(sectionList)
	if i < 0 {
		return
	}
	for _, k := range s.ans.kinds {
		if !slices.Contains(k.which, s.listed[i].i) {
			continue
		}
		if key := kindKey(k); s.open[key] {
			delete(s.open, key)
		} else {
			s.open[key] = true
		}
		s.fill()
		s.table(sectionList).MoveToRow(slices.IndexFunc(s.listed, func(r listRow) bool { return r.i == k.which[0] }))
		return
	}
}

// cells returns how many amounts the query has.
func (s *Screen) cells() int {
	n := 0
	for _, g := range s.query.Groups {
		n += len(g.Resources)
	}
	return n
}

// amountAt returns group and resource of an amount, or -1 if there is none.
func (s *Screen) amountAt(cell int) (group, resource int) {
	for i, g := range s.query.Groups {
		if cell < len(g.Resources) {
			return i, cell
		}
		cell -= len(g.Resources)
	}
	return -1, -1
}

// change increases or decreases the amount under the cursor by a step: 512 if it is in
// megabytes, else one.
func (s *Screen) change(by int64) tea.Cmd {
	gi, ri := s.amountAt(s.cell)
	if gi < 0 {
		return nil
	}
	q := s.query.Clone()
	r := &q.Groups[gi].Resources[ri]
	step := int64(1)
	if strings.HasSuffix(string(r.Class), "_MB") {
		step = 512
	}
	to := r.Amount + by*step
	if by > 0 {
		to = to / step * step // from 1 to 512, not 513
	}
	to = min(max(to, 1), placement.MaxInt)
	if to == r.Amount {
		return nil
	}
	r.Amount = to
	return s.set(q)
}

// set runs another query.
func (s *Screen) set(q candidates.Query) tea.Cmd {
	s.query, s.url = q, q.URL()
	s.cell = max(min(s.cell, s.cells()-1), 0)
	s.fill()
	return s.ask()
}

// now returns the query.
func (s *Screen) now() pastQuery {
	a := pastQuery{query: s.query, url: s.url}
	if s.nova != nil {
		a.how = s.nova.how
	}
	return a
}

// back runs an earlier query.
func (s *Screen) back(last pastQuery) tea.Cmd {
	if err := last.query.Validate(s.snap.Placement()); err != nil {
		return screen.Send(screen.Warning(err.Error()))
	}
	if s.nova != nil {
		if err := s.nova.renew(s.snap, last.how); err != nil {
			return screen.Send(screen.Warning(err.Error()))
		}
	}
	return s.set(last.query)
}

// edit opens the prompt with a text.
func (s *Screen) edit(text string) {
	s.typing, s.fault = true, nil
	s.begun = s.now()
	s.prompt.Reset()
	s.prompt.SetValue(text)
}

// promptKey handles a key for the query line. A valid query is run at once.
func (s *Screen) promptKey(msg tea.KeyMsg) tea.Cmd {
	switch s.prompt.Key(msg) {
	case component.PromptSubmit:
		if _, ok := s.snap.Nova().FlavorNamed(s.prompt.Value()); ok {
			return screen.Send(screen.Goto{To: place.WhatIf{Query: s.prompt.Value()}})
		}
		if s.fault != nil {
			return nil // it says what is wrong
		}
		if s.typing = false; s.page.Focus != sectionFits {
			s.page.Show(s.home())
		}
		return nil
	case component.PromptCancel:
		s.typing, s.fault = false, nil
		if s.begun.url == s.url {
			return nil
		}
		return s.back(s.begun)
	case component.PromptChanged:
		q, fault := parse(s.snap, s.prompt.Value())
		s.fault = fault
		if fault == nil && q.URL() != s.url {
			return s.set(q)
		}
	case component.PromptNone:
	}
	s.prompt.SetNote(themes.Blank, "")
	return nil
}

// enter opens what is under the cursor.
func (s *Screen) enter() tea.Cmd {
	i := s.row(s.page.Focus)
	if s.ans == nil || s.rows(s.page.Focus) == 0 {
		return nil
	}
	switch s.page.Focus {
	case sectionQuery:
		s.edit(s.url)
	case sectionFilters:
		return s.switchTo(s.nova.rows[i].to)
	case sectionFunnel:
		s.only(i - 1)
		s.page.Show(sectionMisses)
	case sectionWays:
		return s.set(s.ans.why.Ways[i].Query)
	}
	return nil
}

// leads opens the provider under the cursor, or the form that allocates the candidate.
func (s *Screen) leads() tea.Msg {
	i := s.row(s.page.Focus)
	if s.page.Focus == sectionMisses {
		return screen.Goto{To: place.Provider{ID: s.near[i].Provider.ID()}}
	}
	row := s.listed[i]
	return screen.PushMsg{Screen: NewClaim(s.env, s.snap, row.root.Name(), s.ans.found.Allocations(row.i))}
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []action.Action {
	do := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return nil
		}
	}
	unless := func(ok bool, reason string) string {
		if ok {
			return ""
		}
		return reason
	}
	focus := s.page.Actions()
	for i, a := range focus {
		focus[i].Run = func() tea.Cmd {
			s.opened = false
			return tea.Batch(a.Run(), s.look())
		}
	}
	move := panel.ScrollAction("whatif.move")
	move.Title = "move"
	title := [...]string{sectionQuery: "edit", sectionTerms: "open", sectionFilters: "switch", sectionList: "allocate", sectionFunnel: "who was lost", sectionWays: "try it", sectionMisses: "provider", sectionFits: "open"}[s.page.Focus]
	closed := unless(s.ans != nil && s.rows(s.page.Focus) > 0, "nothing under the cursor")
	if s.page.Focus == sectionList && closed == "" {
		if err := s.canAllocate(); err != nil {
			closed = err.Error()
		}
	}
	amount := unless(s.cells() > 0, "the query has no amounts")
	enter := action.Action{
		ID: "whatif.enter", Keys: "enter", Title: title, Help: "allocate a candidate, switch a pre-filter, list who a stage lost, try a way out, open a provider", Priority: 95, Disabled: closed, Run: s.enter,
	}
	if s.page.Focus == sectionMisses || s.page.Focus == sectionList {
		enter.Request, enter.Run = s.leads, nil
	}
	return slices.Concat(s.novaActions(), []action.Action{
		enter,
		{ID: "whatif.edit", Keys: "e /", Title: "edit", Help: "edit the query, with a live answer", Priority: 92, Run: do(func() { s.edit(s.url) })},
		{ID: "whatif.more", Keys: "l right", Title: "more", Help: "more of the amount under the cursor", Priority: 88, Disabled: amount, Run: func() tea.Cmd { return s.change(1) }},
		{ID: "whatif.less", Keys: "h left", Title: "less", Help: "less of the amount under the cursor", Priority: 87, Disabled: amount, Run: func() tea.Cmd { return s.change(-1) }},
		{ID: "whatif.fits", Keys: "f", Title: "fits", Help: "how many copies fit, and where; policies of server groups are the scheduler's own", Priority: 60, Run: s.toggleFits},
		{ID: "whatif.copy", Keys: "c", Title: "copy request", Priority: 44, Request: func() tea.Msg {
			return s.Copies()[0]
		}},
		move,
		{ID: "whatif.fold", Keys: "x", Title: "unfold", Help: "show all candidates of a kind, or one for all", Disabled: unless(s.page.Focus == sectionList && s.ans != nil, "only candidates are folded"), Run: do(s.fold)},
	}, focus)
}

// Copies implements screen.Copier.
func (s *Screen) Copies() []screen.CopyMsg {
	command, lost := s.query.Command()
	what := "openstack command"
	if len(lost) > 0 {
		what += ", which cannot say " + strings.Join(lost, ", ")
	}
	out := []screen.CopyMsg{
		{What: "request", Text: "/allocation_candidates?" + s.url},
		{What: what, Text: command},
		{What: "command", Text: "placetop candidates --explain " + api.Quote(s.url)},
	}
	if s.ans == nil {
		return out
	}
	text := s.ans.why.Words()
	if v, ok := s.told(); ok {
		text += v.Words() + "\n"
	}
	return append(out, screen.CopyMsg{What: "text for a ticket", Text: text + "GET /allocation_candidates?" + s.ans.url + "\n"})
}
