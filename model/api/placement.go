package api

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// The bodies of requests of the Placement API. Fields are in the order in which the
// API documents them.
type (
	providerBody struct {
		Name   string                `json:"name"`
		UUID   *placement.ProviderID `json:"uuid,omitempty"`
		Parent *placement.ProviderID `json:"parent_provider_uuid,omitempty"`
	}
	reparentBody struct {
		Name   string                `json:"name"`
		Parent *placement.ProviderID `json:"parent_provider_uuid"`
	}
	inventoriesBody struct {
		Generation  int64                                           `json:"resource_provider_generation"`
		Inventories map[placement.ResourceClass]placement.Inventory `json:"inventories"`
	}
	inventoryBody struct {
		Class      placement.ResourceClass `json:"resource_class,omitempty"`
		Generation *int64                  `json:"resource_provider_generation,omitempty"`
		placement.Inventory
	}
	traitsBody struct {
		Generation int64             `json:"resource_provider_generation"`
		Traits     []placement.Trait `json:"traits"`
	}
	aggregatesBody struct {
		Aggregates []placement.AggregateID `json:"aggregates"`
		Generation int64                   `json:"resource_provider_generation"`
	}
	resourcesBody struct {
		Resources map[placement.ResourceClass]int64 `json:"resources"`
	}
	claimBody struct {
		Allocations map[placement.ProviderID]resourcesBody `json:"allocations"`
		Project     string                                 `json:"project_id"`
		User        string                                 `json:"user_id"`
		Generation  *int64                                 `json:"consumer_generation"`
		Type        placement.ConsumerType                 `json:"consumer_type,omitempty"`
	}
	reshapeBody struct {
		Inventories map[placement.ProviderID]inventoriesBody `json:"inventories"`
		Allocations map[placement.ConsumerID]claimBody       `json:"allocations"`
	}
	nameBody struct {
		Name placement.ResourceClass `json:"name"`
	}
)

// placement returns how a verb of Placement's looks from outside.
//
// Source: placement/handlers/; osc-placement, osc_placement/resources/.
func (v view) placement(op placement.Op) row {
	r := row{service: Placement}
	provider := func(id placement.ProviderID, rest string) string { return "/resource_providers/" + id.String() + rest }
	switch op := op.(type) {
	case placement.CreateProvider:
		body, at := providerBody{Name: op.Name, UUID: &op.ID}, microversion.PlacementFirst
		client, own := say("resource provider create --uuid", op.ID.String()), say("create provider", op.Name, "--uuid", op.ID.String())
		if !op.Parent.IsZero() {
			body.Parent, at = &op.Parent, microversion.NestedProviders
			client, own = client.and("--parent-provider", op.Parent.String()), own.and("--parent", v.name(op.Parent))
		}
		r.calls = call(Placement, "POST", "/resource_providers", at, statusCreated, body)
		r.client, r.own = []command{client.and(op.Name)}, own
	case placement.UpdateProvider:
		var body any = providerBody{Name: op.Name}
		at := microversion.PlacementFirst
		client, own := say("resource provider set", op.ID.String(), "--name", op.Name), say("set provider", op.ID.String())
		p, known := v.ledger.Provider(op.ID)
		if !known || p.Name() != op.Name {
			own = own.and("--name", op.Name)
		}
		switch {
		case !op.Reparent:
		case op.Parent.IsZero():
			body, at = reparentBody{Name: op.Name}, microversion.Reparent
			client, own = "", own.and("--no-parent")
		default:
			body, at = reparentBody{op.Name, &op.Parent}, microversion.Reparent
			client, own = client.and("--parent-provider", op.Parent.String()), own.and("--parent", v.name(op.Parent))
			if !known || p.IsRoot() {
				at = microversion.NestedProviders // which gives a parent to one that has none
			}
		}
		r.calls, r.own = call(Placement, "PUT", provider(op.ID, ""), at, statusOK, body), own
		if client != "" {
			r.client = []command{client}
		}
	case placement.DeleteProvider:
		r.calls = call(Placement, "DELETE", provider(op.ID, ""), microversion.PlacementFirst, statusNoContent, nil)
		r.client, r.own = []command{say("resource provider delete", op.ID.String())}, say("delete provider", v.name(op.ID))
	case placement.SetTraits:
		traits := append([]placement.Trait{}, op.Traits...)
		slices.Sort(traits)
		r.calls = call(Placement, "PUT", provider(op.Provider, "/traits"), microversion.Traits, statusOK, traitsBody{v.generation(op.Provider), traits})
		client, own := say("resource provider trait set"), say("set trait", v.name(op.Provider), "--replace")
		for _, t := range traits {
			client, own = client.and("--trait", string(t)), own.and(string(t))
		}
		if len(traits) == 0 {
			client = "resource provider trait delete"
		}
		r.client, r.own = []command{client.and(op.Provider.String())}, own
	case placement.SetAggregates:
		ids := append([]placement.AggregateID{}, op.Aggregates...)
		slices.SortStableFunc(ids, placement.AggregateID.Compare)
		generation := v.generation(op.Provider)
		var body any = aggregatesBody{ids, generation}
		at, client := microversion.AggregateGeneration, say("resource provider aggregate set", op.Provider.String()).each("--aggregate", texts(ids))
		if op.KeepGeneration {
			body, at = ids, microversion.Aggregates
		} else {
			client = client.and("--generation", strconv.FormatInt(generation, 10))
		}
		r.calls = call(Placement, "PUT", provider(op.Provider, "/aggregates"), at, statusOK, body)
		r.client, r.own = []command{client}, say("set aggregate", v.name(op.Provider), "--replace").and(texts(op.Aggregates)...)
	case placement.SetInventories:
		amounts := allAmounts(op.Inventories)
		r.calls = call(Placement, "PUT", provider(op.Provider, "/inventories"), inventoriesSince(op.Inventories), statusOK, v.inventories(op))
		r.client = []command{say("resource provider inventory set", op.Provider.String()).each("--resource", amounts)}
		if len(op.Inventories) == 0 {
			r.client, r.since = []command{say("resource provider inventory delete", op.Provider.String())}, int(microversion.DeleteInventories)
		}
		r.own = say("set inventory", v.name(op.Provider), "--replace").and(amounts...)
	case placement.SetInventory:
		g := v.generation(op.Provider)
		r.calls = call(Placement, "PUT", provider(op.Provider, "/inventories/"+string(op.Class)), inventorySince(op.Inventory), statusOK,
			inventoryBody{Generation: &g, Inventory: op.Inventory})
		client := say("resource provider inventory class set", op.Provider.String(), string(op.Class), "--total", strconv.FormatInt(op.Inventory.Total, 10))
		for _, f := range op.Inventory.Unusual() {
			client = client.and("--"+f.Name, f.Is)
		}
		r.client, r.own = []command{client}, say("set inventory", v.name(op.Provider)).and(amounts(op.Class, op.Inventory)...)
	case placement.AddInventory:
		r.calls = call(Placement, "POST", provider(op.Provider, "/inventories"), inventorySince(op.Inventory), statusCreated,
			inventoryBody{Class: op.Class, Inventory: op.Inventory})
		r.client = []command{say("resource provider inventory set", op.Provider.String(), "--amend").each("--resource", amounts(op.Class, op.Inventory))}
		r.own = say("set inventory", v.name(op.Provider)).and(amounts(op.Class, op.Inventory)...)
	case placement.DeleteInventory:
		r.calls = call(Placement, "DELETE", provider(op.Provider, "/inventories/"+string(op.Class)), microversion.PlacementFirst, statusNoContent, nil)
		r.client = []command{say("resource provider inventory delete", op.Provider.String(), "--resource-class", string(op.Class))}
		r.own = say("delete inventory", v.name(op.Provider), string(op.Class))
	case placement.ReplaceAllocations:
		return v.replace(op)
	case placement.DeleteAllocations:
		id := op.Consumer.String()
		r.calls = call(Placement, "DELETE", "/allocations/"+id, microversion.PlacementFirst, statusNoContent, nil)
		r.client, r.own = []command{say("resource provider allocation delete", id)}, say("release", id)
	case placement.Reshape:
		body := reshapeBody{map[placement.ProviderID]inventoriesBody{}, map[placement.ConsumerID]claimBody{}}
		for _, set := range op.Inventories {
			body.Inventories[set.Provider] = v.inventories(set)
		}
		at := microversion.Reshaper
		for _, c := range op.Allocations {
			claim := v.claim(c)
			body.Allocations[c.Consumer], at = claim, max(at, claim.since())
		}
		r.calls, r.own = call(Placement, "POST", "/reshaper", at, statusNoContent, body), v.reshape(op)
	default:
		return v.names(op)
	}
	return r
}

// names is placement for custom classes and traits.
func (v view) names(op placement.Op) row {
	r := row{service: Placement}
	class := func(c placement.ResourceClass) string { return "/resource_classes/" + url.PathEscape(string(c)) }
	trait := func(t placement.Trait) string { return "/traits/" + url.PathEscape(string(t)) }
	switch op := op.(type) {
	case placement.CreateClass:
		name := string(op.Name)
		r.calls = call(Placement, "POST", "/resource_classes", microversion.Classes, 0, nameBody{op.Name})
		r.client, r.own = []command{say("resource class create", name)}, say("create class", name)
		if op.IfAbsent {
			r.calls = call(Placement, "PUT", class(op.Name), microversion.ClassPut, 0, nil)
			r.client = []command{say("resource class set", name)}
		}
		_, there := v.ledger.ClassID(op.Name)
		r.calls[0].Answer = created(name, there)
	case placement.RenameClass:
		r.calls = call(Placement, "PUT", class(op.Name), microversion.Classes, statusOK, nameBody{op.To})
	case placement.DeleteClass:
		r.calls = call(Placement, "DELETE", class(op.Name), microversion.Classes, statusNoContent, nil)
		r.client, r.own = []command{say("resource class delete", string(op.Name))}, say("delete class", string(op.Name))
	case placement.CreateTrait:
		r.calls = call(Placement, "PUT", trait(op.Name), microversion.Traits, 0, nil)
		r.client, r.own = []command{say("trait create", string(op.Name))}, say("create trait", string(op.Name))
		_, there := v.ledger.TraitID(op.Name)
		r.calls[0].Answer = created(string(op.Name), there)
	case placement.DeleteTrait:
		r.calls = call(Placement, "DELETE", trait(op.Name), microversion.Traits, statusNoContent, nil)
		r.client, r.own = []command{say("trait delete", string(op.Name))}, say("delete trait", string(op.Name))
	}
	return r
}

// replace is placement for what consumers hold: a PUT for one consumer and a POST for
// several, which must change together. Our command releases everything of one, or claims from
// one provider what holds nothing yet.
func (v view) replace(op placement.ReplaceAllocations) row {
	r, at := row{service: Placement}, microversion.ConsumerGeneration
	bodies := make(map[placement.ConsumerID]claimBody, len(op.Consumers))
	for _, c := range op.Consumers {
		body := v.claim(c)
		bodies[c.Consumer], at = body, max(at, body.since())
	}
	if len(op.Consumers) != 1 {
		r.calls = call(Placement, "POST", "/allocations", at, statusNoContent, bodies)
		return r
	}
	c := op.Consumers[0]
	id, body := c.Consumer.String(), bodies[c.Consumer]
	r.calls = call(Placement, "PUT", "/allocations/"+id, at, statusNoContent, body)
	if len(c.Allocations) == 0 {
		r.client, r.since = []command{say("resource provider allocation unset", id)}, int(microversion.ConsumerGeneration)
		r.own = say("release", id)
		return r
	}
	client, own := say("resource provider allocation set", id), say("allocate", id)
	for _, p := range slices.SortedStableFunc(maps.Keys(c.Allocations), placement.ProviderID.Compare) {
		held := Resources(c.Allocations[p])
		client = client.and("--allocation", "rp="+p.String()+","+held)
		own = own.and(strings.Split(held, ",")...).and("--on", v.name(p))
	}
	client = client.and("--project-id", body.Project, "--user-id", body.User)
	if body.Type != "" {
		client = client.and("--consumer-type", string(body.Type))
	}
	r.client = []command{client}
	if _, holds := v.ledger.Consumer(c.Consumer); !holds && len(c.Allocations) == 1 {
		r.own = own.and("--type", string(c.Type), "--project", c.Project, "--user", c.User)
	}
	return r
}

// claim returns the body for one consumer. Without a type, which microversion 1.38
// requires, the one that the consumer already has is used. Project and user are required
// even if everything is released.
func (v view) claim(c placement.Claim) claimBody {
	body := claimBody{Allocations: map[placement.ProviderID]resourcesBody{}, Project: c.Project, User: c.User, Type: c.Type}
	for id, r := range c.Allocations {
		body.Allocations[id] = resourcesBody{r}
	}
	if has, ok := v.ledger.Consumer(c.Consumer); ok {
		g := has.Generation()
		body.Generation = &g
		if body.Project == "" {
			body.Project, body.User = has.Project(), has.User()
		}
		if body.Type == "" {
			body.Type = has.Type()
		}
	}
	return body
}

// since returns the lowest microversion at which the body is accepted.
func (b claimBody) since() microversion.Placement {
	if b.Type != "" {
		return microversion.ConsumerType
	}
	return microversion.ConsumerGeneration
}

// reshape returns our command for moving whole inventories from one provider to another,
// "" for any other reshape.
func (v view) reshape(op placement.Reshape) command {
	if len(op.Inventories) != 2 {
		return ""
	}
	was := [2]map[placement.ResourceClass]placement.Inventory{}
	for i, set := range op.Inventories {
		p, ok := v.ledger.Provider(set.Provider)
		if !ok {
			return ""
		}
		was[i] = v.ledger.ProviderRecord(p).Inventories
	}
	var moved []string
	left, got := op.Inventories[0].Inventories, op.Inventories[1].Inventories
	for _, class := range slices.Sorted(maps.Keys(was[0])) {
		switch _, stays := left[class]; {
		case stays && left[class] == was[0][class]:
		case !stays && got[class].Total == was[0][class].Total+was[1][class].Total:
			moved = append(moved, string(class))
		default:
			return ""
		}
	}
	if len(moved) == 0 || len(left) != len(was[0])-len(moved) {
		return ""
	}
	return say("reshape", v.name(op.Inventories[0].Provider), v.name(op.Inventories[1].Provider)).and(moved...)
}

// name returns the name of a provider in our command.
func (v view) name(id placement.ProviderID) string {
	p, ok := v.ledger.Provider(id)
	if !ok || v.renamed[id] {
		return id.String()
	}
	return p.Name()
}

func (v view) generation(id placement.ProviderID) int64 {
	if p, ok := v.ledger.Provider(id); ok {
		return p.Generation()
	}
	return 0
}

func (v view) inventories(op placement.SetInventories) inventoriesBody {
	body := inventoriesBody{Generation: v.generation(op.Provider), Inventories: op.Inventories}
	if body.Inventories == nil {
		body.Inventories = map[placement.ResourceClass]placement.Inventory{}
	}
	return body
}

// inventoriesSince returns the lowest microversion at which a set of inventories is
// accepted.
func inventoriesSince(set map[placement.ResourceClass]placement.Inventory) microversion.Placement {
	at := microversion.PlacementFirst
	for _, inv := range set {
		at = max(at, inventorySince(inv))
	}
	return at
}

// inventorySince returns the lowest microversion at which an inventory is accepted: a later
// one if it has no capacity.
func inventorySince(inv placement.Inventory) microversion.Placement {
	if inv.Capacity() <= 0 {
		return microversion.Drained
	}
	return microversion.PlacementFirst
}

// allAmounts returns amounts of each class.
func allAmounts(set map[placement.ResourceClass]placement.Inventory) []string {
	var out []string
	for _, class := range slices.Sorted(maps.Keys(set)) {
		out = append(out, amounts(class, set[class])...)
	}
	return out
}

// amounts returns an inventory as words of a command: the total, and the fields that are not
// the default.
func amounts(class placement.ResourceClass, inv placement.Inventory) []string {
	out := []string{fmt.Sprintf("%s=%d", class, inv.Total)}
	for _, f := range inv.Unusual() {
		out = append(out, fmt.Sprintf("%s:%s=%s", class, f.Name, f.Is))
	}
	return out
}

// Resources returns amounts as the API and its clients write them: sorted by class,
// separated by commas.
func Resources(r map[placement.ResourceClass]int64) string {
	parts := make([]string, 0, len(r))
	for _, c := range slices.Sorted(maps.Keys(r)) {
		parts = append(parts, fmt.Sprintf("%s=%d", c, r[c]))
	}
	return strings.Join(parts, ",")
}
