package metrics

import (
	"bytes"
	"io"
	"mime"
	"slices"
	"strconv"
	"strings"
)

// The two forms in which Prometheus reads metrics.
//
// Source: prometheus.io, "Exposition formats"; github.com/prometheus/OpenMetrics, v1.0.0.
const (
	typeText = "text/plain; version=0.0.4; charset=utf-8"
	typeOpen = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// kind is the TYPE of a family, as the text form calls it.
type kind string

const (
	counterKind   kind = "counter"
	gaugeKind     kind = "gauge"
	histogramKind kind = "histogram"
	summaryKind   kind = "summary"
	untypedKind   kind = "untyped"
)

// family is a metric with all its samples.
type family struct {
	name, help string
	kind       kind
	samples    []sample
}

// sample is a line.
type sample struct {
	suffix string // of the family's name: "_bucket"; "" for none
	labels string // as they are written, without braces: `class="VGPU",owner="nova"`
	// bound is the value of the label that histograms and summaries have last, which bounds
	// names: "le" or "quantile". It is written as the form writes numbers.
	bounds string
	bound  float64
	value  float64
}

// one returns a family of a single sample.
func one(k kind, name, help string, value float64) family {
	return family{name: name, help: help, kind: k, samples: []sample{{value: value}}}
}

var (
	escapes     = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`) //nolint:gochecknoglobals // built once, read only
	helpEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`)            //nolint:gochecknoglobals // built once, read only
)

// labelled returns names with their values as they are written, in the order of names.
func labelled(names, values []string) string {
	order := slices.Sorted(slices.Values(names))
	var b strings.Builder
	for i, name := range order {
		if i > 0 {
			b.WriteByte(',')
		}
		value := strings.ToValidUTF8(values[slices.Index(names, name)], "\uFFFD")
		b.WriteString(name + `="` + escapes.Replace(value) + `"`)
	}
	return b.String()
}

// write writes families, as OpenMetrics where open says so, else as text. There may be
// tens of MB, which it does not hold at once.
func write(w io.Writer, families []family, open bool) error {
	const piece = 32 << 10
	b := make([]byte, 0, piece+piece/8)
	for i := range families {
		f := &families[i]
		b = f.head(b, open)
		for j := range f.samples {
			b = f.samples[j].append(append(b, f.name...), open)
			if len(b) < piece {
				continue
			}
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	if open {
		b = append(b, "# EOF\n"...)
	}
	_, err := w.Write(b)
	return err
}

// head appends what f is.
func (f *family) head(b []byte, open bool) []byte {
	name, k, help := f.name, f.kind, helpEscapes.Replace(f.help)
	if open {
		help = escapes.Replace(f.help)
		if k == counterKind {
			name = strings.TrimSuffix(name, "_total")
		} else if k == untypedKind {
			k = "unknown"
		}
	}
	return append(b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+string(k)+"\n"...)
}

// append appends s after the name of its family.
func (s *sample) append(b []byte, open bool) []byte {
	b = append(b, s.suffix...)
	if s.labels != "" || s.bounds != "" {
		b = append(append(b, '{'), s.labels...)
		if s.labels != "" && s.bounds != "" {
			b = append(b, ',')
		}
		if s.bounds != "" {
			b = append(append(b, s.bounds...), `="`...)
			b = append(number(b, s.bound, open), '"')
		}
		b = append(b, '}')
	}
	b = number(append(b, ' '), s.value, open && s.suffix != "_bucket" && s.suffix != "_count")
	return append(b, '\n')
}

// number appends v. Point has it look like a fraction in any case, as OpenMetrics wants
// of what is none by its nature.
func number(b []byte, v float64, point bool) []byte {
	at := len(b)
	b = strconv.AppendFloat(b, v, 'g', -1, 64)
	if point && !bytes.ContainsAny(b[at:], ".eIN") {
		b = append(b, ".0"...)
	}
	return b
}

// wantsOpen reports whether who sends this Accept header would rather have OpenMetrics
// than text.
func wantsOpen(accept string) bool {
	var open, text float64
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			q = 1
		}
		switch kind {
		case "application/openmetrics-text":
			open = max(open, q)
		case "text/plain":
			text = max(text, q)
		}
	}
	return open > 0 && open >= text
}
