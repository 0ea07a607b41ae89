package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
)

// versionHeader is the header that requests and reports a version.
const versionHeader = "openstack-api-version"

// minVersion is the oldest version, microversion.PlacementNewest the newest.
const minVersion = "1.0"

// negotiate reads the requested version; the default is the oldest.
//
// Source: microversion_parse/__init__.py, extract_version.
func (r *request) negotiate() *fault {
	text := askedVersion(r.Header.Values(versionHeader))
	switch text {
	case "":
		text = minVersion
	case "latest":
		text = microversion.PlacementNewest.String()
	}
	major, minor, ok := parseVersion(text)
	if !ok {
		return badRequest("Invalid microversion: invalid version string: %s", text)
	}
	if major != 1 || minor < 0 || minor > int(microversion.PlacementNewest) {
		f := notAcceptable("Invalid microversion: Unacceptable version header: " + text)
		f.versions = true
		return f
	}
	r.version, r.versioned = microversion.Placement(minor), true
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
	b := []byte(`{"versions": [{"id": "v` + minVersion + `", "max_version": "` + microversion.PlacementNewest.String() + `", "min_version": "` + minVersion +
		`", "status": "CURRENT", "links": [{"rel": "self", "href": ""}]}]}`)
	r.answer(http.StatusOK, b, r.h.o.Clock())
	return nil
}
