package kinds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
)

// WhereError reports a filter that cannot be read. It matches placement.ErrInvalid and
// its cause, a *filter.Error.
type WhereError struct {
	Expr  string
	Cause error
}

// Error returns what is wrong, and where: columns are hard to count.
func (e *WhereError) Error() string {
	var at *filter.Error
	if !errors.As(e.Cause, &at) {
		return e.Cause.Error()
	}
	runes := []rune(e.Expr)
	rest := "the end"
	if at.Col <= len(runes) {
		rest = strconv.Quote(string(runes[at.Col-1:]))
	}
	text := fmt.Sprintf("column %d, at %s: %s", at.Col, rest, at.What)
	if at.Hint != "" {
		text += ": " + at.Hint
	}
	return text
}

// Unwrap returns placement.ErrInvalid and the cause.
func (e *WhereError) Unwrap() []error { return []error{placement.ErrInvalid, e.Cause} }

// SortError reports an order by a field that no row has. It matches
// placement.ErrInvalid.
type SortError struct {
	Field string
	Known []string
}

// Error returns what is wrong, and what there is.
func (e *SortError) Error() string {
	return fmt.Sprintf("unknown field %q: the fields are %s", e.Field, strings.Join(e.Known, ", "))
}

// Unwrap returns placement.ErrInvalid.
func (e *SortError) Unwrap() error { return placement.ErrInvalid }

// NameError reports a name that fits no thing, or several. It matches
// placement.ErrInvalid.
type NameError struct {
	What string // what is wrong
	Hint string // what to say instead
}

// Error returns what is wrong and what to do, in one line.
func (e *NameError) Error() string { return e.What + "; " + e.Hint }

// Unwrap returns placement.ErrInvalid.
func (e *NameError) Unwrap() error { return placement.ErrInvalid }
