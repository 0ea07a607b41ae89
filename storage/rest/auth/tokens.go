package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/rest"
)

// Tokens accepts the tokens in a file, one per line:
//
//	TOKEN USER ROLE[,ROLE...] [PROJECT]
//
// Roles are admin, service and reader. A reader without a project can read the whole
// cloud, one with a project the usages of that project; only a service can reshape. A #
// starts a comment.
//
// The file is read again once it has changed and then stayed the same for a second, as a
// file that is being written in place may be half there, with every line valid. If it is
// invalid, what was read before stays in force until it is valid again.
type Tokens struct {
	path  string
	known *diskfile.Watched[[]token]
}

// TokenOptions says how to watch a file of tokens.
type TokenOptions struct {
	Clock func() time.Time
	// Changed is called when the file was read again, with nil or why it is invalid. It
	// may be nil.
	Changed func(err error)
}

var _ Authenticator = (*Tokens)(nil)

// token is an accepted token, and its owner.
type token struct {
	sum [sha256.Size]byte
	who rest.Caller
}

// shortest is the least length of a token, so that it cannot be guessed.
const shortest = 16

// mostBytes is how large a file of tokens may be.
const mostBytes = 1 << 20

// ReadTokens reads the file of tokens at path. Errors are of type *diskfile.LineError, or
// the system's.
func ReadTokens(path string, o TokenOptions) (*Tokens, error) {
	watch := diskfile.WatchOptions{Paths: []string{path}, Clock: o.Clock, Settle: true, Changed: o.Changed}
	known, err := diskfile.Watch(watch, func() ([]token, error) { return readTokens(path) })
	if err != nil {
		return nil, err
	}
	return &Tokens{path, known}, nil
}

// readTokens reads a file, which other users must not be able to read.
func readTokens(path string) ([]token, error) {
	text, err := diskfile.Secret(mostBytes, "replace the tokens if somebody may have read them").Read(path)
	if err != nil {
		return nil, err
	}
	return parseTokens(path, text)
}

// parseTokens parses the lines of a file of tokens. Errors do not quote tokens.
func parseTokens(path string, text []byte) ([]token, error) {
	var out []token
	for n, line := range diskfile.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		refused := func(format string, args ...any) error {
			return &diskfile.LineError{Path: path, Line: n, Why: fmt.Sprintf(format, args...), Hint: "each line is: TOKEN USER ROLE[,ROLE...] [PROJECT]"}
		}
		if len(words) < 3 || len(words) > 4 {
			return nil, refused("has %d words, not 3 or 4", len(words))
		}
		if len(words[0]) < shortest {
			return nil, refused("the token has %d characters, fewer than %d", len(words[0]), shortest)
		}
		k := token{sum: sha256.Sum256([]byte(words[0])), who: rest.Caller{User: words[1], Roles: splitRoles(words[2])}}
		if len(k.who.Roles) == 0 {
			return nil, refused("names no role")
		}
		for _, role := range k.who.Roles {
			if !slices.Contains([]string{rest.RoleAdmin, rest.RoleService, rest.RoleReader}, role) {
				return nil, refused("role %q is not one of admin, service and reader", role)
			}
		}
		if len(words) == 3 {
			k.who.Reader = slices.Contains(k.who.Roles, rest.RoleReader)
		} else {
			k.who.Project = words[3]
		}
		if slices.ContainsFunc(out, func(o token) bool { return o.sum == k.sum }) {
			return nil, refused("has the same token as an earlier line")
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		return nil, &diskfile.LineError{Path: path, Why: "has no token", Hint: "add a line: TOKEN USER ROLE[,ROLE...] [PROJECT]"}
	}
	return out, nil
}

// Authenticate implements Authenticator. How long it takes tells nothing about the
// tokens: digests are compared, and all of them, in constant time.
func (t *Tokens) Authenticate(r *http.Request) (rest.Caller, bool, error) {
	given := r.Header.Get(TokenHeader)
	if given == "" {
		return rest.Caller{}, false, nil
	}
	sum := sha256.Sum256([]byte(given))
	known := t.known.Current()
	found := -1
	for i := range known {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], known[i].sum[:]), i, found)
	}
	if found < 0 {
		return rest.Caller{}, false, nil
	}
	return known[found].who, true, nil
}

// Words implements Authenticator.
func (t *Tokens) Words() string {
	n := map[string]int{}
	for _, k := range t.known.Current() {
		switch {
		case slices.Contains(k.who.Roles, rest.RoleAdmin), slices.Contains(k.who.Roles, rest.RoleService):
			n["write"]++
		default:
			n["read"]++
		}
	}
	return fmt.Sprintf("%d of the tokens in %s may write, %d may only read", n["write"], t.path, n["read"])
}
