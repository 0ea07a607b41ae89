package placement

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/versioned"
)

// Kinds of errors. Callers test for them with errors.Is, and read the facts from the
// error types below with errors.As.
var (
	ErrNotFound    = errors.New("not found")
	ErrExists      = errors.New("already exists")
	ErrConflict    = errors.New("generation conflict")
	ErrState       = errors.New("not possible in this state")
	ErrInUse       = errors.New("in use")
	ErrInvalid     = errors.New("invalid")
	ErrCapacity    = errors.New("does not fit")
	ErrUnsupported = errors.New("not supported")
	ErrUnavailable = errors.New("unavailable")
)

// NotFoundError reports that something named does not exist. It matches
// ErrNotFound.
type NotFoundError struct {
	What string // "resource provider", "consumer", "resource class", "trait", "inventory"
	Name string
	Like []string // names that look like Name, if any
}

// NotFound returns the error that there is no what called name.
func NotFound(what, name string) *NotFoundError { return &NotFoundError{What: what, Name: name} }

func (e *NotFoundError) Error() string {
	return e.What + " " + e.Name + " does not exist" + e.Hint()
}

// Hint asks whether a name like it was meant; "" if there is none.
func (e *NotFoundError) Hint() string {
	if len(e.Like) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(e.Like, ", ") + "?)"
}

// Is reports whether target is ErrNotFound.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// ExistsError reports that a name or uuid is taken. It matches ErrExists.
type ExistsError struct {
	What   string // "resource provider", "resource class", "inventory"
	Field  string // "name" or "uuid"
	Value  string
	Holder ProviderID // the provider that holds it, if a provider does
}

func (e *ExistsError) Error() string {
	s := fmt.Sprintf("conflicting %s %s: %s already exists", e.What, e.Field, e.Value)
	if e.Field == "name" && !e.Holder.IsZero() {
		s += " (uuid " + e.Holder.String() + ")"
	}
	return s
}

// Is reports whether target is ErrExists.
func (e *ExistsError) Is(target error) bool { return target == ErrExists }

// ConflictError reports that another writer was faster: the generation that this
// writer saw is no longer the current one. It matches ErrConflict. The way out is to
// read and decide again, never to repeat the write.
type ConflictError struct {
	What   string // "resource provider" or "consumer"
	ID     string
	Name   string // of a provider
	Expect Expect
	Has    int64 // the current generation; -1 if the thing does not exist
}

func (e *ConflictError) Error() string {
	name := e.ID
	if e.Name != "" {
		name = e.Name
	}
	has := "null"
	if e.Has >= 0 {
		has = strconv.FormatInt(e.Has, 10)
	}
	if e.What == "consumer" {
		return fmt.Sprintf("consumer %s: consumer generation conflict - expected %s but got %s", name, has, e.Expect)
	}
	return fmt.Sprintf("%s %s: generation conflict: it is at %s, the change expected %s; read it again", e.What, name, has, e.Expect)
}

// Is reports whether target is ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// StaleError reports that a record is no longer what a change of records expected. It
// matches ErrConflict.
type StaleError struct {
	Change versioned.Change // what was to be done
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has been changed in the meantime: %v", e.Change.Title(), ErrConflict)
}

// Is reports whether target is ErrConflict.
func (e *StaleError) Is(target error) bool { return target == ErrConflict }

// StateError reports that the state of something does not allow what was asked for,
// however often it is tried: that state must change first. It matches ErrState.
type StateError struct {
	Why string
}

// StateErrorf returns a *StateError whose Why is formatted as fmt.Sprintf does.
func StateErrorf(format string, args ...any) error {
	return &StateError{Why: fmt.Sprintf(format, args...)}
}

func (e *StateError) Error() string { return e.Why }

// Is reports whether target is ErrState.
func (e *StateError) Is(target error) bool { return target == ErrState }

// InUseError reports that something cannot be removed because of what depends on
// it. It matches ErrInUse.
type InUseError struct {
	What      string // what was to be removed
	Name      string
	Classes   []ResourceClass // of which inventories were to be removed
	Children  []string        // names of child providers
	Consumers []ConsumerID    // some consumers that hold allocations, at most ten
	Called    []string        // the names of these consumers; nil if only their uuids are known
	More      int             // further consumers beyond those
	Providers []string        // names of some providers that use a class or trait, at most ten
}

func (e *InUseError) Error() string {
	var by []string
	if n := len(e.Children); n > 0 {
		by = append(by, words.Count(n, "child provider")+" ("+list(e.Children)+")")
	}
	if n := len(e.Consumers) + e.More; n > 0 {
		called := e.Called
		if called == nil {
			for _, c := range e.Consumers {
				called = append(called, c.String())
			}
		}
		by = append(by, "allocations of "+words.Count(n, "consumer")+" ("+list(called)+")")
	}
	if n := len(e.Providers); n > 0 {
		by = append(by, "provider "+list(e.Providers))
	}
	return fmt.Sprintf("%s %s is in use by %s", e.What, e.Name, strings.Join(by, " and "))
}

// Is reports whether target is ErrInUse.
func (e *InUseError) Is(target error) bool { return target == ErrInUse }

// InvalidError reports a value that would be wrong in any state of the cloud. It
// matches ErrInvalid.
type InvalidError struct {
	Field string
	Value string
	Why   string
}

// Invalid returns the error that a field may not have a value, and why.
func Invalid(field, value, why string) *InvalidError {
	return &InvalidError{Field: field, Value: value, Why: why}
}

func (e *InvalidError) Error() string {
	if e.Value == "" {
		return e.Field + ": " + e.Why
	}
	return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Why)
}

// Is reports whether target is ErrInvalid.
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

// CapacityError reports that a claim does not fit. It matches ErrCapacity.
type CapacityError struct {
	Consumer ConsumerID
	Provider ProviderID
	Name     string // of the provider
	Class    ResourceClass
	Asked    int64 // units of Class by all consumers of the change together
	Free     int64 // capacity less the usage of all other consumers; negative when over-full
	Rule     Refusal
	Has      Inventory // the zero value where Rule is NoInventory
}

func (e *CapacityError) Error() string {
	where := fmt.Sprintf("%s on %s", e.Class, e.Name)
	switch e.Rule {
	case NoInventory:
		return fmt.Sprintf("%s has no inventory of %s", e.Name, e.Class)
	case BelowMinUnit:
		return fmt.Sprintf("%s: %d is below min_unit %d", where, e.Asked, e.Has.MinUnit)
	case AboveMaxUnit:
		return fmt.Sprintf("%s: %d is above max_unit %d", where, e.Asked, e.Has.MaxUnit)
	case OffStep:
		return fmt.Sprintf("%s: %d is not a multiple of step_size %d", where, e.Asked, e.Has.StepSize)
	case NoRoom:
		return fmt.Sprintf("%s: needs %d, has %d free of %d", where, e.Asked, e.Free, e.Has.Capacity())
	}
	return where + ": " + string(e.Rule)
}

// Is reports whether target is ErrCapacity.
func (e *CapacityError) Is(target error) bool { return target == ErrCapacity }

func list(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", ..."
}
