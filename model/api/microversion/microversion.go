// Package microversion names the microversions of the services' APIs, each by what it
// introduced.
package microversion

import (
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Placement is the minor number of a microversion of Placement; the major number is always
// 1. The zero value means PlacementNewest in a query of candidates.
type Placement int

// The microversions of Placement.
//
// Source: placement/microversion.py, VERSIONS; placement/rest_api_version_history.rst.
const (
	PlacementFirst      Placement = 0
	Aggregates          Placement = 1
	Classes             Placement = 2
	ProvidersMemberOf   Placement = 3 // as a filter of GET /resource_providers
	ProvidersResources  Placement = 4 // the same
	DeleteInventories   Placement = 5 // all of a provider at once
	Traits              Placement = 6
	ClassPut            Placement = 7 // PUT of a resource class creates it
	Owners              Placement = 8 // a consumer has a project and a user
	Totals              Placement = 9 // GET /usages
	Candidates          Placement = 10
	AllocationLink      Placement = 11
	ByProvider          Placement = 12 // allocations are an object by provider
	PostAllocations     Placement = 13
	NestedProviders     Placement = 14
	Modified            Placement = 15 // Last-Modified
	Limit               Placement = 16
	Required            Placement = 17 // of candidates
	ProvidersRequired   Placement = 18 // as a filter of GET /resource_providers
	AggregateGeneration Placement = 19
	PostAnswers         Placement = 20 // POST /resource_providers answers with the provider
	MemberOf            Placement = 21 // of candidates
	Forbidden           Placement = 22 // required=!T
	Codes               Placement = 23 // errors have a code
	RepeatedMemberOf    Placement = 24
	Groups              Placement = 25 // numbered groups, group_policy
	Drained             Placement = 26 // reserved may be the total
	AllClasses          Placement = 27 // summaries show every class
	ConsumerGeneration  Placement = 28
	NestedCandidates    Placement = 29 // with several providers of one tree
	Reshaper            Placement = 30
	InTree              Placement = 31 // of candidates
	ForbiddenMemberOf   Placement = 32 // member_of=!A
	TextSuffix          Placement = 33
	Mappings            Placement = 34
	RootRequired        Placement = 35
	SameSubtree         Placement = 36 // and groups without resources
	Reparent            Placement = 37
	ConsumerType        Placement = 38
	AnyTrait            Placement = 39 // required=in:A,B, and repeated

	PlacementNewest = AnyTrait // Yoga
)

// String returns "1.39" for 39.
func (v Placement) String() string { return "1." + strconv.Itoa(int(v)) }

// ParsePlacement reads "1.39" or "latest". The error matches placement.ErrInvalid.
func ParsePlacement(s string) (Placement, error) {
	if s == "latest" {
		return PlacementNewest, nil
	}
	if minor, ok := strings.CutPrefix(s, "1."); ok {
		if n, err := strconv.Atoi(minor); err == nil && n >= 0 && n <= int(PlacementNewest) && minor == strconv.Itoa(n) {
			return Placement(n), nil
		}
	}
	return 0, placement.Invalid("microversion", s, "must be latest or from 1.0 to "+PlacementNewest.String())
}

// Compute is the minor number of a microversion of Nova; the major number is always 2.
type Compute int

// The microversions of Nova that matter here.
//
// Source: nova/api/openstack/compute/rest_api_version_history.rst.
const (
	ComputeFirst      Compute = 1
	ForceDown         Compute = 11 // of services
	EvacuateAnywhere  Compute = 14 // without onSharedStorage
	LiveMigrateAuto   Compute = 25 // block_migration
	EvacuateChecked   Compute = 29 // a host that is named is asked of the scheduler
	LiveChecked       Compute = 30 // the same for a live migration
	ServiceByUUID     Compute = 53
	FlavorDescription Compute = 55
	MigrateHost       Compute = 56
	FlavorSpecs       Compute = 61 // flavors, also those of servers, have their extra specs
	DownCells         Compute = 69 // lists have what is in a cell that does not answer, as UNKNOWN
	ComputeNewest     Compute = 87 // that is read here
)

// Accelerator is the minor number of a microversion of Cyborg; the major number is always 2.
type Accelerator int

// The microversions of Cyborg that matter here.
//
// Source: cyborg/api/rest_api_version_history.rst.
const (
	AcceleratorFirst  Accelerator = 0
	DisableDevice     Accelerator = 3
	AcceleratorNewest             = DisableDevice // that is read here
)
