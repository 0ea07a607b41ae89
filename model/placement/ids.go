package placement

import (
	"bytes"
	"encoding"
	"fmt"

	"github.com/google/uuid"
)

// ProviderID is the uuid of a resource provider.
type ProviderID uuid.UUID

// ConsumerID is the uuid of a consumer: of an instance, or of a migration that holds
// the old claim of one.
type ConsumerID uuid.UUID

// AggregateID is the uuid of an aggregate. An aggregate is only this id: it exists as
// soon as a provider is put into it.
type AggregateID uuid.UUID

var (
	_ encoding.TextMarshaler   = ProviderID{}
	_ encoding.TextUnmarshaler = (*ProviderID)(nil)
)

// ParseProviderID reads a uuid in any usual form: with or without dashes, in
// either case, in braces or as a urn. The error matches ErrInvalid.
func ParseProviderID(s string) (ProviderID, error) {
	u, err := parseUUID("resource provider uuid", s)
	return ProviderID(u), err
}

// ParseConsumerID is ParseProviderID for consumers.
func ParseConsumerID(s string) (ConsumerID, error) {
	u, err := parseUUID("consumer uuid", s)
	return ConsumerID(u), err
}

// ParseAggregateID is ParseProviderID for aggregates.
func ParseAggregateID(s string) (AggregateID, error) {
	u, err := parseUUID("aggregate uuid", s)
	return AggregateID(u), err
}

func parseUUID(what, s string) (uuid.UUID, error) {
	u, err := uuid.Parse(s)
	if err != nil || u == uuid.Nil {
		return uuid.Nil, Invalid(what, s, "not a uuid such as 9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1")
	}
	return u, nil
}

// String returns the uuid in lower case with dashes.
func (id ProviderID) String() string { return uuid.UUID(id).String() }

// String returns the uuid in lower case with dashes.
func (id ConsumerID) String() string { return uuid.UUID(id).String() }

// String returns the uuid in lower case with dashes.
func (id AggregateID) String() string { return uuid.UUID(id).String() }

// IsZero reports whether id is the nil uuid, which means none.
func (id ProviderID) IsZero() bool { return id == ProviderID{} }

// IsZero reports whether id is the nil uuid, which means none.
func (id ConsumerID) IsZero() bool { return id == ConsumerID{} }

// IsZero reports whether id is the nil uuid, which means none.
func (id AggregateID) IsZero() bool { return id == AggregateID{} }

// Compare orders ids by their bytes, which is the order of their text.
func (id ProviderID) Compare(o ProviderID) int { return bytes.Compare(id[:], o[:]) }

// Compare orders ids by their bytes, which is the order of their text.
func (id ConsumerID) Compare(o ConsumerID) int { return bytes.Compare(id[:], o[:]) }

// Compare orders ids by their bytes, which is the order of their text.
func (id AggregateID) Compare(o AggregateID) int { return bytes.Compare(id[:], o[:]) }

// MarshalText implements encoding.TextMarshaler.
func (id ProviderID) MarshalText() ([]byte, error) { return uuid.UUID(id).MarshalText() }

// MarshalText implements encoding.TextMarshaler.
func (id ConsumerID) MarshalText() ([]byte, error) { return uuid.UUID(id).MarshalText() }

// MarshalText implements encoding.TextMarshaler.
func (id AggregateID) MarshalText() ([]byte, error) { return uuid.UUID(id).MarshalText() }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ProviderID) UnmarshalText(b []byte) error { return (*uuid.UUID)(id).UnmarshalText(b) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ConsumerID) UnmarshalText(b []byte) error { return (*uuid.UUID)(id).UnmarshalText(b) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *AggregateID) UnmarshalText(b []byte) error { return (*uuid.UUID)(id).UnmarshalText(b) }

// MarshalBinary implements encoding.BinaryMarshaler: 16 bytes.
func (id ProviderID) MarshalBinary() ([]byte, error) { return id[:], nil }

// MarshalBinary implements encoding.BinaryMarshaler: 16 bytes.
func (id ConsumerID) MarshalBinary() ([]byte, error) { return id[:], nil }

// MarshalBinary implements encoding.BinaryMarshaler: 16 bytes.
func (id AggregateID) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (id *ProviderID) UnmarshalBinary(b []byte) error { return unmarshal16(id[:], b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (id *ConsumerID) UnmarshalBinary(b []byte) error { return unmarshal16(id[:], b) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (id *AggregateID) UnmarshalBinary(b []byte) error { return unmarshal16(id[:], b) }

func unmarshal16(into, b []byte) error {
	if len(b) != 16 {
		return fmt.Errorf("a uuid has 16 bytes, not %d", len(b))
	}
	copy(into, b)
	return nil
}
