package placement

import "github.com/placetop/placetop/model/versioned"

// What records of Placement hold that is not checked when it is written; inventories
// and allocations are.
var (
	_ versioned.Bounded = (*ClassRecord)(nil)
	_ versioned.Bounded = (*TraitRecord)(nil)
	_ versioned.Bounded = (*ProviderRecord)(nil)
	_ versioned.Bounded = (*ConsumerRecord)(nil)
)

// Bounds implements versioned.Bounded.
func (r *ClassRecord) Bounds(b *versioned.Bounds) { b.ID("id", int32(r.ID)) }

// Bounds implements versioned.Bounded.
func (r *TraitRecord) Bounds(b *versioned.Bounds) { b.ID("id", int32(r.ID)) }

// Bounds implements versioned.Bounded.
func (r *ProviderRecord) Bounds(b *versioned.Bounds) {
	b.Counter("generation", r.Generation)
	b.Time("created_at_ms", r.Created)
	b.Time("updated_at_ms", r.Updated)
}

// Bounds implements versioned.Bounded.
func (r *ConsumerRecord) Bounds(b *versioned.Bounds) {
	b.Counter("generation", r.Generation)
	b.Time("created_at_ms", r.Created)
	b.Time("updated_at_ms", r.Updated)
}
