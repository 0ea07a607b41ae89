package rest

import (
	"mime"
	"strconv"
	"strings"
)

// mediaRange is an element of an Accept header.
type mediaRange struct {
	kind, sub string // in lower case; "*" for any
	bare      bool   // it has no parameters
	q         float64
}

// parseAccept parses an Accept header; false means that it is malformed, which counts as
// none.
//
// Source: webob/acceptparse.py.
func parseAccept(header string) ([]mediaRange, bool) {
	var out []mediaRange
	for text := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		media, params, err := mime.ParseMediaType(text)
		kind, sub, ok := strings.Cut(media, "/")
		m := mediaRange{kind: kind, sub: sub, q: 1}
		if weight, has := params["q"]; has && err == nil {
			m.q, err = strconv.ParseFloat(weight, 64)
			delete(params, "q")
		}
		if err != nil || !ok || !(m.q >= 0 && m.q <= 1) { // NaN is neither
			return nil, false
		}
		m.bare = len(params) == 0
		out = append(out, m)
	}
	return out, true
}

// weightOf returns the weight of a media type without parameters in ranges; 0 if it is
// not accepted. The most specific range counts, and the first of several.
func weightOf(ranges []mediaRange, kind, sub string) float64 {
	best, q := 0, 0.0
	for _, m := range ranges {
		specific := 0
		switch {
		case m.kind == kind && m.sub == sub:
			if m.bare {
				specific = 3
			}
		case m.kind == kind && m.sub == "*":
			specific = 2
		case m.kind == "*" && m.sub == "*":
			specific = 1
		}
		if specific > best {
			best, q = specific, m.q
		}
	}
	return q
}

// accept returns the Accept header; a missing one, or one that accepts anything, becomes
// JSON.
//
// Source: placement/requestlog.py.
func (r *request) accept() string {
	if a := strings.Join(r.Header["Accept"], ","); a != "" && a != "*/*" {
		return a
	}
	return "application/json"
}

// accepts refuses a client that does not accept JSON.
//
// Source: placement/util.py, check_accept.
func (r *request) accepts() *fault {
	ranges, ok := parseAccept(r.accept())
	if !ok || weightOf(ranges, "application", "json") > 0 {
		return nil
	}
	return notAcceptable("Only application/json is provided")
}

// refusalForm is the format of a refusal.
type refusalForm int

const (
	inJSON refusalForm = iota
	inHTML
	inText
)

// refusesIn returns the format of a refusal: HTML for a client that accepts it as
// readily as JSON, or sends an unreadable header; text for one that accepts neither.
//
// Source: webob/exc.py, generate_response.
func (r *request) refusesIn() refusalForm {
	ranges, ok := parseAccept(r.accept())
	html, json := weightOf(ranges, "text", "html"), weightOf(ranges, "application", "json")
	switch {
	case !ok || html > 0 && html >= json:
		return inHTML
	case json > 0:
		return inJSON
	}
	return inText
}
