package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	textfmt "github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// format is the format of printed data.
type format string

// The formats.
const (
	formatTable format = "table" // aligned columns for people
	formatWide  format = "wide"  // the same with more columns
	formatJSON  format = "json"
	formatYAML  format = "yaml"
	formatCSV   format = "csv" // the columns of wide, RFC 4180, for spreadsheets
)

// listFormats are the formats of lists; treeFormats those of anything else.
func listFormats() []format {
	return []format{formatTable, formatWide, formatJSON, formatYAML, formatCSV}
}

// outputFlag adds the flag -o with the given formats, the first of which is the default,
// to cmd.
func outputFlag(cmd *cobra.Command, formats []format) *format {
	f := formats[0]
	v := choose(&f, formats...)
	cmd.Flags().VarP(v, "output", "o", "print as "+v.list())
	return &f
}

// printer writes data to stdout.
type printer struct {
	w        io.Writer
	format   format
	styles   *style.Styles
	terminal bool // w is a terminal; otherwise only text is written
}

// column is one column of a list of T.
type column[T any] struct {
	name  string                   // as in JSON; the heading is the same in upper case
	wide  bool                     // left out of the plain table
	right bool                     // numbers
	cell  func(row T) string       // the value
	shown func(row T) string       // how tables show it, if not as the value itself
	token func(row T) themes.Token // its colour; nil for plain text
}

// printList prints rows, in the given order, in the printer's format. The rows are
// pointers, for all of which it is compiled once.
func printList[T any](p *printer, columns []column[T], rows []T) error {
	l := listing{doc: rows, rows: len(rows)}
	for _, c := range columns {
		l.columns = append(l.columns, listColumn{c.name, c.wide, c.right, func(row int) string { return c.cell(rows[row]) }, func(row int) cell {
			show := c.shown
			if show == nil {
				show = c.cell
			}
			out := cell{text: show(rows[row])}
			if c.token != nil {
				out.token = c.token(rows[row])
			}
			return out
		}})
	}
	return p.list(l)
}

// pointers returns pointers to rows, never nil.
func pointers[T any](rows []T) []*T {
	out := make([]*T, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	return out
}

// listing is rows in columns, by number.
type listing struct {
	doc     any // for JSON
	rows    int
	columns []listColumn
}

// listColumn is a column of a listing.
type listColumn struct {
	name        string
	wide, right bool
	value       func(row int) string // for CSV
	cell        func(row int) cell   // for tables
}

// list prints a listing in the printer's format.
func (p *printer) list(l listing) error {
	switch p.format {
	case formatJSON, formatYAML:
		return p.value(l.doc)
	case formatCSV:
		head := make([]string, len(l.columns))
		for i, c := range l.columns {
			head[i] = c.name
		}
		return p.csv(head, func(yield func([]string) bool) {
			for row := range l.rows {
				record := make([]string, len(l.columns))
				for i, c := range l.columns {
					record[i] = c.value(row)
				}
				if !yield(record) {
					return
				}
			}
		})
	case formatTable, formatWide:
	}
	t := table{styles: p.styles, terminal: p.terminal, rows: make([][]cell, l.rows)}
	for _, c := range l.columns {
		if c.wide && p.format != formatWide {
			continue
		}
		if c.right {
			t.right = append(t.right, len(t.head))
		}
		t.head = append(t.head, strings.ToUpper(strings.ReplaceAll(c.name, "_", " ")))
		for row := range l.rows {
			t.rows[row] = append(t.rows[row], c.cell(row))
		}
	}
	return t.write(p.w)
}

// rows prints rows of a kind, in the given order, in the printer's format.
func (p *printer) rows(a kinds.Answer) error {
	if p.format == formatJSON || p.format == formatYAML {
		return p.value(a.Records())
	}
	return p.list(p.listingOf(a))
}

// listingOf returns the listing of rows of a kind.
func (p *printer) listingOf(a kinds.Answer) listing {
	l := listing{rows: len(a.Rows)}
	var tree []string
	if a.Kind.Under != nil && !a.Sorted {
		tree = p.branches(a)
	}
	for i, c := range a.Kind.TableColumns() {
		value, shown := c.Get(a.At), c.Cell(a.At)
		wide := c.Wide || c.Filled && !c.Any(a.At, a.Rows)
		l.columns = append(l.columns, listColumn{c.Name, wide, c.Type.Number(), func(row int) string { return value(a.Rows[row]).String() }, func(row int) cell {
			text, grade := shown(a.Rows[row])
			out := cell{text: text, token: cellToken(c, i == 0, text, grade)}
			if i == 0 && tree != nil {
				out.text = tree[row] + text
			}
			return out
		}})
	}
	return l
}

// cellToken returns the colour of a cell.
func cellToken(c kinds.Column, first bool, text string, grade kinds.Grade) themes.Token {
	switch {
	case grade == kinds.Critical:
		return themes.Critical
	case grade == kinds.Warn:
		return themes.Warn
	case c.Type == kinds.Owner:
		owner, _ := placement.ParseOwner(text)
		return panel.Owner(owner).Token()
	case c.Type == kinds.ID && !first:
		return themes.Dim
	}
	return themes.Text
}

// branches returns the tree signs of rows below others. A row whose parent is not listed
// is drawn below its nearest listed ancestor.
func (p *printer) branches(a kinds.Answer) []string {
	g := p.styles.Glyphs
	levels := map[kinds.Row]int{}
	for _, row := range a.Rows {
		level := 0
		for up := a.Kind.Under(a.At, row); up != nil; up = a.Kind.Under(a.At, up) {
			if l, ok := levels[up]; ok {
				level = l + 1
				break
			}
		}
		levels[row] = level
	}
	out := make([]string, len(a.Rows))
	// more[l] says whether another row of level l comes before the next of a lower level.
	more := make([]bool, 0, 8)
	for i := len(a.Rows) - 1; i >= 0; i-- {
		level := levels[a.Rows[i]]
		for len(more) <= level {
			more = append(more, false)
		}
		var b strings.Builder
		for l := 1; l < level; l++ {
			if more[l] {
				b.WriteString(g.TreePipe)
			} else {
				b.WriteString(g.TreeBlank)
			}
		}
		if level > 0 {
			if more[level] {
				b.WriteString(g.TreeBranch)
			} else {
				b.WriteString(g.TreeLast)
			}
		}
		out[i] = b.String()
		more[level] = true
		clear(more[level+1:])
	}
	return out
}

// value prints v as JSON or YAML.
func (p *printer) value(v any) error {
	doc, err := marshalJSON(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", p.format, err)
	}
	if p.format == formatYAML {
		doc, err = textfmt.YAML(doc)
	} else {
		var indented bytes.Buffer
		err = json.Indent(&indented, doc, "", "  ")
		indented.WriteByte('\n')
		doc = indented.Bytes()
	}
	if err != nil {
		return err
	}
	_, err = p.w.Write(doc)
	return err
}

// marshalJSON is json.Marshal, except that it keeps <, > and &, and escapes control
// characters that JSON allows but terminals runCommand.
func marshalJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return versioned.EscapeUnseen(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// csv prints records with a heading.
func (p *printer) csv(head []string, records func(yield func([]string) bool)) error {
	w := csv.NewWriter(p.w)
	if err := w.Write(head); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for r := range records {
		for i := range r {
			r[i] = textfmt.CSVCell(r[i])
		}
		if err := w.Write(r); err != nil {
			return fmt.Errorf("write csv: %w", err)
		}
	}
	w.Flush()
	return w.Error()
}

// harmless replaces each invisible character that can mislead the reader or the terminal
// by a visible sign.
func harmless(text string) string {
	return textfmt.Harmless(text)
}

// cell is one cell of a table.
type cell struct {
	text  string
	token themes.Token
}

// render returns the text of c as it is printed. Signals have the colours of the palette.
// Everything else keeps the terminal's own, at most bold or dim: it is among other
// output, on an unknown background.
func (t table) render(c cell) string {
	var sgr string
	mark := component.DirectionMark(c.text)
	switch {
	case !t.terminal:
		return c.text
	case c.token.Signal():
		return mark + t.styles.Render(c.token, c.text) + mark
	case c.token == themes.Header || c.token == themes.Strong:
		sgr = "1"
	case c.token == themes.Dim:
		sgr = "2"
	default:
		return mark + c.text + mark
	}
	return mark + "\x1b[" + sgr + "m" + c.text + style.Reset + mark
}

// table is text in columns, each as wide as its widest cell.
type table struct {
	styles   *style.Styles
	terminal bool
	head     []string
	right    []int // the columns that are aligned to the right
	rows     [][]cell
}

// write prints the table. It makes texts harmless first: control characters are replaced
// by a sign.
func (t table) write(w io.Writer) error {
	widths := make([]int, len(t.head))
	for i, h := range t.head {
		widths[i] = component.Width(t.styles, h)
	}
	for _, row := range t.rows {
		for i := range row {
			row[i].text = component.Sanitize(t.styles, row[i].text)
			widths[i] = max(widths[i], component.Width(t.styles, row[i].text))
		}
	}
	out := bufio.NewWriter(w)
	head := make([]cell, len(t.head))
	for i, h := range t.head {
		head[i] = cell{text: h, token: themes.Header}
	}
	t.line(out, widths, head)
	for _, row := range t.rows {
		t.line(out, widths, row)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// blank writes the empty line between two tables.
func blank(p *printer) error {
	if _, err := io.WriteString(p.w, "\n"); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// section returns print, or nil if there are no rows.
func section[T any](rows []T, print func() error) func() error {
	if len(rows) == 0 {
		return nil
	}
	return print
}

// printSections prints tables with an empty line between them.
func printSections(out *printer, tables []func() error) error {
	first := true
	for _, print := range tables {
		if print == nil {
			continue
		}
		if !first {
			if err := blank(out); err != nil {
				return err
			}
		}
		first = false
		if err := print(); err != nil {
			return err
		}
	}
	return nil
}

// line prints one row, without spaces at its end. Errors are kept in out.
func (t table) line(out *bufio.Writer, widths []int, row []cell) {
	const gap = "  "
	owed := 0 // spaces to print before the next text
	for i, c := range row {
		if i > 0 {
			owed += len(gap)
		}
		free := widths[i] - component.Width(t.styles, c.text)
		if slices.Contains(t.right, i) {
			owed, free = owed+free, 0
		}
		if c.text != "" {
			_, _ = out.WriteString(strings.Repeat(" ", owed))
			_, _ = out.WriteString(t.render(c))
			owed = 0
		}
		owed += free
	}
	_ = out.WriteByte('\n')
}

// counted returns n with the noun: "1 finding", "2 findings".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Columns of several kinds.

func text[T any](name string, cell func(T) string) column[T] {
	return column[T]{name: name, cell: cell}
}

func wide[T any](c column[T]) column[T] {
	c.wide = true
	return c
}

func number[T any](name string, cell func(T) int64) column[T] {
	return column[T]{name: name, right: true, cell: func(row T) string { return fmt.Sprint(cell(row)) }}
}

// atLeast is number for a count of at least n, which tables show.
func atLeast[T any](name string, cell func(T) (n int, more bool)) column[T] {
	c := number(name, func(row T) int64 { n, _ := cell(row); return int64(n) })
	c.shown = func(row T) string {
		n, more := cell(row)
		return fmt.Sprint(n) + map[bool]string{true: " or more"}[more]
	}
	return c
}

func dim[T any](c column[T]) column[T] {
	c.token = func(T) themes.Token { return themes.Dim }
	return c
}

// stamp formats a time for tables and CSV, "" if it is unknown.
func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// known returns t, nil if it is zero.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// moment converts milliseconds since 1970, nil for 0.
func moment(ms int64) *time.Time {
	if ms == 0 {
		return nil
	}
	t := time.UnixMilli(ms).UTC()
	return &t
}
