package ops

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// exportFormat is the version of an export: of its header and of how its lines
// follow each other. Each line has the version of its record beside.
const exportFormat = 1

// Limits of what ReadExport takes.
const (
	maxExportLine    = 64 << 20 // bytes
	maxExportRecords = 20_000_000
)

// header is the first line of an export. The count of records tells a whole export
// from one that was cut off.
type header struct {
	Format  int `json:"placetop_export"`
	Records int `json:"records"`
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

// ErrNotExport is matched by errors about a file that is no export of placetop, or
// not a whole one.
var ErrNotExport = errors.New("not an export of placetop")

// ExportError reports what is wrong with an export, and in which line.
type ExportError struct {
	Line int // from 1
	Err  error
}

// Error implements error.
func (e *ExportError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *ExportError) Unwrap() error { return e.Err }

// ReadExport reads what Export has written. Empty lines are skipped. The error is
// an ExportError, which matches ErrNotExport, versioned.ErrNewer for an export or
// a record of a newer placetop, or versioned.ErrMalformed; or that of r.
func ReadExport(r io.Reader) ([]versioned.Record, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxExportLine)
	codec := cloud.NewCodec()
	var (
		records []versioned.Record
		head    *header
		line    int
	)
	seen := map[string]int{} // line of each record, by kind and key
	fail := func(err error) ([]versioned.Record, error) { return nil, &ExportError{Line: line, Err: err} }
	for in.Scan() {
		line++
		b := bytes.TrimSpace(in.Bytes())
		if len(b) == 0 {
			continue
		}
		if head == nil {
			h, err := readHeader(b)
			if err != nil {
				return fail(err)
			}
			head = h
			continue
		}
		rec, err := codec.DecodeJSON(b)
		if err != nil {
			return fail(err)
		}
		if len(records) == head.Records {
			return fail(fmt.Errorf("the header promises %d records, here is one more: %w", head.Records, ErrNotExport))
		}
		key := string(rec.RecordKind()) + " " + string(rec.RecordKey())
		if first, twice := seen[key]; twice {
			return fail(fmt.Errorf("%s stands in line %d already: %w", versioned.Change{After: rec}.Title(), first, versioned.ErrMalformed))
		}
		seen[key] = line
		records = append(records, rec)
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		line++
		return fail(fmt.Errorf("longer than %d bytes: %w", maxExportLine, ErrNotExport))
	case err != nil:
		return nil, fmt.Errorf("read the export after line %d: %w", line, err)
	case head == nil:
		return nil, &ExportError{Line: 1, Err: fmt.Errorf("nothing in it: %w", ErrNotExport)}
	case len(records) != head.Records:
		return fail(fmt.Errorf("it ends after %d of %d records, cut off: %w", len(records), head.Records, ErrNotExport))
	}
	return records, nil
}

// readHeader reads the first line.
func readHeader(b []byte) (*header, error) {
	var h header
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&h); err != nil || h.Format < 1 {
		return nil, fmt.Errorf(`it does not begin with {"placetop_export":%d,...}: %w`, exportFormat, ErrNotExport)
	}
	if h.Format > exportFormat {
		return nil, fmt.Errorf("export of format %d, this placetop reads up to %d: %w; use a newer placetop", h.Format, exportFormat, versioned.ErrNewer)
	}
	if h.Records < 0 || h.Records > maxExportRecords {
		return nil, fmt.Errorf("%d records, 0 to %d are possible: %w", h.Records, maxExportRecords, ErrNotExport)
	}
	return &h, nil
}
