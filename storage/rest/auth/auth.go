// Package auth finds out who sends a request to the Placement API: without a check
// (None), from a file of tokens (Tokens), or by asking Keystone. Package rest decides
// what the caller may do.
package auth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/placetop/placetop/storage/rest"
)

// Authenticator finds out who sends a request. It may be used from any goroutine.
type Authenticator interface {
	// Authenticate returns who sends r, and false if that is nobody known. The error says
	// why this cannot be found out now.
	Authenticate(r *http.Request) (rest.Caller, bool, error)
	// Words returns a few words on who may do what.
	Words() string
}

// TokenHeader is the header in which clients of OpenStack send their token.
const TokenHeader = "X-Auth-Token"

// None believes what a request says about its sender, as the service does with
// auth_strategy = noauth2: the token is "USER" or "USER:PROJECT", roles are those of
// X-Roles, and the user admin has the role admin where there is no such header. Here an
// admin is a service, too, as whoever may do anything may reshape.
//
// Source: placement/auth.py, NoAuthMiddleware; placement/policies/base.py, scope_types.
type None struct{}

var _ Authenticator = None{}

// Authenticate implements Authenticator.
func (None) Authenticate(r *http.Request) (rest.Caller, bool, error) {
	tokens, ok := r.Header[http.CanonicalHeaderKey(TokenHeader)]
	if !ok {
		return rest.Caller{}, false, nil
	}
	user, project, _ := strings.Cut(tokens[0], ":")
	if project == "" {
		project = user
	}
	if sent := r.Header.Get("X-Project-Id"); sent != "" {
		project = sent
	}
	c := rest.Caller{User: user, Project: project, System: r.Header.Get("Openstack-System-Scope") != ""}
	if roles, ok := r.Header["X-Roles"]; ok {
		c.Roles = splitRoles(strings.Join(roles, ","))
	} else if user == rest.RoleAdmin {
		c.Roles = []string{rest.RoleAdmin}
	}
	if slices.Contains(c.Roles, rest.RoleAdmin) && !slices.Contains(c.Roles, rest.RoleService) {
		c.Roles = append(c.Roles, rest.RoleService)
	}
	return c, true, nil
}

// Words implements Authenticator.
func (None) Words() string {
	return "anyone who can reach it may do anything: clients are not authenticated"
}

// splitRoles splits a comma-separated list of roles.
func splitRoles(list string) []string {
	var out []string
	for role := range strings.SplitSeq(list, ",") {
		if role = strings.TrimSpace(role); role != "" {
			out = append(out, role)
		}
	}
	return out
}

// MayRead reports whether c may read the metrics of the whole cloud.
func MayRead(c rest.Caller) bool {
	for _, role := range c.Roles {
		if role == rest.RoleAdmin || role == rest.RoleService || c.Reader || role == rest.RoleReader && c.System {
			return true
		}
	}
	return false
}
