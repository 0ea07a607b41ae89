package nova

import (
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The kinds of which a large cloud has very many.
var (
	_ versioned.Canonical = (*Service)(nil)
	_ versioned.Canonical = (*ComputeNode)(nil)
	_ versioned.Canonical = (*Instance)(nil)
)

// UnmarshalCanonical implements versioned.Canonical.
func (s *Service) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			s.Host = from.Shared()
		case 2:
			s.Binary = from.Shared()
		case 3:
			s.Cell = from.Shared()
		case 4:
			version := from.Int()
			s.Version = int(version)
			return int64(s.Version) == version
		case 5:
			s.Disabled = from.Bool()
		case 6:
			s.DisabledReason = from.Shared()
		case 7:
			s.ForcedDown = from.Bool()
		case 8:
			s.LastSeenUp = from.Int()
		case 9:
			s.ReportCount = from.Int()
		case 10:
			s.Created = from.Int()
		case 11:
			s.ReportInterval = from.Int()
		case 30:
			s.Kept = Kept(from.Text())
		default:
			return false
		}
		return true
	})
	return from.OK()
}

// UnmarshalCanonical implements versioned.Canonical.
func (n *ComputeNode) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	amounts := [...]*int64{
		5: &n.Version, 6: &n.VCPUs, 7: &n.PCPUs, 8: &n.MemoryMB, 9: &n.LocalGB,
		10: &n.VCPUsUsed, 11: &n.MemoryMBUsed, 12: &n.LocalGBUsed, 13: &n.RunningVMs,
		17: &n.ReservedCPUs, 18: &n.ReservedMemoryMB, 19: &n.ReservedDiskMB, 25: &n.Updated,
	}
	texts := [...]*string{2: &n.Host, 3: &n.Hostname, 4: &n.Type, 23: &n.PCIStats, 24: &n.ObjectVersion}
	ratios := [...]*float64{14: &n.CPURatio, 15: &n.RAMRatio, 16: &n.DiskRatio}
	from.Fields(func(key int64) bool {
		switch {
		case key == 1:
			from.Bytes(n.UUID[:])
		case key == 20:
			n.SharedStorage = from.Bool()
		case key == 21:
			n.Capabilities = versioned.SharedTexts[placement.Trait](from)
		case key == 22:
			n.GPUs = make([]GPU, from.Array())
			for i := range n.GPUs {
				n.GPUs[i].read(from)
			}
		case key == 30:
			n.Kept = Kept(from.Text())
		case key < int64(len(amounts)) && amounts[key] != nil:
			*amounts[key] = from.Int()
		case key < int64(len(texts)) && texts[key] != nil:
			*texts[key] = from.Shared()
		case key < int64(len(ratios)) && ratios[key] != nil:
			*ratios[key] = from.Float()
		default:
			return false
		}
		return true
	})
	return from.OK()
}

// read reads a GPU of a compute node.
func (g *GPU) read(from *versioned.CanonicalReader) {
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			g.Address = from.Shared()
		case 2:
			g.Type = from.Shared()
		case 3:
			g.Total = from.Int()
		case 4:
			g.Class = placement.ResourceClass(from.Shared())
		default:
			return false
		}
		return true
	})
}

// UnmarshalCanonical implements versioned.Canonical.
func (i *Instance) UnmarshalCanonical(from *versioned.CanonicalReader) bool {
	texts := [...]*string{
		3: &i.Project, 4: &i.User, 5: &i.Host, 6: &i.Flavor, 7: (*string)(&i.VMState), 9: (*string)(&i.TaskState),
		10: &i.OldFlavor, 11: &i.NewFlavor, 14: &i.Zone, 17: &i.Fault, 20: &i.ForcedHost,
	}
	from.Fields(func(key int64) bool {
		switch key {
		case 1:
			from.Bytes(i.UUID[:])
		case 2:
			i.Name = string(from.Text()) // seldom that of another
		case 8:
			i.Created = from.Int()
		case 12:
			i.BootFromVolume = from.Bool()
		case 13:
			i.ImageTraits = versioned.SharedTexts[placement.Trait](from)
		case 15:
			i.Deleted = from.Int()
		case 16:
			i.Hidden = from.Bool()
		case 18:
			return i.readMappings(from)
		case 19:
			i.Updated = from.Int()
		case 22:
			n := from.Map()
			i.Image = make(map[string]string, n)
			for range n {
				name := from.Shared()
				i.Image[name] = from.Shared()
			}
			return from.OK() && len(i.Image) == n
		case 30:
			i.Kept = Kept(from.Text())
		default:
			if key >= int64(len(texts)) || texts[key] == nil {
				return false
			}
			*texts[key] = from.Shared()
		}
		return true
	})
	return from.OK()
}

// readMappings reads which provider serves which request group, and reports
// whether no group is there twice.
func (i *Instance) readMappings(from *versioned.CanonicalReader) bool {
	groups := from.Map()
	i.Mappings = make(map[string][]placement.ProviderID, groups)
	for range groups {
		group := from.Shared()
		providers := make([]placement.ProviderID, from.Array())
		for p := range providers {
			from.Bytes(providers[p][:])
		}
		if !from.OK() {
			return false
		}
		i.Mappings[group] = providers
	}
	return len(i.Mappings) == groups
}
