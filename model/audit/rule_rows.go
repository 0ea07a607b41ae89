package audit

import (
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// ruleRows are the things of one kind that a rule of a user may be about.
type ruleRows interface {
	// sound returns why a filter cannot be asked of them, nil where it can.
	sound(where string) error
	// matches returns a finding for each that a filter picks, without rule and
	// severity; only what f is about where it is not nil.
	matches(at At, where string, f *Finding) []Finding
}

// rowKind is a ruleRows by its name, in the words of the dashboard.
type rowKind struct {
	name string
	rows ruleRows
}

// rowKinds lists what rules of users may be about.
func rowKinds() []rowKind {
	return []rowKind{
		{"providers", providerRows()},
		{"inventories", inventoryRows()},
		{"consumers", consumerRows()},
		{"instances", instanceRows()},
		{"services", serviceRows()},
		{"migrations", migrationRows()},
	}
}

// RowKinds returns the names of what a UserRule may be about.
func RowKinds() []string {
	var names []string
	for _, k := range rowKinds() {
		names = append(names, k.name)
	}
	return names
}

// rowsNamed returns the rows of a kind.
func rowsNamed(name string) (ruleRows, bool) {
	for _, k := range rowKinds() {
		if k.name == name {
			return k.rows, true
		}
	}
	return nil, false
}

// rowsOf are rows of one type.
type rowsOf[R any] struct {
	fields []Field[R]
	// all returns the rows of a cloud, and one those that a finding is about: none
	// where it is not there.
	all func(s *cloud.Snapshot) []R
	one func(s *cloud.Snapshot, f Finding) []R
	// about returns the subject of a finding.
	about func(at At, r R) Finding
}

func (k rowsOf[R]) sound(where string) error {
	_, err := filter.Compile(where, filter.Rows[R, At]{Fields: k.fields})
	return err
}

func (k rowsOf[R]) matches(at At, where string, only *Finding) []Finding {
	var rows []R
	if only == nil {
		rows = k.all(at.Snap)
	} else {
		rows = k.one(at.Snap, *only)
	}
	if len(rows) == 0 {
		return nil
	}
	asked := &askedFields{Fields: filter.Rows[R, At]{Fields: k.fields, At: at, Rows: rows}}
	picks, err := filter.Compile(where, asked)
	if err != nil {
		return nil // a rule that was read has no such filter
	}
	var out []Finding
	for i, r := range rows {
		f := k.about(at, r)
		if picks.Match(i, strings.ToLower(f.Subject)) {
			f.Text = asked.text(i, where)
			out = append(out, f)
		}
	}
	return out
}

// askedFields notes which fields a filter asks for, so that findings can say what
// these hold.
type askedFields struct {
	filter.Fields
	names []string
	gets  []func(int) filter.Value
}

// Field implements filter.Fields.
func (a *askedFields) Field(name string) func(int) filter.Value {
	get := a.Fields.Field(name)
	if get != nil && !slices.Contains(a.names, name) {
		a.names, a.gets = append(a.names, name), append(a.gets, get)
	}
	return get
}

// text says what the fields hold that were asked for: "used% 95, class VGPU".
func (a *askedFields) text(row int, where string) string {
	var parts []string
	for i, name := range a.names {
		if v := a.gets[i](row).String(); v != "" {
			parts = append(parts, name+" "+v)
		}
	}
	if len(parts) == 0 {
		return "matches " + where
	}
	return strings.Join(parts, ", ")
}

func providerRows() ruleRows {
	self := func(p *placement.ResourceProvider) *placement.ResourceProvider { return p }
	return rowsOf[*placement.ResourceProvider]{
		fields: append(ProviderFields(self), ClassesField(self)),
		all: func(s *cloud.Snapshot) []*placement.ResourceProvider {
			return slices.Collect(s.Placement().Providers())
		},
		one: func(s *cloud.Snapshot, f Finding) []*placement.ResourceProvider {
			return listed(s.Placement().Provider(f.Provider))
		},
		about: func(_ At, p *placement.ResourceProvider) Finding {
			return Finding{Provider: p.ID(), Subject: p.Name()}
		},
	}
}

func inventoryRows() ruleRows {
	provider := func(x Stock) *placement.ResourceProvider { return x.Provider }
	class := filter.TextField("class", func(x Stock, at At) string { return string(at.Snap.Placement().ClassName(x.Class)) })
	of := func(p *placement.ResourceProvider, ok bool) (out []Stock) {
		if ok {
			for _, iu := range p.Inventories() {
				out = append(out, Stock{Provider: p, InventoryUsage: iu})
			}
		}
		return out
	}
	return rowsOf[Stock]{
		fields: slices.Concat(ProviderFields(provider), AmountFields(func(x Stock, _ At) (Stock, bool) { return x, true }), []Field[Stock]{class}),
		all: func(s *cloud.Snapshot) (out []Stock) {
			for p := range s.Placement().Providers() {
				out = append(out, of(p, true)...)
			}
			return out
		},
		one: func(s *cloud.Snapshot, f Finding) []Stock {
			return slices.DeleteFunc(of(s.Placement().Provider(f.Provider)), func(x Stock) bool { return s.Placement().ClassName(x.Class) != f.Class })
		},
		about: func(at At, x Stock) Finding {
			return Finding{Provider: x.Provider.ID(), Class: at.Snap.Placement().ClassName(x.Class), Subject: x.Provider.Name()}
		},
	}
}

func consumerRows() ruleRows {
	return rowsOf[*placement.Consumer]{
		fields: ConsumerFields(func(c *placement.Consumer) *placement.Consumer { return c }),
		all:    func(s *cloud.Snapshot) []*placement.Consumer { return slices.Collect(s.Placement().Consumers()) },
		one: func(s *cloud.Snapshot, f Finding) []*placement.Consumer {
			return listed(s.Placement().Consumer(f.Consumer))
		},
		about: func(at At, c *placement.Consumer) Finding {
			return Finding{Consumer: c.ID(), Subject: ops.ConsumerName(at.Snap, c.ID())}
		},
	}
}

func instanceRows() ruleRows {
	live := func(all []*nova.Instance) []*nova.Instance {
		return slices.DeleteFunc(all, func(i *nova.Instance) bool { return !i.Live() || i.Hidden })
	}
	return rowsOf[*nova.Instance]{
		fields: InstanceFields(func(i *nova.Instance) *nova.Instance { return i }),
		all:    func(s *cloud.Snapshot) []*nova.Instance { return live(slices.Collect(s.Nova().Instances())) },
		one: func(s *cloud.Snapshot, f Finding) []*nova.Instance {
			return live(listed(s.Nova().Instance(f.Consumer)))
		},
		about: func(_ At, i *nova.Instance) Finding { return Finding{Consumer: i.UUID, Subject: i.Name} },
	}
}

func serviceRows() ruleRows {
	all := func(s *cloud.Snapshot) []*nova.Service { return slices.Collect(s.Nova().Services()) }
	return rowsOf[*nova.Service]{
		fields: ServiceFields(func(s *nova.Service) *nova.Service { return s }),
		all:    all,
		one: func(s *cloud.Snapshot, f Finding) []*nova.Service {
			return slices.DeleteFunc(all(s), func(svc *nova.Service) bool { return serviceName(svc) != f.Subject })
		},
		about: func(_ At, s *nova.Service) Finding { return Finding{Service: s.Host, Subject: serviceName(s)} },
	}
}

// serviceName names a service among all of its host.
func serviceName(s *nova.Service) string { return s.Binary + " on " + s.Host }

func migrationRows() ruleRows {
	return rowsOf[*nova.Migration]{
		fields: MigrationFields(func(m *nova.Migration) *nova.Migration { return m }),
		all:    func(s *cloud.Snapshot) []*nova.Migration { return slices.Collect(s.Nova().Migrations()) },
		one:    func(s *cloud.Snapshot, f Finding) []*nova.Migration { return listed(s.Nova().Migration(f.Consumer)) },
		about: func(at At, m *nova.Migration) Finding {
			return Finding{Consumer: m.UUID, Subject: ops.ConsumerName(at.Snap, m.UUID)}
		},
	}
}

// listed returns what was found as a list.
func listed[R any](r R, ok bool) []R {
	if !ok {
		return nil
	}
	return []R{r}
}
