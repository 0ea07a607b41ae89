package operator

import "github.com/placetop/placetop/model/versioned"

var (
	_ versioned.Bounded = (*Acknowledgement)(nil)
	_ versioned.Bounded = (*Mute)(nil)
)

// Bounds implements versioned.Bounded.
func (a *Acknowledgement) Bounds(b *versioned.Bounds) {
	b.Time("at_ms", a.At)
	b.Time("until_ms", a.Until)
}

// Bounds implements versioned.Bounded.
func (m *Mute) Bounds(b *versioned.Bounds) {
	b.Time("at_ms", m.At)
	b.Time("until_ms", m.Until)
}
