package config

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// Error is a setting that is wrong, and what is right. It matches placement.ErrInvalid.
type Error struct {
	err  error
	hint string // in the imperative; may be empty
}

// usageErrorf returns an error about a setting; hint says what is right.
func usageErrorf(hint, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), hint}
}

func (e *Error) Error() string {
	if e.hint == "" {
		return e.err.Error()
	}
	return e.err.Error() + "; " + e.hint
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.err }

// Is reports whether target is placement.ErrInvalid.
func (e *Error) Is(target error) bool { return target == placement.ErrInvalid }
