package candidates

import (
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Microversion is the minor number of a version of the Placement API; the major number is
// always 1. The zero value means Latest in a Query.
type Microversion int

// Latest is the newest microversion, 1.39 (Yoga).
//
// Source: placement/microversion.py, VERSIONS.
const Latest Microversion = 39

// The microversions that changed what clients may ask or are answered, named by what they
// introduced.
//
// Source: placement/microversion.py, VERSIONS; placement/rest_api_version_history.rst.
const (
	SinceAggregates          Microversion = 1
	SinceClasses             Microversion = 2
	SinceProvidersMemberOf   Microversion = 3 // as a filter of GET /resource_providers
	SinceProvidersResources  Microversion = 4 // the same
	SinceDeleteInventories   Microversion = 5 // all of a provider at once
	SinceTraits              Microversion = 6
	SinceClassPut            Microversion = 7 // PUT of a resource class creates it
	SinceOwners              Microversion = 8 // a consumer has a project and a user
	SinceTotals              Microversion = 9 // GET /usages
	SinceCandidates          Microversion = 10
	SinceAllocationLink      Microversion = 11
	SinceByProvider          Microversion = 12 // allocations are an object by provider
	SincePostAllocations     Microversion = 13
	SinceNestedProviders     Microversion = 14
	SinceModified            Microversion = 15 // Last-Modified
	SinceLimit               Microversion = 16
	SinceRequired            Microversion = 17 // of candidates
	SinceProvidersRequired   Microversion = 18 // as a filter of GET /resource_providers
	SinceAggregateGeneration Microversion = 19
	SincePostAnswers         Microversion = 20 // POST /resource_providers answers with the provider
	SinceMemberOf            Microversion = 21 // of candidates
	SinceForbidden           Microversion = 22 // required=!T
	SinceCodes               Microversion = 23 // errors have a code
	SinceRepeatedMemberOf    Microversion = 24
	SinceGroups              Microversion = 25 // numbered groups, group_policy
	SinceDrained             Microversion = 26 // reserved may be the total
	SinceAllClasses          Microversion = 27 // summaries show every class
	SinceConsumerGeneration  Microversion = 28
	SinceNestedCandidates    Microversion = 29 // with several providers of one tree
	SinceReshaper            Microversion = 30
	SinceInTree              Microversion = 31 // of candidates
	SinceForbiddenMemberOf   Microversion = 32 // member_of=!A
	SinceTextSuffix          Microversion = 33
	SinceMappings            Microversion = 34
	SinceRootRequired        Microversion = 35
	SinceSameSubtree         Microversion = 36 // and groups without resources
	SinceReparent            Microversion = 37
	SinceConsumerType        Microversion = 38
	SinceAnyTrait            Microversion = 39 // required=in:A,B, and repeated
)

// String returns "1.39" for 39.
func (v Microversion) String() string { return "1." + strconv.Itoa(int(v)) }

// ParseMicroversion reads "1.39" or "latest". The error matches
// placement.ErrInvalid.
func ParseMicroversion(s string) (Microversion, error) {
	if s == "latest" {
		return Latest, nil
	}
	if minor, ok := strings.CutPrefix(s, "1."); ok {
		if n, err := strconv.Atoi(minor); err == nil && n >= 0 && n <= int(Latest) && minor == strconv.Itoa(n) {
			return Microversion(n), nil
		}
	}
	return 0, &placement.InvalidError{Field: "microversion", Value: s, Why: "must be latest or from 1.0 to " + Latest.String()}
}
