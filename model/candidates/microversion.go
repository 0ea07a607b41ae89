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

// The microversions that changed the parameters or the answer of GET
// /allocation_candidates, named by what they introduced.
//
// Source: placement/rest_api_version_history.rst.
const (
	sinceCandidates       Microversion = 10 // the request itself, resources only
	sinceLimit            Microversion = 16
	sinceRequired         Microversion = 17
	sinceMemberOf         Microversion = 21
	sinceForbidden        Microversion = 22 // required=!T
	sinceRepeatedMemberOf Microversion = 24
	sinceGroups           Microversion = 25 // numbered groups, group_policy
	sinceAllClasses       Microversion = 27 // summaries show every class
	sinceTrees            Microversion = 29 // candidates with several providers of one tree
	sinceInTree           Microversion = 31
	sinceForbiddenMember  Microversion = 32 // member_of=!A
	sinceTextSuffix       Microversion = 33
	sinceMappings         Microversion = 34
	sinceRootRequired     Microversion = 35
	sinceSameSubtree      Microversion = 36 // and groups without resources
	sinceAnyTrait         Microversion = 39 // required=in:A,B, and repeated
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
