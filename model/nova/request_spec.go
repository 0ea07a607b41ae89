package nova

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// value is the value of a spec from a flavor and an image.
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

// conflict returns the error about an extra spec that the image has otherwise.
func (d *draft) conflict(key, property string) error {
	return d.fault(key, d.spec.Flavor.ExtraSpecs[key], fmt.Sprintf("conflicts with the image, which has %s=%s", property, d.spec.Image[property]))
}

// imageFault returns the error about a property of the image.
func (d *draft) imageFault(property, why string) error {
	return placement.Invalid("image "+property, d.spec.Image[property], why)
}

// readOther notes an extra spec that is neither a resource nor a trait, if it looks as if
// it was meant to ask for something, or if its value is not valid. One that changes no
// request is left to Nova.
//
// Source: nova/api/validation/extra_specs/validators.py, validate.
func (d *draft) readOther(key, value string) {
	head, name, spaced := strings.Cut(key, ":")
	asks := head == "resources" || head == "trait"
	switch {
	case spaced && name == "" && asks, key == accelProfile && value == "":
		d.warn(key, value, key, "Validation failed; extra spec '%s' does not appear to be a valid extra spec: nothing follows the colon.", key)
	case key == pciAlias && aliasFormat(value) != "":
		d.warn(key, value, value, "%s", aliasFormat(value))
	case key == pciAlias && len(d.spec.PCI) == 0:
		d.accept(key, value, value, "PCI devices of '%s' are not requested from Placement: they are picked on the host, which may have none left. Set [filter_scheduler]pci_in_placement to request them.", value)
	case spaced && (strings.HasPrefix(head, "resource") || strings.HasPrefix(head, "trait")):
		d.accept(key, value, head, "Extra spec '%s' requests nothing from Placement: '%s' must be resources or trait, with a suffix of letters, digits, - and _.", key, head)
	default:
		s, known := specsByName()[key]
		switch {
		case !known:
		case s.flag && !isBool(value):
			d.warn(key, value, value, "Validation failed; '%s' must be true or false.", value)
		case s.check(value) != "":
			d.warn(key, value, value, "Validation failed; '%s' %s.", value, s.check(value))
			if _, ok := d.needed(s); ok && value != "" {
				d.refuse(d.fault(key, value, s.check(value)))
			}
		}
	}
}

// readImage checks those properties of the image that change a request, and notes the one
// that asks for nothing without another.
//
// Source: nova/objects/image_meta.py, ImageMetaProps.
func (d *draft) readImage() {
	for _, name := range sortedKeys(d.spec.Image) {
		s, known := specsByName()[name]
		if !known {
			continue
		}
		if why := s.check(s.canonical(d.spec.Image[name])); why != "" {
			d.refuse(d.imageFault(name, why))
		} else if s.uefi && !d.hasUEFI() {
			d.warnings = append(d.warnings, Warning{Word: name, Accepted: true, Text: fmt.Sprintf("The image property '%s' has no effect without hw_firmware_type=uefi.", name)})
		}
	}
}

func (d *draft) hasUEFI() bool { return d.spec.Image["hw_firmware_type"] == "uefi" }

// imageOf returns the value of a spec's image property.
func (d *draft) imageOf(s *spec) (name, text string, ok bool) {
	for _, name := range []string{s.property, s.legacy} {
		if text, ok := d.spec.Image[name]; ok && name != "" {
			return name, text, true
		}
	}
	return "", "", false
}

// value returns the value of a spec from flavor and image, and false if neither has one
// that counts. If they differ the request is refused.
//
// Source: nova/virt/hardware.py, _get_unique_flavor_image_meta.
func (d *draft) value(s *spec) (value, bool) {
	needed, ok := d.needed(s)
	if !ok {
		return value{}, false
	}
	flavor, ok := d.spec.Flavor.ExtraSpecs[s.key]
	ok = ok && s.key != ""
	property, image, too := d.imageOf(s)
	norm := func(text string) string {
		if s.flag {
			return fmt.Sprint(isTrue(text))
		}
		return text
	}
	switch {
	case ok && too && norm(flavor) != norm(s.canonical(image)) && (s.flag || flavor != "" && image != ""):
		d.refuse(d.conflict(s.key, property))
		return value{}, false
	case ok && (flavor != "" || !too):
		return value{norm(flavor), extraSpecOrigin + s.key}, flavor != ""
	case too:
		return value{norm(s.canonical(image)), "image " + property + "=" + image}, image != ""
	case s.fallback != "":
		return value{s.fallback, needed.origin + ", " + s.fallback + " by default"}, true
	}
	return value{}, false
}

// needed returns the value without which a spec means nothing, and false if flavor and
// image do not have it.
func (d *draft) needed(s *spec) (value, bool) {
	if s.uefi && !d.hasUEFI() {
		return value{}, false
	}
	if s.needs == "" {
		return value{}, true
	}
	of := specsByName()[s.needs]
	v, ok := d.value(of)
	return v, ok && (!of.flag || isTrue(v.text))
}

// translate adds what flavor and image ask of the un-suffixed group according to the
// table. What pre-filters ask for is read too, as flavor and image may conflict there.
//
// Source: nova/scheduler/utils.py, ResourceRequest.from_request_spec, the
// _translate_ methods.
func (d *draft) translate() {
	for i := range specs {
		s := &specs[i]
		if s.becomes == becomesCPUs {
			continue
		}
		v, ok := d.value(s)
		switch {
		case !ok || s.becomes == becomesRootTrait || s.check(v.text) != "":
		case s.becomes == becomesTrait:
			if t := s.traitOf(v.text); t != "" {
				d.group("").require(t, v.origin)
			}
		case s.flag:
			if isTrue(v.text) {
				d.group("").set(s.class, 1, v.origin)
			}
		default: // labels, separated by commas
			amounts := map[string]int64{}
			for label := range strings.SplitSeq(v.text, ",") {
				if label = strings.TrimSpace(label); label != "" {
					amounts[string(placement.NormalizeClass(string(s.class)+label))]++
				}
			}
			for _, class := range sortedKeys(amounts) {
				d.group("").set(placement.ResourceClass(class), amounts[class], v.origin)
			}
		}
	}
}

// tellJudged notes which extra specs and image properties are not part of the request,
// but are checked by the scheduler's filters afterwards.
func (d *draft) tellJudged() {
	by := map[string][]string{}
	for _, from := range []map[string]string{d.spec.Flavor.ExtraSpecs, d.spec.Image} {
		for _, key := range sortedKeys(from) {
			text := key + "=" + from[key]
			for filter, heads := range judges {
				if slices.ContainsFunc(heads, func(head string) bool { return strings.HasPrefix(text, head) }) {
					by[filter] = append(by[filter], text)
				}
			}
		}
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

// requiredTrait is a trait that a pre-filter of the table requires of the root.
type requiredTrait struct {
	trait  placement.Trait
	origin string
}

// ofTable reports whether a pre-filter is in the table.
func ofTable(filter string) bool {
	return slices.ContainsFunc(specs, func(s spec) bool { return s.filter == filter })
}

// wantedBy returns what a pre-filter of the table asks for because of flavor and image.
func (d *draft) wantedBy(filter string) []requiredTrait {
	var out []requiredTrait
	for i := range specs {
		if s := &specs[i]; s.filter == filter {
			if v, ok := d.value(s); ok && s.traitOf(v.text) != "" {
				out = append(out, requiredTrait{s.traitOf(v.text), v.origin})
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
func (f *prefilterDraft) asks() (PrefilterState, string) {
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
