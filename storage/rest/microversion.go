package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/candidates"
)

// versionHeader is the header that requests and reports a version.
const versionHeader = "openstack-api-version"

// The range of versions in the version document and in errors.
const (
	minVersion = "1.0"
	maxVersion = "1.39"
)

// since names the versions that introduced what several routes use.
//
// Source: placement/microversion.py, VERSIONS.
const (
	sinceAggregates      candidates.Microversion = 1
	sinceClasses         candidates.Microversion = 2
	sinceMemberOf        candidates.Microversion = 3
	sinceResourcesFilter candidates.Microversion = 4
	sinceDeleteAll       candidates.Microversion = 5
	sinceTraits          candidates.Microversion = 6
	sinceClassPut        candidates.Microversion = 7
	sinceOwners          candidates.Microversion = 8
	sinceTotals          candidates.Microversion = 9
	sinceCandidates      candidates.Microversion = 10
	sinceAllocationLink  candidates.Microversion = 11
	sinceByProvider      candidates.Microversion = 12
	sincePostAllocations candidates.Microversion = 13
	sinceTrees           candidates.Microversion = 14
	sinceModified        candidates.Microversion = 15
	sinceRequired        candidates.Microversion = 18
	sinceAggregateGen    candidates.Microversion = 19
	sincePostAnswers     candidates.Microversion = 20
	sinceForbidden       candidates.Microversion = 22
	sinceCodes           candidates.Microversion = 23
	sinceManyMemberOf    candidates.Microversion = 24
	sinceDrained         candidates.Microversion = 26
	sinceConsumerGen     candidates.Microversion = 28
	sinceReshaper        candidates.Microversion = 30
	sinceNotMemberOf     candidates.Microversion = 32
	sinceMappings        candidates.Microversion = 34
	sinceReparent        candidates.Microversion = 37
	sinceConsumerType    candidates.Microversion = 38
	sinceAnyTrait        candidates.Microversion = 39
)

// negotiate reads the requested version; the default is the oldest.
//
// Source: microversion_parse/__init__.py, extract_version.
func (r *request) negotiate() *fault {
	text := askedVersion(r.Header.Values(versionHeader))
	switch text {
	case "":
		text = minVersion
	case "latest":
		text = maxVersion
	}
	major, minor, ok := parseVersion(text)
	if !ok {
		return badRequest("Invalid microversion: invalid version string: %s", text)
	}
	if major != 1 || minor < 0 || minor > int(candidates.Latest) {
		f := notAcceptable("Invalid microversion: Unacceptable version header: " + text)
		f.versions = true
		return f
	}
	r.version, r.versioned = candidates.Microversion(minor), true
	return nil
}

// askedVersion returns the version in the last value for our service, "" if there is
// none.
func askedVersion(lines []string) string {
	values := strings.Split(strings.Join(lines, ","), ",")
	for _, value := range slices.Backward(values) {
		value := strings.TrimSpace(value)
		end := strings.IndexAny(value, " \t")
		if end > 0 && strings.EqualFold(value[:end], "placement") {
			return strings.TrimSpace(value[end:])
		}
	}
	return ""
}

// parseVersion parses two numbers separated by a dot.
func parseVersion(text string) (major, minor int, ok bool) {
	first, second, _ := strings.Cut(text, ".")
	major, err := strconv.Atoi(strings.TrimSpace(first))
	minor, err2 := strconv.Atoi(strings.TrimSpace(second))
	return major, minor, err == nil && err2 == nil
}

// versionDocument answers GET /.
//
// Source: placement/handlers/root.py.
func versionDocument(r *request) *fault {
	b := []byte(`{"versions": [{"id": "v` + minVersion + `", "max_version": "` + maxVersion + `", "min_version": "` + minVersion +
		`", "status": "CURRENT", "links": [{"rel": "self", "href": ""}]}]}`)
	r.answer(http.StatusOK, b, r.h.o.Clock())
	return nil
}
