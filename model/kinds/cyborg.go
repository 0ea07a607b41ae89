package kinds

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func profiles() *Kind {
	type profile = cyborg.DeviceProfile
	users := func(at At) map[string][]string {
		out := map[string][]string{}
		for v := range at.Snap.Nova().CurrentFlavors() {
			out[v.DeviceProfile()] = append(out[v.DeviceProfile()], v.Name)
		}
		return out
	}
	record := recorded[profile]()
	return &Kind{
		Name: Profiles, Aliases: []string{"profile", "dp"}, Things: "device profiles",
		Short: "Device profiles: what flavors may ask Cyborg for",
		What:  "the name or the uuid of a device profile",
		Told:  []cloud.Part{cloud.Profiles},
		Also:  []cloud.Part{cloud.Flavors, cloud.ARQs},
		Fields: record.with("uuid name description fault groups flavors flavor_count arq_count created_at:age",
			text("fault", func(p *profile) string {
				if _, err := p.RequestGroups(); err != nil {
					return err.Error()
				}
				return ""
			}).omit().graded(anyIs(Critical)).help("why nothing can be asked with it"),
			nested("groups", func(_ At, p *profile) any { return filled(p.Groups) }, func(_ At, p *profile) string { return groupsText(p.Groups) }).apart(),
			opened("flavors", Words, func(at At) func(*profile) Value {
				by := users(at)
				return func(p *profile) Value { return wordsValue(by[p.Name]) }
			}).short("flavor").help("those that ask for it"),
			opened("flavor_count", Count, func(at At) func(*profile) Value {
				by := users(at)
				return func(p *profile) Value { return countValue(int64(len(by[p.Name])), filter.Count) }
			}).short("users").hidden().help("how many flavors ask for it"),
			opened("arq_count", Count, func(at At) func(*profile) Value {
				arqs := map[string]int64{}
				for a := range at.Snap.Cyborg().ARQs() {
					arqs[a.Profile]++
				}
				return func(p *profile) Value { return countValue(arqs[p.Name], filter.Count) }
			}).short("arqs").help("accelerator requests made from it"),
			words("classes", func(_ At, p *profile, words []string) []string {
				groups, err := p.RequestGroups()
				if err != nil {
					return words
				}
				for _, g := range groups {
					for _, r := range g.Resources {
						words = append(words, string(r.Class))
					}
				}
				return words
			}).short("class").hidden().help("what it asks for"),
		),
		Columns: "name groups flavors arq_count uuid | description created_at",
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return rowsOf(slices.Values(slices.SortedStableFunc(at.Snap.Cyborg().DeviceProfiles(), func(a, b *profile) int { return cmp.Compare(a.Name, b.Name) })))
		},
		Find:  just(Finder.Profile),
		Names: namesIn(Profiles, "name"),
	}
}

// groupsText writes the groups of a device profile in one cell, each as
// "resources:VGPU=1,trait:CUSTOM_A=required".
func groupsText(groups []map[string]string) string {
	var out []string
	for _, g := range groups {
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(g)) {
			parts = append(parts, k+"="+g[k])
		}
		out = append(out, strings.Join(parts, ","))
	}
	return strings.Join(out, " + ")
}

func arqs() *Kind {
	type arq = cyborg.ARQ
	record := recorded[arq]()
	return &Kind{
		Name: ARQs, Aliases: []string{"arq"}, Things: "accelerator requests",
		Short: "Accelerator requests: what instances ask Cyborg for, and what they got",
		What:  "the uuid of an accelerator request",
		Told:  []cloud.Part{cloud.ARQs},
		Also:  []cloud.Part{cloud.Instances, cloud.Migrations, cloud.Deployables, cloud.Contents},
		Fields: record.with("uuid state device_profile_name:profile device_profile_group_id:group hostname:host device_rp_uuid resource_provider instance_uuid instance_name attach_handle_uuid project_id:project fault created_at:age",
			record("state").graded(arqGrade),
			showing(textAt("resource_provider", func(at At, a *arq) string { return providerName(at, a.Provider) }), func(at At, a *arq) string {
				return called(providerName(at, a.Provider), a.Provider)
			}).short("provider"),
			record("instance_uuid").help("or of the migration that holds it"),
			showing(textAt("instance_name", arqInstance), func(at At, a *arq) string { return called(arqInstance(at, a), a.Instance) }).short("instance"),
			record("fault").graded(anyIs(Critical)).help("why it could not be bound"),
			text("asks", (*arq).Asks).hidden().help("the device profile group that it is for"),
			textAt("handle", func(at At, a *arq) string { return at.Snap.Cyborg().UnitOf(a) }).hidden().help("the unit it got"),
		),
		Columns: "state device_profile_name device_profile_group_id instance_name hostname resource_provider uuid | " +
			"project_id device_rp_uuid instance_uuid attach_handle_uuid created_at fault",
		Flags: []string{ByHost, ByProject},
		Rows:  func(at At, _ bool) iter.Seq[Row] { return rowsOf(at.Snap.Cyborg().ARQs()) },
		Find:  just(Finder.ARQ),
		Names: namesIn(ARQs, "uuid"),
		Text: func(at At, row Row) string {
			a := row.(*arq) // a row of this kind
			return arqInstance(at, a) + " " + a.UUID.String()
		},
	}
}

// arqGrade grades the state of a request.
func arqGrade(row Row, _ Value) Grade {
	switch row.(*cyborg.ARQ).State { // a row of this kind
	case cyborg.ARQBindFailed, cyborg.ARQUnbindFailed:
		return Critical
	case cyborg.ARQBindStarted, cyborg.ARQDeleting:
		return Notice
	default:
		return Plain
	}
}

// arqInstance returns the name of the instance that a request is for, "" if there is
// none.
func arqInstance(at At, a *cyborg.ARQ) string {
	return Finder{at.Snap}.ConsumerName(at.Snap.HolderOf(a.Instance))
}

// ARQInstance returns the instance that a request is for, nil if Nova does not know
// it.
func ARQInstance(s *cloud.Snapshot, a *cyborg.ARQ) *nova.Instance {
	i, _ := s.Nova().Instance(s.HolderOf(a.Instance))
	return i
}

// called returns the name of something, its id if it has no name, or "-" if there is
// nothing.
func called[T ~[16]byte](name string, id T) string {
	switch {
	case name != "":
		return name
	case id == T{}:
		return "-"
	}
	return idText(id)
}

// providerName returns the name of a provider, "" if Placement does not have it.
func providerName(at At, id placement.ProviderID) string {
	if p, ok := at.Snap.Placement().Provider(id); ok {
		return p.Name()
	}
	return ""
}

// Units are the attach handles of a card.
type Units struct{ Used, All int64 }

// UnitsOf counts the attach handles of a card.
func UnitsOf(s *cyborg.Snapshot, d *cyborg.Device) (u Units) {
	for dep := range s.DeployablesOf(d.UUID) {
		of := PartUnits(s, dep)
		u.All, u.Used = u.All+of.All, u.Used+of.Used
	}
	return u
}

// PartUnits counts the attach handles of a part of a card.
func PartUnits(s *cyborg.Snapshot, dep *cyborg.Deployable) (u Units) {
	for h := range s.AttachHandlesOf(dep.UUID) {
		if u.All++; h.InUse {
			u.Used++
		}
	}
	return u
}

// free returns how many units can be handed out: none while the card is in maintenance.
func (u Units) free(d *cyborg.Device) int64 {
	if d.Status == cyborg.Maintaining {
		return 0
	}
	return u.All - u.Used
}

// DeviceOwner returns the owner of a card according to the providers of its parts;
// both if one of them has both.
func DeviceOwner(at At, d *cyborg.Device) placement.Owner {
	owner, first := placement.OwnedByNone, true
	for dep := range at.Snap.Cyborg().DeployablesOf(d.UUID) {
		one := PartOwner(at, dep)
		if first || one == placement.OwnedByBoth {
			owner = one
		}
		first = false
	}
	return owner
}

// PartOwner returns the owner of a part of a card.
func PartOwner(at At, dep *cyborg.Deployable) placement.Owner {
	if p, ok := at.Snap.Placement().Provider(dep.Provider); ok {
		return at.Snap.Placement().Owner(p)
	}
	return placement.OwnedByNone
}

// PartFault says what is inconsistent about a part of a card, "" for nothing.
func PartFault(at At, dep *cyborg.Deployable) string {
	used, requests := at.Snap.Cyborg().Units(dep)
	_, there := at.Snap.Placement().Provider(dep.Provider)
	switch {
	case used != requests:
		return fmt.Sprintf("%d attach handles of %s are in use, but %d requests hold one", used, dep.Name, requests)
	case dep.Provider.IsZero():
		return dep.Name + " is not reported to Placement yet"
	case !there:
		return "the provider of " + dep.Name + " is gone"
	}
	return ""
}

// DeviceFault says what is inconsistent about a card, "" for nothing.
func DeviceFault(at At, d *cyborg.Device) string {
	for dep := range at.Snap.Cyborg().DeployablesOf(d.UUID) {
		if fault := PartFault(at, dep); fault != "" {
			return fault
		}
	}
	return ""
}

func devices() *Kind {
	type device = cyborg.Device
	address := func(at At, d *device) string { return at.Snap.Cyborg().AddressOf(d.UUID) }
	units := func(name string, get func(Units, *device) int64) *Field {
		return countAt(name, func(at At, d *device) int64 { return get(UnitsOf(at.Snap.Cyborg(), d), d) })
	}
	parts := func(name string, get func(At, *cyborg.Deployable) string) *Field {
		return words(name, func(at At, d *device, words []string) []string {
			for dep := range at.Snap.Cyborg().DeployablesOf(d.UUID) {
				words = append(words, get(at, dep))
			}
			return words
		})
	}
	deployables := deployableKind()
	record := recorded[device]()
	return &Kind{
		Name: Devices, Aliases: []string{"device", "dev"},
		Short: "Devices: the cards that Cyborg manages, and how much of them is free",
		What:  "HOST:ADDRESS, such as compute1:0000:af:00.0, or the uuid of a device",
		Told:  []cloud.Part{cloud.Devices},
		Also:  []cloud.Part{cloud.Deployables, cloud.ARQs, cloud.Contents},
		Fields: record.with("uuid hostname:host address type vendor model status deployables created_at:age",
			textAt("address", address),
			record("status").graded(bad(string(cyborg.Maintaining), Notice)),
			parts("deployables", func(_ At, dep *cyborg.Deployable) string { return dep.Name }).as(inJSON(func(at At, d *device) any {
				return Records{Kind: deployables, At: at, Rows: deployablesOf(at, d)}
			})),
			units("handles_in_use", func(u Units, _ *device) int64 { return u.Used }).short("used").hidden(),
			units("handles", func(u Units, _ *device) int64 { return u.All }).short("units").hidden(),
			units("free", Units.free).hidden(),
			parts("resource_classes", func(at At, dep *cyborg.Deployable) string { return attributesOf(at, dep)["rc"] }).short("class").hidden(),
			parts("drivers", func(_ At, dep *cyborg.Deployable) string { return dep.Driver }).short("driver").hidden(),
			ownerAt(DeviceOwner).hidden().graded(bad(placement.OwnedByBoth.String(), Critical)),
			opened("percent", Count, func(at At) func(*device) Value {
				return func(d *device) Value {
					u := UnitsOf(at.Snap.Cyborg(), d)
					return percentValue(u.Used, u.Used+u.free(d))
				}
			}).short("used%").hidden().help("share of its attach handles in use"),
			textAt("fault", DeviceFault).omit().graded(anyIs(Critical)).help("what is inconsistent about it"),
		),
		Columns: "hostname address type model status handles_in_use handles uuid | vendor deployables resource_classes drivers created_at",
		Flags:   []string{ByHost},
		Rows: func(at At, _ bool) iter.Seq[Row] {
			return rowsOf(slices.Values(slices.SortedStableFunc(at.Snap.Cyborg().Devices(), func(a, b *device) int {
				return cmp.Or(strings.Compare(a.Hostname, b.Hostname), strings.Compare(address(at, a), address(at, b)), strings.Compare(a.UUID.String(), b.UUID.String()))
			})))
		},
		Find:  just(Finder.Device),
		Names: deviceNames,
		Text:  func(at At, row Row) string { return Finder{at.Snap}.DeviceName(row.(*device)) }, // a row of this kind
		Parts: []Part{
			{deployables, func(at At, row Row) []Row { return deployablesOf(at, row.(*device)) }}, // a row of this kind
			{handleKind(), func(at At, row Row) (all []Row) {
				for dep := range at.Snap.Cyborg().DeployablesOf(row.(*device).UUID) { // a row of this kind
					all = append(all, handlesOf(at, dep)...)
				}
				return all
			}},
		},
	}
}

func deployablesOf(at At, d *cyborg.Device) []Row {
	return slices.Collect(rowsOf(at.Snap.Cyborg().DeployablesOf(d.UUID)))
}

// attributesOf returns the attributes of a part of a card.
func attributesOf(at At, dep *cyborg.Deployable) map[string]string {
	out := map[string]string{}
	for a := range at.Snap.Cyborg().AttributesOf(dep.UUID) {
		out[a.Key] = a.Value
	}
	return out
}

// deployableKind returns the kind for the parts of a card that can be allocated.
func deployableKind() *Kind {
	type deployable = cyborg.Deployable
	handles := handleKind()
	record := recorded[deployable]()
	return &Kind{
		Things: "deployables",
		Fields: record.with("uuid name num_accelerators driver_name rp_uuid resource_provider bitstream_id",
			textAt("resource_provider", func(at At, d *deployable) string { return providerName(at, d.Provider) }),
			nested("attributes", func(at At, d *deployable) any { return attributesOf(at, d) },
				func(at At, d *deployable) string { return properties(attributesOf(at, d)) }),
			nested("attach_handles", func(at At, d *deployable) any {
				return Records{Kind: handles, At: at, Rows: handlesOf(at, d)}
			}, func(At, *deployable) string { return "" }),
			text("deployable", func(d *deployable) string { return d.Name }).hidden(),
			showing(textAt("provider", func(at At, d *deployable) string { return providerName(at, d.Provider) }), func(at At, d *deployable) string {
				return called(providerName(at, d.Provider), d.Provider)
			}).hidden(),
			ownerAt(PartOwner).hidden(),
			textAt("class", func(at At, d *deployable) string { return attributesOf(at, d)["rc"] }).hidden(),
		),
		Columns: "deployable resource_provider num_accelerators driver_name attributes uuid | rp_uuid bitstream_id",
	}
}

// Handle is one unit that can be attached to a guest.
type Handle struct {
	*cyborg.AttachHandle
	of  *cyborg.Deployable
	ARQ *cyborg.ARQ // that it is bound to; nil for none
	// Instance is the one that the request is for; zero if Nova does not know it.
	Instance placement.ConsumerID
}

func handlesOf(at At, dep *cyborg.Deployable) []Row {
	bound := map[uuid.UUID]*cyborg.ARQ{}
	for a := range at.Snap.Cyborg().ARQsAt(dep.Provider) {
		bound[a.AttachHandle] = a
	}
	var out []Row
	for h := range at.Snap.Cyborg().AttachHandlesOf(dep.UUID) {
		one := &Handle{AttachHandle: h, of: dep, ARQ: bound[h.UUID]}
		if one.ARQ != nil {
			if i := ARQInstance(at.Snap, one.ARQ); i != nil {
				one.Instance = i.UUID
			}
		}
		out = append(out, one)
	}
	return out
}

func handleKind() *Kind {
	record := recorded[Handle]()
	return &Kind{
		Things: "attach handles",
		Fields: record.with("uuid attach_type attach_info in_use",
			id("arq_uuid", func(h *Handle) (id uuid.UUID) {
				if h.ARQ != nil {
					id = h.ARQ.UUID
				}
				return id
			}),
			textAt("instance_name", func(at At, h *Handle) string {
				if h.ARQ == nil {
					return ""
				}
				return arqInstance(at, h.ARQ)
			}),
			id("attach_handle", func(h *Handle) uuid.UUID { return h.UUID }).hidden(),
			text("deployable", func(h *Handle) string { return h.of.Name }).hidden(),
			text("unit", func(h *Handle) string { return cmp.Or(h.Unit(), h.UUID.String()) }).hidden(),
			text("state", func(h *Handle) string {
				if h.InUse {
					return "in use"
				}
				return "free"
			}).hidden(),
			text("request", func(h *Handle) string {
				switch {
				case h.ARQ != nil:
					return string(h.ARQ.State)
				case h.InUse:
					return "nobody's"
				}
				return ""
			}).hidden().graded(func(row Row, v Value) Grade {
				switch h := row.(*Handle); { // a row of this kind
				case h.ARQ != nil:
					return arqGrade(h.ARQ, v)
				case h.InUse:
					return Critical
				}
				return Plain
			}).help("the state of the request that has it"),
		),
		Columns: "attach_handle unit deployable attach_type in_use instance_name | arq_uuid attach_info",
	}
}
