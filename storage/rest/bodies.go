package rest

import (
	"math"
	"regexp"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// Names in bodies and queries.
//
// Source: placement/schemas/common.py, usage.py.
var (
	uuidKey       = regexp.MustCompile(`^[0-9a-fA-F-]{36}$`)
	nameKey       = regexp.MustCompile(`^[A-Z0-9_]+$`)
	anyKey        = regexp.MustCompile(``)
	suffixKey     = regexp.MustCompile(`[a-zA-Z0-9_-]{1,64}`)
	customName    = regexp.MustCompile(`^CUSTOM_[A-Z0-9_]+$`)
	consumerTypes = regexp.MustCompile(`^[A-Z0-9_]+$|^all|^unknown$`)
)

// mostID is how long the id of a project or a user may be.
const mostID = 255

// The functions below read bodies. What they demand is the service's.
//
// Source: placement/schemas/.

// readClass reads the body of a resource class.
func readClass(v body.Value) placement.ResourceClass {
	o := v.Object(0)
	name := o.Need("name").Matching(customName)
	o.Only()
	return placement.ResourceClass(name)
}

// providerBody is the body of a provider.
type providerBody struct {
	name, uuid string // uuid only of a new one
	parented   bool   // it says which parent there is
	parent     string // "" for none
}

// readNewProvider reads the body of a new provider.
func (r *request) readNewProvider(v body.Value) providerBody { return r.readProviderBody(v, true) }

// readProvider reads the body of a provider that is there.
func (r *request) readProvider(v body.Value) providerBody { return r.readProviderBody(v, false) }

func (r *request) readProviderBody(v body.Value, fresh bool) (p providerBody) {
	const mostName = 200
	o := v.Object(0)
	p.name = o.Need("name").Text(0, mostName)
	if fresh {
		if id, ok := o.May("uuid"); ok {
			p.uuid = id.UUID()
		}
	}
	if r.at(microversion.NestedProviders) {
		var parent body.Value
		if parent, p.parented = o.May("parent_provider_uuid"); p.parented && !parent.Null() {
			p.parent = parent.UUID()
		}
	}
	o.Only()
	return p
}

// sentInventory is an inventory in a body.
type sentInventory struct {
	placement.Inventory
	class      placement.ResourceClass
	generation int64  // of the provider; 0 where it is not given
	ratio      string // as it was written; "" for the default
}

// readInventory reads the fields of an inventory, with defaults for those that are left out.
func readInventory(o *body.Object) sentInventory {
	in := sentInventory{Inventory: placement.NewInventory(0)}
	for name, to := range in.Whole() {
		least := int64(1)
		if name == "reserved" {
			least = 0
		}
		if v, ok := o.May(name); ok {
			*to = v.Int(least, placement.MaxInt)
		}
	}
	o.Need("total")
	if v, ok := o.May(placement.Ratio); ok {
		in.AllocationRatio, in.ratio = v.Number(-placement.MaxRatio, placement.MaxRatio)
	}
	if v, ok := o.May("resource_provider_generation"); ok {
		in.generation = v.Generation()
	}
	return in
}

// readInventoryOf reads the body of one inventory, whose class is in the path.
func readInventoryOf(v body.Value) sentInventory {
	o := v.Object(0)
	in := readInventory(o)
	o.Need("resource_provider_generation")
	o.Only()
	return in
}

// readNewInventory reads the body of a new inventory.
func readNewInventory(v body.Value) sentInventory {
	o := v.Object(0)
	in := readInventory(o)
	in.class = placement.ResourceClass(o.Need("resource_class").Matching(nameKey))
	o.Only()
	return in
}

// sentInventories are all inventories of one provider in a body, in its order.
type sentInventories struct {
	uuid       string // in a reshape
	generation int64
	list       []sentInventory
}

// set returns the inventories by class.
func (in sentInventories) set() map[placement.ResourceClass]placement.Inventory {
	set := make(map[placement.ResourceClass]placement.Inventory, len(in.list))
	for _, i := range in.list {
		set[i.class] = i.Inventory
	}
	return set
}

// readInventories reads the inventories of a provider. The value of a key that cannot be
// the name of a class is not checked: the class is unknown.
func readInventories(v body.Value) (in sentInventories) {
	o := v.Object(0)
	in.generation = o.Need("resource_provider_generation").Generation()
	for name, v := range o.Need("inventories").Object(0).All(anyKey) {
		i := sentInventory{Inventory: placement.NewInventory(1)}
		if placement.ResourceClass(name).Validate() == nil {
			o := v.Object(0)
			i = readInventory(o)
			o.Only()
		}
		i.class = placement.ResourceClass(name)
		in.list = append(in.list, i)
	}
	o.Only()
	return in
}

// sentTraits is the body of the traits of a provider.
type sentTraits struct {
	names      []placement.Trait
	generation int64
}

func readTraits(v body.Value) (t sentTraits) {
	const mostTrait = 255
	o := v.Object(0)
	for _, name := range o.Need("traits").Items(0) {
		t.names = append(t.names, placement.Trait(name.Text(1, mostTrait)))
	}
	t.generation = o.Need("resource_provider_generation").Generation()
	o.Only()
	return t
}

// sentAggregates is the body of the aggregates of a provider.
type sentAggregates struct {
	uuids      []string
	generation int64
}

func (r *request) readAggregates(v body.Value) (a sentAggregates) {
	if !r.at(microversion.AggregateGeneration) {
		a.uuids = v.UUIDs()
		return a
	}
	o := v.Object(0)
	a.uuids = o.Need("aggregates").UUIDs()
	a.generation = o.Need("resource_provider_generation").Generation()
	o.Only()
	return a
}

// sentClaim is the claim of one consumer, as in a body.
type sentClaim struct {
	consumer   placement.ConsumerID
	name       string // the uuid as it was sent
	generation *int64 // nil for null, and in versions that have none
	project    string
	user       string
	kind       placement.ConsumerType
	providers  []sentProvider // in the order of the body
}

// sentProvider is what a claim takes from one provider.
type sentProvider struct {
	uuid    string
	amounts []sentAmount
}

type sentAmount struct {
	class placement.ResourceClass
	units int64 // at most one more than any inventory can have
}

// readClaimOf reads the claim of the consumer in the path.
func (r *request) readClaimOf(v body.Value) sentClaim {
	fewest := 0
	if !r.at(microversion.ConsumerGeneration) {
		fewest = 1
	}
	return r.readClaim(r.args[0], v, fewest)
}

// readClaim reads the claim of one consumer on at least so many providers.
func (r *request) readClaim(name string, v body.Value, fewest int) sentClaim {
	id, _ := body.ParseUUID(name)
	c := sentClaim{name: name, consumer: placement.ConsumerID(id), project: nobody, user: nobody}
	o := v.Object(0)
	if r.at(microversion.ByProvider) {
		c.providers = readProviders(o.Need("allocations").Object(fewest))
	} else {
		c.providers = readProviderList(o.Need("allocations").Items(1))
	}
	if r.at(microversion.Owners) {
		c.project, c.user = o.Need("project_id").Text(1, mostID), o.Need("user_id").Text(1, mostID)
	}
	if r.at(microversion.ConsumerGeneration) {
		if v := o.Need("consumer_generation"); !v.Null() {
			n := v.Generation()
			c.generation = &n
		}
	}
	if r.at(microversion.Mappings) {
		if v, ok := o.May("mappings"); ok {
			checkMappings(v)
		}
	}
	if r.at(microversion.ConsumerType) {
		v := o.Need("consumer_type")
		v.Text(1, mostID)
		c.kind = placement.ConsumerType(v.Matching(nameKey))
	}
	o.Only()
	return c
}

// readProviders reads the amounts by provider.
func readProviders(o *body.Object) (list []sentProvider) {
	for id, v := range o.All(uuidKey) {
		p := v.Object(0)
		if g, ok := p.May("generation"); ok {
			g.Generation()
		}
		list = append(list, sentProvider{id, readAmounts(p.Need("resources"))})
		p.Only()
	}
	return list
}

// readProviderList reads the amounts by provider in the oldest form. Of several entries
// for one provider the last counts.
func readProviderList(items []body.Value) (list []sentProvider) {
	at := map[string]int{}
	for _, v := range items {
		o := v.Object(0)
		of := o.Need("resource_provider").Object(0)
		p := sentProvider{of.Need("uuid").UUID(), readAmounts(o.Need("resources"))}
		of.Only()
		o.Only()
		if i, ok := at[p.uuid]; ok {
			list[i] = p
			continue
		}
		at[p.uuid] = len(list)
		list = append(list, p)
	}
	return list
}

// readAmounts reads amounts by class.
func readAmounts(v body.Value) (list []sentAmount) {
	for class, v := range v.Object(1).All(nameKey) {
		list = append(list, sentAmount{placement.ResourceClass(class), min(v.Int(1, math.MaxInt64), placement.MaxInt+1)})
	}
	return list
}

// checkMappings checks what clients say about the providers of their request groups.
func checkMappings(v body.Value) {
	for suffix, v := range v.Object(1).All(anyKey) {
		if suffixKey.MatchString(suffix) {
			for _, id := range v.Items(1) {
				id.UUID()
			}
		}
	}
}

// readClaims reads the claims of several consumers.
func (r *request) readClaims(v body.Value) []sentClaim { return r.readClaimsOf(v, 1) }

func (r *request) readClaimsOf(v body.Value, fewest int) []sentClaim {
	var list []sentClaim
	for name, v := range v.Object(fewest).All(uuidKey) {
		list = append(list, r.readClaim(name, v, 0))
	}
	return list
}

// reshapeBody is the body of a reshape.
type reshapeBody struct {
	inventories []sentInventories
	claims      []sentClaim
}

func (r *request) readReshape(v body.Value) (b reshapeBody) {
	o := v.Object(0)
	for id, v := range o.Need("inventories").Object(1).All(uuidKey) {
		in := readInventories(v)
		in.uuid = id
		b.inventories = append(b.inventories, in)
	}
	b.claims = r.readClaimsOf(o.Need("allocations"), 0)
	o.Only()
	return b
}

// checkProvidersQuery checks the query of a list of providers.
func (r *request) checkProvidersQuery(o *body.Object) {
	may := func(since microversion.Placement, name string) body.Value {
		if r.at(since) {
			if v, ok := o.May(name); ok {
				return v
			}
		}
		return body.Value{}
	}
	may(0, "name")
	may(microversion.ProvidersMemberOf, "member_of")
	may(microversion.ProvidersResources, "resources")
	may(microversion.ProvidersRequired, "required")
	for _, v := range []body.Value{may(0, "uuid"), may(microversion.NestedProviders, "in_tree")} {
		if !v.Null() {
			v.UUID()
		}
	}
}

// checkTraitsQuery checks the query of a list of traits.
func checkTraitsQuery(o *body.Object) {
	o.May("name")
	o.May("associated")
}

// checkUsagesQuery checks the query of total usages.
func (r *request) checkUsagesQuery(o *body.Object) {
	o.Need("project_id").Text(1, mostID)
	if v, ok := o.May("user_id"); ok {
		v.Text(1, mostID)
	}
	if r.at(microversion.ConsumerType) {
		if v, ok := o.May("consumer_type"); ok {
			v.Text(1, mostID)
			v.Matching(consumerTypes)
		}
	}
}
