package whatif

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
)

// asker is Nova asking for a place: the query consists of what it wants and what its
// pre-filters add, and is made again when one of these is switched.
type asker struct {
	want    func(*cloud.Snapshot) (nova.RequestSpec, error)
	indexer *candidates.Indexer
	how     nova.AskOptions    // without Placement
	request nova.Request       // the one that speaks for all
	queries []candidates.Query // of all requests: Nova asks again for pinned CPUs where hosts report no PCPU
	url     string             // of the request
	rows    []filterRow        // what can be switched
	err     error              // why Nova has no request any more, nil if it has one

	effects screen.Task[map[string]int]
	gives   map[string]int // how many candidates there would be, by the URL of the request
}

// ask makes Nova's request with some options, for hosts that have the PCI devices it does
// not ask Placement for, and returns the queries of all that it stands for.
func (k *asker) ask(s *cloud.Snapshot, how nova.AskOptions) (nova.Request, []candidates.Query, error) {
	spec, err := k.want(s)
	if err != nil {
		return nova.Request{}, nil, err
	}
	requests, err := ops.NewAsker(s, k.indexer.Index(s.Placement())).Requests(spec, how)
	if err != nil {
		return nova.Request{}, nil, err
	}
	var all []candidates.Query
	for i := range requests {
		all = append(all, requests[i].Query)
	}
	r, err := ops.BestRequest(s, k.indexer, requests)
	return r, all, err
}

// renew makes the current request.
func (k *asker) renew(s *cloud.Snapshot, how nova.AskOptions) error {
	r, all, err := k.ask(s, how)
	if err != nil {
		return err
	}
	k.how, k.request, k.queries, k.url = how, r, all, r.Query.URL()
	k.rows = k.rowsOf(s)
	return nil
}

// form returns the form of the owner filter in use.
func (k *asker) form(s *cloud.Snapshot) nova.OwnerFilter {
	if k.how.OwnerFilter != nil {
		return *k.how.OwnerFilter
	}
	return s.Nova().Config().OwnerFilter
}

// otherForm returns the options with the other form of the owner filter, switched on.
func (k *asker) otherForm(s *cloud.Snapshot) nova.AskOptions {
	how, form := k.how, nova.OwnerOnRoot
	if k.form(s) == nova.OwnerOnRoot {
		form = nova.OwnerOnGroups
	}
	how.OwnerFilter = &form
	return how
}

// otherGate returns the options with the gate assumed to be open if it is closed, closed
// if it is open, and as the services say if it was assumed already.
func (k *asker) otherGate(s *cloud.Snapshot) nova.AskOptions {
	how := k.how
	switch {
	case how.Gate != nova.GateAsked:
		how.Gate = nova.GateAsked
	case s.Nova().Gate().Open:
		how.Gate = nova.GateHeldClosed
	default:
		how.Gate = nova.GateHeldOpen
	}
	return how
}

// otherSwitch returns the options with a pre-filter switched.
func (k *asker) otherSwitch(p nova.Prefilter) nova.AskOptions {
	how := k.how
	how.Switch = map[string]bool{}
	maps.Copy(how.Switch, k.how.Switch)
	how.Switch[p.Name] = p.State == nova.Off
	return how
}

// asNova reports whether the query is Nova's, and was not edited.
func (s *Screen) asNova() bool { return s.nova != nil && s.nova.url == s.url }

// conclusion says what it means that there are candidates for what Nova asks for: what keeps
// an instance from being placed is then one of the scheduler's filters, which judge what
// Placement is not asked for. It is "" without candidates, where the limit of the request may
// hide others, and for any other query.
func (s *Screen) conclusion() string {
	if !s.asNova() || s.rows(sectionList) == 0 || s.ans.hidden != "" {
		return ""
	}
	text := "Placement is not the cause: look at the scheduler's filters"
	var judged []string
	for _, w := range s.nova.request.Warnings {
		if w.Open && w.Key != "" && !slices.Contains(judged, w.Key) {
			judged = append(judged, w.Key)
		}
	}
	if len(judged) > 0 {
		text += ", which judge " + strings.Join(judged, ", ")
	}
	return text
}

// switchTo runs Nova's request with other options.
func (s *Screen) switchTo(how nova.AskOptions) tea.Cmd {
	if err := s.nova.renew(s.snap, how); err != nil {
		return screen.Send(screen.Warning(err.Error()))
	}
	return s.set(s.nova.request.Query)
}

// refollow makes Nova's request again on a newer Snapshot: the gate may have opened, or a
// device profile changed. An edited query stays as it is.
func (s *Screen) refollow() {
	if s.nova == nil {
		return
	}
	made := s.asNova()
	if s.nova.err = s.nova.renew(s.snap, s.nova.how); s.nova.err == nil && made {
		s.query, s.url = s.nova.request.Query, s.nova.url
	}
}

// weigh computes, off the event loop, how many candidates there would be with each
// pre-filter switched, while the pre-filters are visible.
func (s *Screen) weigh() tea.Cmd {
	if s.nova == nil || s.page.Focus != sectionFilters {
		return nil
	}
	indexer, snap := s.indexer, s.snap
	queries := map[string]candidates.Query{}
	for _, row := range s.filterRows() {
		if row.url != "" {
			queries[row.url] = row.query
		}
	}
	return s.nova.effects.Follow(s.env.Context, func(ctx context.Context) map[string]int {
		gives, index := map[string]int{}, indexer.Index(snap.Placement())
		for url, q := range queries {
			if ctx.Err() != nil {
				break
			}
			if asks, err := index.Ask(q); err == nil {
				gives[url], _ = asks.Count()
			}
		}
		return gives
	})
}

// novaActions are the keys that switch what Nova adds to a request.
func (s *Screen) novaActions() []action.Action {
	nothing := ""
	if s.nova == nil {
		nothing = "the query is not of a flavor or an instance"
	}
	return []action.Action{
		{ID: "whatif.owner", Keys: "t", Title: "owner form", Help: "the other form of the owner filter: every group of Nova's, or root and PCI groups as merged upstream", Priority: 68, Disabled: nothing, Run: func() tea.Cmd {
			return s.switchTo(s.nova.otherForm(s.snap))
		}},
		{ID: "whatif.gate", Keys: "u", Title: "gate", Help: "assume the gate of the owner filter open or closed, and back", Priority: 67, Disabled: nothing, Run: func() tea.Cmd {
			return s.switchTo(s.nova.otherGate(s.snap))
		}},
	}
}
