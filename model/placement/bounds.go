package placement

import "github.com/placetop/placetop/model/versioned"

// Fields of Placement's records that are not checked when they are written, unlike
// inventories and allocations.
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
