package kinds

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Tenant is a project, or a user of one, with everything that its consumers use.
type Tenant struct {
	Project    string `json:"project_id"`
	User       string `json:"user_id"` // "" for a project
	Used       map[placement.ResourceClass]int64
	Consumers  int64         `json:"consumer_count"`
	Instances  int64         `json:"instance_count"`
	Migrations int64         `json:"migration_count"`
	Devices    [4]int64      // accelerators, by the placement.Owner of their providers
	Users      int64         `json:"user_count"` // of a project
	Quotas     []*nova.Quota // of a project, if Nova was asked; else nil
}

// Name returns the name of the tenant.
func (t *Tenant) Name() string { return cmp.Or(t.User, t.Project) }

// projectRows returns the projects that have consumers, by name.
func projectRows(s *cloud.Snapshot) []*Tenant {
	users := map[[2]string]bool{}
	return tenants(s, func(c *placement.Consumer) [2]string { return [2]string{c.Project()} }, func(t *Tenant, c *placement.Consumer) {
		if key := [2]string{c.Project(), c.User()}; !users[key] {
			users[key] = true
			t.Users++
		}
	})
}

// userRows returns the users that have consumers, by project, then name.
func userRows(s *cloud.Snapshot) []*Tenant {
	return tenants(s, func(c *placement.Consumer) [2]string { return [2]string{c.Project(), c.User()} }, func(*Tenant, *placement.Consumer) {})
}

// tenants adds up the consumers of each key, a project and a user.
func tenants(s *cloud.Snapshot, key func(*placement.Consumer) [2]string, more func(*Tenant, *placement.Consumer)) []*Tenant {
	by := map[[2]string]*Tenant{}
	pl := s.Placement()
	for c := range pl.Consumers() {
		k := key(c)
		t := by[k]
		if t == nil {
			t = &Tenant{Project: k[0], User: k[1], Used: map[placement.ResourceClass]int64{}}
			by[k] = t
		}
		t.Consumers++
		if _, moves := s.Nova().Migration(c.ID()); moves {
			t.Migrations++
		} else if _, runs := s.Nova().Instance(c.ID()); runs {
			t.Instances++
		}
		for a := range pl.Allocations(c) {
			class := pl.ClassName(a.Class)
			t.Used[class] += a.Used
			if class.IsAccelerator() {
				t.Devices[pl.Owner(a.Provider)] += a.Used
			}
		}
		more(t, c)
	}
	out := make([]*Tenant, 0, len(by))
	for _, t := range by {
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b *Tenant) int { return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.User, b.User)) })
	return out
}

// tenantFields returns the fields that projects and users have in common.
func tenantFields() []*Field {
	record := recorded[Tenant]()
	used := func(name string, class placement.ResourceClass) *Field {
		return plain(name, Count, func(t *Tenant) Value { return countValue(t.Used[class], UnitOf(class)) }).hidden()
	}
	devices := func(name string, owners ...placement.Owner) *Field {
		return count(name, func(t *Tenant) (n int64) {
			for _, o := range owners {
				n += t.Devices[o]
			}
			return n
		}).hidden()
	}
	return []*Field{
		record("consumer_count:consumers"),
		record("instance_count:instances").counting(cloud.Instances),
		record("migration_count:migrations").help("migrations that hold old allocations").counting(cloud.Migrations),
		nested("resources", func(_ At, t *Tenant) any { return copiedAmounts(t.Used) }, func(at At, t *Tenant) string { return amountsText(at, t.Used) }),
		used("vcpu", placement.VCPU), used("pcpu", placement.PCPU), used("memory_mb", placement.MemoryMB).short("memory"), used("disk_gb", placement.DiskGB).short("disk"),
		devices("devices", placement.OwnedByNone, placement.OwnedByNova, placement.OwnedByCyborg, placement.OwnedByBoth).help("accelerators it uses"),
		devices("nova_devices", placement.OwnedByNova).short("nova").help("of these, Nova's"),
		devices("cyborg_devices", placement.OwnedByCyborg).short("cyborg").help("of these, Cyborg's"),
		words("owner", func(_ At, t *Tenant, words []string) []string {
			for o, n := range t.Devices {
				if n > 0 {
					words = append(words, placement.Owner(o).String()) // an index of four
				}
			}
			return words
		}).hidden().help("the owner of the accelerators it uses"),
		words("classes", func(_ At, t *Tenant, words []string) []string {
			for _, c := range slices.Sorted(maps.Keys(t.Used)) {
				words = append(words, string(c))
			}
			return words
		}).short("class").hidden(),
	}
}

// projectName returns the field for what a project is called, which only Keystone says.
func projectName[R any](id func(R) string) *Field {
	return textAt("project_name", func(at At, r R) string { return at.Snap.ProjectName(id(r)) }).omit().help("as Keystone gives it")
}

// userName returns the field for what a user is called.
func userName[R any](id func(R) string) *Field {
	return textAt("user_name", func(at At, r R) string { return at.Snap.UserName(id(r)) }).omit().help("as Keystone gives it")
}

// copiedAmounts returns m for JSON: {} and not null.
func copiedAmounts(m map[placement.ResourceClass]int64) map[placement.ResourceClass]int64 {
	if m == nil {
		return map[placement.ResourceClass]int64{}
	}
	return m
}

// quotaKind returns the kind for the quotas of a project, and their usage as counted by
// Nova.
func quotaKind() *Kind {
	type quota = nova.Quota
	return &Kind{
		Things: "quotas",
		Fields: []*Field{
			text("quota", func(q *quota) string { return q.Name }),
			plain("used", Count, func(q *quota) Value { return countValue(q.Used, QuotaUnit(*q)) }),
			showing(plain("limit", Count, func(q *quota) Value { return countValue(q.Limit, QuotaUnit(*q)) }), func(_ At, q *quota) string {
				if q.Limit == nova.Unlimited {
					return "unlimited"
				}
				return strconv.FormatInt(q.Limit, 10)
			}),
			text("state", func(q *quota) string { return q.State() }).omit().graded(func(row Row, _ Value) Grade { return QuotaGrade(*row.(*quota)) }), // a row of this kind
		},
		Columns: "quota used limit state",
	}
}

// QuotaUnit returns what a quota counts.
func QuotaUnit(q nova.Quota) filter.Unit {
	if q.Name == "ram" {
		return filter.MB
	}
	return filter.Count
}

// QuotaGrade says how bad the usage of a quota is.
func QuotaGrade(q nova.Quota) Grade {
	switch q.State() {
	case "":
		return Plain
	case "near":
		return Warn
	}
	return Critical
}

func quotasOf(t *Tenant) []Row { return slices.Collect(rowsOf(slices.Values(t.Quotas))) }

func projects() *Kind {
	quotas, record := quotaKind(), recorded[Tenant]()
	return &Kind{
		Name: Projects, ID: "project_id", Aliases: []string{"project", "proj"},
		Short: "Projects: who uses how much of what",
		What:  "the id or the name of a project",
		Also:  []cloud.Part{cloud.Instances, cloud.Migrations, cloud.Identities},
		Fields: slices.Concat(record.with("project_id:project project_name user_count:users",
			projectName(func(t *Tenant) string { return t.Project }).short("name"),
		), tenantFields(), []*Field{
			nested("quotas", func(at At, t *Tenant) any {
				if t.Quotas == nil {
					return nil
				}
				return Records{Kind: quotas, At: at, Rows: quotasOf(t)}
			}, func(At, *Tenant) string { return "" }).omit().ofOne(),
		}),
		Columns: "project_id project_name? user_count consumer_count instance_count resources | migration_count devices nova_devices cyborg_devices",
		Rows:    listed(projectRows),
		Find: just(func(f Finder, name string) (*Tenant, error) {
			return tenantCalled(f, "project", name, projectRows(f.Snapshot))
		}),
		Names: Finder.Projects,
		Parts: []Part{{quotas, func(_ At, row Row) []Row { return quotasOf(row.(*Tenant)) }}}, // a row of this kind
	}
}

func users() *Kind {
	record := recorded[Tenant]()
	return &Kind{
		Name: Users, ID: "user_id", Aliases: []string{"user"},
		Short: "Users: who uses how much of what, by project",
		What:  "the id or the name of a user, or PROJECT/USER with ids if it is not the only one",
		Also:  []cloud.Part{cloud.Instances, cloud.Migrations, cloud.Identities},
		Fields: slices.Concat(record.with("user_id:user user_name project_id:project",
			userName(func(t *Tenant) string { return t.User }).short("name"),
			projectName(func(t *Tenant) string { return t.Project }),
		), tenantFields()),
		Columns: "user_id user_name? project_id project_name? consumer_count instance_count resources | migration_count devices nova_devices cyborg_devices",
		Flags:   []string{ByProject},
		Rows:    listed(userRows),
		Find: just(func(f Finder, name string) (*Tenant, error) {
			return tenantCalled(f, "user", name, userRows(f.Snapshot))
		}),
		Names: func(f Finder) []string { return f.distinct(func(t *placement.Tally) string { return t.User }) },
		Text: func(_ At, row Row) string {
			t := row.(*Tenant) // a row of this kind
			return t.User + " " + t.Project
		},
	}
}

// tenantCalled returns the one of all with the name text.
func tenantCalled(f Finder, what, text string, all []*Tenant) (*Tenant, error) {
	var found, called []*Tenant
	for _, t := range all {
		name := f.ProjectName(t.Project)
		if t.User != "" {
			name = f.UserName(t.User)
		}
		switch text {
		case t.Name(), t.Project + "/" + t.User:
			found = append(found, t)
		case name:
			called = append(called, t)
		}
	}
	if len(found) == 0 {
		found = called
	}
	names := func(yield func(string) bool) {
		for _, t := range all {
			if !yield(t.Name()) {
				return
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, f.missing(what, text, names, cloud.Allocations)
	case 1:
		return found[0], nil
	}
	var in []string
	for _, t := range found {
		in = append(in, strings.TrimSuffix(t.Project+"/"+t.User, "/"))
	}
	return nil, &NameError{What: fmt.Sprintf("%q is the name of %d %ss", text, len(found), what), Hint: "name one of " + strings.Join(in, ", ")}
}
