package whatif

import (
	"context"
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// asker is Nova asking for a place: the query is made of what it wants and of what
// its pre-filters add, and made anew when one of these is switched.
type asker struct {
	want    func(*cloud.Snapshot) (nova.RequestSpec, error)
	how     nova.AskOptions // without Placement
	request nova.Request
	url     string      // of the request
	rows    []filterRow // what can be switched
	err     error       // why Nova cannot ask for it any more, nil where it can

	effects screen.Task[map[string]int]
	gives   map[string]int // how many candidates there would be, by the URL of what would be asked
}

// ask makes the request that Nova would send with some options, for hosts that have the
// PCI devices it does not ask Placement for.
func (k *asker) ask(s *cloud.Snapshot, how nova.AskOptions) (nova.Request, error) {
	spec, err := k.want(s)
	if err != nil {
		return nova.Request{}, err
	}
	how.Placement = s.Placement()
	r, err := s.Nova().Ask(spec, how)
	if err == nil {
		r.Query = ops.OnHosts(s, r)
	}
	return r, err
}

// renew makes the request as it is now.
func (k *asker) renew(s *cloud.Snapshot, how nova.AskOptions) error {
	r, err := k.ask(s, how)
	if err != nil {
		return err
	}
	k.how, k.request, k.url = how, r, r.Query.URL()
	k.rows = k.rowsOf(s)
	return nil
}

// form returns the form of the owner filter that is used.
func (k *asker) form(s *cloud.Snapshot) nova.OwnerFilter {
	if k.how.OwnerFilter != nil {
		return *k.how.OwnerFilter
	}
	return s.Nova().Config().OwnerFilter
}

// otherForm returns the options with the other form of the owner filter, which is
// then switched on.
func (k *asker) otherForm(s *cloud.Snapshot) nova.AskOptions {
	how, form := k.how, nova.OwnerOnRoot
	if k.form(s) == nova.OwnerOnRoot {
		form = nova.OwnerOnGroups
	}
	how.OwnerFilter = &form
	return how
}

// otherGate returns the options with the gate taken to be open where it is closed,
// closed where it is open, and as the services say where it was neither.
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

// asNova reports whether the query is the one that Nova makes, and was not edited.
func (s *Screen) asNova() bool { return s.nova != nil && s.nova.url == s.url }

// switchTo asks what Nova would ask with other options.
func (s *Screen) switchTo(how nova.AskOptions) tea.Cmd {
	before := s.now()
	if err := s.nova.renew(s.snap, how); err != nil {
		return screen.Send(screen.ToastMsg{Severity: style.SeverityWarn, Text: err.Error()})
	}
	s.edited = ""
	s.push(before)
	return s.set(s.nova.request.Query)
}

// refollow makes what Nova asks anew on a newer Snapshot: the gate may have
// opened, a device profile be another. A query that was edited stays as it is.
func (s *Screen) refollow() {
	if s.nova == nil {
		return
	}
	made := s.asNova()
	if s.nova.err = s.nova.renew(s.snap, s.nova.how); s.nova.err == nil && made {
		s.query, s.url = s.nova.request.Query, s.nova.url
	}
}

// weigh finds out, off the event loop, how many candidates there were if each
// pre-filter was switched, for those who look at them.
func (s *Screen) weigh() tea.Cmd {
	if s.nova == nil || s.panel != sectionFilters {
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
		{ID: "whatif.owner", Keys: []string{"t"}, Title: "owner form", Help: "the other form of the owner filter: every group of Nova's, or root and PCI groups as merged upstream", Priority: 68, Disabled: nothing, Run: func() tea.Cmd {
			return s.switchTo(s.nova.otherForm(s.snap))
		}},
		{ID: "whatif.gate", Keys: []string{"u"}, Title: "gate", Help: "assume the gate of the owner filter open or closed, and back", Priority: 67, Disabled: nothing, Run: func() tea.Cmd {
			return s.switchTo(s.nova.otherGate(s.snap))
		}},
	}
}
