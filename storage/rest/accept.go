package rest

import (
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
	rest, empty := strings.CutPrefix(header, ",") // the first element may be empty
	for ; ; empty = false {
		if !empty && rest != "" && rest[0] != ',' {
			var m mediaRange
			var ok bool
			if m, rest, ok = cutRange(rest); !ok {
				return nil, false
			}
			out = append(out, m)
		}
		if rest = skipBlanks(rest); rest == "" {
			return out, true
		}
		if rest[0] != ',' {
			return nil, false
		}
		rest = skipBlanks(rest[1:])
	}
}

// cutRange parses an element, and returns what follows.
func cutRange(s string) (m mediaRange, rest string, ok bool) {
	kind, s := cutToken(s)
	s, slash := strings.CutPrefix(s, "/")
	sub, s := cutToken(s)
	if kind == "" || !slash || sub == "" {
		return m, s, false
	}
	m = mediaRange{kind: strings.ToLower(kind), sub: strings.ToLower(sub), bare: true, q: 1}
	weighed := false
	for {
		next, more := strings.CutPrefix(skipBlanks(s), ";")
		if !more {
			return m, s, true
		}
		name, next := cutToken(skipBlanks(next))
		value, after, has := cutValue(next)
		switch {
		case name == "":
			return m, s, false
		case weighed:
		case !has:
			return m, s, false
		case strings.EqualFold(name, "q"):
			if m.q, ok = quality(value); !ok {
				return m, s, false
			}
			weighed = true
		default:
			m.bare = false
		}
		s = after
	}
}

// cutValue parses what follows the name of a parameter: "=" and a token or a quoted
// string; false if it is something else.
func cutValue(s string) (value, rest string, ok bool) {
	after, ok := strings.CutPrefix(s, "=")
	if !ok {
		return "", s, false
	}
	if value, rest = cutToken(after); value != "" {
		return value, rest, true
	}
	if after == "" || after[0] != '"' {
		return "", s, false
	}
	for i := 1; i < len(after); i++ {
		switch c := after[i]; {
		case c == '"':
			return after[:i+1], after[i+1:], true
		case c == '\\':
			i++
		case c < ' ' && c != '\t' || c == 0x7f:
			return "", s, false
		}
	}
	return "", s, false
}

// quality parses a weight: 0 to 1, with at most three digits.
func quality(s string) (float64, bool) {
	whole, part, _ := strings.Cut(s, ".")
	if whole != "0" && whole != "1" || len(part) > 3 || strings.Trim(part, "0123456789") != "" || whole == "1" && strings.Trim(part, "0") != "" {
		return 0, false
	}
	q, err := strconv.ParseFloat(whole+"."+part, 64)
	return q, err == nil
}

func skipBlanks(s string) string { return strings.TrimLeft(s, " \t") }

// cutToken parses a token, "" for none.
func cutToken(s string) (token, rest string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) >= 0) {
		i++
	}
	return s[:i], s[i:]
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
