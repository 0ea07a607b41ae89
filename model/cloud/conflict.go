package cloud

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Conflict is a write that was refused because another writer had changed what it was
// based on: a race that its writer lost. A single one is harmless, as the loser reads and
// decides again; many show that writers get in each other's way.
type Conflict struct {
	At          time.Time
	Revision    Revision // of the cloud that refused the write
	Actor, Note string   // of the Change
	// Of what the generation, or the record, had moved: one of them, or none for
	// records that belong to neither. An instance and a migration are consumers.
	Provider placement.ProviderID
	Consumer placement.ConsumerID
	Err      error // what the writer was told; it matches placement.ErrConflict
}

// ConflictOf returns the conflict that err reports, with which s refused c; false if
// the refusal had another reason.
func ConflictOf(s *Snapshot, c Change, err error) (Conflict, bool) {
	if !errors.Is(err, placement.ErrConflict) {
		return Conflict{}, false
	}
	out := Conflict{At: c.At, Revision: s.Revision(), Actor: c.Actor, Note: c.Note, Err: err}
	var moved *placement.ConflictError
	var stale *placement.StaleError
	switch {
	case errors.As(err, &moved):
		if id, err := uuid.Parse(moved.ID); err != nil {
			break
		} else if moved.What == "consumer" {
			out.Consumer = placement.ConsumerID(id)
		} else {
			out.Provider = placement.ProviderID(id)
		}
	case errors.As(err, &stale):
		out.Provider, out.Consumer = subjectOf(stale.Change)
	}
	return out, true
}

// subjectOf returns the provider or the consumer that a record is about.
func subjectOf(c versioned.Change) (p placement.ProviderID, consumer placement.ConsumerID) {
	id, err := uuid.FromBytes(c.Key())
	if err != nil {
		return p, consumer
	}
	switch c.Kind() {
	case placement.KindProvider, placement.KindProviderTraits, nova.KindComputeNode:
		return placement.ProviderID(id), consumer
	case placement.KindConsumer, nova.KindInstance, nova.KindMigration:
		return p, placement.ConsumerID(id)
	default:
		return p, consumer
	}
}
