package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/versioned"
)

// contentType is the content type of a text.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// kind is the type of a family.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
	summary   kind = "summary"
	untyped   kind = "untyped"
)

// text is the answer to a scrape, while it is written.
//
// Source: Prometheus, docs/instrumenting/exposition_formats.md, "Text-based format".
type text []byte

// family begins a family: its samples follow.
func (t *text) family(name, help string, k kind) {
	help = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help)
	*t = append(*t, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+string(k)+"\n"...)
}

// sample writes a sample, with labels in the form of pair or pairs.
func (t *text) sample(name, labels string, value float64) {
	b := append(*t, name...)
	if labels != "" {
		b = append(append(append(b, '{'), labels...), '}')
	}
	b = strconv.AppendFloat(append(b, ' '), value, 'g', -1, 64)
	*t = append(b, '\n')
}

// series writes series of the cloud, with labels in the order of their names.
func (t *text) series(s insight.Series) {
	k := gauge
	if s.Untyped {
		k = untyped
	}
	t.family(s.Name, s.Help, k)
	order := make([]int, len(s.Labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(s.Labels[a], s.Labels[b]) })
	var labels []byte
	for i := range s.Points {
		labels = labels[:0]
		for _, n := range order {
			labels = appendPair(labels, s.Labels[n], s.Points[i].Values[n])
		}
		t.sample(s.Name, string(labels), s.Points[i].Value)
	}
}

// pairs returns labels from names and values in turn, in the order of the names.
func pairs(namesAndValues ...string) string {
	var b []byte
	for i := 0; i < len(namesAndValues); i += 2 {
		b = appendPair(b, namesAndValues[i], namesAndValues[i+1])
	}
	return string(b)
}

// appendPair appends a label to others.
func appendPair(b []byte, name, value string) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(append(b, name...), `="`...)
	for _, r := range value { // invalid UTF-8 becomes U+FFFD
		switch {
		case r == '\\', r == '"':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case versioned.Unseen(r): // the format knows no other escapes, so that the backslash is part of the value
			b = append(b, fmt.Sprintf(`\\u%04x`, r)...)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
