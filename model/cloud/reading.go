package cloud

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Part is a part of a cloud that a service reports as a whole, as people call it.
type Part string

// The parts. Without those of Placement there is no cloud; the others may be missing.
const (
	Providers      Part = "providers"
	Names          Part = "custom classes and traits"
	Contents       Part = "inventories, traits, aggregates"
	Allocations    Part = "allocations"
	Services       Part = "services"
	Flavors        Part = "flavors"
	Hypervisors    Part = "hypervisors"
	HostAggregates Part = "host aggregates"
	Instances      Part = "servers"
	Migrations     Part = "migrations"
	Devices        Part = "devices"
	Deployables    Part = "deployables"
	Profiles       Part = "device profiles"
	ARQs           Part = "accelerator requests"
)

// Parts returns all parts, Placement's first.
func Parts() []Part {
	return slices.Concat(PlacementParts(), NovaParts(), CyborgParts())
}

// NovaParts returns the parts that Nova reports.
func NovaParts() []Part {
	return []Part{Services, Flavors, Hypervisors, HostAggregates, Instances, Migrations}
}

// CyborgParts returns the parts that Cyborg reports.
func CyborgParts() []Part { return []Part{Devices, Deployables, Profiles, ARQs} }

// PartsOf returns the parts of a cloud that must have been read before a record of a kind
// can be taken for deleted; none for those of Placement, without which there is no cloud.
func PartsOf(kind versioned.Kind) []Part {
	switch kind {
	case nova.KindService:
		return []Part{Services}
	case nova.KindFlavor:
		return []Part{Flavors, Instances} // these mention deleted ones
	case nova.KindComputeNode:
		return []Part{Hypervisors}
	case nova.KindAggregate:
		return []Part{HostAggregates}
	case nova.KindInstance:
		return []Part{Instances}
	case nova.KindMigration:
		return []Part{Migrations}
	case cyborg.KindDevice:
		return []Part{Devices}
	case cyborg.KindDeployable, cyborg.KindAttribute:
		return []Part{Deployables}
	case cyborg.KindDeviceProfile:
		return []Part{Profiles}
	case cyborg.KindARQ:
		return []Part{ARQs}
	case cyborg.KindAttachHandle:
		return []Part{Deployables, ARQs}
	}
	return nil
}

// Reading says how a part of a live cloud was last read. What is not in a list is only
// gone if the list was whole, and as new as what it is compared with.
type Reading struct {
	Part Part
	At   time.Time // zero for never
	Rows int
	// Why is why nothing of it was read, or not with the rest, so that what there is of it
	// may be out of date; "" if it was.
	Why string
	// Cut is which of its rows were read, or were not; "" if all were.
	Cut string
	// Over says that those that were not read are over: they rightly hold nothing.
	Over bool
	// Without says that the cloud was opened without the service that would report it, so
	// that nobody was asked.
	Without bool
}

// Gap returns why something that is not in the part may exist all the same, "" if the
// part was read whole, and with the rest.
func (r Reading) Gap() string { return cmp.Or(r.Why, r.Cut) }

// GapOfHolders is Gap for rows that are not over: those that may rightly hold something.
func (r Reading) GapOfHolders() string {
	if r.Over {
		return r.Why
	}
	return r.Gap()
}

// Readings are how the parts of a live cloud were read to become a Snapshot. They are
// immutable.
type Readings struct {
	of []Reading
	// moving are the consumers that changed while the cloud was read, so that its parts
	// may not agree about them.
	moving map[placement.ConsumerID]bool
	ahead  time.Duration // of the clock of whoever read them, Nova's
}

// NewReadings returns Readings of parts, and of the consumers that changed meanwhile. A
// part without a Reading does not exist in the cloud: all of it is known.
func NewReadings(of []Reading, moving map[placement.ConsumerID]bool) *Readings {
	return &Readings{of: slices.Clone(of), moving: moving}
}

// ByClock returns r as read from a Nova whose clock is ahead of ours, or behind it.
func (r *Readings) ByClock(ahead time.Duration) *Readings {
	next := *r
	next.ahead = ahead
	return &next
}

// Of returns how a part was read.
func (r *Readings) Of(p Part) Reading {
	if r != nil {
		if i := slices.IndexFunc(r.of, func(r Reading) bool { return r.Part == p }); i >= 0 {
			return r.of[i]
		}
	}
	return Reading{Part: p}
}

// Moving returns the consumers that changed while the cloud was read, in order.
func (r *Readings) Moving() []placement.ConsumerID {
	return slices.SortedFunc(maps.Keys(r.moving), placement.ConsumerID.Compare)
}

// same reports whether two Readings mean the same for whoever judges by them.
func (r *Readings) same(o *Readings) bool {
	if r == nil || o == nil {
		return r == o
	}
	alike := func(a, b Reading) bool {
		return a.Part == b.Part && a.Why == b.Why && a.Cut == b.Cut && a.Over == b.Over && a.Without == b.Without
	}
	return r.ahead == o.ahead && slices.EqualFunc(r.of, o.of, alike) && len(r.moving) == 0 && len(o.moving) == 0
}

// ReadAs returns s with how it was read. It is of the same revision.
func (s *Snapshot) ReadAs(r *Readings) *Snapshot {
	next := *s
	next.readings = r
	return &next
}

// SameReading reports whether two Snapshots were read in the same way, so that an absence
// means the same in both.
func (s *Snapshot) SameReading(o *Snapshot) bool { return s.readings.same(o.readings) }

// Live reports whether s was read from services that others write to. A cloud in a file or
// in memory is there as a whole: nothing is in it that is not in s.
func (s *Snapshot) Live() bool { return s.readings != nil }

// NovasTime returns what the clock of Nova shows at a time of ours. Whoever judges how long ago
// Nova did something must use it: what it tells of a live cloud has times of its own clock,
// and ours may be hours off.
func (s *Snapshot) NovasTime(now time.Time) time.Time {
	if s.readings == nil || now.IsZero() {
		return now
	}
	return now.Add(s.readings.ahead)
}

// Readings returns how the parts of a live cloud were read; none for any other.
func (s *Snapshot) Readings() []Reading {
	if s.readings == nil {
		return nil
	}
	return s.readings.of
}

// Reading returns how a part was read; one without At and Gap is there as a whole. Of a copy
// of a live cloud it says how that was read when it was copied.
func (s *Snapshot) Reading(p Part) Reading {
	if s.readings == nil {
		return Reading{Part: p, Why: s.Nova().Config().Unread[string(p)]}
	}
	return s.readings.Of(p)
}

// Gap returns why something that s lacks of a part may exist all the same; "" if it does
// not exist.
func (s *Snapshot) Gap(p Part) string { return s.Reading(p).Gap() }

// Missing returns the error about something that s lacks: that it does not exist, unless one
// of the parts that would have it was not read whole, so that this is not known.
func (s *Snapshot) Missing(e *placement.NotFoundError, parts ...Part) error {
	for _, p := range parts {
		if gap := s.Gap(p); gap != "" {
			return &UnknownError{Missing: *e, Part: p, Why: gap}
		}
	}
	return e
}

// UnknownError reports that nobody knows whether something exists: a part of the cloud that
// would have it was not read whole. It matches placement.ErrUnavailable.
type UnknownError struct {
	Missing placement.NotFoundError // what would be missing if the part were whole
	Part    Part
	Why     string // as Snapshot.Gap says
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("whether %s %s exists%s is not known: %s: %s", e.Missing.What, e.Missing.Name, e.Missing.Hint(), e.Part, e.Why)
}

// Is reports whether target is placement.ErrUnavailable.
func (*UnknownError) Is(target error) bool { return target == placement.ErrUnavailable }

// Moving reports whether a consumer changed while the cloud was read, so that its parts
// may not agree about it. Of a copy it says whether that was so when it was copied.
func (s *Snapshot) Moving(id placement.ConsumerID) bool {
	if s.readings == nil {
		return slices.Contains(s.Nova().Config().Moving, id)
	}
	return s.readings.moving[id]
}

// Foreign returns why a consumer that Nova does not know may belong to another Nova or to
// another service: it does not hold all that it holds in trees of hypervisors of this Nova,
// pools apart. It returns "" for one that can only be of this Nova.
func (s *Snapshot) Foreign(c *placement.Consumer) string {
	ours := false
	for n := range c.ProviderNumbers() {
		p := s.Placement().ProviderAt(n)
		_, known := s.Nova().ComputeNode(s.Placement().Root(p).ID())
		ours = ours || known
		if !known && !s.Placement().Having(placement.SharesViaAggregate).Has(n) {
			return "it holds something on a root that is no hypervisor of this Nova"
		}
	}
	if !ours {
		return "it holds nothing on a hypervisor of this Nova"
	}
	return ""
}
