package nova

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// PCIRequest is what one alias of a flavor asks for: a number of devices, each of
// which meets one of the specs.
//
// Source: nova/objects/instance_pci_requests.py, InstancePCIRequest.
type PCIRequest struct {
	ID         uuid.UUID  `json:"request_id" cbor:"1,keyasint"`
	Flavor     string     `json:"flavor" cbor:"2,keyasint"` // ref of the flavor that asks
	Alias      string     `json:"alias_name" cbor:"3,keyasint"`
	Count      int64      `json:"count" cbor:"4,keyasint"`
	Specs      []pci.Spec `json:"spec" cbor:"5,keyasint"`
	NUMAPolicy string     `json:"numa_policy,omitempty" cbor:"6,keyasint,omitempty"`
}

// validate refuses a number of devices that no flavor can ask for.
func (r PCIRequest) validate() error {
	if r.Count < 0 || r.Count > mostDevices {
		return placement.Invalid("pci request "+r.Alias+" count", fmt.Sprint(r.Count), fmt.Sprintf("must be from 0 to %d", mostDevices))
	}
	return nil
}

// Suffix returns the suffix of the request group for the n-th device, from 0.
//
// Source: nova/objects/request_spec.py, generate_request_groups_from_pci_requests.
func (r PCIRequest) Suffix(turn int64) string { return fmt.Sprintf("%s-%d", r.ID, turn) }

// String returns the request as a flavor writes it.
func (r PCIRequest) String() string { return fmt.Sprintf("%s:%d", r.Alias, r.Count) }

// mostDevices is how many devices one alias of a flavor may ask for: more than any
// host has.
const mostDevices = 1 << 12

// aliasFormat says what is wrong with the value of pci_passthrough:alias, "" if nothing
// is. It does not check that the aliases exist.
//
// Source: nova/api/validation/extra_specs/pci.py.
func aliasFormat(value string) string {
	for _, part := range strings.Split(value, ",") {
		name, count, ok := strings.Cut(part, ":")
		count = strings.TrimSpace(count)
		if !ok || strings.TrimSpace(name) == "" || count == "" || strings.Trim(count, "0123456789") != "" {
			return fmt.Sprintf("must be alias names with how many devices of each, like qat:1 or qat:1,gpu:2, not %q", strings.TrimSpace(part))
		}
		if n, err := strconv.ParseInt(count, 10, 64); err != nil || n > mostDevices {
			return fmt.Sprintf("asks for more than %d devices of an alias", mostDevices)
		}
	}
	return ""
}

// pciRequests returns the PCI devices that an instance asks for with a flavor: those
// it was booted or resized with or, if these are not from the flavor, what the aliases
// of the cloud say today.
//
// The error is an *ExtraSpecError about an alias that is not defined.
//
// Source: nova/pci/request.py, get_pci_requests_from_flavor.
func (s *Snapshot) pciRequests(spec RequestSpec) ([]PCIRequest, error) {
	f := spec.Flavor
	if f == nil || !f.ByAlias() {
		return nil, nil
	}
	if own := ofFlavor(spec.PCIRequests, f); len(own) > 0 {
		return own, nil
	}
	value := f.ExtraSpecs[pciAlias]
	fault := func(word, why string) error {
		return &ExtraSpecError{Flavor: f.Name, Key: pciAlias, Value: value, Word: word, Why: why}
	}
	if why := aliasFormat(value); why != "" {
		return nil, fault(value, why)
	}
	aliases := s.Config().Aliases()
	var out []PCIRequest
	for n, part := range strings.Split(value, ",") {
		name, count, _ := strings.Cut(part, ":")
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(aliases, func(a pci.Alias) bool { return a.Name == name })
		if at < 0 {
			where := ""
			if live := s.Config().Live; live != "" {
				where = " in pci_alias of [nova." + strconv.Quote(live) + "] in the configuration file"
			}
			return nil, fault(name, "PCI alias "+name+` is not defined: define it`+where+` as [pci]alias in nova.conf does: {"name": "`+name+`", "vendor_id": "8086", "product_id": "37c8"}`)
		}
		devices, _ := strconv.ParseInt(strings.TrimSpace(count), 10, 64)
		policy := aliases[at].NUMAPolicy
		if own := f.ExtraSpecs[pciPolicy]; own != "" {
			policy = own
		}
		out = append(out, PCIRequest{
			ID:     uuid.NewSHA1(uuid.UUID(spec.Instance), []byte("pci request "+f.Ref()+" "+strconv.Itoa(n))),
			Flavor: f.Ref(), Alias: name, Count: devices, Specs: aliases[at].Specs, NUMAPolicy: policy,
		})
	}
	return out, nil
}

// pciPolicy is the extra spec that overrides the numa_policy of aliases.
//
// Source: nova/virt/hardware.py, get_pci_numa_policy_constraint.
const pciPolicy = "hw:pci_numa_affinity_policy"

// ofFlavor returns the requests that come from a flavor.
func ofFlavor(requests []PCIRequest, f *Flavor) []PCIRequest {
	return slices.DeleteFunc(slices.Clone(requests), func(r PCIRequest) bool { return r.Flavor != f.Ref() })
}

// askDevices returns the requests for PCI devices, and adds their groups to spec if
// Placement is asked for them.
func (s *Snapshot) askDevices(spec *RequestSpec, o AskOptions) ([]PCIRequest, error) {
	requests, err := s.pciRequests(*spec)
	if err != nil {
		return nil, err
	}
	inPlacement := s.Config().PCIInPlacement
	if o.PCIInPlacement != nil {
		inPlacement = *o.PCIInPlacement
	}
	if inPlacement && len(spec.PCI) == 0 {
		spec.PCI, err = PCIGroups(spec.Flavor, requests, func(string) bool { return true })
	}
	return requests, err
}

// PCIGroups returns the request groups that ask Placement for the devices: one each,
// so that each may come from another provider. Groups whose suffix pick rejects are
// left out.
//
// The error is an *ExtraSpecError about an alias without a class.
//
// Source: nova/objects/request_spec.py, generate_request_groups_from_pci_requests.
func PCIGroups(f *Flavor, requests []PCIRequest, pick func(suffix string) bool) ([]candidates.Group, error) {
	var out []candidates.Group
	for _, r := range requests {
		for turn := range r.Count {
			suffix := r.Suffix(turn)
			if !pick(suffix) {
				continue
			}
			if err := pci.CheckAliases([]pci.Alias{{Name: r.Alias, Specs: r.Specs}}, true); err != nil {
				return nil, &ExtraSpecError{Flavor: f.Name, Key: pciAlias, Value: f.ExtraSpecs[pciAlias], Word: r.Alias, Why: err.Error()}
			}
			g, err := groupOf(r.Specs[0], suffix)
			if err != nil {
				return nil, &ExtraSpecError{Flavor: f.Name, Key: pciAlias, Value: f.ExtraSpecs[pciAlias], Word: r.Alias, Why: "alias " + r.Alias + ": " + err.Error()}
			}
			out = append(out, g)
		}
	}
	return out, nil
}

// groupOf returns the group that asks for one device of a spec.
func groupOf(s pci.Spec, suffix string) (candidates.Group, error) {
	const origin = extraSpecOrigin + pciAlias
	class, err := pci.Class(s[pci.KeyClass], s[pci.KeyVendor], s[pci.KeyProduct])
	if err != nil {
		return candidates.Group{}, err
	}
	traits, err := pci.Traits(s[pci.KeyTraits])
	if err != nil {
		return candidates.Group{}, err
	}
	g := candidates.Group{Suffix: suffix, Resources: []candidates.Resource{{Class: class, Amount: 1, Origin: origin}}}
	switch s[pci.KeyMigrate] {
	case "true":
		traits = append(traits, placement.HWPCILiveMigratable)
	case "false":
		g.Forbidden = []candidates.Trait{{Name: placement.HWPCILiveMigratable, Origin: origin}}
	}
	for _, t := range slices.Compact(traits) {
		g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: origin})
	}
	return g, nil
}

// PCIGroups returns the groups of those PCI devices for which the instance's mappings
// name a provider.
func (i *Instance) PCIGroups(f *Flavor) []candidates.Group {
	groups, err := PCIGroups(f, ofFlavor(i.PCIRequests, f), func(suffix string) bool { return len(i.Mappings[suffix]) == 1 })
	if err != nil {
		return nil // cannot happen: these requests have been made before
	}
	return groups
}

// AskDevices adds to the PCI devices that the instance asks for.
func (i *Instance) AskDevices(more []PCIRequest) {
	for _, r := range more {
		if !slices.ContainsFunc(i.PCIRequests, func(has PCIRequest) bool { return has.ID == r.ID }) {
			i.PCIRequests = append(i.PCIRequests, r)
		}
	}
}

// KeepDevices removes the PCI requests of all flavors but the one with the given ref.
func (i *Instance) KeepDevices(flavor string) {
	i.PCIRequests = slices.DeleteFunc(i.PCIRequests, func(r PCIRequest) bool { return r.Flavor != flavor })
	if len(i.PCIRequests) == 0 {
		i.PCIRequests = nil
	}
}
