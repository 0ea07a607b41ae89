package rest

import (
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// versioned is something that differs between versions, newest first.
type versioned []struct {
	since  candidates.Microversion
	schema *body.Schema
}

// at returns the newest that a version has.
func (list versioned) at(v candidates.Microversion) *body.Schema {
	for _, s := range list {
		if v >= s.since {
			return s.schema
		}
	}
	return nil
}

// Parts of schemas. The order of keywords decides which of several mistakes is reported,
// so it is the service's.
//
// Source: placement/schemas/common.py.
const (
	uuidKey      = `"^[0-9a-fA-F-]{36}$"`
	nameKey      = `"^[A-Z0-9_]+$"`
	uuidText     = `{"type": "string", "format": "uuid"}`
	wholeNumber  = `{"type": "integer"}`
	shortText    = `{"type": "string", "minLength": 1, "maxLength": 255}`
	text         = `{"type": "string"}`
	consumerType = `{"type": "string", "pattern": ` + nameKey + `, "minLength": 1, "maxLength": 255}`
	closed       = `"additionalProperties": false`
)

// required returns the keyword "required".
func required(names ...string) string { return `"required": ["` + strings.Join(names, `", "`) + `"]` }

// object returns an object schema with members, each of the form `"name": {...}`, and
// more keywords.
func object(members []string, rules ...string) string {
	return `{"type": "object", "properties": {` + strings.Join(members, ", ") + `}, ` + strings.Join(rules, ", ") + `}`
}

// The schemas of bodies.
//
// Source: placement/schemas/.
//
//nolint:gochecknoglobals // immutable tables
var (
	classBody = body.MustSchema(object([]string{
		`"name": {"type": "string", "pattern": "^CUSTOM_[A-Z0-9_]+$", "maxLength": 255}`,
	}, required("name"), closed))

	newProviderBody = versioned{
		{sinceTrees, body.MustSchema(providerSchema(`"uuid": `+uuidText, parentMember))},
		{0, body.MustSchema(providerSchema(`"uuid": ` + uuidText))},
	}
	providerBody = versioned{
		{sinceTrees, body.MustSchema(providerSchema(parentMember))},
		{0, body.MustSchema(providerSchema())},
	}

	inventoryBody = body.MustSchema(object(inventoryMembers, required("total", "resource_provider_generation"), closed))
	// A class with any name passes here: the service reports it as unknown later.
	inventoriesBody    = body.MustSchema(inventoriesSchema)
	newInventoryMember = `"resource_class": {"type": "string", "pattern": ` + nameKey + `}`
	newInventoryBody   = body.MustSchema(object(append(inventoryMembers, newInventoryMember), required("total", "resource_class"), closed))

	traitsBody = body.MustSchema(object([]string{
		`"traits": {"type": "array", "items": ` + shortText + `}`,
		`"resource_provider_generation": ` + wholeNumber,
	}, required("traits", "resource_provider_generation"), closed))

	aggregatesBody = versioned{
		{sinceAggregateGen, body.MustSchema(object([]string{
			`"aggregates": ` + aggregateList, `"resource_provider_generation": ` + wholeNumber,
		}, required("aggregates", "resource_provider_generation"), closed))},
		{0, body.MustSchema(aggregateList)},
	}

	claimBody = versioned{
		{sinceConsumerType, body.MustSchema(claimSchema(sinceConsumerType, 0))},
		{sinceMappings, body.MustSchema(claimSchema(sinceMappings, 0))},
		{sinceConsumerGen, body.MustSchema(claimSchema(sinceConsumerGen, 0))},
		{sinceByProvider, body.MustSchema(claimSchema(sinceByProvider, 1))},
		{sinceOwners, body.MustSchema(listSchema(`, "project_id": `+shortText+`, "user_id": `+shortText, required("allocations", "project_id", "user_id")))},
		{0, body.MustSchema(listSchema("", required("allocations")))},
	}
	claimsBody = versioned{
		{sinceConsumerType, body.MustSchema(claimsSchema(sinceConsumerType, 1))},
		{sinceMappings, body.MustSchema(claimsSchema(sinceMappings, 1))},
		{sinceConsumerGen, body.MustSchema(claimsSchema(sinceConsumerGen, 1))},
		{0, body.MustSchema(claimsSchema(sinceByProvider, 1))},
	}
	reshapeBody = versioned{
		{sinceConsumerType, body.MustSchema(reshapeSchema(sinceConsumerType))},
		{sinceMappings, body.MustSchema(reshapeSchema(sinceMappings))},
		{0, body.MustSchema(reshapeSchema(sinceConsumerGen))},
	}
)

const (
	parentMember  = `"parent_provider_uuid": {"anyOf": [` + uuidText + `, {"type": "null"}]}`
	aggregateList = `{"type": "array", "items": ` + uuidText + `, "uniqueItems": true}`
)

func providerSchema(members ...string) string {
	return object(append([]string{`"name": {"type": "string", "maxLength": 200}`}, members...), required("name"), closed)
}

// inventoryMembers are the fields of an inventory.
//
// Source: placement/schemas/inventory.py.
//
//nolint:gochecknoglobals // an immutable table
var inventoryMembers = []string{
	`"resource_provider_generation": ` + wholeNumber,
	`"total": {"type": "integer", "maximum": 2147483647, "minimum": 1}`,
	`"reserved": {"type": "integer", "maximum": 2147483647, "minimum": 0}`,
	`"min_unit": {"type": "integer", "maximum": 2147483647, "minimum": 1}`,
	`"max_unit": {"type": "integer", "maximum": 2147483647, "minimum": 1}`,
	`"step_size": {"type": "integer", "maximum": 2147483647, "minimum": 1}`,
	`"allocation_ratio": {"type": "number", "maximum": 3.40282e+38}`,
}

//nolint:gochecknoglobals // an immutable text
var inventoriesSchema = object([]string{
	`"resource_provider_generation": ` + wholeNumber,
	`"inventories": {"type": "object", "patternProperties": {` + nameKey + `: ` + object(inventoryMembers, required("total"), closed) + `}}`,
}, required("resource_provider_generation", "inventories"), closed)

// amounts are amounts by class.
const amounts = `{"type": "object", "minProperties": 1, "patternProperties": {` + nameKey + `: {"type": "integer", "minimum": 1}}, ` + closed + `}`

// listSchema is the schema of a claim with a list of providers.
func listSchema(more, needed string) string {
	return `{"type": "object", "properties": {"allocations": {"type": "array", "minItems": 1, "items": ` +
		object([]string{
			`"resource_provider": ` + object([]string{`"uuid": ` + uuidText}, closed, required("uuid")),
			`"resources": ` + amounts,
		}, required("resource_provider", "resources"), closed) +
		`}` + more + `}, ` + needed + `, ` + closed + `}`
}

// claimSchema is the schema of a claim in the newer form at a version, on a least number
// of providers.
func claimSchema(v candidates.Microversion, providers int) string {
	fewest := `"minProperties": 0`
	if providers > 0 {
		fewest = `"minProperties": 1`
	}
	members := []string{
		`"allocations": {"type": "object", ` + fewest + `, "patternProperties": {` + uuidKey + `: ` +
			object([]string{`"generation": ` + wholeNumber, `"resources": ` + amounts}, required("resources"), closed) + `}, ` + closed + `}`,
		`"project_id": ` + shortText, `"user_id": ` + shortText,
	}
	needed := []string{"allocations", "project_id", "user_id"}
	if v >= sinceConsumerGen {
		members = append(members, `"consumer_generation": {"type": ["integer", "null"], `+closed+`}`)
		needed = append(needed, "consumer_generation")
	}
	if v >= sinceMappings {
		members = append(members, `"mappings": {"type": "object", "minProperties": 1, "patternProperties": {"[a-zA-Z0-9_-]{1,64}": {"type": "array", "minItems": 1, "items": `+uuidText+`}}}`)
	}
	if v >= sinceConsumerType {
		members = append(members, `"consumer_type": `+consumerType)
		needed = append(needed, "consumer_type")
	}
	return object(members, closed, required(needed...))
}

// claimsSchema is the schema of claims by consumer, with a least number.
func claimsSchema(v candidates.Microversion, consumers int) string {
	fewest := `"minProperties": 0`
	if consumers > 0 {
		fewest = `"minProperties": 1`
	}
	return `{"type": "object", ` + fewest + `, ` + closed + `, "patternProperties": {` + uuidKey + `: ` + claimSchema(v, 0) + `}}`
}

func reshapeSchema(v candidates.Microversion) string {
	return object([]string{
		`"inventories": {"type": "object", "patternProperties": {` + uuidKey + `: ` + inventoriesSchema + `}, "minProperties": 1, ` + closed + `}`,
		`"allocations": ` + claimsSchema(v, 0),
	}, required("inventories", "allocations"), closed)
}

// The schemas of queries.
//
// Source: placement/schemas/.
//
//nolint:gochecknoglobals // immutable tables
var (
	providersQuery = versioned{
		{sinceRequired, body.MustSchema(providersSchema(5))},
		{sinceTrees, body.MustSchema(providersSchema(4))},
		{sinceResourcesFilter, body.MustSchema(providersSchema(3))},
		{sinceMemberOf, body.MustSchema(providersSchema(2))},
		{0, body.MustSchema(providersSchema(1))},
	}
	traitsQuery = body.MustSchema(object([]string{`"name": ` + text, `"associated": ` + text}, closed))
	usagesQuery = versioned{
		{sinceConsumerType, body.MustSchema(object([]string{
			`"project_id": ` + shortText, `"user_id": ` + shortText,
			`"consumer_type": {"type": "string", "pattern": "^[A-Z0-9_]+$|^all|^unknown$", "minLength": 1, "maxLength": 255}`,
		}, required("project_id"), closed))},
		{0, body.MustSchema(object([]string{`"project_id": ` + shortText, `"user_id": ` + shortText}, required("project_id"), closed))},
	}
)

// providersSchema is the schema of the query for a list of providers, with the first
// stages of later additions.
func providersSchema(stages int) string {
	members := []string{
		`"name": ` + text + `, "uuid": ` + uuidText,
		`"member_of": ` + text,
		`"resources": ` + text,
		`"in_tree": ` + uuidText,
		`"required": ` + text,
	}
	return object(members[:stages], closed)
}
