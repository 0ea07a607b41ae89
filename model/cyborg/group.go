package cyborg

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// The prefixes of the keys of a group of a device profile.
const (
	resourcesKey = "resources:"
	traitKey     = "trait:"
	accelKey     = "accel:" // only for Cyborg, such as a bitstream; not part of the Placement query
)

// The values of a trait in a group of a device profile.
const (
	traitRequired  = "required"
	traitForbidden = "forbidden"
)

// GroupSuffix returns the suffix of the request group that group n of a device
// profile becomes, under which its provider is found in the mappings of a claim.
//
// Source: nova/accelerator/cyborg.py, get_device_profile_group_requester_id.
func GroupSuffix(n int64) string { return "device_profile_" + strconv.FormatInt(n, 10) }

// origin names group n of p for Origins and messages.
func (p *DeviceProfile) origin(n int) string {
	return fmt.Sprintf("device profile %s group %d", p.Name, n)
}

// RequestGroups returns the groups of p as groups of a candidates query, one for each, as
// they are written: resources and traits by name. Their suffixes are those of
// GroupSuffix. The error matches placement.ErrInvalid: another program may have written a
// profile that this one would refuse.
//
// Source: nova/accelerator/cyborg.py, get_device_profile_groups.
func (p *DeviceProfile) RequestGroups() ([]candidates.Group, error) {
	out := make([]candidates.Group, len(p.Groups))
	for n, keys := range p.Groups {
		g, origin := candidates.Group{Suffix: GroupSuffix(int64(n))}, p.origin(n)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			switch kind, name := splitKey(key); kind {
			case resourcesKey:
				amount, err := parseAmount(keys[key])
				if err != nil {
					return nil, fmt.Errorf("%s: %w", origin, err)
				}
				g.Resources = append(g.Resources, candidates.Resource{Class: placement.ResourceClass(name), Amount: amount, Origin: origin})
			case traitKey:
				switch t := placement.Trait(name); keys[key] {
				case traitRequired:
					g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{t}, Origin: origin})
				case traitForbidden:
					g.Forbidden = append(g.Forbidden, candidates.Trait{Name: t, Origin: origin})
				}
			}
		}
		out[n] = g
	}
	return out, nil
}

// Units returns how many accelerators each group of p asks for: as many
// accelerator requests are made for it. The error is that of RequestGroups.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.post.
func (p *DeviceProfile) Units() ([]int64, error) {
	groups, err := p.RequestGroups()
	if err != nil {
		return nil, err
	}
	out := make([]int64, len(groups))
	for n, g := range groups {
		for _, r := range g.Resources {
			out[n] += r.Amount
		}
	}
	return out, nil
}

// splitKey splits a key of a group into its prefix, "" if it has no known one, and the
// rest.
func splitKey(key string) (kind, name string) {
	for _, kind := range []string{resourcesKey, traitKey, accelKey} {
		if name, ok := strings.CutPrefix(key, kind); ok {
			return kind, strings.TrimSpace(name)
		}
	}
	return "", key
}

// parseAmount reads the amount of a resource of a group, in units of its class.
func parseAmount(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 1 || n > placement.MaxInt {
		return 0, placement.Invalid("amount", text, fmt.Sprintf("must be an integer from 1 to %d", int64(placement.MaxInt)))
	}
	return n, nil
}
