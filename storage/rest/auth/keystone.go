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

// Keystone asks a Keystone whose tokens are. Each token is shown to Keystone as its own
// proof, which its policies allow: no password of a service is needed here.
//
// What Keystone has said of a token is kept until the token expires, and for no longer
// than keepFor, as a token may be revoked.
type Keystone struct {
	url    string // up to and with /v3/
	client *http.Client
	clock  func() time.Time

	mu    sync.Mutex
	known map[[sha256.Size]byte]*said
}

// KeystoneOptions are how a Keystone is reached.
type KeystoneOptions struct {
	URL    string // such as https://keystone.example:5000, with or without /v3
	Client *http.Client
	Clock  func() time.Time
}

var _ Authenticator = (*Keystone)(nil)

// said is what Keystone has said of a token, or is being asked.
type said struct {
	done  chan struct{} // closed once it has answered
	who   rest.Caller
	valid bool
	err   error
	until time.Time
}

const (
	// keepFor is how long the services of OpenStack honour a token without asking again.
	//
	// Source: keystonemiddleware, token_cache_time.
	keepFor = 300 * time.Second
	// keepRefused is the same for a token that is none.
	keepRefused = 10 * time.Second
	// mostKnown is how many tokens are kept.
	mostKnown = 10_000
	// askFor is how long Keystone may take.
	askFor = 10 * time.Second
	// longestToken is longer than any token of Keystone's.
	longestToken = 16 << 10
)

// NewKeystone returns a Keystone, of which nothing was asked yet. The error says what is
// wrong with the URL.
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
	return &Keystone{url: base + "/", client: o.Client, clock: o.Clock, known: map[[sha256.Size]byte]*said{}}, nil
}

// Authenticate implements Authenticator. Requests with the same token that arrive while
// Keystone is asked wait for its answer.
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
		s = &said{done: make(chan struct{})}
		k.makeRoom()
		k.known[key] = s
	}
	k.mu.Unlock()
	if mine {
		// Whoever asks first may leave: the others want to know all the same.
		k.ask(context.WithoutCancel(r.Context()), s, token)
	}
	select {
	case <-s.done:
		return s.who, s.valid, s.err
	case <-r.Context().Done():
		return rest.Caller{}, false, r.Context().Err()
	}
}

// over reports whether Keystone has answered, and is to be asked again.
func (s *said) over(now time.Time) bool {
	select {
	case <-s.done:
		return !now.Before(s.until)
	default:
		return false
	}
}

// makeRoom forgets what is over where much is known, and all of it where that is not
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

// ask asks Keystone whose token it is. That it cannot be asked is not kept.
func (k *Keystone) ask(ctx context.Context, s *said, token string) {
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	defer close(s.done)
	client := &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: token}, Endpoint: k.url,
	}
	if k.client != nil {
		client.HTTPClient = *k.client
	}
	// A token is for the Keystone that is named, and for no server that it points to.
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
	return "Keystone at " + k.url + " authenticates them: admins and services may write, system readers may read"
}
