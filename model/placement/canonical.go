package placement

import (
	"sync"

	"github.com/placetop/placetop/model/versioned"
)

var (
	_ versioned.Canonical = (*ProviderTraitsRecord)(nil)
	_ versioned.Canonical = (*ConsumerRecord)(nil)
)

// standardNames is the standard classes and traits by name, so that those in
// records need no memory of their own.
type standardNames struct {
	classes map[string]ResourceClass
	traits  map[string]Trait
}

//nolint:gochecknoglobals // an immutable table, computed on first use
var standardNameTable = sync.OnceValue(func() standardNames {
	names := standardNames{map[string]ResourceClass{}, map[string]Trait{}}
	for _, c := range StandardClasses() {
		names.classes[string(c)] = c
	}
	for _, t := range StandardTraits() {
		names.traits[string(t)] = t
	}
	return names
})

func (names standardNames) class(b []byte) ResourceClass {
	if c, ok := names.classes[string(b)]; ok {
		return c
	}
	return ResourceClass(b)
}

func (names standardNames) trait(b []byte) Trait {
	if t, ok := names.traits[string(b)]; ok {
		return t
	}
	return Trait(b)
}

func consumerType(b []byte) ConsumerType {
	switch string(b) {
	case string(InstanceConsumer):
		return InstanceConsumer
	case string(MigrationConsumer):
		return MigrationConsumer
	}
	return ConsumerType(b)
}

// UnmarshalCanonical implements versioned.Canonical.
func (r *ProviderTraitsRecord) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	names := standardNameTable()
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			from.Bytes(r.Provider[:])
		case 2:
			r.Traits = make([]Trait, 0, from.Array())
			for range cap(r.Traits) {
				r.Traits = append(r.Traits, names.trait(from.Text()))
			}
		default:
			return false
		}
		return true
	})
	return from.OK()
}

// UnmarshalCanonical implements versioned.Canonical.
func (r *ConsumerRecord) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			from.Bytes(r.UUID[:])
		case 2:
			r.Type = consumerType(from.Text())
		case 3:
			r.Project = string(from.Text())
		case 4:
			r.User = string(from.Text())
		case 5:
			r.Generation = from.Int()
		case 6:
			return r.readAllocations(from)
		case 7:
			r.Created = from.Int()
		case 8:
			r.Updated = from.Int()
		default:
			return false
		}
		return true
	})
	return from.OK()
}

// readAllocations reads the map of allocations, and reports whether no key is
// there twice.
func (r *ConsumerRecord) readAllocations(from *versioned.CanonicalReader) bool {
	names := standardNameTable()
	providers := from.Map()
	r.Allocations = make(map[ProviderID]map[ResourceClass]int64, providers)
	for range providers {
		var id ProviderID
		from.Bytes(id[:])
		classes := from.Map()
		of := make(map[ResourceClass]int64, classes)
		for range classes {
			class := names.class(from.Text())
			of[class] = from.Int()
		}
		r.Allocations[id] = of
		if len(of) != classes || !from.OK() {
			return false
		}
	}
	return len(r.Allocations) == providers
}
