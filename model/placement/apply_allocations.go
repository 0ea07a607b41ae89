package placement

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/google/uuid"
)

// slot is one class of one provider.
type slot struct {
	provider uint32
	class    ClassID
}

// rows is a claim with its names resolved: allocations by provider uuid, then
// class number.
type rows struct {
	Claim
	was *Consumer // nil for a new one
	new []allocation
}

func (op ReplaceAllocations) apply(e *edit) error {
	if len(op.Consumers) == 0 {
		return &InvalidError{Field: "allocations", Why: "no consumer given"}
	}
	return e.replaceAllocations(op.Consumers)
}

// replaceAllocations is the algorithm of ReplaceAllocations. The generations that move are
// those of the providers that claims name, and of all that a consumer has if it gives up
// everything. A provider that a consumer leaves for others keeps its generation.
//
// Source: placement/objects/allocation.py, _set_allocations.
func (e *edit) replaceAllocations(claims []Claim) error {
	all := make([]rows, len(claims))
	seen := make(map[ConsumerID]bool, len(claims))
	for i, c := range claims {
		if seen[c.Consumer] {
			return Invalid("consumer", c.Consumer.String(), "given twice")
		}
		seen[c.Consumer] = true
		r, err := e.resolve(c)
		if err != nil {
			return err
		}
		all[i] = r
	}
	usedBefore := map[slot]int64{}
	asked := map[slot]int64{}
	bumped := map[uint32]bool{}
	note := func(as []allocation, bump bool) {
		for _, a := range as {
			s := slot{a.provider, a.class}
			if _, ok := usedBefore[s]; !ok {
				iu, _ := e.providers.at(a.provider).Inventory(a.class)
				usedBefore[s] = iu.Used
			}
			if bump {
				bumped[a.provider] = true
			}
		}
	}
	for _, r := range all {
		note(r.new, true)
		for _, a := range r.new {
			asked[slot{a.provider, a.class}] += a.used
		}
		if r.was != nil {
			note(r.was.allocations, len(r.new) == 0)
			e.drop(r.was)
		}
	}
	for _, r := range all {
		for _, a := range r.new {
			s := slot{a.provider, a.class}
			if err := e.checkFits(r.Consumer, a, asked[s], usedBefore[s]); err != nil {
				return err
			}
		}
	}
	for _, r := range all {
		e.hold(r)
	}
	for _, n := range slices.Sorted(maps.Keys(bumped)) {
		e.bump(n)
	}
	return nil
}

// resolve checks the form of a claim and its generation.
func (e *edit) resolve(c Claim) (rows, error) {
	r := rows{Claim: c}
	if c.Consumer.IsZero() {
		return r, Invalid("consumer", c.Consumer.String(), "the nil uuid names no consumer")
	}
	r.was, _ = e.Consumer(c.Consumer)
	has := int64(-1)
	if r.was != nil {
		has = r.was.generation
	}
	if c.Generation.kind == expectUnset {
		return r, &InvalidError{Field: "consumer_generation", Why: "a generation is required"}
	}
	if !c.Generation.allows(has) {
		return r, &ConflictError{What: "consumer", ID: c.Consumer.String(), Expect: c.Generation, Has: has}
	}
	if c.Type != "" {
		if err := validName("consumer_type", string(c.Type)); err != nil {
			return r, err
		}
	}
	if len(c.Allocations) == 0 {
		return r, nil
	}
	if err := validIdentity("project_id", c.Project); err != nil {
		return r, err
	}
	if err := validIdentity("user_id", c.User); err != nil {
		return r, err
	}
	n := 0
	for _, of := range c.Allocations {
		n += len(of)
	}
	r.new = make([]allocation, 0, n)
	for _, id := range slices.SortedStableFunc(maps.Keys(c.Allocations), ProviderID.Compare) {
		p, ok := e.Provider(id)
		if !ok {
			return r, Invalid("allocations", id.String(), "no such resource provider")
		}
		if len(c.Allocations[id]) == 0 {
			return r, Invalid("allocations", p.name, "no resources given")
		}
		for _, name := range slices.Sorted(maps.Keys(c.Allocations[id])) {
			class, err := e.class(name)
			if err != nil {
				return r, err
			}
			amount := c.Allocations[id][name]
			if amount < 1 || amount > MaxInt {
				return r, Invalid(
					string(name)+" on "+p.name, strconv.FormatInt(amount, 10),
					"must be from 1 to "+strconv.Itoa(math.MaxInt32))
			}
			r.new = append(r.new, allocation{provider: p.number, class: class, used: amount})
		}
	}
	sortAllocations(r.new)
	return r, nil
}

func sortAllocations(as []allocation) {
	slices.SortStableFunc(as, func(a, b allocation) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.class, b.class))
	})
}

// validIdentity checks a project or user id.
//
// Source: placement/schemas/allocation.py, ALLOCATION_SCHEMA_V1_8.
func validIdentity(field, id string) error {
	switch {
	case id == "":
		return &InvalidError{Field: field, Why: "is required"}
	case !utf8.ValidString(id):
		return Invalid(field, id, "not valid UTF-8")
	case utf8.RuneCountInString(id) > maxNameLength:
		return Invalid(field, clip(id), "longer than 255 characters")
	}
	return nil
}

// touchConsumer remembers a consumer as it was and returns a copy that the edit
// may change.
func (e *edit) touchConsumer(c *Consumer) *Consumer {
	e.consumersWere.note(c.id, c)
	n := *c
	e.consumers.Set(consumerEntry{c.id, &n})
	return &n
}

// drop removes c and its allocations.
func (e *edit) drop(c *Consumer) {
	e.consumersWere.note(c.id, c)
	e.account(c, -1)
	e.consumers.Delete(consumerEntry{id: c.id})
}

// account adds what c holds to the usages, or with sign -1 subtracts it.
func (e *edit) account(c *Consumer, sign int64) {
	e.tally(c, sign)
	for i, a := range c.allocations {
		p := e.mut(a.provider)
		for j := range p.inventories {
			if p.inventories[j].Class == a.class {
				p.inventories[j].Used += sign * a.used
			}
		}
		if i > 0 && c.allocations[i-1].provider == a.provider {
			continue
		}
		if h := (numbered{a.provider, uuid.UUID(c.id)}); sign > 0 {
			e.holdings.Set(h)
		} else {
			e.holdings.Delete(h)
		}
	}
}

// hold gives the consumer of r its new rows. Without rows it makes no consumer.
func (e *edit) hold(r rows) {
	if len(r.new) == 0 {
		return
	}
	c := &Consumer{
		id: r.Consumer, typ: r.Type, project: r.Project, user: r.User,
		generation: 1, created: e.now, updated: e.now, allocations: r.new,
	}
	if r.was != nil {
		c.generation = r.was.generation + 1
		c.created = r.was.created
		if c.typ == "" {
			c.typ = r.was.typ
		}
	}
	e.put(c)
}

// put adds c and counts what it holds.
func (e *edit) put(c *Consumer) {
	e.consumersWere.note(c.id, nil)
	e.consumers.Set(consumerEntry{c.id, c})
	e.account(c, 1)
}

func (op DeleteAllocations) apply(e *edit) error {
	c, ok := e.Consumer(op.Consumer)
	if !ok {
		return NotFound("consumer", op.Consumer.String())
	}
	e.drop(c)
	return nil
}

func (op Reshape) apply(e *edit) error {
	if len(op.Inventories) == 0 {
		return &InvalidError{Field: "inventories", Why: "a reshape names at least one resource provider"}
	}
	seen := map[ProviderID]bool{}
	for _, set := range op.Inventories {
		if seen[set.Provider] {
			return Invalid("inventories", set.Provider.String(), "given twice")
		}
		seen[set.Provider] = true
		p, err := e.FindProvider(set.Provider)
		if err != nil {
			return err
		}
		if err := expect(p, set.Generation); err != nil {
			return err
		}
		if len(set.Inventories) == 0 {
			continue // nothing to add to what the provider has
		}
		interim := maps.Clone(set.Inventories)
		for _, has := range p.inventories {
			if name := e.ClassName(has.Class); !hasKey(interim, name) {
				interim[name] = has.Inventory
			}
		}
		list, err := e.inventoryList(p, interim)
		if err != nil {
			return err
		}
		if err := e.replaceInventories(p, list); err != nil {
			return err
		}
	}
	if len(op.Allocations) > 0 {
		if err := e.replaceAllocations(op.Allocations); err != nil {
			return err
		}
	}
	for _, set := range op.Inventories {
		p, err := e.FindProvider(set.Provider)
		if err != nil {
			return err
		}
		list, err := e.inventoryList(p, set.Inventories)
		if err != nil {
			return err
		}
		if err := e.replaceInventories(p, list); err != nil {
			return err
		}
	}
	return nil
}

func hasKey[K comparable, V any](m map[K]V, k K) bool { _, ok := m[k]; return ok }
