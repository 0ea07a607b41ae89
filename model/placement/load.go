package placement

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// Load returns the ledger that consists of records, which may come in any order.
//
// The Snapshot shares no memory with the records except the bytes of their strings.
func Load(records []versioned.Record) (*Snapshot, error) {
	of := map[versioned.Kind][]versioned.Record{}
	for _, r := range records {
		if r == nil {
			return nil, &InvalidError{Field: "records", Why: "one of them is nil"}
		}
		if rankOf(r.RecordKind()) < 0 {
			return nil, unknownKind(r)
		}
		of[r.RecordKind()] = append(of[r.RecordKind()], r)
	}
	l := NewLoader()
	for _, kind := range kinds() {
		for _, r := range of[kind] {
			if err := l.Add(r); err != nil {
				return nil, err
			}
		}
	}
	return l.Snapshot()
}

// kinds returns the kinds in the order of Schemas.
func kinds() []versioned.Kind {
	return []versioned.Kind{KindClass, KindTrait, KindProvider, KindProviderTraits, KindConsumer}
}

// rankOf returns the place of a kind in the order of Schemas, -1 for that of another ledger.
func rankOf(kind versioned.Kind) int { return slices.Index(kinds(), kind) }

func unknownKind(r versioned.Record) error {
	return Invalid("records", string(r.RecordKind()), "no kind of Placement's records")
}

// Loader builds a ledger from records that come one after the other, by kind in the order of
// Schemas. It keeps none of them: a store need not have all of a big file in memory twice.
type Loader struct {
	edit      *edit
	rank      int // of the kind of the last record
	providers []*ProviderRecord
}

// NewLoader returns a Loader of an empty ledger.
func NewLoader() *Loader { return &Loader{edit: newEdit(Empty(), time.Time{})} }

// Add adds a record. Errors match ErrInvalid or ErrExists; they name the record.
func (l *Loader) Add(r versioned.Record) error {
	rank := rankOf(r.RecordKind())
	switch {
	case rank < 0:
		return unknownKind(r)
	case rank < l.rank:
		return Invalid("records", versioned.Title(r), "it comes after records that may refer to it")
	}
	l.rank = rank
	if p, ok := r.(*ProviderRecord); ok {
		l.providers = append(l.providers, p)
		return nil
	}
	if err := l.placeProviders(); err != nil {
		return err
	}
	if err := l.put(r); err != nil {
		return fmt.Errorf("%s: %w", versioned.Title(r), err)
	}
	l.edit.forget()
	return nil
}

// put adds a record that is not a provider's.
func (l *Loader) put(r versioned.Record) error {
	e := l.edit
	if e.Held(r) != nil {
		return &ExistsError{What: r.RecordKind().Words(), Field: "key", Value: versioned.KeyText(r.RecordKey())}
	}
	switch r := r.(type) {
	case *ClassRecord:
		return giveName("resource class", r.ID, r.Name, e.ClassID, e.putClass)
	case *TraitRecord:
		return giveName("trait", r.ID, r.Name, e.TraitID, e.putTrait)
	case *ProviderTraitsRecord:
		return e.putTraits(r)
	case *ConsumerRecord:
		return e.putConsumer(r)
	default:
		return unknownKind(r)
	}
}

// placeProviders makes the providers once all are there. Those of a tree get consecutive
// numbers, parents first, so that a search finds them close together in memory.
func (l *Loader) placeProviders() error {
	if len(l.providers) == 0 {
		return nil
	}
	below := map[ProviderID][]*ProviderRecord{} // by parent, the zero id for none
	for _, r := range l.providers {
		if r.Parent != nil && r.Parent.IsZero() {
			return l.orphan(r)
		}
		parent := parentOf(r)
		below[parent] = append(below[parent], r)
	}
	n := 0
	var place func(parent ProviderID, number uint32) error
	place = func(parent ProviderID, number uint32) error {
		for _, r := range below[parent] {
			if _, twice := l.edit.Provider(r.UUID); twice {
				return &ExistsError{What: "resource provider", Field: "uuid", Value: r.UUID.String(), Holder: r.UUID}
			}
			if err := l.edit.putProvider(r); err != nil {
				return fmt.Errorf("resource provider %s: %w", r.UUID, err)
			}
			p, _ := l.edit.Provider(r.UUID)
			l.edit.attach(p, number)
			n++
			if err := place(r.UUID, p.number); err != nil {
				return err
			}
		}
		return nil
	}
	if err := place(ProviderID{}, noProvider); err != nil {
		return err
	}
	if n < len(l.providers) {
		i := slices.IndexFunc(l.providers, func(r *ProviderRecord) bool { _, there := l.edit.Provider(r.UUID); return !there })
		return l.orphan(l.providers[i])
	}
	l.providers = nil
	l.edit.forget()
	return nil
}

// orphan returns the error about a provider that hangs from no root.
func (l *Loader) orphan(r *ProviderRecord) error {
	return Invalid(
		"parent_provider_uuid", r.Parent.String(),
		"no such resource provider, or one below it; it is the parent of "+r.Name)
}

// Snapshot returns the ledger of the records that were added.
func (l *Loader) Snapshot() (*Snapshot, error) {
	if err := l.placeProviders(); err != nil {
		return nil, err
	}
	return snapshotOf(l.edit.finish()), nil
}
