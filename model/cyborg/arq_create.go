package cyborg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// mostARQs is how many accelerators one device profile may ask for, so that a typo in an
// amount does not create endless records.
const mostARQs = 1024

// ARQID returns the uuid of accelerator request n, from 0, of a group of a device
// profile for an owner; see CreateARQs. It is derived from these, so that a repeated
// step finds what it did before.
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
			return nil, placement.Invalid("device profile", p.Name, fmt.Sprintf("asks for more than %d accelerators", mostARQs))
		}
		for n := range count {
			out[group] = append(out[group], ARQID(owner, int64(group), n))
		}
	}
	return out, nil
}

// CreateARQs creates the accelerator requests of a device profile, Initial, one for
// each unit of each group; ARQIDs returns their uuids. Existing ones are left alone,
// so that the step may be repeated.
//
// Errors: placement.ErrInvalid without an owner, or where the profile cannot be read;
// placement.ErrNotFound if there is no such profile; placement.ErrExists if a uuid is
// that of a request for another profile.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.post.
type CreateARQs struct {
	verb
	Profile string // name
	// Owner is what the uuids of the requests are made of: the instance that is
	// booted, or the migration that moves one. The same Owner has the same uuids.
	Owner   placement.ConsumerID
	Project string
}

// DeleteARQs deletes accelerator requests, and frees their attach handles.
//
// Errors: placement.ErrNotFound if one of them does not exist; a
// *TransitionError if its state does not lead to Deleting.
//
// Source: cyborg/objects/ext_arq.py, ExtARQ.delete_by_uuid.
type DeleteARQs struct {
	verb
	ARQs []uuid.UUID
}

func (op CreateARQs) String() string {
	return "create the accelerator requests of device profile " + op.Profile + " for " + op.Owner.String()
}

func (op DeleteARQs) String() string { return "delete " + requests(op.ARQs) }

// requests names accelerator requests in messages.
func requests(ids []uuid.UUID) string {
	if len(ids) == 1 {
		return "accelerator request " + ids[0].String()
	}
	return words.Count(len(ids), "accelerator request")
}

func (op CreateARQs) apply(e edit) error {
	if op.Owner.IsZero() {
		return &placement.InvalidError{Field: "owner", Why: "accelerator requests need an instance or a migration that they are created for"}
	}
	p, err := e.Now.profileNamed(op.Profile)
	if err != nil {
		return err
	}
	groups, err := arqIDs(p, op.Owner)
	if err != nil {
		return err
	}
	for group, ids := range groups {
		for _, id := range ids {
			if is, ok := e.Now.ARQ(id); ok {
				if is.Profile != p.Name || is.Group != int64(group) {
					return &placement.ExistsError{What: "accelerator request", Field: "uuid", Value: id.String()}
				}
				continue
			}
			if err := e.Put(&ARQ{UUID: id, State: ARQInitial, Profile: p.Name, Group: int64(group), Project: op.Project, Created: versioned.Millis(e.At)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (op DeleteARQs) apply(e edit) error {
	return eachARQ(e, op.ARQs, func(a *ARQ) error {
		if !a.State.MayBecome(ARQDeleting) {
			return &TransitionError{ARQ: a.UUID, From: a.State, To: ARQDeleting}
		}
		if err := free(e, a); err != nil {
			return err
		}
		return e.Delete(a)
	})
}

// eachARQ calls do with each of the requests.
func eachARQ(e edit, ids []uuid.UUID, do func(*ARQ) error) error {
	done := make(map[uuid.UUID]bool, len(ids))
	var missing []string
	for _, id := range ids {
		a, ok := e.Now.ARQ(id)
		switch {
		case done[id]:
			continue
		case !ok:
			missing = append(missing, id.String())
			continue
		}
		done[id] = true
		if err := do(a); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return placement.NotFound("accelerator request", strings.Join(missing, ", "))
	}
	return nil
}

// arqIDsOf returns the uuids of the requests of an instance.
func (s *Snapshot) arqIDsOf(instance placement.ConsumerID) []uuid.UUID {
	var out []uuid.UUID
	for a := range s.ARQsOf(instance) {
		out = append(out, a.UUID)
	}
	return out
}

// profileNamed returns the device profile with that name, or an error that matches
// placement.ErrNotFound.
func (s *Snapshot) profileNamed(name string) (*DeviceProfile, error) {
	if p, ok := s.DeviceProfile(name); ok {
		return p, nil
	}
	return nil, placement.NotFound("device profile", name)
}
