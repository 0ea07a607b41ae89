package providers

import (
	"cmp"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// poolForm asks for the properties of a shared pool.
type poolForm struct {
	snap *cloud.Snapshot
	id   placement.ProviderID
	of   *placement.ResourceProvider // the pool to change; nil for a new one
	now  placement.InventoryUsage    // of the class of its total; zero for a new pool

	name, total, reserved, link *form.Field
}

// OpenPool makes the screen of a place: to give a pool another total or more hosts, or
// to make a new pool of disk.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for a provider that does not
// share.
func OpenPool(env screen.Env, at place.Pool) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	f := &poolForm{snap: snap, id: placement.ProviderID(uuid.New())}
	f.link = form.NewField(env.Styles, "link", "a host aggregate whose hosts may use it; empty for none", "", form.NameLimit)
	f.link.Check = f.checkLink
	f.link.Note = f.noteLink
	f.link.Complete = func(text string) []string { return form.StartingWith(text, aggregateNames(f.snap)) }
	if at == (place.Pool{}) {
		return f.create(env), nil
	}
	p, err := poolAt(snap.Placement(), at)
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

// poolAt returns the sharing provider of a place.
func poolAt(pl *placement.Snapshot, at place.Pool) (*placement.ResourceProvider, error) {
	p, ok := pl.Provider(at.ID)
	if at.Name != "" {
		p, ok = pl.ProviderByName(at.Name)
	}
	switch {
	case !ok:
		return nil, &placement.NotFoundError{What: "resource provider", Name: place.Text(at)}
	case !pl.Shares(p):
		return nil, &placement.InvalidError{Field: "pool", Value: p.Name(), Why: "is not a pool: it lacks " + string(placement.SharesViaAggregate)}
	}
	return p, nil
}

// create is the form of a new pool.
func (f *poolForm) create(env screen.Env) *form.Wizard {
	st := env.Styles
	f.name = form.NewField(st, "name", "such as ceph-ssd", "", form.NameLimit)
	f.total = form.NewField(st, "total", "GiB of disk in total", "", form.NumberLimit)
	f.reserved = form.NewField(st, "reserved", "GiB of it that are reserved", "0", form.NumberLimit)
	f.name.Check = f.checkName
	f.total.Check = form.AtLeast(1)
	f.reserved.Check = f.checkReserved
	return form.New(env, f.snap, form.Ask{
		Scope: "pool", Title: "new pool", Section: "NEW POOL", Steps: []string{"pool", "preview"},
		Fields: form.NewFields(st, f.name, f.total, f.reserved, f.link), Snap: &f.snap,
		Write: func() (confirm.Spec, error) {
			inv := placement.NewInventory(f.total.Number())
			inv.Reserved, inv.MaxUnit = f.reserved.Number(), inv.Total
			pool, link := tracker.Pool{ID: f.id, Name: f.name.Text, Inventory: inv}, f.linked()
			return confirm.Spec{
				Title: "create pool " + pool.Name, Verb: "create", Makes: string(f.id[:]),
				Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanCreatePool(s, pool, link) },
				Done: func(w confirm.WriteResult) tea.Cmd {
					return w.Finish(screen.Goto{To: place.Provider{ID: f.id}, Replace: true})
				},
			}, nil
		},
	})
}

// change is the form that changes the total of a pool, or gives it more hosts.
func (f *poolForm) change(env screen.Env) *form.Wizard {
	st, class := env.Styles, f.snap.Placement().ClassName(f.now.Class)
	f.total = form.NewField(st, "total", fmt.Sprintf("%s in total; %s are used", class, component.Count(f.now.Used)), fmt.Sprint(f.now.Total), form.NumberLimit)
	f.total.Check = f.checkTotal
	fields := []*form.Field{f.total, f.link}
	if f.now.Total == 0 {
		fields = fields[1:] // it has no inventory that could grow
	}
	a := form.Ask{
		Scope: "pool", Title: "pool " + f.of.Name(), Section: "POOL " + f.of.Name(), Steps: []string{"pool", "preview"},
		Fields: form.NewFields(st, fields...), Snap: &f.snap,
	}
	a.Fields.Focus(0)
	f.link.Check = func(text string) error {
		if text == "" && f.same() {
			return &form.Fault{Text: "nothing would change: give another total, or a host aggregate"}
		}
		return f.checkLink(text)
	}
	a.Edit = func() (ops.Edit, error) {
		base := ops.PoolState{Total: f.now.Total}
		want := ops.PoolState{Total: base.Total, Link: f.linked()}
		if !f.same() {
			want.Total = f.total.Number()
		}
		return ops.Edit{Of: ops.EditablePool{ID: f.id, Class: class}, Base: base, Want: want}, cmp.Or(f.total.Check(f.total.Text), f.link.Check(f.link.Text))
	}
	return form.New(env, f.snap, a)
}

// same reports whether the total stays.
func (f *poolForm) same() bool { return f.now.Total == 0 || f.total.Number() == f.now.Total }

// checkName refuses a taken or unsuitable name.
func (f *poolForm) checkName(text string) error {
	if _, ok := f.snap.Placement().ProviderByName(text); ok {
		return &form.Fault{Text: "is taken by another provider"}
	}
	if err := form.Required("a pool needs a name")(text); err != nil {
		return err
	}
	return form.AsFault(nova.CheckName("name", text))
}

// checkReserved refuses to reserve more than there is.
func (f *poolForm) checkReserved(text string) error {
	if err := form.AtLeast(0)(text); err != nil {
		return err
	}
	if f.reserved.Number() > f.total.Number() {
		return &form.Fault{Text: "more than the total"}
	}
	return nil
}

// checkTotal refuses what an existing pool cannot have.
func (f *poolForm) checkTotal(text string) error {
	if err := form.AtLeast(1)(text); err != nil || f.same() {
		return err
	}
	_, err := ops.PlanPool(f.snap, f.id, ops.PoolWish{Class: f.snap.Placement().ClassName(f.now.Class), Total: f.total.Number()})
	return form.AsFault(err)
}

// checkLink refuses something that is not an aggregate, or one whose hosts use the pool
// already, if nothing else changes.
func (f *poolForm) checkLink(text string) error {
	a, ok := f.aggregate(text)
	switch {
	case text == "":
		return nil
	case !ok:
		return &form.Fault{Text: "there is no such host aggregate; leave it empty for none"}
	case f.of != nil && f.of.InAggregate(a.UUID) && f.same():
		return &form.Fault{Text: "its hosts already use the pool"}
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
	a, ok := f.aggregate(f.link.Text)
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

// aggregateNames returns the names of the host aggregates.
func aggregateNames(s *cloud.Snapshot) []string {
	var names []string
	for a := range s.Nova().Aggregates() {
		names = append(names, a.Name)
	}
	return names
}
