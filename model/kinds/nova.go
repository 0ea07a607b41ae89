package kinds

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func instances() *Kind {
	type instance = nova.Instance
	record := recorded[instance]()
	return &Kind{
		Name: Instances, Aliases: []string{"instance", "server", "servers", "vm", "vms", "i"},
		Short: "Instances: the consumers as Nova knows them",
		What:  "the name or the uuid of an instance",
		Told:  []cloud.Part{cloud.Instances},
		Also:  []cloud.Part{cloud.HostAggregates, cloud.Migrations, cloud.Allocations, cloud.Identities},
		Fields: record.with("uuid name project_id:project user_id:user project_name user_name host node flavor vm_state:state task_state:task old_flavor new_flavor availability_zone boot_from_volume image_properties image_traits fault resources created_at:age deleted_at:deleted",
			text("name", func(i *instance) string { return i.Name }),
			projectName(func(i *instance) string { return i.Project }),
			userName(func(i *instance) string { return i.User }),
			record("node").omit().help("the compute node, of a host with several"),
			flavorField("flavor", func(i *instance) string { return i.Flavor }),
			record("old_flavor").help("while a resize is under way"),
			record("new_flavor").help("while a resize is under way"),
			textAt("availability_zone", func(at At, i *instance) string { return at.Snap.Nova().InstanceZone(i) }).short("zone"),
			record("image_properties:image").
				help("of the image that it was booted from"),
			record("image_traits").omit().help("that its image requires"),
			record("fault").graded(anyIs(Critical)),
			heldField(func(i *instance) placement.ConsumerID { return i.UUID }),
			countAt("devices", func(at At, i *instance) int64 {
				var n int64
				for _, held := range DevicesOf(at.Snap.Placement(), i.UUID) {
					n += held
				}
				return n
			}).hidden().help("how many accelerators it has"),
			words("owner", func(at At, i *instance, words []string) []string {
				for owner, n := range DevicesOf(at.Snap.Placement(), i.UUID) {
					if n > 0 {
						words = append(words, placement.Owner(owner).String()) // an index of four
					}
				}
				return words
			}).hidden().help("the owner of its accelerators"),
			textAt("move", func(at At, i *instance) string {
				if m := at.Snap.Nova().Moving(i.UUID); m != nil {
					return string(m.Status)
				}
				return ""
			}).hidden().help("the status of its migration under way"),
		),
		Columns: "name host flavor vm_state resources uuid image_properties? image_traits? | task_state availability_zone project_id project_name? user_id user_name? created_at fault",
		Flags:   []string{ByProject, ByHost, ByAll},
		Rows: func(at At, gone bool) iter.Seq[Row] {
			return func(yield func(Row) bool) {
				for i := range at.Snap.Nova().Instances() {
					if (gone || i.Live() && !i.Hidden) && !yield(i) {
						return
					}
				}
			}
		},
		Find:  just(Finder.Instance),
		Names: namesIn(Instances, "name"),
		Text:  func(_ At, row Row) string { return row.(*instance).Name }, // a row of this kind
	}
}

// flavorField returns a field for a flavor: its ref in JSON, and its name elsewhere.
func flavorField[R any](name string, ref func(R) string) *Field {
	return text(name, func(r R) string { return nova.FlavorName(ref(r)) }).as(inJSON(func(_ At, r R) any {
		if nova.HasUnknownRevision(ref(r)) { // there is none with that ref
			return nova.FlavorName(ref(r))
		}
		return ref(r)
	}))
}

func migrations() *Kind {
	type migration = nova.Migration
	record := recorded[migration]()
	return &Kind{
		Name: Migrations, Aliases: []string{"migration", "m"},
		Short: "Migrations: which instances are moving, and the old allocations they hold",
		What:  "the uuid of a migration",
		Told:  []cloud.Part{cloud.Migrations},
		Also:  []cloud.Part{cloud.Instances, cloud.Allocations},
		Fields: record.with("uuid instance_uuid instance_name migration_type:type status source_compute:source dest_compute:dest old_flavor new_flavor old_vm_state fault resources created_at:age updated_at:updated",
			consumerName("instance_name", func(m *migration) placement.ConsumerID { return m.Instance }).short("name").omit(),
			flavorField("old_flavor", func(m *migration) string { return m.OldFlavor }),
			flavorField("new_flavor", func(m *migration) string { return m.NewFlavor }),
			record("old_vm_state").help("the state of the instance after a revert"),
			record("fault").graded(anyIs(Critical)),
			heldField(func(m *migration) placement.ConsumerID { return m.UUID }).help("the old allocations it holds"),
			record("revert_at").help("unless it is confirmed by then"),
			yesAt("overdue", func(at At, m *migration) bool { return m.Overdue(at.Now) }).timely().help("past its time, but not reverted yet"),
			textAt("reverts", func(at At, m *migration) string {
				if m.Overdue(at.Now) {
					return "overdue since " + momentValue(m.Deadline).String()
				}
				return momentValue(m.Deadline).String()
			}).hidden().timely(),
			text("way", (*migration).Way).hidden().help("the hosts"),
			text("flavors", (*migration).FlavorWay).hidden().help("the flavors, where they differ"),
			words("host", func(_ At, m *migration, words []string) []string { return append(words, m.Source, m.Dest) }).hidden().help("source and destination"),
			words("flavor", func(_ At, m *migration, words []string) []string {
				return append(words, nova.FlavorName(m.OldFlavor), nova.FlavorName(m.NewFlavor))
			}).hidden().help("old and new"),
		),
		Columns: "instance_name migration_type status source_compute dest_compute resources uuid | " +
			"old_flavor new_flavor instance_uuid created_at updated_at reverts fault",
		Flags: []string{ByHost},
		Rows:  func(at At, _ bool) iter.Seq[Row] { return rowsOf(at.Snap.Nova().Migrations()) },
		Find:  just(Finder.Migration),
		Names: namesIn(Migrations, "uuid"),
		Text: func(at At, row Row) string {
			m := row.(*migration) // a row of this kind
			return ops.ConsumerName(at.Snap, m.Instance) + " " + m.UUID.String()
		},
	}
}

// ReleaseOf returns the name of the release that the version of a service belongs to.
func ReleaseOf(s *nova.Service) string {
	switch {
	case s.Version == 0:
		return "never said"
	case s.Judged:
		return s.Release()
	}
	return strings.TrimSuffix(nova.ReleaseOf(s.Version), " ("+strconv.Itoa(s.Version)+")")
}

func services() *Kind {
	type service = nova.Service
	state := opened("state", Text, func(at At) func(*service) Value {
		return func(s *service) Value { return textValue(string(s.State(at.Now))) }
	}).graded(bad(string(nova.ServiceDown), Critical)).timely().help("up, down or unknown; also disabled, forced down")
	state.asked = func(at At) func(Row) filter.Value {
		words := make([]string, 0, 3)
		return func(row Row) filter.Value {
			s := row.(*service) // a row of this kind
			standing := ServiceState(s, at.Now)
			words = append(words[:0], standing, string(s.State(at.Now)))
			if s.Disabled {
				words = append(words, "disabled")
			}
			return filter.Value{Text: standing, List: words}
		}
	}
	version := plain("version", Count, func(s *service) Value {
		if s.Version == 0 || s.Judged {
			return Value{}
		}
		return countValue(int64(s.Version), filter.Count)
	}).help("empty if it never reported one, or no API tells it: see release")
	record := recorded[service]()
	return &Kind{
		Name: Services, Aliases: []string{"service", "svc"},
		Short: "Services: Nova's services and their versions",
		What:  "a host",
		Told:  []cloud.Part{cloud.Services}, // with their zones
		Asks:  []cloud.Part{cloud.HostAggregates, cloud.Hypervisors, cloud.Contents},
		Fields: record.with("host binary cell availability_zone version status state disabled_reason:reason forced_down report_count:reports last_seen_up:seen created_at:age",
			textAt("availability_zone", func(at At, s *service) string { return at.Snap.Nova().ServiceZone(s) }).short("zone"),
			version,
			text("status", func(s *service) string {
				if s.Disabled {
					return "disabled"
				}
				return "enabled"
			}).graded(bad("disabled", Warn)),
			state,
			record("updated_at:updated").help("of its row, as the API of a live cloud tells it: with each report"),
			text("release", ReleaseOf).hidden().help("the release that its version belongs to"),
			opened("gate", Text, func(at At) func(*service) Value {
				words := map[*service]string{}
				gate := at.Snap.Nova().Gate()
				for _, h := range gate.Holds {
					words[h.Service] = "holds"
				}
				for _, h := range gate.Unasked {
					words[h.Service] = "not asked"
				}
				return func(s *service) Value { return textValue(words[s]) }
			}).hidden().help("holds, if it holds the owner gate closed; or not asked"),
		),
		Columns: "host binary cell version status state forced_down last_seen_up updated_at? | availability_zone disabled_reason report_count created_at",
		Rows:    func(at At, _ bool) iter.Seq[Row] { return rowsOf(at.Snap.Nova().Services()) },
		Find: func(f Finder, name string) ([]Row, error) {
			found, err := f.Services(name)
			return slices.Collect(rowsOf(slices.Values(found))), err
		},
		Several: true,
		Names:   namesIn(Services, "host"),
		Text: func(_ At, row Row) string {
			s := row.(*service) // a row of this kind
			return s.Host + " " + s.Binary
		},
	}
}

func cells() *Kind {
	type cell = nova.Cell
	of := func(at At, c *cell) func(yield func(*nova.Service) bool) {
		return func(yield func(*nova.Service) bool) {
			for s := range at.Snap.Nova().Services() {
				if s.Cell == c.Name && !yield(s) {
					return
				}
			}
		}
	}
	record := recorded[cell]()
	return &Kind{
		Name: Cells, Aliases: []string{"cell"},
		Short: "Cells: Nova's cells, each with its own services",
		What:  "the name of a cell",
		Told:  []cloud.Part{cloud.Services},
		Fields: []*Field{
			record("name"),
			record("down").help("it does not answer, and its services do not count"),
			countAt("service_count", func(at At, c *cell) (n int64) {
				for range of(at, c) {
					n++
				}
				return n
			}).short("services"),
			countAt("minimum_version", func(at At, c *cell) (least int64) {
				for s := range of(at, c) {
					if v := int64(s.Version); s.Binary == nova.Compute && v > 0 && !s.Judged && !s.ForcedDown && (least == 0 || v < least) {
						least = v
					}
				}
				return least
			}).short("version").help("the lowest of its computes; 0 if there are none"),
		},
		Columns: "name down service_count minimum_version",
		Rows:    func(at At, _ bool) iter.Seq[Row] { return rowsOf(at.Snap.Nova().Cells()) },
		Find:    just(Finder.Cell),
		Names:   namesIn(Cells, "name"),
	}
}

func flavors() *Kind {
	type flavor = nova.Flavor
	record := recorded[flavor]()
	return &Kind{
		Name: Flavors, Aliases: []string{"flavor", "f"},
		Short: "Flavors: what an instance can ask for",
		What:  "the name, the ref or the id of a flavor",
		Told:  []cloud.Part{cloud.Flavors},
		Edits: func(row Row) ops.Editable { return ops.EditableFlavor{Name: row.(*flavor).Name} },
		Also:  []cloud.Part{cloud.Instances, cloud.Profiles},
		Fields: append(record.with("name ref revision flavorid:id vcpus memory_mb root_gb ephemeral_gb swap_mb disabled is_public deleted description extra_specs:spec instance_count created_at:age",
			text("ref", (*flavor).Ref).help("what instances refer to it by"),
			record("memory_mb:mem").in(filter.MB),
			record("root_gb:root").in(filter.GB),
			record("ephemeral_gb:ephemeral").in(filter.GB),
			count("swap_mb", func(v *flavor) int64 { return v.SwapMB }).short("swap").in(filter.MB),
			yes("is_public", func(v *flavor) bool { return !v.Private }).short("public"),
			opened("instance_count", Count, func(at At) func(*flavor) Value {
				used := map[string]int64{}
				for i := range at.Snap.Nova().Instances() {
					if i.Live() {
						used[i.Flavor]++
					}
				}
				return func(v *flavor) Value { return countValue(used[v.Ref()], filter.Count) }
			}).short("vms").help("instances that have it, without deleted ones").counting(cloud.Instances),
			text("profile", (*flavor).DeviceProfile).hidden().help("the device profile it asks Cyborg for"),
		), demandFields()...),
		Columns: "ref vcpus memory_mb root_gb ephemeral_gb swap_mb instance_count extra_specs | " +
			"flavorid disabled is_public deleted description created_at",
		Flags: []string{ByAll},
		Rows: func(at At, gone bool) iter.Seq[Row] {
			if gone {
				return rowsOf(at.Snap.Nova().Flavors())
			}
			return rowsOf(at.Snap.Nova().CurrentFlavors())
		},
		Find:  just(Finder.Flavor),
		Names: namesIn(Flavors, "name"),
		Text:  func(_ At, row Row) string { return row.(*flavor).Name }, // a row of this kind
	}
}

// config returns the kind for what the operator has set for all of Nova, and its effect.
func config() *Kind {
	type settings = nova.Config
	gate := func(at At) nova.Gate { return at.Snap.Nova().Gate() }
	record := recorded[settings]()
	return &Kind{
		Name: Config, Aliases: []string{"conf"}, Things: "settings",
		Short: "Config: Nova's settings here, and the state of the owner gate",
		What:  "not used: there is only one",
		Only:  true,
		Also:  []cloud.Part{cloud.Services, cloud.Hypervisors},
		Fields: record.with("owner_filter prefilters_off prefilters_on allow_resize_to_same_host pci_alias pci_in_placement placement_aggregate_required_for_tenants disable_fallback_pcpu_query",
			text("owner_filter", func(c *settings) nova.OwnerFilter { return nova.OwnerFilter(c.OwnerFilter.Word()) }),
			record("live_cloud").help("the live cloud whose nova.conf this stands for"),
			record("given").help("options set for the live cloud; others are upstream's defaults"),
			countAt("journal_revisions", func(at At, _ *settings) int64 { return at.Snap.Operator().JournalLimits().Revisions }).help("how many revisions the journal keeps"),
			countAt("journal_days", func(at At, _ *settings) int64 { return at.Snap.Operator().JournalLimits().Days }).help("for how many days it keeps one"),
			nested("owner_gate", func(at At, _ *settings) any {
				g := gate(at)
				return gateState{Open: g.Open, Minimum: g.Minimum, Need: g.Need, Holds: len(g.Holds), Words: g.Words()}
			}, func(at At, _ *settings) string { return gate(at).Words() }),
			countAt("minimum_version", func(at At, _ *settings) int64 { return int64(gate(at).Minimum) }).hidden(),
			countAt("old_services", func(at At, _ *settings) int64 { return int64(len(gate(at).Holds)) }).hidden(),
		),
		Columns: "owner_filter owner_gate prefilters_off | prefilters_on | allow_resize_to_same_host | pci_in_placement pci_alias placement_aggregate_required_for_tenants disable_fallback_pcpu_query live_cloud given journal_revisions journal_days minimum_version old_services",
		Rows:    func(at At, _ bool) iter.Seq[Row] { return rowsOf(slices.Values([]*settings{at.Snap.Nova().Config()})) },
		Find: func(_ Finder, name string) ([]Row, error) {
			return nil, &NameError{What: "there is no configuration " + strconv.Quote(name), Hint: "give no name"}
		},
	}
}

// gateState is the gate of the owner filter as shown in JSON.
type gateState struct {
	Open    bool   `json:"open"`
	Minimum int    `json:"minimum_version"` // 0 if no nova-compute says one
	Need    int    `json:"needed_version"`
	Holds   int    `json:"old_services"` // that hold it closed
	Words   string `json:"words"`
}

// ServiceState says whether a service is up at now, and what operators did to it:
// "up", "forced down", "down, disabled".
func ServiceState(s *nova.Service, now time.Time) string {
	words := string(s.State(now))
	if s.ForcedDown {
		words = "forced down"
	}
	if s.Disabled {
		words += ", disabled"
	}
	return words
}
