package nova

import (
	"maps"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// MaxPlacementResults is [scheduler]max_placement_results: how many candidates a
// request asks for unless it says otherwise.
//
// Source: nova/conf/scheduler.py.
const MaxPlacementResults = 1000

// RequestSpec is what Nova wants a place for: a flavor, and all that image, ports and
// operator add to it.
//
// Source: nova/objects/request_spec.py.
type RequestSpec struct {
	Flavor         *Flavor
	BootFromVolume bool              // the root disk is a volume: root_gb is not asked for
	ImageTraits    []placement.Trait // trait:X=required of the image
	// Image are the properties of the image, and its DiskFormat; nil if nothing is
	// known of it.
	Image   map[string]string
	Project string // uuid of the tenant
	Zone    string // availability zone; "" for any
	Host    string // host that is forced; "" for any

	// Instance has the uuid from which those of its PCI requests are made.
	Instance placement.ConsumerID
	// PCIRequests are those that the instance was booted or resized with; what the
	// cloud's aliases say if it has none of the flavor.
	PCIRequests []PCIRequest

	// Devices are the request groups that Cyborg makes of the flavor's
	// accel:device_profile, in order, with suffixes device_profile_<i>.
	Devices []candidates.Group
	PCI     []candidates.Group // of pci_passthrough:alias, with PCI in Placement; made by Ask if there are none
	Ports   []candidates.Group // of Neutron's ports
	// Unpinned asks for pinned CPUs as VCPU, for hosts that report no PCPU: see FallsBack.
	Unpinned bool
	// Root holds what an earlier pass already required of the root, so that a request
	// that is scheduled again keeps the rules that it was first scheduled by.
	Root candidates.RootTerms
	// Limit is the most candidates to ask for: 0 for MaxPlacementResults, negative
	// for all of them, as servers with an affinity need.
	Limit int
}

// AskOptions change settings of the cloud for one Ask, to see what would happen. The
// zero value changes nothing.
type AskOptions struct {
	// Placement knows the resource classes and traits; nil knows all that are well
	// formed.
	Placement *placement.Snapshot
	// Gate holds the gate of the owner filter as if all services were upgraded, or
	// one was not.
	Gate GateForce
	// OwnerFilter is the form of the owner filter to use; nil for Config's.
	OwnerFilter *OwnerFilter
	// Switch turns pre-filters on or off by name, whatever Config.Off says.
	Switch map[string]bool
	// PCIInPlacement is whether Placement is asked for PCI devices; nil for Config's.
	PCIInPlacement *bool
}

// Request is what Nova asks Placement for, and how that came about.
type Request struct {
	// Query has the Origin of each of its terms.
	Query      candidates.Query
	Groups     []RequestGroup // those of Query, in its order
	Prefilters []Prefilter    // that may bear on it, in the order in which they ran
	Warnings   []Warning
	// Unowned are the suffixes of the groups that only providers without OWNER_NOVA can
	// serve, though the owner filter requires it.
	Unowned []string
	// Pinned says that the CPU policy made PCPU of the flavor's CPUs.
	Pinned bool
	// PCI are the devices that a host must also have by its records, whether Placement is
	// asked for them or not.
	PCI []PCIRequest
}

// RequestGroup is what one group of a request asks for, and of whom.
type RequestGroup struct {
	Suffix  string
	Source  GroupSource
	Amounts map[placement.ResourceClass]int64 // units of the class
}

// GroupSource is who made a request group.
type GroupSource string

// The sources.
const (
	FromFlavor        GroupSource = "flavor"
	FromDeviceProfile GroupSource = "device profile"
	FromPCI           GroupSource = "PCI request"
	FromPort          GroupSource = "port"
)

// Owner returns whose providers serve the groups of a source: Nova's, Cyborg's,
// or anybody's, as Neutron's providers have no owner.
func (f GroupSource) Owner() placement.Owner {
	switch f {
	case FromFlavor, FromPCI:
		return placement.OwnedByNova
	case FromDeviceProfile:
		return placement.OwnedByCyborg
	default:
		return placement.OwnedByNone
	}
}

// Warning says that something of a request has no effect.
type Warning struct {
	Key, Value string // the extra spec; "" if it is not about one
	Word       string // the part of Key or Value at fault
	Text       string // as Nova words it
	// Accepted says that a flavor may be made like this all the same: upstream's
	// validators let it pass.
	Accepted bool
	// Open says that nothing is wrong with it: it is what candidates leave open.
	Open bool
}

// String returns the text.
func (w Warning) String() string { return w.Text }

// Amounts returns what an instance of spec is to hold, group by group: what its
// allocation must sum up to, and whose providers must hold it. Groups that ask
// for nothing are left out. The errors are those of Snapshot.Ask about flavors;
// whether the cloud knows the classes is not asked.
func Amounts(spec RequestSpec) ([]RequestGroup, error) {
	d, err := newRequest(spec)
	if err != nil {
		return nil, err
	}
	return d.amounts(), nil
}

// Total returns the sum of the groups that are served by providers of the given owners,
// of all groups if none is given.
func Total(groups []RequestGroup, owners ...placement.Owner) map[placement.ResourceClass]int64 {
	sum := map[placement.ResourceClass]int64{}
	for _, g := range groups {
		if len(owners) > 0 && !slices.Contains(owners, g.Source.Owner()) {
			continue
		}
		for class, n := range g.Amounts {
			sum[class] += n
		}
	}
	return sum
}

// Ask returns the request for allocation candidates that Nova makes of spec: the
// groups of the flavor and of those that add to it, then what the pre-filters
// make of it.
//
// Errors: *ExtraSpecError for what the flavor asks wrongly; placement.ErrNotFound
// for a forced host that is none; placement.ErrState for a project that Nova gives no
// host; placement.ErrInvalid for anything else that Placement would refuse.
//
// Source: nova/scheduler/utils.py, resources_from_request_spec;
// nova/scheduler/request_filter.py, process_reqspec.
func (s *Snapshot) Ask(spec RequestSpec, o AskOptions) (Request, error) {
	devices, err := s.askDevices(&spec, o)
	if err != nil {
		return Request{}, err
	}
	d, err := newRequest(spec)
	if err != nil {
		return Request{}, err
	}
	if d, err = s.unpin(d, o); err != nil {
		return Request{}, err
	}
	if err := d.checkNames(o.Placement); err != nil {
		return Request{}, err
	}
	if err := d.force(s); err != nil {
		return Request{}, err
	}
	filters := s.prefilter(d, o)
	if d.refused != nil {
		return Request{}, d.refused
	}
	if err := d.checkConflicts(); err != nil {
		return Request{}, err
	}
	q := d.query()
	if err := q.Validate(o.Placement); err != nil {
		return Request{}, err
	}
	return Request{Query: q, Groups: d.amounts(), Prefilters: filters, Warnings: d.warnings, Unowned: d.unowned, Pinned: d.pinned, PCI: devices}, nil
}

// RequestSpec returns what Nova would ask for to place the instance again with flavor f,
// its own or that of a resize. The groups of a device profile are for the caller to add.
func (i *Instance) RequestSpec(f *Flavor) RequestSpec {
	return RequestSpec{
		Flavor: f, BootFromVolume: i.BootFromVolume, ImageTraits: i.ImageTraits, Image: i.Image, Project: i.Project, Zone: i.Zone,
		Instance: i.UUID, PCIRequests: i.PCIRequests,
	}
}

// DeviceProfile returns the name of the device profile that the flavor asks
// Cyborg for, "" for none.
func (f *Flavor) DeviceProfile() string { return f.ExtraSpecs[accelProfile] }

// ByAlias reports whether the flavor asks for PCI devices by alias: it does not say
// of which class they are.
//
// Source: nova/pci/request.py, get_pci_requests_from_flavor.
func (f *Flavor) ByAlias() bool { return f.ExtraSpecs[pciAlias] != "" }

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
