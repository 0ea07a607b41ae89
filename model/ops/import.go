package ops

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Import is the Change that brings the records of an export into a cloud.
type Import struct {
	Change cloud.Change
	New    map[versioned.Kind]int // records to write, by kind
	Same   map[versioned.Kind]int // records that the cloud has already, exactly
	// Warnings are about flavors and device profiles that could not be created like this,
	// and compute nodes that cannot be read.
	Warnings []string
}

// CollisionError reports records of an export that the cloud has with different
// content. It matches placement.ErrExists.
type CollisionError struct {
	Collisions []string // what collides, at most ten
	More       int      // further ones
}

func (e *CollisionError) Error() string {
	s := "already in the cloud, with other content: " + strings.Join(e.Collisions, "; ")
	if e.More > 0 {
		s += fmt.Sprintf("; and %d more", e.More)
	}
	return s
}

// Is reports whether target is placement.ErrExists.
func (e *CollisionError) Is(target error) bool { return target == placement.ErrExists }

func (e *CollisionError) add(what string) {
	if len(e.Collisions) == 10 {
		e.More++
		return
	}
	e.Collisions = append(e.Collisions, what)
}

// PlanImport plans to add records to s. Records that s has in exactly that form are
// left alone, so an import may be repeated; nothing in s is changed.
//
// Numbers of custom classes and traits belong to one cloud: where s uses a number
// for another name, the imported name gets a new one. Records refer to names.
//
// Errors: a CollisionError that names what s has with another content: a provider
// by uuid or by name, a consumer, an instance, a migration. What the records
// themselves lack, such as the parent of a provider, the write refuses.
func PlanImport(s *cloud.Snapshot, records []versioned.Record) (Import, error) {
	im := Import{New: map[versioned.Kind]int{}, Same: map[versioned.Kind]int{}}
	var changes []versioned.Change
	clash := &CollisionError{}
	m := merger{s: s, classes: numbersOf(s.Placement().Classes(), records, classNumber), traits: numbersOf(s.Placement().Traits(), records, traitNumber)}
	for _, r := range records {
		fresh, err := m.merge(r)
		switch {
		case err != "":
			clash.add(err)
		case fresh == nil:
			im.Same[r.RecordKind()]++
		default:
			im.New[r.RecordKind()]++
			changes = append(changes, versioned.Change{After: fresh})
		}
	}
	if len(clash.Collisions) > 0 {
		return Import{}, clash
	}
	im.warn(s, records, changes)
	im.Change = cloud.PutRecords("", fmt.Sprintf("import %s", words.Count(len(changes), "record")), changes)
	return im, nil
}

// PlanAddAll plans to add what an export holds to s: see PlanImport.
func PlanAddAll(s *cloud.Snapshot, of ExportContents) (Plan, error) {
	im, err := PlanImport(s, of.Records)
	if err != nil {
		return Plan{}, err
	}
	plan, err := PlanChange(s, im.Change)
	plan.Preview.Warnings = append(append(plan.Preview.Warnings, of.Newer...), im.Warnings...)
	return plan, err
}

// PlanRestore plans to make the records of s those of an export: what it lacks is deleted, but
// for how long the journal is kept. The journal goes on, so that this can be undone as any
// other change.
func PlanRestore(s *cloud.Snapshot, of ExportContents) (Plan, error) {
	decide := Decider(func(s *cloud.Snapshot) (cloud.Change, error) { return restoring(s, of.Records), nil })
	return decide.With(func(Plan) []string { return of.Newer }).Plan(s)
}

// restoring returns the Change of PlanRestore. Where a number of a custom class or trait gets
// another name, all records that may use the number are written anew, as they name it.
func restoring(s *cloud.Snapshot, records []versioned.Record) cloud.Change {
	changes := cloud.Differences(s.Records(), records)
	changes = slices.DeleteFunc(changes, func(c versioned.Change) bool { return c.Kind() == operator.KindJournalLimits })
	n := len(changes)
	renumbered := slices.ContainsFunc(changes, func(c versioned.Change) bool {
		return c.Before != nil && (c.Kind() == placement.KindClass || c.Kind() == placement.KindTrait)
	})
	if renumbered {
		users := []versioned.Kind{placement.KindProvider, placement.KindProviderTraits, placement.KindConsumer}
		changed := map[string]bool{}
		for _, c := range changes {
			changed[string(c.Kind())+string(c.Key())] = true
		}
		for _, r := range records {
			if slices.Contains(users, r.RecordKind()) && !changed[string(r.RecordKind())+string(r.RecordKey())] {
				changes = append(changes, versioned.Change{Before: r, After: r})
			}
		}
	}
	return cloud.PutRecords("", fmt.Sprintf("restore %s", words.Count(n, "record")), changes)
}

// warn checks the new flavors, device profiles and compute nodes, by the number of their
// record. Names may be in s or in the import.
func (im *Import) warn(s *cloud.Snapshot, records []versioned.Record, fresh []versioned.Change) {
	after, _, err := s.Apply(cloud.PutRecords("", "", fresh))
	if err != nil {
		after = s // the write will say which record is wrong
	}
	say := func(n int, what, text string) {
		im.Warnings = append(im.Warnings, fmt.Sprintf("record %d: %s: %s", n+1, what, text))
	}
	isNew := map[versioned.Record]bool{}
	for _, c := range fresh {
		isNew[c.After] = true
	}
	for n, r := range records {
		if !isNew[r] {
			continue
		}
		switch r := r.(type) {
		case *nova.Flavor:
			if err := r.CheckExtraSpecs(after.Placement()); err != nil {
				say(n, "flavor "+r.Name, strings.TrimPrefix(err.Error(), "flavor "+r.Name+": "))
			}
			for _, w := range after.Nova().Remarks(r) {
				say(n, "flavor "+r.Name, w.Text)
			}
		case *nova.ComputeNode:
			if _, err := tracker.ReadNode(r); err != nil {
				say(n, "compute node "+r.Hostname, err.Error())
			}
		case *cyborg.DeviceProfile:
			if err := r.Check(); err != nil {
				say(n, "device profile "+r.Name, err.Error())
			}
			for _, text := range r.Remarks(after.Placement()) {
				say(n, "device profile "+r.Name, text)
			}
		}
	}
}

// merger decides what of an import is new to s.
type merger struct {
	s       *cloud.Snapshot
	classes numbers[placement.ClassID]
	traits  numbers[placement.TraitID]
}

// merge returns r as it is to be written, nil if s has it already, or what collides.
func (m *merger) merge(r versioned.Record) (versioned.Record, string) {
	p, n := m.s.Placement(), m.s.Nova()
	same := func(has versioned.Record, what string) (versioned.Record, string) {
		if reflect.DeepEqual(has, r) {
			return nil, ""
		}
		return nil, what
	}
	switch r := r.(type) {
	case *placement.ClassRecord:
		if _, known := p.ClassID(r.Name); known {
			return nil, ""
		}
		if p.ClassName(r.ID) == "" {
			return r, ""
		}
		return &placement.ClassRecord{ID: m.classes.free(), Name: r.Name}, ""
	case *placement.TraitRecord:
		if _, known := p.TraitID(r.Name); known {
			return nil, ""
		}
		if p.TraitName(r.ID) == "" {
			return r, ""
		}
		return &placement.TraitRecord{ID: m.traits.free(), Name: r.Name}, ""
	case *placement.ProviderRecord:
		if has, ok := p.Provider(r.UUID); ok {
			return same(p.ProviderRecord(has), "resource provider "+has.Name()+" ("+r.UUID.String()+")")
		}
		if has, ok := p.ProviderByName(r.Name); ok {
			return nil, "resource provider name " + r.Name + " (uuid " + has.ID().String() + " here)"
		}
	case *placement.ProviderTraitsRecord:
		if has, ok := p.Provider(r.Provider); ok {
			traits := slices.SortedStableFunc(slices.Values(r.Traits), cmp.Compare)
			if slices.Equal(traits, p.TraitsOf(has)) {
				return nil, ""
			}
			return nil, "traits of resource provider " + has.Name()
		}
	case *placement.ConsumerRecord:
		if has, ok := p.Consumer(r.UUID); ok {
			return same(p.ConsumerRecord(has), "consumer "+ConsumerName(m.s, r.UUID))
		}
	case *nova.Instance:
		if has, ok := n.Instance(r.UUID); ok {
			return same(has, "instance "+has.Name+" ("+r.UUID.String()+")")
		}
	case *nova.Migration:
		if has, ok := n.Migration(r.UUID); ok {
			return same(has, "migration "+r.UUID.String())
		}
	default:
		if has := m.s.Held(r); has != nil {
			return same(has, versioned.Title(has))
		}
	}
	return r, ""
}

// numbers are those of the custom names in the cloud and the records.
type numbers[K ~int32] struct {
	taken map[K]bool
	last  K // the highest of them
}

func numbersOf[K ~int32, V any](names func(func(K, V) bool), records []versioned.Record, number func(versioned.Record) (K, bool)) numbers[K] {
	n := numbers[K]{taken: map[K]bool{}, last: placement.CustomID - 1}
	for id := range names {
		n.take(id)
	}
	for _, r := range records {
		if id, ok := number(r); ok {
			n.take(id)
		}
	}
	return n
}

func (n *numbers[K]) take(id K) {
	n.taken[id] = true
	n.last = max(n.last, id)
}

// free returns, and takes, a number above all others, or a gap if there is none above.
func (n *numbers[K]) free() K {
	id := n.last + 1
	if n.last >= versioned.MaxID {
		for id = placement.CustomID; n.taken[id]; id++ {
		}
	}
	n.take(id)
	return id
}

func classNumber(r versioned.Record) (placement.ClassID, bool) {
	c, ok := r.(*placement.ClassRecord)
	if !ok {
		return 0, false
	}
	return c.ID, true
}

func traitNumber(r versioned.Record) (placement.TraitID, bool) {
	t, ok := r.(*placement.TraitRecord)
	if !ok {
		return 0, false
	}
	return t.ID, true
}
