package cyborg

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Resource classes of devices that have no standard one.
//
// Source: cyborg/common/constants.py, RESOURCES.
const (
	classGPU placement.ResourceClass = "GPU" // accepted in profiles, reported by no driver
	classQAT placement.ResourceClass = "CUSTOM_QAT"
	classNIC placement.ResourceClass = "CUSTOM_NIC"
	classSSD placement.ResourceClass = "CUSTOM_SSD"
	classPCI placement.ResourceClass = "CUSTOM_PCI"
)

// mostName is how long the name of a device profile may be, in characters.
//
// Source: cyborg/db/sqlalchemy/models.py, DeviceProfile.
const mostName = 255

// checkRules returns an error that matches placement.ErrInvalid and quotes what is wrong,
// unless p is a profile that may be created: its name consists of letters, digits, "-"
// and "_"; it has groups; each of their keys begins with resources:, trait: or accel:;
// each group asks for something; classes are those of accelerators, or custom ones;
// traits are custom ones or OWNER_CYBORG, required or forbidden.
//
// Upstream refuses trait:OWNER_CYBORG, although the owners of Nova's rule tell
// operators to write it, and accepts groups that ask for nothing.
//
// Source: cyborg/api/controllers/v2/device_profiles.py, _validate_post_request.
func (p *DeviceProfile) checkRules() error {
	if p.Name == "" {
		return invalid("name", "", "a device profile needs a name")
	}
	if i := strings.IndexFunc(p.Name, func(r rune) bool { return !isNameRune(r) }); i >= 0 {
		return invalid("name", p.Name, fmt.Sprintf("may only contain letters, digits, - and _, not %q", []rune(p.Name[i:])[0]))
	}
	if len(p.Name) > mostName {
		return invalid("name", p.Name[:20]+"...", fmt.Sprintf("is longer than %d characters", mostName))
	}
	if len(p.Groups) == 0 {
		return invalid("groups", "", "a device profile needs at least one group")
	}
	for n, g := range p.Groups {
		if err := checkGroup(fmt.Sprintf("group %d", n), g); err != nil {
			return err
		}
	}
	_, err := arqIDs(p, placement.ConsumerID{})
	return err
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}

// checkGroup checks the keys and values of a group.
func checkGroup(where string, g map[string]string) error {
	asks := false
	for _, key := range slices.Sorted(maps.Keys(g)) {
		switch kind, name := splitKey(key); kind {
		case resourcesKey:
			if err := checkClass(where, placement.ResourceClass(name)); err != nil {
				return err
			}
			if _, err := parseAmount(g[key]); err != nil {
				return fmt.Errorf("%s %s: %w", where, key, err)
			}
			asks = true
		case traitKey:
			if err := checkTrait(where, placement.Trait(name), g[key]); err != nil {
				return err
			}
		case accelKey:
			if name == "" {
				return invalid(where, key, "has nothing after accel:")
			}
		default:
			return invalid(where, key, "must begin with resources:, trait: or accel:")
		}
	}
	if !asks {
		return invalid(where, "", "asks for nothing; it needs a key such as resources:VGPU")
	}
	return nil
}

func checkClass(where string, c placement.ResourceClass) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	known := []placement.ResourceClass{placement.FPGA, classGPU, placement.VGPU, placement.PGPU}
	if !c.IsCustom() && !slices.Contains(known, c) {
		return invalid(where, string(c), "is not an accelerator class: use FPGA, GPU, VGPU, PGPU or a custom one")
	}
	return nil
}

func checkTrait(where string, t placement.Trait, value string) error {
	if err := t.Validate(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if !t.IsCustom() && t != placement.OwnerCyborg {
		return invalid(where, string(t), "must start with CUSTOM_, or be OWNER_CYBORG")
	}
	if value != traitRequired && value != traitForbidden {
		return invalid(fmt.Sprintf("%s trait:%s", where, t), value, "must be required or forbidden")
	}
	if t == placement.OwnerCyborg && value == traitForbidden {
		return invalid(fmt.Sprintf("%s trait:%s", where, t), value, "must be required or left out: a device profile asks for Cyborg's devices")
	}
	return nil
}

// Check returns an error that matches placement.ErrInvalid unless p may be created,
// see CreateDeviceProfile.
func (p *DeviceProfile) Check() error { return p.checkRules() }

// Remarks lists the classes and traits of p that the cloud does not know. Cyborg
// accepts such a profile, as a driver may report them later; until then nothing can be
// booted with it.
func (p *DeviceProfile) Remarks(s *placement.Snapshot) []string {
	var out []string
	for n, g := range p.Groups {
		for _, key := range slices.Sorted(maps.Keys(g)) {
			switch kind, name := splitKey(key); kind {
			case resourcesKey:
				if _, ok := s.ClassID(placement.ResourceClass(name)); !ok {
					out = append(out, fmt.Sprintf("group %d: there is no resource class %s%s", n, name, s.ClassHint(placement.ResourceClass(name))))
				}
			case traitKey:
				if _, ok := s.TraitID(placement.Trait(name)); !ok {
					out = append(out, fmt.Sprintf("group %d: there is no trait %s%s", n, name, s.TraitHint(placement.Trait(name))))
				}
			}
		}
	}
	return out
}

// CreateDeviceProfile adds a device profile, as returned by DeviceProfile.New.
//
// Errors: placement.ErrInvalid; placement.ErrExists if the name or the uuid is
// taken.
//
// Source: cyborg/conductor/manager.py, device_profile_create.
type CreateDeviceProfile struct {
	verb
	Profile *DeviceProfile
}

// DeleteDeviceProfile deletes a device profile, even if a flavor names it, as upstream
// does.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while there are accelerator
// requests for it.
//
// Source: cyborg/objects/device_profile.py, destroy.
type DeleteDeviceProfile struct {
	verb
	Profile string // its name or uuid
}

func (op CreateDeviceProfile) String() string { return "create device profile " + op.Profile.Name }
func (op DeleteDeviceProfile) String() string { return "delete device profile " + op.Profile }

// New returns p as it will be added: if it has no uuid it gets one derived from its
// name.
func (p *DeviceProfile) New() *DeviceProfile {
	own := versioned.Clone(p)
	if own.UUID == uuid.Nil {
		own.UUID = named("device_profile", own.Name)
	}
	return own
}

func (op CreateDeviceProfile) apply(e edit) error {
	if err := op.Profile.Check(); err != nil {
		return err
	}
	own := op.Profile.New()
	own.Created = cmp.Or(own.Created, versioned.Millis(e.At))
	if _, taken := e.Now.DeviceProfile(own.Name); taken {
		return &placement.ExistsError{What: "device profile", Field: "name", Value: own.Name}
	}
	if e.Now.Held(own) != nil {
		return &placement.ExistsError{What: "device profile", Field: "uuid", Value: own.UUID.String()}
	}
	return e.Put(own)
}

func (op DeleteDeviceProfile) apply(e edit) error {
	p, ok := e.Now.DeviceProfile(op.Profile)
	if id, err := uuid.Parse(op.Profile); !ok && err == nil {
		p, ok = e.Now.Held(&DeviceProfile{UUID: id}).(*DeviceProfile)
	}
	if !ok {
		return placement.NotFound("device profile", op.Profile)
	}
	uses, first := 0, ""
	for a := range e.Now.ARQs() {
		if a.Profile == p.Name {
			if uses++; uses == 1 {
				first = a.UUID.String()
			}
		}
	}
	switch {
	case uses == 1:
		return fmt.Errorf("device profile %s is %w by accelerator request %s; delete that first", p.Name, placement.ErrInUse, first)
	case uses > 1:
		return fmt.Errorf("device profile %s is %w by %d accelerator requests, the first is %s; delete them first", p.Name, placement.ErrInUse, uses, first)
	}
	return e.Delete(p)
}
