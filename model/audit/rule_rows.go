package audit

import (
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// ruleRows are the rows of one kind that a user's rule may be about.
type ruleRows struct {
	kind kinds.Name
	// one returns those that a finding is about; none if they are gone.
	one func(s *cloud.Snapshot, f Finding) []kinds.Row
	// about returns the subject of a finding.
	about func(at kinds.At, r kinds.Row) Finding
}

// rowKinds lists the kinds that users' rules may be about.
func rowKinds() []ruleRows {
	return []ruleRows{
		{kinds.Providers, oneProvider, func(_ kinds.At, r kinds.Row) Finding {
			p := r.(*placement.ResourceProvider) // a row of the kind
			return Finding{Provider: p.ID(), Subject: p.Name()}
		}},
		{kinds.Inventories, oneInventory, func(at kinds.At, r kinds.Row) Finding {
			x := r.(*kinds.Stock) // a row of the kind
			return Finding{Provider: x.Provider.ID(), Class: at.Snap.Placement().ClassName(x.Class), Subject: x.Provider.Name()}
		}},
		{kinds.Consumers, func(s *cloud.Snapshot, f Finding) []kinds.Row { return found(s.Placement().Consumer(f.Consumer)) }, func(at kinds.At, r kinds.Row) Finding {
			id := r.(*placement.Consumer).ID() // a row of the kind
			return Finding{Consumer: id, Subject: ops.ConsumerName(at.Snap, id)}
		}},
		{kinds.Instances, func(s *cloud.Snapshot, f Finding) []kinds.Row { return found(s.Nova().Instance(f.Consumer)) }, func(_ kinds.At, r kinds.Row) Finding {
			i := r.(*nova.Instance) // a row of the kind
			return Finding{Consumer: i.UUID, Subject: i.Name}
		}},
		{kinds.Services, oneService, func(_ kinds.At, r kinds.Row) Finding {
			s := r.(*nova.Service) // a row of the kind
			return Finding{Service: s.Host, Subject: serviceName(s)}
		}},
		{kinds.Migrations, func(s *cloud.Snapshot, f Finding) []kinds.Row { return found(s.Nova().Migration(f.Consumer)) }, func(at kinds.At, r kinds.Row) Finding {
			id := r.(*nova.Migration).UUID // a row of the kind
			return Finding{Consumer: id, Subject: ops.ConsumerName(at.Snap, id)}
		}},
	}
}

// RowKinds returns the names of the kinds that a UserRule may be about.
func RowKinds() []string {
	var names []string
	for _, k := range rowKinds() {
		names = append(names, string(k.kind))
	}
	return names
}

// rowsNamed returns the rows of a kind.
func rowsNamed(name string) (ruleRows, bool) {
	all := rowKinds()
	i := slices.IndexFunc(all, func(k ruleRows) bool { return string(k.kind) == name })
	if i < 0 {
		return ruleRows{}, false
	}
	return all[i], true
}

// sound returns an error if a filter cannot be applied to the rows.
func (k ruleRows) sound(where string) error {
	_, err := filter.Compile(where, kinds.Of(k.kind).Fielded(kinds.At{}, nil))
	return err
}

// matches returns a finding for each row that a filter picks, without rule and severity;
// only for what the finding only is about, unless that is nil.
func (k ruleRows) matches(at kinds.At, where string, only *Finding) []Finding {
	kind := kinds.Of(k.kind)
	var all iter.Seq[kinds.Row]
	if only == nil {
		all = kind.Rows(at, false)
	} else {
		all = slices.Values(k.one(at.Snap, *only))
	}
	var rows []kinds.Row
	for r := range all {
		if i, ok := r.(*nova.Instance); !ok || i.Live() && !i.Hidden {
			rows = append(rows, r)
		}
	}
	if k.kind == kinds.Providers { // they are in tree order
		sorted.By(rows, func(a, b kinds.Row) int {
			return strings.Compare(a.(*placement.ResourceProvider).Name(), b.(*placement.ResourceProvider).Name()) // rows of the kind
		})
	}
	if len(rows) == 0 {
		return nil
	}
	asked := &askedFields{Fields: kind.Fielded(at, rows)}
	picks, err := filter.Compile(where, asked)
	if err != nil {
		return nil // a rule that has been read has no such filter
	}
	key := kind.Key(at)
	var out []Finding
	for i, r := range rows {
		if picks.Match(i, key(r)) {
			f := k.about(at, r)
			f.Text = asked.text(i, where)
			out = append(out, f)
		}
	}
	return out
}

func oneProvider(s *cloud.Snapshot, f Finding) []kinds.Row {
	return found(s.Placement().Provider(f.Provider))
}

func oneInventory(s *cloud.Snapshot, f Finding) []kinds.Row {
	p, ok := s.Placement().Provider(f.Provider)
	if !ok {
		return nil
	}
	for _, iu := range p.Inventories() {
		if s.Placement().ClassName(iu.Class) == f.Class {
			return []kinds.Row{&kinds.Stock{Provider: p, InventoryUsage: iu}}
		}
	}
	return nil
}

func oneService(s *cloud.Snapshot, f Finding) []kinds.Row {
	for svc := range s.Nova().Services() {
		if serviceName(svc) == f.Subject {
			return []kinds.Row{svc}
		}
	}
	return nil
}

// serviceName names a service among all of its host.
func serviceName(s *nova.Service) string { return s.Binary + " on " + s.Host }

// found returns what was found as rows.
func found[R any](r R, ok bool) []kinds.Row {
	if !ok {
		return nil
	}
	return []kinds.Row{r}
}

// askedFields notes which fields a filter uses, so that findings can give their values.
type askedFields struct {
	filter.Fields
	names []string
	gets  []func(int) filter.Value
}

func (a *askedFields) Field(name string) func(int) filter.Value {
	get := a.Fields.Field(name)
	if get != nil && !slices.Contains(a.names, name) {
		a.names, a.gets = append(a.names, name), append(a.gets, get)
	}
	return get
}

// text gives the values of the fields that were used: "used% 95, class VGPU".
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
