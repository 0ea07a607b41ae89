package candidates

import (
	"fmt"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// ErrorCode is the code that Placement gives an error about a query from microversion
// 1.23. Codes are never changed or reused.
type ErrorCode string

// The codes of errors about queries.
//
// Source: placement/errors.py.
const (
	CodeUndefined    ErrorCode = "placement.undefined_code"
	CodeDuplicateKey ErrorCode = "placement.query.duplicate_key"
	CodeBadValue     ErrorCode = "placement.query.bad_value"
	CodeMissingValue ErrorCode = "placement.query.missing_value"
)

// ParseError reports what is wrong with a query, and where. It matches
// placement.ErrInvalid.
type ParseError struct {
	Param  string // the parameter, such as "required_GPU"; "" if the error is about none
	Column int    // the first character at fault, counted from 1 in the text that was parsed; 0 for a query made by hand
	Why    string
	Code   ErrorCode

	// Upstream says it as Placement does, for clients of its API that look for those
	// words; "" where none do.
	Upstream string
}

func (e *ParseError) Error() string {
	switch {
	case e.Param != "" && e.Column > 0:
		return fmt.Sprintf("query, column %d: %s: %s", e.Column, e.Param, e.Why)
	case e.Param != "":
		return fmt.Sprintf("query: %s: %s", e.Param, e.Why)
	case e.Column > 0:
		return fmt.Sprintf("query, column %d: %s", e.Column, e.Why)
	}
	return "query: " + e.Why
}

// Is reports whether target is placement.ErrInvalid.
func (e *ParseError) Is(target error) bool { return target == placement.ErrInvalid }

func undefined(param, format string, args ...any) *ParseError {
	return &ParseError{Param: param, Why: fmt.Sprintf(format, args...), Code: CodeUndefined}
}

// upstream sets what Placement says of e.
//
// Source: placement/lib.py, placement/util.py; the parts that clients look for,
// placement/tests/functional/gabbits.
func (e *ParseError) upstream(format string, args ...any) *ParseError {
	e.Upstream = fmt.Sprintf(format, args...)
	return e
}

func tooOld(param string, has, needs microversion.Placement, what string) *ParseError {
	return undefined(param, "%s needs microversion %s, but this query uses %s", what, needs, has)
}
