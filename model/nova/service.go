package nova

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of Cell and Service.
const (
	KindCell    versioned.Kind = "cell_mapping"
	KindService versioned.Kind = "service"
)

// Compute is the binary of the services that run instances.
const Compute = "nova-compute"

// Cell is a database with its own services and instances.
//
// Source: nova/objects/cell_mapping.py.
type Cell struct {
	Name string `json:"name" cbor:"1,keyasint"`
	// Down says that the cell does not answer: what is in it is not asked.
	Down bool `json:"down,omitempty" cbor:"2,keyasint,omitempty"`
}

// RecordKind implements versioned.Record.
func (*Cell) RecordKind() versioned.Kind { return KindCell }

// RecordKey implements versioned.Record.
func (c *Cell) RecordKey() []byte { return []byte(c.Name) }

// Validate implements ledger.Row: a cell has a name.
func (c *Cell) Validate() error { return named("cell", c.Name) }

// Service is a record of a process of Nova's: written when it starts, kept until it is
// deleted.
//
// Source: nova/objects/service.py.
type Service struct {
	Host           string `json:"host" cbor:"1,keyasint"`
	Binary         string `json:"binary" cbor:"2,keyasint"` // "nova-compute"
	Cell           string `json:"cell,omitempty" cbor:"3,keyasint,omitempty"`
	Version        int    `json:"version" cbor:"4,keyasint"` // of the code; 0 if it never said
	Disabled       bool   `json:"disabled,omitempty" cbor:"5,keyasint,omitempty"`
	DisabledReason string `json:"disabled_reason,omitempty" cbor:"6,keyasint,omitempty"`
	ForcedDown     bool   `json:"forced_down,omitempty" cbor:"7,keyasint,omitempty"`
	LastSeenUp     int64  `json:"last_seen_up_ms,omitempty" cbor:"8,keyasint,omitempty"`
	ReportCount    int64  `json:"report_count,omitempty" cbor:"9,keyasint,omitempty"`
	Created        int64  `json:"created_at_ms,omitempty" cbor:"10,keyasint,omitempty"`
	// ReportInterval is how often the service reports, in milliseconds; 0 for
	// [DEFAULT]report_interval, which is ten seconds.
	ReportInterval int64 `json:"report_interval_ms,omitempty" cbor:"11,keyasint,omitempty"`
	// Told is its state as Nova's API tells it, which tells about no reports: "" if the
	// reports are seen.
	Told ServiceState `json:"state,omitempty" cbor:"12,keyasint,omitempty"`
	// Judged says that the version was not reported, as Nova's API does not give it: it
	// is the first one in which a nova-compute sets OWNER_NOVA on its providers if its
	// own have that, and one less if they do not.
	Judged bool `json:"version_judged,omitempty" cbor:"13,keyasint,omitempty"`
	// UUID is its id in Nova's API; zero if no Nova has given it one.
	UUID uuid.UUID `json:"uuid,omitzero" cbor:"14,keyasint,omitzero"`
	// Zone is its availability zone as Nova's API reports it: that of an aggregate, or a
	// default of nova.conf, which nothing else tells. "" if no Nova has reported one.
	Zone string `json:"availability_zone,omitempty" cbor:"15,keyasint,omitempty"`
	// Updated is when its row was last written, as Nova's API reports it: with each of its
	// reports, and by operators.
	Updated int64       `json:"updated_at_ms,omitempty" cbor:"16,keyasint,omitempty"`
	Kept    ExtraFields `json:"kept,omitempty" cbor:"30,keyasint,omitempty"` // of objects, beyond these columns
}

// serviceKey is the key of a service: host and binary are unique together.
func serviceKey(host, binary string) string { return host + "\x00" + binary }

// RecordKind implements versioned.Record.
func (*Service) RecordKind() versioned.Kind { return KindService }

// RecordKey implements versioned.Record.
func (s *Service) RecordKey() []byte { return []byte(serviceKey(s.Host, s.Binary)) }

// RecordName implements versioned.Named.
func (s *Service) RecordName() string { return s.Binary + " on " + s.Host }

// CheckServiceVersion returns placement.ErrInvalid for what cannot be the version of a
// service: its column holds 32 bits, and so do the objects that services send.
//
// Source: nova/db/main/models.py, Service.version.
func CheckServiceVersion(version int64) error {
	if version < 0 || version > placement.MaxInt {
		return placement.Invalid("service version", fmt.Sprint(version), fmt.Sprintf("must be from 0 to %d", placement.MaxInt))
	}
	return nil
}

// Validate implements ledger.Row: a service has a host, a binary and a version that is
// not negative. A larger one than CheckServiceVersion lets anybody write is read all the
// same.
func (s *Service) Validate() error {
	if err := named("service host", s.Host); err != nil {
		return err
	}
	if err := named("service binary", s.Binary); err != nil {
		return err
	}
	if s.Version < 0 {
		return CheckServiceVersion(int64(s.Version))
	}
	if s.ReportInterval < 0 {
		return placement.Invalid("service report_interval", fmt.Sprint(s.ReportInterval), "must not be negative")
	}
	return nil
}

// Edit returns a copy of s as edit leaves it.
func (s *Service) Edit(edit func(*Service)) *Service { return versioned.Edited(s, edit) }

// SeenAt returns when the service last reported; the zero time when it never did.
func (s *Service) SeenAt() time.Time { return versioned.Time(s.LastSeenUp) }

// ServiceTooOldError reports a service that is older than every service of its
// binary already there in its cell, or than its record says it is. It matches
// placement.ErrState.
//
// Source: nova/objects/service.py, _check_minimum_version.
type ServiceTooOldError struct {
	Service *Service
	Minimum int  // version over the other services that are asked; 0 if there is none
	Apart   bool // there are services in other cells too, which play no part
	Was     int  // version of the service so far; 0 for one that is new
}

func (e *ServiceTooOldError) Error() string {
	text := fmt.Sprintf("%s on %s has version %d", e.Service.Binary, e.Service.Host, e.Service.Version)
	if e.Minimum > e.Service.Version {
		others := "all others"
		if e.Apart && e.Service.Cell == "" {
			others += " in no cell"
		} else if e.Apart {
			others += " in " + e.Service.Cell
		}
		return fmt.Sprintf("%s, but %s have at least %d: upgrade it, as the minimum version must not drop", text, others, e.Minimum)
	}
	return fmt.Sprintf("%s, but had %d: versions never go down; a running service corrects its record when it starts", text, e.Was)
}

// Unwrap returns placement.ErrState.
func (*ServiceTooOldError) Unwrap() error { return placement.ErrState }

// MinimumVersion returns the lowest version over the services of a binary: the lowest of
// each cell that answers, and of these the lowest that is not 0; 0 if there is none.
// A record that never said a version makes that of its cell 0, so that its whole cell
// is left out. Records that are forced down are not asked; disabled ones, and those
// that have been silent for years, are.
//
// Source: nova/objects/service.py, get_minimum_version_all_cells, and
// nova/db/main/api.py, service_get_minimum_version.
func (s *Snapshot) MinimumVersion(binary string) int {
	lowest := 0
	for cell, svc := range s.oldest(binary) {
		if c, ok := s.Cell(cell); svc.Version > 0 && (lowest == 0 || svc.Version < lowest) && !(ok && c.Down) {
			lowest = svc.Version
		}
	}
	return lowest
}

// minimumIn returns the lowest version of the services of a binary in one cell; 0 if
// there are none, or if one never reported its version.
//
// Source: nova/objects/service.py, get_minimum_version, which asks the database of the
// service's own cell.
func (s *Snapshot) minimumIn(cell, binary string) int {
	if svc := s.oldest(binary)[cell]; svc != nil {
		return svc.Version
	}
	return 0
}

// oldest is oldestBut for all services.
func (s *Snapshot) oldest(binary string) map[string]*Service {
	// The result is cached, as a change of many services calls it for each.
	all := s.lowest.Load()
	if all == nil {
		all = &map[string]map[string]*Service{}
		for svc := range s.Services() {
			if _, ok := (*all)[svc.Binary]; !ok {
				(*all)[svc.Binary] = s.oldestBut(svc.Binary, "")
			}
		}
		s.lowest.Store(all)
	}
	return (*all)[binary]
}

// oldestBut returns the service with the lowest version in each cell, ignoring those that
// are forced down and that on the given host; "" ignores no host.
func (s *Snapshot) oldestBut(binary, host string) map[string]*Service {
	out := map[string]*Service{}
	var last *Service // of the cell of the previous service
	for svc := range s.Services() {
		if svc.Binary != binary || svc.Host == host || svc.ForcedDown {
			continue
		}
		if last == nil || last.Cell != svc.Cell {
			last = out[svc.Cell]
		}
		if last == nil || svc.Version < last.Version {
			last = svc
			out[svc.Cell] = svc
		}
	}
	return out
}

// aside says why the version of a service does not count, "" if it does. oldest are those
// of its binary.
func (s *Snapshot) aside(svc *Service, oldest map[string]*Service) string {
	cell, ok := s.Cell(svc.Cell)
	switch silent := oldest[svc.Cell]; {
	case svc.ForcedDown:
		return "forced down"
	case ok && cell.Down:
		return "cell " + cell.Name + " does not answer"
	case svc.Version == 0:
		return "has never reported its version"
	case silent != nil && silent.Version == 0 && svc.Cell == "":
		return "left out with all services in no cell, as " + silent.Host + " has never reported its version"
	case silent != nil && silent.Version == 0:
		return "left out with its cell, as " + silent.Host + " has never reported its version"
	}
	return ""
}

// admitService refuses to lower the minimum version of a cell: a record with a lower
// version than all that count there is not written, whatever changes in it. So a service
// that was forced down while the others were upgraded cannot come back as it is. One that
// never reported its version may stay so; one that has reported it cannot withdraw it, as
// it would no longer count. A restarted service reports its version, which may be lower
// than before. Cells are upgraded separately: other cells do not matter.
//
// Source: nova/objects/service.py, create and save.
func (s *Snapshot) admitService(was, is *Service) error {
	if is == nil || is.Judged { // judged from outside: shown as it is
		return nil
	}
	said := 0
	if was != nil {
		said = was.Version
	}
	if is.Version != said {
		if err := CheckServiceVersion(int64(is.Version)); err != nil {
			return err
		}
	}
	if is.Version == 0 && said == 0 || is.Version > 0 && is.Version >= s.minimumIn(is.Cell, is.Binary) {
		return nil
	}
	return s.tooOld(is, said)
}

// CheckBack returns *ServiceTooOldError for a service that is forced down if it would not be
// brought up again at its version.
func (s *Snapshot) CheckBack(svc *Service) error {
	return s.admitService(svc, svc.Edit(func(svc *Service) { svc.ForcedDown = false }))
}

// tooOld returns the error about the new record of a service; was is its old version.
func (s *Snapshot) tooOld(svc *Service, was int) error {
	e := &ServiceTooOldError{Service: svc, Was: was}
	for cell, other := range s.oldestBut(svc.Binary, svc.Host) {
		if cell == svc.Cell {
			e.Minimum = other.Version
		} else {
			e.Apart = true
		}
	}
	return e
}

// CheckNotBack returns *ServiceTooOldError for a version below the one that svc has: what
// people type of a service, and what they put as an object, does not go back. Only the
// service itself knows better, when it starts. The error is placement.ErrInvalid for what
// cannot be a version.
func (s *Snapshot) CheckNotBack(svc *Service, version int) error {
	if err := CheckServiceVersion(int64(version)); err != nil || version >= svc.Version {
		return err
	}
	back := svc.Edit(func(svc *Service) { svc.Version = version })
	return s.tooOld(back, svc.Version)
}

// named returns an error if a name is empty or has a zero byte, which separates names in
// keys.
func named(field, name string) error {
	if name == "" {
		return placement.Invalid(field, name, "needs a name")
	}
	for i := range len(name) {
		if name[i] == 0 {
			return placement.Invalid(field, fmt.Sprintf("%q", name), "must not contain a zero byte")
		}
	}
	return nil
}
