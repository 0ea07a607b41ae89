// Package print writes what commands answer: tables for people, and JSON, YAML and CSV
// for programs.
package print

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	textfmt "github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/tui/style"
)

// Format is the format of printed data.
type Format string

// The formats.
const (
	Table Format = "table" // aligned columns for people
	Wide  Format = "wide"  // the same with more columns
	JSON  Format = "json"
	YAML  Format = "yaml"
	CSV   Format = "csv" // the columns of wide, RFC 4180, for spreadsheets
)

// Lists returns the formats of lists.
func Lists() []Format { return []Format{Table, Wide, JSON, YAML, CSV} }

// Documents returns the formats of anything else.
func Documents() []Format { return []Format{Table, JSON, YAML} }

// Printer prints data. It leaves errors of W to W, which is to keep the first one.
type Printer struct {
	W        io.Writer
	Format   Format
	Styles   *style.Styles
	Terminal bool // W is a terminal; otherwise only text is written
}

// Structured reports whether documents are printed as a whole.
func (p *Printer) Structured() bool { return p.Format == JSON || p.Format == YAML }

// People reports whether tables are printed.
func (p *Printer) People() bool { return p.Format == Table || p.Format == Wide }

// List prints a list in the printer's format: rows as a document, or else the table of
// them.
func (p *Printer) List(rows any, t *List) {
	switch {
	case p.Structured():
		if v := reflect.ValueOf(rows); v.Kind() == reflect.Slice && v.Len() == 0 {
			rows = []int{} // [], and not null
		}
		p.Value(rows)
	case p.Format == CSV:
		p.csv(t)
	default:
		p.table(t)
	}
}

// Report prints a document, or for people its tables.
func (p *Printer) Report(doc any, tables ...*List) {
	if p.Structured() {
		p.Value(doc)
		return
	}
	p.Tables(tables...)
}

// Tables prints the tables that have rows, with an empty line between them.
func (p *Printer) Tables(tables ...*List) {
	first := true
	for _, t := range tables {
		if len(t.rows) == 0 {
			continue
		}
		if !first {
			p.Lines("")
		}
		first = false
		p.table(t)
	}
}

// Lines prints lines of text, made harmless.
func (p *Printer) Lines(text ...string) {
	for _, l := range text {
		_, _ = io.WriteString(p.W, textfmt.Harmless(l)+"\n")
	}
}

// Value prints v as YAML, or else as JSON.
func (p *Printer) Value(v any) {
	doc, err := marshal(v)
	if err == nil && p.Format == YAML {
		doc, err = textfmt.YAML(doc)
	} else if err == nil {
		var indented bytes.Buffer
		err = json.Indent(&indented, doc, "", "  ")
		indented.WriteByte('\n')
		doc = indented.Bytes()
	}
	if err != nil { // v is of a type of ours that JSON cannot represent
		panic(fmt.Sprintf("write %s: %v", p.Format, err))
	}
	_, _ = p.W.Write(doc)
}

// marshal is json.Marshal, except that it keeps <, > and &, and escapes control
// characters that JSON allows but terminals obey.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return versioned.EscapeUnseen(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// csv prints all columns of a table with a heading.
func (p *Printer) csv(t *List) {
	w := csv.NewWriter(p.W)
	record := make([]string, len(t.columns))
	for i, c := range t.columns {
		record[i] = c.name
	}
	_ = w.Write(record)
	for _, row := range t.rows {
		for i := range record {
			record[i] = textfmt.CSVCell(row[i].Text)
		}
		_ = w.Write(record)
	}
	w.Flush()
}
