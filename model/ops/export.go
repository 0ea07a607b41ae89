package ops

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/versioned"
)

// exportFormat is the version of an export: of its header and the order of its lines.
// Each line also has the version of its record.
const exportFormat = 1

// Limits of what ReadExport accepts.
const (
	maxExportLine    = 64 << 20 // bytes
	maxExportRecords = 20_000_000
)

// header is the first line of an export. The number of records shows whether an export is
// complete.
type header struct {
	Format  int `json:"placetop_export"`
	Records int `json:"records"`

	lost []string // fields that this program does not know
}

// Export writes s to w as JSON lines: a header, then one record on each line, in
// an order in which records refer to earlier ones only. Equal clouds give equal
// bytes. Errors are those of w.
func Export(w io.Writer, s *cloud.Snapshot) error {
	out := bufio.NewWriterSize(w, 1<<16)
	n := 0
	for range s.Records() {
		n++
	}
	line := func(b []byte, err error) error {
		if err != nil {
			return err
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
		return out.WriteByte('\n')
	}
	if err := line(json.Marshal(header{Format: exportFormat, Records: n})); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	codec := cloud.NewCodec()
	for r := range s.Records() {
		if err := line(codec.EncodeJSON(r)); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// ErrNotExport is matched by errors about a file that is not an export of placetop, or
// is incomplete.
var ErrNotExport = errors.New("not an export of placetop")

// ErrPartOfCloud is matched by errors about what clients and APIs of OpenStack print. They
// match ErrNotExport too.
var ErrPartOfCloud = fmt.Errorf("%w; what clients and APIs of OpenStack print is only a part of a cloud", ErrNotExport)

// ExportError reports what is wrong with an export, and on which line.
type ExportError struct {
	Line int // from 1
	Err  error
}

func (e *ExportError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *ExportError) Unwrap() error { return e.Err }

// ExportContents is what an export holds.
type ExportContents struct {
	Records []versioned.Record
	// Newer says which records a newer placetop has written, in versions that this one
	// can read, and which of their fields are left out.
	Newer []string
}

// ReadExport reads what Export has written. Empty lines are skipped. The error is
// an ExportError, which matches ErrNotExport, versioned.ErrNewer for an export or
// a record of a newer placetop, or versioned.ErrMalformed; or that of r.
func ReadExport(r io.Reader) (ExportContents, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxExportLine)
	e := exportReader{codec: cloud.NewCodec(), seen: map[string]int{}, newer: map[string]*newerRecords{}}
	for in.Scan() {
		e.line++
		if b := bytes.TrimSpace(in.Bytes()); len(b) > 0 {
			if err := e.add(b); err != nil {
				return ExportContents{}, &ExportError{Line: e.line, Err: err}
			}
		}
	}
	fail := func(line int, err error) (ExportContents, error) {
		return ExportContents{}, &ExportError{Line: line, Err: err}
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fail(e.line+1, fmt.Errorf("longer than %d bytes: %w", maxExportLine, ErrNotExport))
	case err != nil:
		return ExportContents{}, fmt.Errorf("read the export after line %d: %w", e.line, err)
	case e.head == nil:
		return fail(1, fmt.Errorf("nothing in it: %w", ErrNotExport))
	case len(e.records) != e.head.Records:
		return fail(e.line, fmt.Errorf("it ends after %d of %d records, cut off: %w", len(e.records), e.head.Records, ErrNotExport))
	}
	return ExportContents{Records: e.records, Newer: e.told()}, nil
}

// exportReader is an export that is being read.
type exportReader struct {
	codec   *versioned.Codec
	head    *header // nil before the first line
	line    int     // from 1
	records []versioned.Record
	seen    map[string]int           // line of each record, by kind and key
	newer   map[string]*newerRecords // by kind and version
}

// newerRecords are records of a newer version.
type newerRecords struct {
	records int
	lost    map[string]int // how many of them have a field that is left out, by its path
}

// add reads a line.
func (e *exportReader) add(b []byte) error {
	if e.head == nil {
		h, err := e.readHeader(b)
		e.head = h
		return err
	}
	rec, how, err := e.codec.ReadJSON(b)
	if err != nil {
		return err
	}
	if out := versioned.CheckBounds(rec); out != nil {
		return fmt.Errorf("%s: %w: %w", versioned.Title(rec), versioned.ErrMalformed, out)
	}
	if len(e.records) == e.head.Records {
		return fmt.Errorf("the header says %d records, and here is one more: %w", e.head.Records, ErrNotExport)
	}
	key := string(rec.RecordKind()) + " " + string(rec.RecordKey())
	if first, twice := e.seen[key]; twice {
		return fmt.Errorf("%s stands in line %d already: %w", versioned.Title(rec), first, versioned.ErrMalformed)
	}
	e.seen[key] = e.line
	if how.Newer {
		e.count(rec.RecordKind(), how)
	}
	e.records = append(e.records, rec)
	return nil
}

// count notes that a newer placetop wrote a record.
func (e *exportReader) count(kind versioned.Kind, how versioned.Reading) {
	knows, _ := e.codec.Schema(kind)
	what := fmt.Sprintf("%s of version %s, and this placetop knows %s", kind, how.Version, knows.Version)
	n := e.newer[what]
	if n == nil {
		n = &newerRecords{lost: map[string]int{}}
		e.newer[what] = n
	}
	n.records++
	for _, field := range how.Lost {
		n.lost[field]++
	}
}

// told says which records have newer versions, and what they lose.
func (e *exportReader) told() []string {
	const most = 5 // fields that are named
	var out []string
	if len(e.head.lost) > 0 {
		out = append(out, "the first line has fields that this placetop does not know; left out: "+words.First(e.head.lost, most))
	}
	for _, what := range slices.Sorted(maps.Keys(e.newer)) {
		n := e.newer[what]
		lost := "nothing of them is left out"
		if len(n.lost) > 0 {
			var fields []string
			for _, field := range slices.Sorted(maps.Keys(n.lost)) {
				fields = append(fields, fmt.Sprintf("%s (%s)", field, words.Count(n.lost[field], "record")))
			}
			lost = "left out: " + words.First(fields, most)
		}
		out = append(out, fmt.Sprintf("%s: %s; %s", words.Count(n.records, "record"), what, lost))
	}
	return out
}

// readHeader reads the first line.
func (e *exportReader) readHeader(b []byte) (*header, error) {
	var h header
	if err := json.Unmarshal(b, &h); err != nil || h.Format < 1 {
		if b[0] == '[' || b[0] == '{' && !bytes.Contains(b, []byte(`"kind"`)) {
			return nil, fmt.Errorf(`it does not begin with {"placetop_export":%d,...}: %w`, exportFormat, ErrPartOfCloud)
		}
		return nil, fmt.Errorf(`it does not begin with {"placetop_export":%d,...}: %w`, exportFormat, ErrNotExport)
	}
	if h.Format > exportFormat {
		return nil, fmt.Errorf("export of format %d, this placetop reads up to %d: %w; use a newer placetop", h.Format, exportFormat, versioned.ErrNewer)
	}
	var err error
	if h.lost, err = versioned.LostJSON(b, &h); err != nil {
		return nil, err
	}
	if h.Records < 0 || h.Records > maxExportRecords {
		return nil, fmt.Errorf("%d records, 0 to %d are possible: %w", h.Records, maxExportRecords, ErrNotExport)
	}
	return &h, nil
}
