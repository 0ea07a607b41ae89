package api

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Code is the kind of an error, in its body from microversion 1.23. Codes are never
// changed or reused.
//
// Source: placement/errors.py.
type Code string

// The codes with which a write is refused.
const (
	Undefined        Code = "placement.undefined_code"
	ConcurrentUpdate Code = "placement.concurrent_update"
	DuplicateName    Code = "placement.duplicate_name"
	InventoryInUse   Code = "placement.inventory.inuse"
	ProviderInUse    Code = "placement.resource_provider.inuse"
	ParentInUse      Code = "placement.resource_provider.cannot_delete_parent"
	ProviderNotFound Code = "placement.resource_provider.not_found"
)

// Answer is what Placement answers to a Call.
type Answer struct {
	Status int  // HTTP status
	Code   Code // of a refusal; "" if the request succeeded
}

// String returns a as "409 placement.concurrent_update".
func (a Answer) String() string {
	return strings.TrimSpace(strconv.Itoa(a.Status) + " " + string(a.Code))
}

// The HTTP statuses of answers.
const (
	statusOK          = 200
	statusCreated     = 201
	statusAccepted    = 202
	statusNoContent   = 204
	statusBadRequest  = 400
	statusForbidden   = 403
	statusNotFound    = 404
	statusConflict    = 409
	statusFault       = 500
	statusUnavailable = 503
)

// created returns the answer to a Call that creates a resource class or a trait, which must
// be a custom one.
func created(name string, there bool) Answer {
	switch {
	case !strings.HasPrefix(name, "CUSTOM_"):
		return Answer{statusBadRequest, Undefined}
	case there:
		return Answer{Status: statusNoContent}
	}
	return Answer{Status: statusCreated}
}

// AnswerTo returns Placement's answer to the Call for op, given the error err of a ledger for
// it: nil for success. Something missing is a 404 if it is in the path, and a 400 if it is in
// the body.
//
// Source: placement/handlers/.
func AnswerTo(ledger *placement.Snapshot, op placement.Op, err error) Answer {
	if err == nil {
		if calls := (view{ledger: ledger}).placement(op).calls; len(calls) > 0 {
			return calls[0].Answer
		}
	}
	if op, ok := op.(placement.SetInventory); ok && errors.Is(err, placement.ErrInvalid) {
		if _, known := ledger.ClassID(op.Class); !known { // which is in the path
			return Answer{statusNotFound, Undefined}
		}
	}
	var use *placement.InUseError
	var missing *placement.NotFoundError
	var exists *placement.ExistsError
	switch {
	case errors.As(err, &use):
		return Answer{statusConflict, inUse(op, use)}
	case errors.As(err, &missing):
		return notFound(view{ledger: ledger}.placement(op), op, missing)
	case errors.As(err, &exists) && exists.What == "resource provider":
		return Answer{statusConflict, DuplicateName}
	case errors.As(err, &exists) && exists.What == "inventory", errors.Is(err, placement.ErrConflict):
		return Answer{statusConflict, ConcurrentUpdate}
	case errors.Is(err, placement.ErrExists), errors.Is(err, placement.ErrCapacity), errors.Is(err, placement.ErrState):
		return Answer{statusConflict, Undefined}
	case errors.Is(err, placement.ErrInvalid):
		return Answer{statusBadRequest, Undefined}
	case errors.Is(err, placement.ErrUnsupported):
		return Answer{statusForbidden, Undefined}
	case errors.Is(err, placement.ErrUnavailable):
		return Answer{statusUnavailable, Undefined}
	}
	return Answer{statusFault, Undefined}
}

// inUse returns the code for something that cannot be removed because it is in use.
// For a single inventory Placement answers with the code of a concurrent update.
//
// Source: placement/handlers/inventory.py, delete_inventory.
func inUse(op placement.Op, use *placement.InUseError) Code {
	switch {
	case use.What == "inventory" && is[placement.DeleteInventory](op):
		return ConcurrentUpdate
	case use.What == "inventory":
		return InventoryInUse
	case use.What == "resource provider" && len(use.Children) > 0:
		return ParentInUse
	case use.What == "resource provider":
		return ProviderInUse
	}
	return Undefined
}

// notFound returns the answer to a Call that names something which is not there.
func notFound(r row, op placement.Op, missing *placement.NotFoundError) Answer {
	inPath := slices.ContainsFunc(r.calls, func(c Call) bool { return strings.Contains(c.Path, url.PathEscape(missing.Name)) })
	switch {
	case is[placement.Reshape](op) && missing.What == "resource provider":
		return Answer{statusBadRequest, ProviderNotFound}
	case inPath, is[placement.DeleteInventory](op):
		return Answer{statusNotFound, Undefined}
	}
	return Answer{statusBadRequest, Undefined}
}
