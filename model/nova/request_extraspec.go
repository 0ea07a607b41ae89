package nova

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// The extra specs that are neither resources nor traits, but affect a request.
const (
	accelProfile     = "accel:device_profile"
	groupPolicy      = "group_policy"
	pciAlias         = "pci_passthrough:alias"
	cpuPolicy        = "hw:cpu_policy"
	cpuDedicatedMask = "hw:cpu_dedicated_mask"
	cpuThreadPolicy  = "hw:cpu_thread_policy"
	emulatorThreads  = "hw:emulator_threads_policy"
	extraSpecOrigin  = "extra spec "
)

// deviceSuffix is the prefix of the suffixes of a device profile's groups; a number
// follows.
//
// Source: nova/accelerator/cyborg.py, get_device_profile_group_requester_id.
const deviceSuffix = "device_profile_"

// ExtraSpecError reports an extra spec of a flavor that makes no valid request to
// Placement. It matches placement.ErrInvalid.
type ExtraSpecError struct {
	Flavor     string // name
	Key, Value string
	Word       string // the part of Key or Value at fault; "" if something is missing
	Why        string
}

func (e *ExtraSpecError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("flavor %s: %s: %s", e.Flavor, e.Key, e.Why)
	}
	return fmt.Sprintf("flavor %s: %s=%s: %s", e.Flavor, e.Key, e.Value, e.Why)
}

// Is reports whether target is placement.ErrInvalid.
func (e *ExtraSpecError) Is(target error) bool { return target == placement.ErrInvalid }

// specKey is the key of an extra spec that asks for a resource or a trait.
type specKey struct {
	trait  bool   // trait[S]:NAME rather than resources[S]:CLASS
	suffix string // S
	name   string
}

// maxSuffix is how long the suffix of a request group may be.
const maxSuffix = 64

// parseSpecKey reads ^(resources|trait)([a-zA-Z0-9_-]{1,64})?:(.+)$, and returns
// false for keys that mean something else.
//
// Source: nova/scheduler/utils.py, ResourceRequest.XS_KEYPAT.
func parseSpecKey(key string) (specKey, bool) {
	head, name, ok := strings.Cut(key, ":")
	if !ok || name == "" {
		return specKey{}, false
	}
	k := specKey{name: name}
	if k.suffix, ok = strings.CutPrefix(head, "resources"); !ok {
		if k.suffix, ok = strings.CutPrefix(head, "trait"); !ok {
			return specKey{}, false
		}
		k.trait = true
	}
	return k, len(k.suffix) <= maxSuffix && strings.IndexFunc(k.suffix, notInSuffix) < 0
}

func notInSuffix(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// readExtraSpecs adds the groups that the flavor's extra specs ask for.
//
// Source: nova/scheduler/utils.py, ResourceRequest._process_extra_specs.
func (d *draft) readExtraSpecs() error {
	specs := d.spec.Flavor.ExtraSpecs
	for _, key := range sortedKeys(specs) {
		value := specs[key]
		if key == groupPolicy {
			d.readPolicy(value)
			continue
		}
		k, ok := parseSpecKey(key)
		switch {
		case !ok:
			d.readOther(key, value)
		case k.trait:
			d.readTrait(k, key, value)
		default:
			if err := d.readResource(k, key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// accept is warn for what upstream's validators accept.
func (d *draft) accept(key, value, word, format string, args ...any) {
	d.warn(key, value, word, format, args...)
	d.warnings[len(d.warnings)-1].Accepted = true
}

func (d *draft) readPolicy(value string) {
	switch p := candidates.GroupPolicy(value); p {
	case candidates.PolicyNone, candidates.PolicyIsolate:
		d.policy = p
	default:
		d.warn(groupPolicy, value, value, "Invalid group_policy '%s'. Valid values are 'none' and 'isolate'.", value)
	}
}

func (d *draft) readTrait(k specKey, key, value string) {
	switch name, origin := placement.Trait(k.name), extraSpecOrigin+key; value {
	case "required":
		g := d.group(k.suffix)
		g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{name}, Origin: origin})
	case "forbidden":
		g := d.group(k.suffix)
		g.Forbidden = append(g.Forbidden, candidates.Trait{Name: name, Origin: origin})
	default:
		d.warn(key, value, value, "Only (required, forbidden) traits are supported. Received '%s' for key '%s'.", value, key)
	}
}

func (d *draft) readResource(k specKey, key, value string) error {
	class := placement.ResourceClass(k.name)
	if !class.IsCustom() && !slices.Contains(placement.StandardClasses(), class) {
		d.warn(key, value, k.name, "Received an invalid ResourceClass '%s' in extra_specs.", k.name)
		return nil
	}
	amount, ok := parseAmount(value)
	switch {
	case !ok:
		d.warn(key, value, value, "Resource amounts must be nonnegative integers. Received '%s' for key '%s'.", value, key)
		return nil
	case amount > placement.MaxInt:
		return d.fault(key, value, fmt.Sprintf("must be at most %d", placement.MaxInt))
	}
	if class == placement.VGPU && amount > 1 {
		// Source: nova/doc/source/admin/virtual-gpu.rst.
		d.accept(key, value, value, "%s=%d asks one card for %d virtual GPUs: Nova wants a group for each, such as resources1:VGPU=1 and resources2:VGPU=1 with group_policy=none or isolate.", key, amount, amount)
	}
	d.group(k.suffix).set(class, amount, extraSpecOrigin+key)
	return nil
}

// parseAmount reads a whole number that is not negative. One that is too large becomes
// the largest possible.
func parseAmount(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, n >= 0 && (err == nil || errors.Is(err, strconv.ErrRange))
}

// warn notes an extra spec that has no effect.
func (d *draft) warn(key, value, word, format string, args ...any) {
	d.warnings = append(d.warnings, Warning{Key: key, Value: value, Word: word, Text: fmt.Sprintf(format, args...)})
}

// fault returns the error about a word in the extra spec with the given key.
func (d *draft) fault(key, word, why string) error {
	f := d.spec.Flavor
	return &ExtraSpecError{Flavor: f.Name, Key: key, Value: f.ExtraSpecs[key], Word: word, Why: why}
}

// blame is fault for a term that comes from an extra spec, and false for others.
func (d *draft) blame(origin, why string) (error, bool) {
	key, ok := strings.CutPrefix(origin, extraSpecOrigin)
	if !ok {
		return nil, false
	}
	k, _ := parseSpecKey(key)
	return d.fault(key, k.name, why), true
}
