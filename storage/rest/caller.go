package rest

import (
	"context"
	"slices"
)

// Caller is the sender of a request, as established by whoever authenticated it.
type Caller struct {
	User    string // the id that the journal keeps as the author of a change
	Project string // the id of the project that the token is for; "" for none
	Roles   []string
	// System says that the token is for the whole system, not for a project. The policies
	// are about roles in a project.
	System bool
	// Reader says that the caller may read everything, whatever the roles: for tokens of
	// our own, as the policies have no role for those who only look.
	Reader bool
}

// Names of roles in the policies.
const (
	RoleAdmin   = "admin"
	RoleService = "service"
	RoleReader  = "reader"
)

type callerKey struct{}

// WithCaller returns a context that holds the sender of the request.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the sender of the request of ctx, and false where ctx has none.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

type requestIDKey struct{}

// WithRequestID returns a context in which the request has the id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// has reports whether c has one of roles.
func (c Caller) has(roles ...string) bool {
	return slices.ContainsFunc(roles, func(r string) bool { return slices.Contains(c.Roles, r) })
}

// policy says who may do something.
//
// Source: placement/policies/base.py, and the rules of each noun beside it.
type policy int

const (
	writer        policy = iota // admins and services
	reader                      // and whoever may read everything
	projectReader               // and readers of the project in question
	service                     // only services
)

// allows reports whether p lets c do something; project returns the project that it
// concerns.
func (p policy) allows(c Caller, project func() string) bool {
	switch {
	case c.System:
		return false
	case p == service:
		return c.has(RoleService)
	case c.has(RoleAdmin, RoleService):
		return true
	case p == writer:
		return false
	case c.Reader:
		return true
	}
	return p == projectReader && c.has(RoleReader) && c.Project != "" && c.Project == project()
}
