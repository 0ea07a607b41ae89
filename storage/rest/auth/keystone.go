package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/placetop/placetop/storage/rest"
)

// Keystone asks a Keystone who a token belongs to. Each token authenticates the request
// about itself, which Keystone's policies allow: no service password is needed.
//
// An answer is kept until the token expires, but for no longer than keepFor, as a token
// may be revoked.
type Keystone struct {
	url    string // up to and including /v3/
	client *http.Client
	clock  func() time.Time

	mu    sync.Mutex
	known map[[sha256.Size]byte]*tokenAnswer
}

// KeystoneOptions says how to reach a Keystone.
type KeystoneOptions struct {
	URL    string // such as https://keystone.example:5000, with or without /v3
	Client *http.Client
	Clock  func() time.Time
}

var _ Authenticator = (*Keystone)(nil)

// tokenAnswer is Keystone's answer about a token, or a request under way for one.
type tokenAnswer struct {
	done  chan struct{} // closed once it has answered
	who   rest.Caller
	valid bool
	err   error
	until time.Time
}

const (
	// keepFor is how long OpenStack's services accept a token without asking again.
	//
	// Source: keystonemiddleware, token_cache_time.
	keepFor = 300 * time.Second
	// keepRefused is the same for an invalid token.
	keepRefused = 10 * time.Second
	// mostKnown is how many answers are kept.
	mostKnown = 10_000
	// askFor is how long Keystone may take to answer.
	askFor = 10 * time.Second
	// longestToken is longer than any token of Keystone's.
	longestToken = 16 << 10
)

// NewKeystone returns a Keystone without asking it anything. The error says what is wrong
// with the URL.
func NewKeystone(o KeystoneOptions) (*Keystone, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is not a Keystone URL such as https://keystone.example:5000", o.URL)
	}
	base := strings.TrimRight(u.String(), "/")
	if !strings.HasSuffix(base, "/v3") {
		base += "/v3"
	}
	return &Keystone{url: base + "/", client: o.Client, clock: o.Clock, known: map[[sha256.Size]byte]*tokenAnswer{}}, nil
}

// Authenticate implements Authenticator. Requests with the same token that arrive before
// Keystone has answered wait for the same answer.
func (k *Keystone) Authenticate(r *http.Request) (rest.Caller, bool, error) {
	token := r.Header.Get(TokenHeader)
	if token == "" || len(token) > longestToken {
		return rest.Caller{}, false, nil
	}
	key := sha256.Sum256([]byte(token))
	k.mu.Lock()
	s := k.known[key]
	if s != nil && s.over(k.clock()) {
		s = nil
	}
	mine := s == nil
	if mine {
		s = &tokenAnswer{done: make(chan struct{})}
		k.makeRoom()
		k.known[key] = s
	}
	k.mu.Unlock()
	if mine {
		// The first client may leave while others wait for the answer.
		k.ask(context.WithoutCancel(r.Context()), s, token)
	}
	select {
	case <-s.done:
		return s.who, s.valid, s.err
	case <-r.Context().Done():
		return rest.Caller{}, false, r.Context().Err()
	}
}

// over reports whether Keystone has answered, but so long ago that it must be asked
// again.
func (s *tokenAnswer) over(now time.Time) bool {
	select {
	case <-s.done:
		return !now.Before(s.until)
	default:
		return false
	}
}

// makeRoom drops answers that are over if many are kept, and all of them if that is not
// enough.
func (k *Keystone) makeRoom() {
	if len(k.known) < mostKnown {
		return
	}
	now := k.clock()
	for key, s := range k.known {
		if s.over(now) {
			delete(k.known, key)
		}
	}
	if len(k.known) >= mostKnown {
		clear(k.known)
	}
}

// ask asks Keystone who the token belongs to. A failure to reach it is not kept.
func (k *Keystone) ask(ctx context.Context, s *tokenAnswer, token string) {
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	defer close(s.done)
	client := &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: token}, Endpoint: k.url,
	}
	if k.client != nil {
		client.HTTPClient = *k.client
	}
	// The token must not reach any server other than this Keystone, whatever redirect it
	// sends.
	client.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	now := k.clock()
	var body struct {
		Expires time.Time `json:"expires_at"`
		User    struct {
			ID string `json:"id"`
		} `json:"user"`
		Project struct {
			ID string `json:"id"`
		} `json:"project"`
		System map[string]any `json:"system"`
		Roles  []tokens.Role  `json:"roles"`
	}
	switch err := tokens.Get(ctx, client, token).ExtractInto(&body); {
	case gophercloud.ResponseCodeIs(err, http.StatusUnauthorized), gophercloud.ResponseCodeIs(err, http.StatusNotFound), gophercloud.ResponseCodeIs(err, http.StatusForbidden):
		s.until = now.Add(keepRefused)
	case err != nil:
		s.err = fmt.Errorf("Keystone at %s cannot validate the token: %w", k.url, err)
	case !now.Before(body.Expires):
		s.until = now.Add(keepRefused)
	case body.User.ID == "":
		s.err = errors.New("Keystone at " + k.url + " does not know the token")
	default:
		s.valid, s.until = true, now.Add(keepFor)
		if body.Expires.Before(s.until) {
			s.until = body.Expires
		}
		s.who = rest.Caller{User: body.User.ID, Project: body.Project.ID, System: len(body.System) > 0}
		for _, role := range body.Roles {
			s.who.Roles = append(s.who.Roles, role.Name)
		}
	}
}

// Words implements Authenticator.
func (k *Keystone) Words() string {
	return "Keystone at " + k.url + " authenticates them: admins and services of a project may read and write"
}
