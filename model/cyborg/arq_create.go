package cyborg

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// mostARQs is how many accelerators one device profile may ask for, so that a
// slip in an amount does not make records without end.
const mostARQs = 1024

// NewARQs is the wish for the accelerator requests of a device profile.
type NewARQs struct {
	Profile string // name
	// Owner is what the uuids of the requests are made of: the instance that is
	// booted, or the migration that moves one. The same Owner has the same uuids.
	Owner   placement.ConsumerID
	Project string
	At      time.Time // the zero time leaves it unknown
}

// ARQID returns the uuid of accelerator request n, from 0, of a group of a device
// profile for an owner; see NewARQs. That it follows from them makes a step that
// is done again find what it did before.
func ARQID(owner placement.ConsumerID, group, n int64) uuid.UUID {
	return uuid.NewSHA1(uuid.UUID(owner), fmt.Appendf(nil, "arq/%d/%d", group, n))
}

// ARQIDs returns the uuids that CreateARQs gives to the requests for p, group by
// group. The error matches placement.ErrInvalid.
func ARQIDs(p *DeviceProfile, owner placement.ConsumerID) ([]uuid.UUID, error) {
	groups, err := arqIDs(p, owner)
	return slices.Concat(groups...), err
}

// arqIDs returns the uuids of the requests for each group of p.
func arqIDs(p *DeviceProfile, owner placement.ConsumerID) ([][]uuid.UUID, error) {
	units, err := p.Units()
	if err != nil {
		return nil, err
	}
	all := int64(0)
	out := make([][]uuid.UUID, len(units))
	for group, count := range units {
		if all += count; all > mostARQs {
			return nil, &placement.InvalidError{Field: "device profile", Value: p.Name, Why: fmt.Sprintf("asks for more than %d accelerators", mostARQs)}
		}
		for n := range count {
			out[group] = append(out[group], ARQID(owner, int64(group), n))
		}
	}
	return out, nil
}

// CreateARQs returns the change that makes the accelerator requests of a device
// profile, Initial, one for each unit of each group, and their uuids, group by
// group. Those that exist already are left as they are, so that the step may be
// done again.
//
// Errors: placement.ErrInvalid without an owner, or where the profile cannot be
// read; placement.ErrNotFound where there is no such profile; placement.ErrExists
// where a uuid stands for a request of another profile.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.post.
func CreateARQs(s *Snapshot, w NewARQs) (PutRecords, []uuid.UUID, error) {
	if w.Owner.IsZero() {
		return PutRecords{}, nil, &placement.InvalidError{Field: "owner", Why: "accelerator requests need the instance or the migration that they are made for"}
	}
	p, err := s.profileNamed(w.Profile)
	if err != nil {
		return PutRecords{}, nil, err
	}
	groups, err := arqIDs(p, w.Owner)
	if err != nil {
		return PutRecords{}, nil, err
	}
	var c PutRecords
	for group, ids := range groups {
		for _, id := range ids {
			if is, ok := s.ARQ(id); ok {
				if is.Profile != p.Name || is.Group != int64(group) {
					return PutRecords{}, nil, &placement.ExistsError{What: "accelerator request", Field: "uuid", Value: id.String()}
				}
				continue
			}
			c.Put(s, &ARQ{UUID: id, State: ARQInitial, Profile: p.Name, Group: int64(group), Project: w.Project, Created: versioned.Millis(w.At)})
		}
	}
	return c, slices.Concat(groups...), nil
}

// DeleteARQs returns the change that removes accelerator requests, and frees the
// attach handles that they have.
//
// Errors: placement.ErrNotFound where one of them does not exist; a
// *TransitionError where its state does not lead to Deleting.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.delete_by_uuid.
func DeleteARQs(s *Snapshot, ids ...uuid.UUID) (PutRecords, error) {
	return s.eachARQ(ids, func(c *PutRecords, a *ARQ) error {
		gone, err := a.to(ARQDeleting, func(*ARQ) {})
		if err != nil {
			return err
		}
		s.free(c, a)
		c.Put(s, gone)
		c.Delete(s, gone)
		return nil
	})
}

// DeleteARQsOf is DeleteARQs for all requests of an instance, or of a migration
// that holds some for one. That there are none is no error.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.delete_by_instance.
func DeleteARQsOf(s *Snapshot, instance placement.ConsumerID) (PutRecords, error) {
	return DeleteARQs(s, s.arqIDsOf(instance)...)
}

// eachARQ returns the change that do makes for each of the requests.
func (s *Snapshot) eachARQ(ids []uuid.UUID, do func(*PutRecords, *ARQ) error) (PutRecords, error) {
	var c PutRecords
	done := make(map[uuid.UUID]bool, len(ids))
	var missing []string
	for _, id := range ids {
		a, ok := s.ARQ(id)
		if !ok {
			missing = append(missing, id.String())
		}
		if !ok || done[id] {
			continue
		}
		done[id] = true
		if err := do(&c, a); err != nil {
			return PutRecords{}, err
		}
	}
	if len(missing) > 0 {
		return PutRecords{}, &placement.NotFoundError{What: "accelerator request", Name: strings.Join(missing, ", ")}
	}
	return c, nil
}

// arqIDsOf returns the uuids of the requests of an instance.
func (s *Snapshot) arqIDsOf(instance placement.ConsumerID) []uuid.UUID {
	var out []uuid.UUID
	for a := range s.ARQsOf(instance) {
		out = append(out, a.UUID)
	}
	return out
}

// profileNamed returns the device profile of that name, or an error that matches
// placement.ErrNotFound.
func (s *Snapshot) profileNamed(name string) (*DeviceProfile, error) {
	if p, ok := s.DeviceProfile(name); ok {
		return p, nil
	}
	return nil, &placement.NotFoundError{What: "device profile", Name: name}
}
