package nova

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// value is the value of a Spec from a flavor and an image.
type value struct {
	text   string // "true" or "false" for a flag
	origin string // of its terms
}

// refuse keeps the first reason why no instance would be booted with the request. The
// flavor may still be made: an image may add what is missing.
func (d *draft) refuse(err error) {
	if d.refused == nil {
		d.refused = err
	}
}

// imageFault returns the error about a property of the image.
func (d *draft) imageFault(property, why string) error {
	return &placement.InvalidError{Field: "image " + property, Value: d.spec.Image[property], Why: why}
}

// readOther notes an extra spec that is neither a resource nor a trait: one that is
// unknown, one whose value is not valid, and one that looks as if it was meant to ask for
// something.
//
// Source: nova/api/validation/extra_specs/validators.py, validate, which refuses what is
// unknown in a known namespace.
func (d *draft) readOther(key, value string) {
	head, name, spaced := strings.Cut(key, ":")
	asks := head == "resources" || head == "trait"
	table := specsByName()
	s, known := table.extraSpec(key)
	switch {
	case spaced && name == "" && asks, key == accelProfile && value == "":
		d.warn(key, value, key, "Validation failed; extra spec '%s' does not appear to be a valid extra spec: nothing follows the colon.", key)
	case key == pciAlias && aliasFormat(value) != "":
		d.warn(key, value, value, "%s", aliasFormat(value))
	case key == pciAlias && len(d.spec.PCI) == 0:
		d.accept(key, value, value, "PCI devices of '%s' are not requested from Placement: they are picked on the host, which may have none left. Set [filter_scheduler]pci_in_placement to request them.", value)
	case spaced && (strings.HasPrefix(head, "resource") || strings.HasPrefix(head, "trait")):
		d.accept(key, value, head, "Extra spec '%s' requests nothing from Placement: '%s' must be resources or trait, with a suffix of letters, digits, - and _.", key, head)
	case !known && table.spaced(key):
		d.warn(key, value, key, "Validation failed; extra spec '%s' does not appear to be a valid extra spec%s", key, table.like(key))
	case !known:
	default:
		if why := s.check(value); why != "" {
			d.warn(key, value, value, "Validation failed; '%s' %s.", value, why)
		}
		if _, ok := d.needed(s); !ok {
			return
		}
		if why := s.refuses(value); why != "" && value != "" && s.Becomes != BecomesNothing {
			d.refuse(d.fault(key, value, why))
		}
	}
}

// readImage checks what the properties of the image ask for, and notes those that ask for
// nothing although they look as if they did.
//
// Source: nova/objects/image_meta.py, ImageMetaProps.
func (d *draft) readImage() {
	table := specsByName()
	for _, name := range sortedKeys(d.spec.Image) {
		s, known := table.property(name)
		switch {
		case known:
			if why := s.refusesImage(d.spec.Image[name]); why != "" {
				d.refuse(d.imageFault(name, why))
			} else if s.Image != "" && d.spec.Image[s.Image] != s.Is {
				d.warnings = append(d.warnings, Warning{Word: name, Accepted: true, Text: fmt.Sprintf("The image property '%s' has no effect without %s=%s.", name, s.Image, s.Is)})
			}
		case !known && (strings.HasPrefix(name, "hw_") || strings.HasPrefix(name, "os_")):
			d.warnings = append(d.warnings, Warning{Word: name, Accepted: true, Text: fmt.Sprintf("Nova does not know the image property '%s': it has no effect.", name)})
		}
	}
}

// imageOf returns the value of a Spec's image property.
func (d *draft) imageOf(s *Spec) (name, text string, ok bool) {
	for _, name := range []string{s.Property, s.Legacy} {
		if text, ok := d.spec.Image[name]; ok && name != "" {
			return name, text, true
		}
	}
	return "", "", false
}

// value returns the value of a Spec from flavor and image, and false if neither has one
// that counts. If they differ the request is refused.
//
// Source: nova/virt/hardware.py, _get_unique_flavor_image_meta.
func (d *draft) value(s *Spec) (value, bool) {
	needed, ok := d.needed(s)
	if !ok {
		return value{}, false
	}
	flavor, ok := d.spec.Flavor.ExtraSpecs[s.Key]
	ok = ok && s.Key != ""
	property, image, too := d.imageOf(s)
	norm := func(text string) string {
		if s.Type == typeBool {
			return fmt.Sprint(isTrue(text))
		}
		return text
	}
	switch {
	case ok && too && norm(flavor) != norm(s.canonical(image)) && (s.Type == typeBool || flavor != "" && image != ""):
		d.refuse(d.fault(s.Key, flavor, fmt.Sprintf("conflicts with the image, which has %s=%s", property, image)))
		return value{}, false
	case ok && (flavor != "" || !too):
		return value{norm(flavor), extraSpecOrigin + s.Key}, flavor != ""
	case too:
		return value{norm(s.canonical(image)), "image " + property + "=" + image}, image != ""
	case s.Default != "":
		return value{s.Default, needed.origin + ", " + s.Default + " by default"}, true
	}
	return value{}, false
}

// needed returns the value without which a Spec means nothing, and false if flavor and
// image do not have it.
func (d *draft) needed(s *Spec) (value, bool) {
	if s.Image != "" && d.spec.Image[s.Image] != s.Is {
		return value{}, false
	}
	if s.Needs == "" {
		return value{}, true
	}
	of, _ := specsByName().extraSpec(s.Needs)
	v, ok := d.value(of)
	return v, ok && (of.Type != typeBool || isTrue(v.text))
}

// valueOf is value for the Spec with a key.
func (d *draft) valueOf(key string) (value, bool) {
	s, _ := specsByName().extraSpec(key)
	return d.value(s)
}

// translate adds what flavor and image ask of the un-suffixed group according to the
// table. What pre-filters ask for is read too, as flavor and image may conflict there.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec, the
// _translate_ methods.
func (d *draft) translate() {
	for i := range specs {
		s := &specs[i]
		if s.Becomes <= BecomesCPUs {
			continue
		}
		v, ok := d.value(s)
		switch {
		case !ok || s.Becomes == BecomesRootTrait || s.refuses(v.text) != "":
		case s.Becomes == BecomesTrait:
			if t := s.trait(v.text); t != "" {
				d.group("").require(t, v.origin)
			}
		case s.Type == typeBool:
			if isTrue(v.text) {
				d.group("").set(s.Class, 1, v.origin)
			}
		default: // labels, separated by commas
			amounts := map[string]int64{}
			for label := range strings.SplitSeq(v.text, ",") {
				if label = strings.TrimSpace(label); label != "" {
					amounts[string(placement.NormalizeClass(string(s.Class)+label))]++
				}
			}
			for _, class := range sortedKeys(amounts) {
				d.group("").set(placement.ResourceClass(class), amounts[class], v.origin)
			}
		}
	}
	if v, ok := d.valueOf(tpmModel); ok && v.text == "tpm-crb" {
		if version, ok := d.valueOf(tpmVersion); ok && version.text != "2.0" {
			d.refuse(d.faultAt(v, "TPM model CRB is only valid with TPM version 2.0"))
		}
	}
	d.checkEncryption()
}

// checkEncryption refuses images that cannot have encrypted memory. Without an image it
// only warns.
//
// Source: nova/virt/hardware.py, get_mem_encryption_constraint and MemEncryptionConfig.
func (d *draft) checkEncryption() {
	v, ok := d.valueOf(memEncryption)
	if !ok || !isTrue(v.text) {
		return
	}
	firmware, machine := d.spec.Image[firmwareType], d.spec.Image[machineType]
	switch {
	case d.spec.Image == nil:
		d.warnings = append(d.warnings, Warning{
			Key: memEncryption, Value: v.text, Word: v.text, Accepted: true, Open: true,
			Text: "Encrypted memory needs an image with hw_firmware_type=uefi and a q35 machine type.",
		})
	case firmware != "uefi":
		d.refuse(d.imageFault(firmwareType, "must be uefi, as "+v.origin+" asks for encrypted memory"))
	case machine != "" && !strings.Contains(machine, "q35"):
		d.refuse(d.imageFault(machineType, "must be a q35 machine type, as "+v.origin+" asks for encrypted memory"))
	}
	model, _ := d.valueOf(memEncryptionModel)
	if model.text != modelSNP && model.text != modelTDX || d.spec.Image == nil {
		return
	}
	if !isTrue(d.spec.Image[firmwareStateless]) {
		d.refuse(d.imageFault(firmwareStateless, "must be true, as "+model.origin+" asks for "+model.text))
	}
	if model.text == modelTDX && d.spec.Image[videoModel] != "none" {
		d.refuse(d.imageFault(videoModel, "must be none, as "+model.origin+" asks for "+model.text))
	}
}

// tellJudged notes which extra specs and image properties are not part of the request,
// but are checked by the scheduler's filters afterwards.
func (d *draft) tellJudged() {
	table := specsByName()
	by := map[string][]string{}
	judged := func(s *Spec, ok bool, name, text string) {
		if ok && s.Judge != "" && text != s.Lenient && s.Traits[text] == "" {
			by[s.Judge] = append(by[s.Judge], name+"="+text)
		}
	}
	for _, key := range sortedKeys(d.spec.Flavor.ExtraSpecs) {
		s, ok := table.extraSpec(key)
		judged(s, ok, key, d.spec.Flavor.ExtraSpecs[key])
	}
	for _, name := range sortedKeys(d.spec.Image) {
		s, ok := table.property(name)
		judged(s, ok, name, d.spec.Image[name])
	}
	for _, filter := range sortedKeys(by) {
		key, text, _ := strings.Cut(by[filter][0], "=")
		is := "is"
		if len(by[filter]) > 1 {
			is = "are"
		}
		d.warnings = append(d.warnings, Warning{
			Key: key, Value: text, Word: key, Accepted: true, Open: true,
			Text: fmt.Sprintf("%s %s not requested from Placement: where %s is enabled it may reject hosts listed here.", strings.Join(by[filter], ", "), is, filter),
		})
	}
}

// wanted is a trait that a pre-filter of the table requires of the root.
type wanted struct {
	trait  placement.Trait
	origin string
}

// ofTable reports whether a pre-filter is in the table.
func ofTable(filter string) bool {
	return slices.ContainsFunc(specs, func(s Spec) bool { return s.Filter == filter })
}

// wantedBy returns what a pre-filter of the table asks for because of flavor and image.
func (d *draft) wantedBy(filter string) []wanted {
	var out []wanted
	for i := range specs {
		if s := &specs[i]; s.Filter == filter {
			if v, ok := d.value(s); ok && s.trait(v.text) != "" {
				out = append(out, wanted{s.trait(v.text), v.origin})
			}
		}
	}
	return out
}

// asks requires of the root the traits that the table has for the current pre-filter.
//
// Source: nova/scheduler/request_filter.py, require_image_type_support,
// transform_image_metadata, packed_virtqueue_filter, ephemeral_encryption_filter,
// virtio_sound_filter and tpm_secret_security_filter.
func (f *filtering) asks() (PrefilterState, string) {
	if f.now.Name == FilterImageType && f.spec.BootFromVolume {
		return Skipped, "the root disk is a volume, so the image format does not matter"
	}
	want := f.wantedBy(f.now.Name)
	for _, w := range want {
		if !slices.Contains(placement.StandardTraits(), w.trait) {
			text := fmt.Sprintf("Computed trait name '%s' is not valid; %s adds nothing.", w.trait, f.now.Name)
			f.warnings = append(f.warnings, Warning{Text: text})
			return Skipped, text
		}
	}
	var origins []string
	for _, w := range want {
		f.requireRoot(w.trait, w.origin)
		origins = append(origins, w.origin)
	}
	return Applied, strings.Join(origins, ", ")
}
