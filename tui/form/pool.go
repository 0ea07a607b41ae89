package form

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// poolForm asks what a pool that hosts share shall be.
type poolForm struct {
	snap *cloud.Snapshot
	id   placement.ProviderID
	of   *placement.ResourceProvider // that is changed; nil for a new pool
	now  placement.InventoryUsage    // of the class that its total is of; zero for a new pool

	name, total, reserved, link *field
}

// OpenPool makes the screen of kind screen.Pool: arg is the uuid or the name of a
// provider that shares, to give it another total or more hosts, and empty for a new
// pool of disk.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for a provider that does not
// share.
func OpenPool(env screen.Env, arg string) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	f := &poolForm{snap: snap, id: placement.ProviderID(uuid.New())}
	f.link = newField(env.Styles, "link", "a host aggregate whose hosts may use it; empty for none", "", nameLimit)
	f.link.check = f.checkLink
	f.link.note = f.noteLink
	f.link.complete = func(text string) []string { return startingWith(text, aggregateNames(f.snap)) }
	if arg == "" {
		return f.create(env), nil
	}
	p, err := poolNamed(snap.Placement(), arg)
	if err != nil {
		return nil, err
	}
	f.of, f.id = p, p.ID()
	for _, iu := range p.Inventories() {
		if f.now.Total == 0 || snap.Placement().ClassName(iu.Class) == placement.DiskGB {
			f.now = iu
		}
	}
	return f.change(env), nil
}

// poolNamed returns the provider that shares with a uuid or a name.
func poolNamed(pl *placement.Snapshot, which string) (*placement.ResourceProvider, error) {
	p, ok := pl.ProviderByName(which)
	if id, err := uuid.Parse(which); err == nil {
		p, ok = pl.Provider(placement.ProviderID(id))
	}
	switch {
	case !ok:
		return nil, &placement.NotFoundError{What: "resource provider", Name: which}
	case !pl.Shares(p):
		return nil, &placement.InvalidError{Field: "pool", Value: p.Name(), Why: "is no pool: it lacks " + string(placement.SharesViaAggregate)}
	}
	return p, nil
}

// create is the form of a new pool.
func (f *poolForm) create(env screen.Env) *Form {
	st := env.Styles
	f.name = newField(st, "name", "such as ceph-ssd", "", nameLimit)
	f.total = newField(st, "total", "GiB of disk that it has in all", "", numberLimit)
	f.reserved = newField(st, "reserved", "GiB of it that are kept back", "0", numberLimit)
	f.name.check = f.checkName
	f.total.check = atLeast(1)
	f.reserved.check = f.checkReserved
	a := ask{
		scope: "pool", title: "new pool", section: "NEW POOL", steps: []string{"pool", "preview"},
		fields: newFields(st, f.name, f.total, f.reserved, f.link), follow: f.follow,
	}
	a.submit = func(s *cloud.Snapshot) (next, bool) {
		inv := placement.NewInventory(f.total.number())
		inv.Reserved, inv.MaxUnit = f.reserved.number(), inv.Total
		pool, link := tracker.Pool{ID: f.id, Name: f.name.text, Inventory: inv}, f.linked()
		return NewPreview(env, s, Write{
			Title: "create pool " + pool.Name, Verb: "create", Steps: a.steps, At: 1,
			Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanCreatePool(s, pool, link) },
			Done: func(done cloud.Commit) tea.Cmd {
				return finish(done, screen.Goto{Kind: screen.Provider, Arg: f.id.String(), Replace: true})
			},
		}), true
	}
	return newForm(env, f.snap, a)
}

// change is the form of another total, or of more hosts, for a pool that there is.
func (f *poolForm) change(env screen.Env) *Form {
	st, class := env.Styles, f.snap.Placement().ClassName(f.now.Class)
	f.total = newField(st, "total", fmt.Sprintf("%s that it has in all; %s are used", class, component.Count(f.now.Used)), fmt.Sprint(f.now.Total), numberLimit)
	f.total.check = f.checkTotal
	fields := []*field{f.total, f.link}
	if f.now.Total == 0 {
		fields = fields[1:] // it has nothing that could be more
	}
	a := ask{
		scope: "pool", title: "pool " + f.of.Name(), section: "POOL " + f.of.Name(), steps: []string{"pool", "preview"},
		fields: newFields(st, fields...), follow: f.follow,
	}
	a.fields.focus(0)
	f.link.check = func(text string) error {
		if text == "" && f.same() {
			return &fault{text: "nothing would change: give another total, or a host aggregate"}
		}
		return f.checkLink(text)
	}
	a.submit = func(s *cloud.Snapshot) (next, bool) {
		wish := ops.PoolWish{Class: class, Link: f.linked()}
		if !f.same() {
			wish.Total = f.total.number()
		}
		return NewPreview(env, s, Write{
			Title: "set pool " + f.of.Name(), Verb: "write", Steps: a.steps, At: 1,
			Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanPool(s, f.id, wish) },
		}), true
	}
	return newForm(env, f.snap, a)
}

// follow takes a newer Snapshot, for what the fields are checked against.
func (f *poolForm) follow(s *cloud.Snapshot) { f.snap = s }

// same reports whether the total is to stay as it is.
func (f *poolForm) same() bool { return f.now.Total == 0 || f.total.number() == f.now.Total }

// checkName refuses a name that is taken, or that nobody should give.
func (f *poolForm) checkName(text string) error {
	if _, ok := f.snap.Placement().ProviderByName(text); ok {
		return &fault{text: "is taken: there is such a provider"}
	}
	if err := required("a pool needs a name")(text); err != nil {
		return err
	}
	return asFault(nova.CheckName("name", text))
}

// checkReserved refuses to keep back more than there is.
func (f *poolForm) checkReserved(text string) error {
	if err := atLeast(0)(text); err != nil {
		return err
	}
	if f.reserved.number() > f.total.number() {
		return &fault{text: "more than it has in all"}
	}
	return nil
}

// checkTotal refuses what a pool that there is cannot have.
func (f *poolForm) checkTotal(text string) error {
	if err := atLeast(1)(text); err != nil || f.same() {
		return err
	}
	_, err := ops.PlanPool(f.snap, f.id, ops.PoolWish{Class: f.snap.Placement().ClassName(f.now.Class), Total: f.total.number()})
	return asFault(err)
}

// checkLink refuses an aggregate that is none, or whose hosts use the pool already
// where nothing else is to change.
func (f *poolForm) checkLink(text string) error {
	a, ok := f.aggregate(text)
	switch {
	case text == "":
		return nil
	case !ok:
		return &fault{text: "there is no such host aggregate; leave it empty for none"}
	case f.of != nil && f.of.InAggregate(a.UUID) && f.same():
		return &fault{text: "its hosts use the pool already"}
	}
	return nil
}

// noteLink says how many hosts an aggregate has.
func (f *poolForm) noteLink(text string) string {
	a, ok := f.aggregate(text)
	if !ok {
		return ""
	}
	return fmt.Sprintf("its hosts use the pool, and no disk of their own: %d", len(a.Hosts))
}

// linked returns the id of the aggregate in the field, zero for none.
func (f *poolForm) linked() placement.AggregateID {
	a, ok := f.aggregate(f.link.text)
	if !ok {
		return placement.AggregateID{}
	}
	return a.UUID
}

// aggregate returns the host aggregate with a name.
func (f *poolForm) aggregate(name string) (*nova.HostAggregate, bool) {
	for a := range f.snap.Nova().Aggregates() {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

// aggregateNames returns the host aggregates by their names.
func aggregateNames(s *cloud.Snapshot) []string {
	var names []string
	for a := range s.Nova().Aggregates() {
		names = append(names, a.Name)
	}
	return names
}
