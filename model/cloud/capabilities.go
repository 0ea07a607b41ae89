package cloud

import (
	"context"
	"fmt"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Capabilities says which operations a store can carry out. The zero value can carry out
// all. Stores refuse by it, actions are offered by it.
type Capabilities struct {
	// ReadOnly is why nothing can be written, "" if something can.
	ReadOnly string
	// Cannot returns why an operation cannot be carried out, "" if it can; nil if each
	// one can. It depends only on the kind of the operation, so that the zero value of a
	// verb asks about all of its kind: whether the cloud allows what it says is for Apply
	// to tell.
	Cannot func(op Op) string
	// Servers is set if a real Nova runs the instances: it is asked for what happens to
	// them, and nobody else writes that.
	Servers *Servers
	// AsksOwners says that before a claim is released its owner is asked: what others run may
	// be there, however it looks from here.
	AsksOwners bool
	// Quotas asks how much a project may have, and has; nil if nobody knows.
	Quotas func(ctx context.Context, project string) ([]*nova.Quota, error)
}

// Servers is how the Nova of a cloud is asked to do something with an instance.
type Servers struct {
	Minor int // of the newest microversion 2.N that it is spoken to at
	// Cannot returns why an action cannot be requested, by its name in the API, such as
	// "resize"; "" if it may be.
	Cannot func(action string) string
	// Actions asks what was done last with an instance, the newest first; nil if unknown.
	Actions func(ctx context.Context, instance placement.ConsumerID) ([]nova.Action, error)
}

// Can returns an *UnsupportedError for the first of ops that cannot be carried out,
// nil if all can. Without ops it tells whether anything can be written.
func (c Capabilities) Can(ops ...Op) error {
	if c.ReadOnly != "" {
		return &UnsupportedError{Why: c.ReadOnly}
	}
	if c.Cannot == nil {
		return nil
	}
	for _, op := range ops {
		if why := c.Cannot(op); why != "" {
			return &UnsupportedError{Op: op, Why: why}
		}
	}
	return nil
}

// UnsupportedError reports that a store cannot carry out an operation, or none. It
// matches placement.ErrUnsupported.
type UnsupportedError struct {
	Op  Op // nil if nothing can be written
	Why string
}

func (e *UnsupportedError) Error() string {
	if e.Op == nil {
		return "nothing can be written: " + e.Why
	}
	return "this cannot be written here: " + e.Why
}

// Is reports whether target is placement.ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return target == placement.ErrUnsupported }

// OwnerError reports that a claim was not released: its owner still exists, or it is not
// known whether it does. It matches placement.ErrState.
type OwnerError struct {
	Owner string // the name of the server, or the uuid of the consumer
	Lives bool   // else it is not known
	Why   string // what was asked, and answered
}

func (e *OwnerError) Error() string {
	if e.Lives {
		return fmt.Sprintf("nothing of %s is released, as it still exists: %s", e.Owner, e.Why)
	}
	return fmt.Sprintf("nothing of %s is released, as it is not known whether it still exists: %s", e.Owner, e.Why)
}

// Unwrap returns placement.ErrState.
func (*OwnerError) Unwrap() error { return placement.ErrState }

// ClaimantError reports that nothing was allocated to a server, or taken from it, as it may not be
// what it was listed as.
type ClaimantError struct {
	Consumer placement.ConsumerID
	Name     string
	Err      error // why
}

func (e *ClaimantError) Error() string {
	return "the allocations of " + e.Name + " are left alone, as " + e.Err.Error()
}

// Unwrap returns why.
func (e *ClaimantError) Unwrap() error { return e.Err }

// StatusError reports that the trait of whether a host is disabled was not written, as Nova does not
// say whether it is.
type StatusError struct {
	Host string
	Err  error // why
}

func (e *StatusError) Error() string {
	return string(placement.ComputeStatusDisabled) + " of " + e.Host + " is left as it is, as it is not known whether nova-compute is disabled there: " + e.Err.Error()
}

// Unwrap returns why.
func (e *StatusError) Unwrap() error { return e.Err }

// GivenUpError reports that a provider was not deleted, taken from its owner or emptied: it is in
// use, or it is not known whether it is. It matches placement.ErrState.
type GivenUpError struct {
	Provider placement.ProviderID
	Name     string
	Used     bool // else it is not known
	Why      string
}

func (e *GivenUpError) Error() string { return e.Name + " " + e.Left() }

// Left says that the provider is left, and why.
func (e *GivenUpError) Left() string {
	if e.Used {
		return "is left as it is, as it is in use: " + e.Why
	}
	return "is left as it is, as it is not known whether it is in use: " + e.Why
}

// Unwrap returns placement.ErrState.
func (*GivenUpError) Unwrap() error { return placement.ErrState }
