package nova

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/placement"
)

// CurrentFlavors yields the flavors that new instances can have, disabled ones
// too: of each name the newest revision, unless it is deleted.
func (s *Snapshot) CurrentFlavors() iter.Seq[*Flavor] {
	return func(yield func(*Flavor) bool) {
		for f := range s.Flavors() {
			if newest, ok := s.FlavorNamed(f.Name); ok && newest == f && !yield(f) {
				return
			}
		}
	}
}

// CreateFlavor returns the change that adds a flavor. Where one of the same name
// was deleted, the new one continues its revisions.
//
// Errors: placement.ErrExists for a name or flavorid that is taken;
// *ExtraSpecError for an extra spec that p, which knows the classes and traits,
// could not be asked for; placement.ErrInvalid.
//
// Source: nova/compute/flavors.py, create; nova/objects/flavor.py, _flavor_create.
func (s *Snapshot) CreateFlavor(f *Flavor, p *placement.Snapshot) (PutRecords, error) {
	if err := CheckName("flavor name", f.Name); err != nil {
		return PutRecords{}, err
	}
	if err := checkFlavorID(f.FlavorID); err != nil {
		return PutRecords{}, err
	}
	own := f.Clone().(*Flavor)
	last, ok := s.FlavorNamed(f.Name)
	switch {
	case ok:
		return PutRecords{}, &placement.ExistsError{What: "flavor", Field: "name", Value: f.Name}
	case last != nil:
		own.Revision = last.Revision + 1
	default:
		own.Revision = 0
	}
	return s.putFlavor(own, p)
}

// SetExtraSpecs returns the change that gives a flavor other extra specs, as its
// next revision: instances keep what they were booted with. It is empty where the
// flavor has them already.
//
// Errors: placement.ErrNotFound; *ExtraSpecError, as of CreateFlavor.
//
// Source: nova/api/openstack/compute/flavors_extraspecs.py.
func (s *Snapshot) SetExtraSpecs(name string, specs map[string]string, p *placement.Snapshot, at time.Time) (PutRecords, error) {
	f, err := s.flavorNamed(name)
	if err != nil || maps.Equal(f.ExtraSpecs, specs) {
		return PutRecords{}, err
	}
	own := f.Clone().(*Flavor)
	own.Revision, own.ExtraSpecs, own.Created = f.Revision+1, maps.Clone(specs), at.UnixMilli()
	return s.putFlavor(own, p)
}

// DisableFlavor returns the change that hides a flavor from new instances, or
// shows it again.
//
// Errors: placement.ErrNotFound.
func (s *Snapshot) DisableFlavor(name string, disabled bool) (PutRecords, error) {
	return s.markFlavor(name, func(f *Flavor) { f.Disabled = disabled })
}

// DeleteFlavor returns the change that marks a flavor as deleted: instances that
// have it keep it.
//
// Errors: placement.ErrNotFound.
//
// Source: nova/objects/flavor.py, _flavor_destroy.
func (s *Snapshot) DeleteFlavor(name string) (PutRecords, error) {
	return s.markFlavor(name, func(f *Flavor) { f.Deleted = true })
}

// CheckExtraSpecs returns an *ExtraSpecError for the first extra spec of f that
// has no effect, or that p could not be asked for. A nil p knows all classes and
// traits that are well formed. That the device profile exists is not asked.
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

// checkSuffixes refuses a group that is called as those of the flavor's device profile
// are: the two would be one request group, with which nothing can be booted.
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
				Why: fmt.Sprintf("its suffix %q is for a group of device profile %s: choose another", k.suffix, f.DeviceProfile()),
			}
		}
	}
	return nil
}

// Remarks returns what CheckExtraSpecs lets pass of a flavor and is hardly what was
// meant, and what the settings of the cloud lack for it.
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
			Text: "No instance is booted with it: " + undefined.Why + ".",
		})
	} else if len(asks.PCI) > 0 {
		d.dropWarning(pciAlias)
	}
	out := slices.DeleteFunc(d.warnings, func(w Warning) bool { return !w.Accepted || w.Open })
	var spec *ExtraSpecError
	if errors.As(d.refused, &spec) {
		out = append(out, Warning{
			Key: spec.Key, Value: spec.Value, Word: spec.Word, Accepted: true,
			Text: fmt.Sprintf("No instance is booted with it unless its image changes that: %s: %s.", spec.Key, spec.Why),
		})
	}
	return out
}

func (d *draft) dropWarning(key string) {
	d.warnings = slices.DeleteFunc(d.warnings, func(w Warning) bool { return w.Key == key && w.Accepted })
}

// draft returns what the flavor asks for by itself, without its device profile.
func (f *Flavor) draft() (*draft, error) {
	alone := f.Clone().(*Flavor)
	if f.DeviceProfile() != "" {
		delete(alone.ExtraSpecs, accelProfile)
	}
	return newDraft(RequestSpec{Flavor: alone})
}

func (s *Snapshot) flavorNamed(name string) (*Flavor, error) {
	f, ok := s.FlavorNamed(name)
	if !ok {
		return nil, &placement.NotFoundError{What: "flavor", Name: name}
	}
	return f, nil
}

func (s *Snapshot) putFlavor(f *Flavor, p *placement.Snapshot) (PutRecords, error) {
	if err := f.CheckExtraSpecs(p); err != nil {
		return PutRecords{}, err
	}
	var c PutRecords
	c.Put(s, f)
	return s.planned(c)
}

func (s *Snapshot) markFlavor(name string, mark func(*Flavor)) (PutRecords, error) {
	f, err := s.flavorNamed(name)
	if err != nil {
		return PutRecords{}, err
	}
	own := f.Clone().(*Flavor)
	mark(own)
	var c PutRecords
	c.Put(s, own)
	return s.planned(c)
}

// admitFlavor checks that a flavor keeps what instances were booted with, that
// none that they have goes, and that no flavorid stands for two flavors. It is
// asked of the Snapshot after the change.
func (s *Snapshot) admitFlavor(was, is *Flavor) error {
	if is == nil {
		return s.unusedFlavor(was.Ref())
	}
	if was != nil {
		marked := is.Clone().(*Flavor)
		marked.Disabled, marked.Deleted, marked.Private, marked.Description, marked.Kept = was.Disabled, was.Deleted, was.Private, was.Description, was.Kept
		if !ledger.Equal(was, marked) {
			return &placement.InvalidError{Field: "flavor", Value: was.Ref(), Why: "is never changed once written, as instances have it: write its next revision"}
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

// unusedFlavor returns an error while an instance has a flavor or is resized from
// or to it.
func (s *Snapshot) unusedFlavor(ref string) error {
	for i := range s.Instances() {
		if i.Live() && (i.Flavor == ref || i.OldFlavor == ref || i.NewFlavor == ref) {
			return fmt.Errorf("flavor %s is that of instance %s: %w", ref, i.Name, placement.ErrInUse)
		}
	}
	return nil
}
