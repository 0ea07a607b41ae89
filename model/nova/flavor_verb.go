package nova

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// CurrentFlavors yields the flavors that new instances can have, including disabled
// ones: the newest revision of each name, unless it is deleted.
func (s *Snapshot) CurrentFlavors() iter.Seq[*Flavor] {
	return func(yield func(*Flavor) bool) {
		for f := range s.Flavors() {
			if newest, ok := s.FlavorNamed(f.Name); ok && newest == f && !yield(f) {
				return
			}
		}
	}
}

// CreateFlavor adds a flavor; the caller's revision is ignored. If one of the same
// name was deleted, the new one continues its revisions.
//
// Errors: placement.ErrExists for a name or flavorid that is taken; *ExtraSpecError for
// an extra spec that says nothing; placement.ErrInvalid.
//
// Source: nova/compute/flavors.py, create; nova/objects/flavor.py, _flavor_create.
type CreateFlavor struct {
	verb
	Flavor *Flavor
}

// SetExtraSpecs edits the extra specs of a flavor, key by key, as its next revision:
// instances keep what they were booted with. It does nothing if the flavor has them
// already.
//
// Errors: placement.ErrNotFound; *ExtraSpecError, as of CreateFlavor.
//
// Source: nova/api/openstack/compute/flavors_extraspecs.py.
type SetExtraSpecs struct {
	verb
	Flavor     string // its name
	ExtraSpecs KeyEdits
}

// DisableFlavor hides a flavor from new instances, or shows it again. No API has it:
// only the database can write that column.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/objects/flavor.py, disabled.
type DisableFlavor struct {
	verb
	Flavor   string // its name
	Disabled bool
}

// DeleteFlavor marks a flavor as deleted: instances that have it keep it.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/objects/flavor.py, _flavor_destroy.
type DeleteFlavor struct {
	verb
	Flavor string // its name
}

func (op CreateFlavor) String() string  { return "create flavor " + op.Flavor.Name }
func (op SetExtraSpecs) String() string { return "set the extra specs of flavor " + op.Flavor }

func (op DisableFlavor) String() string {
	if op.Disabled {
		return "disable flavor " + op.Flavor
	}
	return "enable flavor " + op.Flavor
}

func (op DeleteFlavor) String() string { return "delete flavor " + op.Flavor }

func (op CreateFlavor) apply(e edit) error {
	if err := CheckName("flavor name", op.Flavor.Name); err != nil {
		return err
	}
	if err := checkFlavorID(op.Flavor.FlavorID); err != nil {
		return err
	}
	own := *op.Flavor
	own.Revision, own.Created = 0, cmp.Or(own.Created, versioned.Millis(e.At))
	if last, ok := e.Now.FlavorNamed(own.Name); ok {
		return &placement.ExistsError{What: "flavor", Field: "name", Value: own.Name}
	} else if last != nil {
		own.Revision = last.Revision + 1
	}
	if err := own.CheckExtraSpecs(nil); err != nil {
		return err
	}
	return e.Put(&own)
}

func (op SetExtraSpecs) apply(e edit) error {
	f, err := e.Now.flavorNamed(op.Flavor)
	if err != nil {
		return err
	}
	specs := op.ExtraSpecs.On(f.ExtraSpecs)
	if maps.Equal(f.ExtraSpecs, specs) {
		return nil
	}
	own := *f
	own.Revision, own.ExtraSpecs, own.Created = f.Revision+1, specs, versioned.Millis(e.At)
	if err := own.CheckExtraSpecs(nil); err != nil {
		return err
	}
	return e.Put(&own)
}

func (op DisableFlavor) apply(e edit) error {
	return markFlavor(e, op.Flavor, func(f *Flavor) { f.Disabled = op.Disabled })
}

func (op DeleteFlavor) apply(e edit) error {
	return markFlavor(e, op.Flavor, func(f *Flavor) { f.Deleted = true })
}

// CheckExtraSpecs returns an *ExtraSpecError for the first extra spec of f that has no
// effect, or that p could not be asked for. A nil p knows all well-formed classes and
// traits. Whether the device profile exists is not checked.
//
// Source: nova/api/validation/extra_specs/validators.py.
func (f *Flavor) CheckExtraSpecs(p *placement.Snapshot) error {
	if err := f.checkSuffixes(); err != nil {
		return err
	}
	d, err := f.draft()
	if err != nil {
		return err
	}
	for _, w := range d.warnings {
		if !w.Accepted {
			return &ExtraSpecError{Flavor: f.Name, Key: w.Key, Value: w.Value, Word: w.Word, Why: w.Text}
		}
	}
	return d.checkNames(p)
}

// checkSuffixes refuses a group whose suffix looks like one of the flavor's device
// profile: the two would be one request group, with which nothing can be booted.
//
// Source: nova/scheduler/utils.py, ResourceRequest._add_request_group.
func (f *Flavor) checkSuffixes() error {
	if f.DeviceProfile() == "" {
		return nil
	}
	for _, key := range sortedKeys(f.ExtraSpecs) {
		k, _ := parseSpecKey(key)
		number, ok := strings.CutPrefix(k.suffix, deviceSuffix)
		if ok && number != "" && strings.Trim(number, "0123456789") == "" {
			return &ExtraSpecError{
				Flavor: f.Name, Key: key, Value: f.ExtraSpecs[key], Word: k.suffix,
				Why: fmt.Sprintf("suffix %q is used by a group of device profile %s: choose another", k.suffix, f.DeviceProfile()),
			}
		}
	}
	return nil
}

// Remarks returns what CheckExtraSpecs accepts in a flavor but was hardly meant, and
// which settings of the cloud it lacks.
func (s *Snapshot) Remarks(f *Flavor) []Warning {
	d, err := f.draft()
	if err != nil {
		return nil
	}
	asks := RequestSpec{Flavor: f}
	var undefined *ExtraSpecError
	if _, err := s.askDevices(&asks, AskOptions{}); errors.As(err, &undefined) {
		d.dropWarning(pciAlias)
		d.warnings = append(d.warnings, Warning{
			Key: undefined.Key, Value: undefined.Value, Word: undefined.Word, Accepted: true,
			Text: "No instance can be booted with it: " + undefined.Why + ".",
		})
	} else if len(asks.PCI) > 0 {
		d.dropWarning(pciAlias)
	}
	out := slices.DeleteFunc(d.warnings, func(w Warning) bool { return !w.Accepted || w.Open })
	if spec, ok := errors.AsType[*ExtraSpecError](d.refused); ok {
		out = append(out, Warning{
			Key: spec.Key, Value: spec.Value, Word: spec.Word, Accepted: true,
			Text: fmt.Sprintf("No instance can be booted with it unless the image changes that: %s: %s.", spec.Key, spec.Why),
		})
	}
	return out
}

func (d *draft) dropWarning(key string) {
	d.warnings = slices.DeleteFunc(d.warnings, func(w Warning) bool { return w.Key == key && w.Accepted })
}

// draft returns what the flavor itself asks for, without its device profile, of which it
// only counts that it has a group.
func (f *Flavor) draft() (*draft, error) {
	d, err := newDraft(RequestSpec{Flavor: f.WithoutProfile()})
	if err == nil && f.DeviceProfile() != "" {
		err = d.settlePolicy(len(d.groups) + 1)
	}
	return d, err
}

// WithoutProfile returns a copy of f that asks for no device profile. What asks for one
// without a name stays wrong.
func (f *Flavor) WithoutProfile() *Flavor {
	return versioned.Edited(f, func(f *Flavor) {
		if f.DeviceProfile() != "" {
			delete(f.ExtraSpecs, accelProfile)
		}
	})
}

func (s *Snapshot) flavorNamed(name string) (*Flavor, error) {
	f, ok := s.FlavorNamed(name)
	if !ok {
		return nil, placement.NotFound("flavor", name)
	}
	return f, nil
}

func markFlavor(e edit, name string, mark func(*Flavor)) error {
	f, err := e.Now.flavorNamed(name)
	if err != nil {
		return err
	}
	own := *f
	mark(&own)
	return e.Put(&own)
}

// admitFlavor checks that what instances were booted with does not change, that no flavor
// in use is deleted, and that no two flavors have the same flavorid. s is the Snapshot
// after the change.
func (s *Snapshot) admitFlavor(was, is *Flavor) error {
	if is == nil {
		return s.unusedFlavor(was.Ref())
	}
	if was != nil {
		marked := versioned.Clone(is)
		marked.Disabled, marked.Deleted, marked.Private, marked.Description, marked.Kept = was.Disabled, was.Deleted, was.Private, was.Description, was.Kept
		if !ledger.Equal(was, marked) {
			return placement.Invalid("flavor", was.Ref(), "cannot be changed, as instances keep the flavor they were booted with: write a new revision")
		}
	}
	if newest, ok := s.FlavorNamed(is.Name); !ok || newest.Revision != is.Revision || is.FlavorID == "" {
		return nil
	}
	for f := range s.CurrentFlavors() {
		if f.FlavorID == is.FlavorID && f.Name != is.Name {
			return &placement.ExistsError{What: "flavor", Field: "flavorid", Value: is.FlavorID}
		}
	}
	return nil
}

// unusedFlavor returns an error if an instance has the flavor, or is being resized from
// or to it.
func (s *Snapshot) unusedFlavor(ref string) error {
	for i := range s.Instances() {
		if i.Live() && (i.Flavor == ref || i.OldFlavor == ref || i.NewFlavor == ref) {
			return fmt.Errorf("flavor %s is used by instance %s: %w", ref, i.Name, placement.ErrInUse)
		}
	}
	return nil
}
