package rest

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// params are the parameters of a query string, in order.
type params []param

type param struct{ key, value string }

// query returns the parameters of the query string; false if one is not UTF-8.
//
// Source: webob/request.py, GET; urllib.parse.parse_qsl.
func (r *request) query() (params, bool) { return parseQuery(r.URL.RawQuery) }

func parseQuery(text string) (params, bool) {
	if text == "" {
		return nil, true
	}
	var list params
	ok := true
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		key, value = unescape(key), unescape(value)
		ok = ok && utf8.ValidString(key) && utf8.ValidString(value)
		list = append(list, param{key, value})
	}
	return list, ok
}

// unescape decodes a string in a query; it leaves invalid escapes unchanged.
func unescape(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s):
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
			b.WriteByte('%')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// has reports whether there is a parameter with a name.
func (p params) has(key string) bool {
	return slices.ContainsFunc(p, func(a param) bool { return a.key == key })
}

// last returns the last value of a parameter, or "" if there is none.
func (p params) last(key string) string {
	for _, pair := range slices.Backward(p) {
		if pair.key == key {
			return pair.value
		}
	}
	return ""
}
