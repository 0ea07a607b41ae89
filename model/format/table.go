// Package format writes rows as CSV, JSON, YAML or a Markdown table. It knows nothing of
// what the rows are.
package format

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/placetop/placetop/model/versioned"
)

// Table is what is shown in rows and columns.
type Table struct {
	Name  string // of what it lists: "providers"
	Heads []string
	Rows  [][]Cell // each as long as Heads
}

// Cell is what a row has in a column.
type Cell struct {
	Text  string
	Value json.Marshaler // what JSON has; nil for the text
}

// Names returns what a table can be written as, which is what its file ends with, too.
func Names() []string { return []string{"csv", "json", "yaml", "md"} }

// Write returns the table as one of Names; ok is false for another name.
func (t Table) Write(name string) (out []byte, ok bool, err error) {
	switch name {
	case "csv":
		out, err = t.csv()
	case "json":
		if out, err = t.json(); err == nil {
			var b bytes.Buffer
			err = json.Indent(&b, out, "", "  ")
			out = append(b.Bytes(), '\n')
		}
	case "yaml":
		if out, err = t.json(); err == nil {
			out, err = YAML(out)
		}
	case "md":
		out = t.markdown()
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, fmt.Errorf("write %s: %w", name, err)
	}
	return out, true, nil
}

func (t Table) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	record := make([]string, len(t.Heads))
	write := func(text func(i int) string) error {
		for i := range record {
			record[i] = CSVCell(text(i))
		}
		return w.Write(record)
	}
	err := write(func(i int) string { return t.Heads[i] })
	for _, row := range t.Rows {
		if err == nil {
			err = write(func(i int) string { return row[i].Text })
		}
	}
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return b.Bytes(), err
}

// json returns a list of objects, each with the heads as its members.
func (t Table) json() ([]byte, error) {
	out := []byte{'['}
	for r, row := range t.Rows {
		if r > 0 {
			out = append(out, ',')
		}
		out = append(out, '{')
		for i, c := range row {
			if i > 0 {
				out = append(out, ',')
			}
			head, err := asJSON(t.Heads[i])
			if err != nil {
				return nil, err
			}
			var value any = c.Text
			if c.Value != nil {
				value = c.Value
			}
			doc, err := asJSON(value)
			if err != nil {
				return nil, err
			}
			out = append(append(append(out, head...), ':'), doc...)
		}
		out = append(out, '}')
	}
	return versioned.EscapeUnseen(append(out, ']')), nil
}

// asJSON is json.Marshal, but keeps <, > and & as they are.
func asJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// markdown returns a table as GitHub and many issue trackers render it, padded so that
// its source is readable too.
func (t Table) markdown() []byte {
	widths := make([]int, len(t.Heads))
	lines := [][]string{slices.Clone(t.Heads)}
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, c := range row {
			line[i] = c.Text
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		for i := range line {
			line[i] = strings.ReplaceAll(strings.ReplaceAll(Harmless(line[i]), `\`, `\\`), "|", `\|`)
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]), 3)
		}
	}
	var b bytes.Buffer
	for n, line := range lines {
		for i, text := range line {
			fmt.Fprintf(&b, "| %-*s ", widths[i], text)
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
	return b.Bytes()
}

// Harmless returns text without what a terminal acts on.
func Harmless(text string) string {
	var prev rune
	return strings.Map(func(r rune) rune {
		if versioned.Unseen(r) && !versioned.Joins(prev, r) {
			r = unicode.ReplacementChar
		}
		prev = r
		return r
	}, text)
}

// Pasteable returns text as it may be pasted into a terminal: without what a shell's line
// editor or the terminal acts on, but with its lines and tabs.
func Pasteable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// CSVCell returns text as a cell of CSV: harmless, and with an apostrophe before what a
// spreadsheet would take for a formula. Numbers below zero stay numbers.
//
// Source: OWASP, CSV Injection.
func CSVCell(text string) string {
	text = Harmless(text)
	first, size := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20", first) || len(text) == size || isNumber(text) {
		return text
	}
	return "'" + text
}

// isNumber reports whether text is a number in digits: with a sign, a point, an
// exponent or without.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "+-.0123456789eE") == ""
}
