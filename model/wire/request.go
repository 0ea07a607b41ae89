// Package wire turns changes of a cloud into what the APIs of the services take:
// paths, bodies, microversions and status codes, and the same as commands of the
// openstack client. It decides nothing; the server, the client and previews share it.
//
// Source: placement/handler.py, placement/schemas; osc-placement, osc_placement/resources/.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Service is the type of a service, as the catalogue of a cloud and the header
// OpenStack-API-Version name it.
type Service string

// The services that a change may be sent to.
const (
	Placement   Service = "placement"
	Compute     Service = "compute"
	Accelerator Service = "accelerator"
)

// Call is a call of the API of a service.
type Call struct {
	Service      Service
	Method       string
	Path         string // below the service's endpoint
	Body         string // JSON on one line; empty for none
	Microversion string // the lowest at which the call means what it should
	Answer       Answer // the answer to expect, as the ledger is now
}

// mostRequests is the largest number of operations of a Change that are shown as
// requests.
const mostRequests = 200

// Version returns the value of the header OpenStack-API-Version: "placement 1.28".
func (c Call) Version() string { return string(c.Service) + " " + c.Microversion }

// Minor returns the second number of the call's microversion.
func (c Call) Minor() int { return minor(c.Microversion) }

// Of returns the API calls for operations on a cloud, and the same as openstack
// commands: none if the list is too long to read, or has no such form. Generations
// that the operations leave open are those that each would find.
func Of(s *cloud.Snapshot, ops []cloud.Op) (requests []Call, commands []string) {
	if len(ops) > mostRequests {
		return nil, nil
	}
	ledger := s.Placement()
	for _, op := range Sent(s, ops) {
		switch {
		case nova.Owns(op):
			requests = append(requests, computeCalls(s, op)...)
			commands = append(commands, computeCommands(s, op)...)
			continue
		case cyborg.Owns(op):
			requests = append(requests, acceleratorCalls(s.Cyborg(), op)...)
			commands = append(commands, acceleratorCommands(op)...)
			continue
		case placement.Owns(op):
		default:
			continue
		}
		next, _, err := ledger.Apply(placement.Change{Ops: []placement.Op{op}})
		if r, ok := requestOf(ledger, op); ok {
			for i := range r {
				r[i].Answer = AnswerTo(ledger, op, r[i].Microversion, err)
			}
			requests = append(requests, r...)
		}
		commands = append(commands, commandsOf(ledger, op)...)
		if err != nil {
			return requests, commands // cannot happen, as the whole change has been applied
		}
		ledger = next
	}
	return requests, commands
}

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

// OldestFor returns the second number of the oldest microversion of Placement that can carry
// out op, whatever it is about; 0 for an operation that Placement has not.
func OldestFor(op cloud.Op) int {
	oldest := 0
	calls, _ := requestOf(cloud.Empty().Placement(), op)
	for _, c := range calls {
		oldest = max(oldest, c.Minor())
	}
	return oldest
}

// requestOf returns the calls for op on s, and false if the API cannot express it.
func requestOf(s *placement.Snapshot, op placement.Op) ([]Call, bool) {
	rp := func(id placement.ProviderID, rest string) string { return "/resource_providers/" + id.String() + rest }
	switch op := op.(type) {
	case placement.CreateProvider:
		body, version := providerBody{Name: op.Name, UUID: &op.ID}, "1.0"
		if !op.Parent.IsZero() {
			body.Parent, version = &op.Parent, "1.14"
		}
		return one("POST", "/resource_providers", version, body)
	case placement.UpdateProvider:
		if !op.Reparent {
			return one("PUT", rp(op.ID, ""), "1.0", providerBody{Name: op.Name})
		}
		body, version := reparentBody{Name: op.Name}, "1.37"
		if !op.Parent.IsZero() {
			body.Parent = &op.Parent
			if p, ok := s.Provider(op.ID); !ok || p.IsRoot() {
				version = "1.14" // which gives a parent to one that has none
			}
		}
		return one("PUT", rp(op.ID, ""), version, body)
	case placement.DeleteProvider:
		return one("DELETE", rp(op.ID, ""), "1.0", nil)
	case placement.SetInventories:
		return one("PUT", rp(op.Provider, "/inventories"), inventoryVersion(op.Inventories), inventoriesOf(s, op))
	case placement.SetInventory:
		g := providerGeneration(s, op.Provider)
		return one("PUT", rp(op.Provider, "/inventories/"+string(op.Class)), drainVersion(op.Inventory),
			inventoryBody{Generation: &g, Inventory: op.Inventory})
	case placement.AddInventory:
		return one("POST", rp(op.Provider, "/inventories"), drainVersion(op.Inventory),
			inventoryBody{Class: op.Class, Inventory: op.Inventory})
	case placement.DeleteInventory:
		return one("DELETE", rp(op.Provider, "/inventories/"+string(op.Class)), "1.0", nil)
	case placement.SetTraits:
		return one("PUT", rp(op.Provider, "/traits"), "1.6",
			traitsBody{providerGeneration(s, op.Provider), inOrder(op.Traits)})
	case placement.SetAggregates:
		ids := slices.SortedStableFunc(slices.Values(op.Aggregates), placement.AggregateID.Compare)
		if ids == nil {
			ids = []placement.AggregateID{}
		}
		if op.KeepGeneration {
			return one("PUT", rp(op.Provider, "/aggregates"), "1.1", ids)
		}
		return one("PUT", rp(op.Provider, "/aggregates"), "1.19", aggregatesBody{ids, providerGeneration(s, op.Provider)})
	case placement.ReplaceAllocations:
		return replaceRequest(s, op)
	case placement.DeleteAllocations:
		return one("DELETE", "/allocations/"+op.Consumer.String(), "1.0", nil)
	case placement.Reshape:
		return reshapeRequest(s, op)
	default:
		return nameRequest(op)
	}
}

// nameRequest is requestOf for custom classes and traits.
func nameRequest(op placement.Op) ([]Call, bool) {
	class := func(c placement.ResourceClass) string { return "/resource_classes/" + escape(string(c)) }
	trait := func(t placement.Trait) string { return "/traits/" + escape(string(t)) }
	switch op := op.(type) {
	case placement.CreateClass:
		if op.IfAbsent {
			return one("PUT", class(op.Name), "1.7", nil)
		}
		return one("POST", "/resource_classes", "1.2", nameBody{op.Name})
	case placement.RenameClass:
		return one("PUT", class(op.Name), "1.2", nameBody{op.To})
	case placement.DeleteClass:
		return one("DELETE", class(op.Name), "1.2", nil)
	case placement.CreateTrait:
		return one("PUT", trait(op.Name), "1.6", nil)
	case placement.DeleteTrait:
		return one("DELETE", trait(op.Name), "1.6", nil)
	}
	return nil, false
}

// replaceRequest returns a PUT for one consumer and a POST for several, which
// must change together.
func replaceRequest(s *placement.Snapshot, op placement.ReplaceAllocations) ([]Call, bool) {
	version := "1.28"
	bodies := make(map[placement.ConsumerID]claimBody, len(op.Consumers))
	for _, c := range op.Consumers {
		body := claimOf(s, c)
		bodies[c.Consumer] = body
		if body.Type != "" {
			version = "1.38"
		}
	}
	if len(op.Consumers) == 1 {
		id := op.Consumers[0].Consumer
		return one("PUT", "/allocations/"+id.String(), version, bodies[id])
	}
	return one("POST", "/allocations", version, bodies)
}

// claimOf returns the body for one consumer. Without a type, which microversion 1.38
// requires, the one that the consumer already has is used. Project and user are required
// even if everything is released.
func claimOf(s *placement.Snapshot, c placement.Claim) claimBody {
	body := claimBody{Allocations: map[placement.ProviderID]resourcesBody{}, Project: c.Project, User: c.User, Type: c.Type}
	for id, r := range c.Allocations {
		body.Allocations[id] = resourcesBody{r}
	}
	if has, ok := s.Consumer(c.Consumer); ok {
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

func reshapeRequest(s *placement.Snapshot, op placement.Reshape) ([]Call, bool) {
	body := reshapeBody{
		Inventories: map[placement.ProviderID]inventoriesBody{}, Allocations: map[placement.ConsumerID]claimBody{},
	}
	version := "1.30"
	for _, set := range op.Inventories {
		body.Inventories[set.Provider] = inventoriesOf(s, set)
	}
	for _, c := range op.Allocations {
		claim := claimOf(s, c)
		body.Allocations[c.Consumer] = claim
		if claim.Type != "" {
			version = "1.38"
		}
	}
	return one("POST", "/reshaper", version, body)
}

func inventoriesOf(s *placement.Snapshot, op placement.SetInventories) inventoriesBody {
	body := inventoriesBody{Generation: providerGeneration(s, op.Provider), Inventories: op.Inventories}
	if body.Inventories == nil {
		body.Inventories = map[placement.ResourceClass]placement.Inventory{}
	}
	return body
}

// inventoryVersion returns the lowest microversion at which a set of inventories
// is accepted.
func inventoryVersion(set map[placement.ResourceClass]placement.Inventory) string {
	for _, inv := range set {
		if v := drainVersion(inv); v != "1.0" {
			return v
		}
	}
	return "1.0"
}

// drainVersion returns the lowest microversion at which an inventory is accepted: 1.26 if
// it has no capacity.
func drainVersion(inv placement.Inventory) string {
	if inv.Capacity() <= 0 {
		return "1.26"
	}
	return "1.0"
}

func providerGeneration(s *placement.Snapshot, id placement.ProviderID) int64 {
	if p, ok := s.Provider(id); ok {
		return p.Generation()
	}
	return 0
}

func inOrder(ts []placement.Trait) []placement.Trait {
	out := append([]placement.Trait{}, ts...)
	slices.Sort(out)
	return out
}

// one returns a single request with a body of JSON, nil for none. The characters
// <, > and & stay as they are.
func one(method, path, version string, body any) ([]Call, bool) {
	r := Call{Service: Placement, Method: method, Path: path, Microversion: version}
	if body != nil {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(body); err != nil {
			return nil, false // an infinite ratio, which no inventory may have
		}
		r.Body = strings.TrimSuffix(buf.String(), "\n")
	}
	return []Call{r}, true
}

// escape turns a name into one segment of a path.
func escape(name string) string { return url.PathEscape(name) }

// Resources returns amounts as the API and its clients write them: sorted by class,
// separated by commas.
func Resources(r map[placement.ResourceClass]int64) string {
	parts := make([]string, 0, len(r))
	for _, c := range slices.Sorted(maps.Keys(r)) {
		parts = append(parts, fmt.Sprintf("%s=%d", c, r[c]))
	}
	return strings.Join(parts, ",")
}
