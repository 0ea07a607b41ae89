package cyborg

import "github.com/placetop/placetop/model/versioned"

// The numbers of Cyborg's records are in columns of 32 bits.
//
// Source: cyborg/db/sqlalchemy/models.py.
var (
	_ versioned.Bounded = (*Device)(nil)
	_ versioned.Bounded = (*Deployable)(nil)
	_ versioned.Bounded = (*DeviceProfile)(nil)
	_ versioned.Bounded = (*ARQ)(nil)
)

// Bounds implements versioned.Bounded.
func (d *Device) Bounds(b *versioned.Bounds) { b.Time("created_at_ms", d.Created) }

// Bounds implements versioned.Bounded.
func (d *Deployable) Bounds(b *versioned.Bounds) { b.Int32("num_accelerators", d.Accelerators) }

// Bounds implements versioned.Bounded.
func (p *DeviceProfile) Bounds(b *versioned.Bounds) { b.Time("created_at_ms", p.Created) }

// Bounds implements versioned.Bounded.
func (a *ARQ) Bounds(b *versioned.Bounds) {
	b.Int32("device_profile_group_id", a.Group)
	b.Time("created_at_ms", a.Created)
	b.Time("bind_started_at_ms", a.BindStart)
}
