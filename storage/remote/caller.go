package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// caller sends requests to the services of one cloud, a limited number at a time.
type caller struct {
	client   *gophercloud.ProviderClient
	services map[api.Service]*service
	// elsewhere says of services that were left out where the catalogue has them: they exist.
	elsewhere map[api.Service]string
	inFlight  int                          // how many requests may be in flight to each service
	sent      atomic.Int64                 // requests so far
	granted   grant                        // as of the first token
	config    *nova.Config                 // of its Nova, as no API reports it; nil if nothing is known
	lacks     atomic.Pointer[missingNames] // nil until it is known
	hidden    atomic.Pointer[hiddenNames]  // nil until it is known
	asking    pendingServices
	pause     func(ctx context.Context, d time.Duration) error
	// patience is for how long a request is repeated to a service that answers none; 0 for
	// as long as it has tries. Somebody waits for a cloud that is opened.
	patience time.Duration
	clock    func() time.Time // nil until a Store has it
}

// pendingServices lists the services that have yet to answer, until all have.
type pendingServices struct {
	tell func(whom string) // may be nil
	mu   sync.Mutex
	whom []string // one for each request, in the order of sending
}

// begin notes a request to a service.
func (a *pendingServices) begin(whom string) {
	a.change(func() { a.whom = append(a.whom, whom) })
}

// end notes that a request is over.
func (a *pendingServices) end(whom string) {
	a.change(func() {
		at := slices.Index(a.whom, whom)
		a.whom = slices.Delete(a.whom, at, at+1)
	})
}

func (a *pendingServices) change(to func()) {
	if a.tell == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	to()
	last := ""
	if n := len(a.whom); n > 0 {
		last = a.whom[n-1]
	}
	a.tell(last)
}

// service is a service of the catalogue.
type service struct {
	name    api.Service
	address string
	most    int // the newest microversion that the operator wants used; 0 for any

	mu    sync.Mutex // guards what follows
	minor int        // of the newest microversion that both sides speak
	unmet bool       // its microversions are not known yet
	// failing are paths that were not answered, however often they were asked last.
	failing map[string]bool

	once  sync.Once     // makes what follows
	turns chan struct{} // as many as requests may be in flight
	long  chan struct{} // held while an answer longer than mostSmall is read

	// Since the last reading: answers is set once it has answered, and fails once it has
	// not, however often it was asked.
	answers, fails atomic.Bool
	sent           atomic.Int64              // requests so far
	answered       atomic.Int64              // requests that it answered
	heard          atomic.Pointer[time.Time] // when it last answered
	ahead          atomic.Int64              // of our clock, its: a time.Duration
}

// open makes the service ready for requests.
func (s *service) open(inFlight int) {
	s.once.Do(func() { s.turns, s.long = make(chan struct{}, inFlight), make(chan struct{}, 1) })
}

// heardAt returns when it last answered; the zero time for never.
func (s *service) heardAt() time.Time {
	if at := s.heard.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// noteClock notes how far the clock of the service is ahead of ours, from the date of an answer
// that came now. To the minute, clocks that agree stay the same from one reading to the next.
func (s *service) noteClock(date string, now time.Time) {
	if at, err := http.ParseTime(date); err == nil {
		s.ahead.Store(int64(at.Sub(now).Round(time.Minute)))
	}
}

// newest returns the newest microversion that both sides speak, 0 while it is unknown.
func (s *service) newest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.minor
}

func (s *service) met() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.unmet
}

func (s *service) meet(minor int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.minor, s.unmet = minor, false
}

// failed reports whether a path was not answered when it was asked last.
func (s *service) failed(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failing[path]
}

// notePath notes whether a path was not answered. Many are never asked for again, such as that
// of a provider that is deleted: once there are too many, all are forgotten.
func (s *service) notePath(path string, fails bool) {
	const most = 1000
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !fails:
		delete(s.failing, path)
	case s.failing == nil || len(s.failing) >= most:
		s.failing = map[string]bool{path: true}
	default:
		s.failing[path] = true
	}
}

func (s *service) String() string { return string(s.name) + " at " + s.address }

// The newest microversions that this program understands, and the oldest that report
// enough.
const (
	placementNewest, placementOldest = int(microversion.PlacementNewest), int(microversion.ConsumerGeneration)
	computeNewest, computeOldest     = int(microversion.ComputeNewest), int(microversion.FlavorSpecs)
)

// dial connects to a cloud: a token, the addresses of its services, their
// microversions. Services that do not exist are left out, except Placement.
func dial(ctx context.Context, name string, inFlight int, o engine.Options) (*caller, error) {
	t, err := targetOf(name)
	if err != nil {
		return nil, err
	}
	c, locate, err := t.connect(ctx, inFlight, o.Asking)
	if err != nil {
		return nil, t.named(err)
	}
	for _, s := range []api.Service{api.Placement, api.Compute, api.Accelerator} {
		way, err := t.way(s)
		if err != nil {
			return nil, err
		}
		address := c.granted.filled(way.override)
		if address == "" {
			if address, err = locate(s, way.endpoint); err != nil {
				return nil, err
			}
		}
		if address == "" {
			continue
		}
		address = versionedAt(strings.TrimRight(address, "/"), s)
		c.services[s] = &service{name: s, address: address, unmet: true, most: way.most}
	}
	if !wanted(o.Parts, cloud.PlacementParts()...) {
		return c, nil
	}
	return c, t.named(c.meet(ctx, api.Placement))
}

// connect gets a token. Locate returns the address of a service which nobody overrides, "" if
// there is no such service.
func (t target) connect(ctx context.Context, inFlight int, tell func(whom string)) (c *caller, locate func(api.Service, gophercloud.EndpointOpts) (string, error), err error) {
	if t.direct != "" {
		return t.connectDirect(inFlight, tell), t.locateDirect, nil
	}
	client, err := openstack.NewClient(t.auth.IdentityEndpoint)
	if err != nil {
		return nil, nil, &ConfigError{Where: t.where, What: "auth_url of cloud " + t.name + ": " + clip(err.Error())}
	}
	c = newCaller(client, newHTTP(t.tls, inFlight), inFlight, tell)
	if err := c.again(ctx, nil, 4, isPassing, func() error { return c.authenticate(ctx, t) }); err != nil {
		return nil, nil, err
	}
	c.granted = grantOf(client.GetAuthResult())
	c.services[keystone] = &service{name: keystone, address: identityAt(client.IdentityEndpoint)}
	return c, func(s api.Service, at gophercloud.EndpointOpts) (string, error) {
		if err := t.oneRegion(&c.granted.catalogue, at); err != nil {
			return "", err
		}
		address, err := client.EndpointLocator(at)
		switch {
		case err == nil:
			return address, nil
		case s == api.Placement:
			return "", t.absent(&c.granted.catalogue, at)
		}
		for _, other := range []gophercloud.Availability{gophercloud.AvailabilityPublic, gophercloud.AvailabilityInternal, gophercloud.AvailabilityAdmin} {
			there := at
			there.Availability = other
			if _, err := client.EndpointLocator(there); err == nil {
				c.elsewhere[s] = ": " + t.absent(&c.granted.catalogue, at).Error()
			}
		}
		return "", nil
	}, nil
}

// connectDirect makes a caller for a cloud without Keystone.
//
// Source: keystoneauth1/noauth.py, token_endpoint.py and http_basic.py.
func (t target) connectDirect(inFlight int, tell func(whom string)) *caller {
	client := &gophercloud.ProviderClient{}
	client.UseTokenLock()
	h := newHTTP(t.tls, inFlight)
	switch t.direct {
	case authAdminToken:
		client.SetToken(t.auth.TokenID)
	case authBasic:
		h.Transport = basicAuth{h.Transport, t.auth.Username, t.auth.Password}
	}
	return newCaller(client, h, inFlight, tell)
}

// locateDirect returns the address of Placement in a cloud without Keystone. The others are
// only where an override of theirs is.
func (t target) locateDirect(s api.Service, _ gophercloud.EndpointOpts) (string, error) {
	if s != api.Placement {
		return "", nil
	}
	address := t.values["auth"].(table).text("endpoint")
	if !isAddress(address) {
		return "", t.wrong(t.key("auth.endpoint")+" is not a URL without user and password", "write one such as https://HOST/placement")
	}
	return address, nil
}

// authenticate gets a token.
func (c *caller) authenticate(ctx context.Context, t target) error {
	whom := "identity at " + t.auth.IdentityEndpoint
	c.asking.begin(whom)
	defer c.asking.end(whom)
	c.sent.Add(2) // one for its versions, and one for the token with the catalogue
	if err := openstack.Authenticate(ctx, c.client, t.auth); err != nil {
		return faultOf("identity", "POST /auth/tokens", err)
	}
	return nil
}

// grant is what a token grants. It is zero for a token that does not say it.
type grant struct {
	project   tokens.Project
	user      tokens.User
	roles     []string // sorted
	catalogue tokens.ServiceCatalog
}

func grantOf(of gophercloud.AuthResult) (g grant) {
	token, ok := of.(interface {
		ExtractProject() (*tokens.Project, error)
		ExtractUser() (*tokens.User, error)
		ExtractRoles() ([]tokens.Role, error)
		ExtractServiceCatalog() (*tokens.ServiceCatalog, error)
	})
	if !ok {
		return g
	}
	if in, err := token.ExtractProject(); err == nil && in != nil {
		g.project = *in
	}
	if me, err := token.ExtractUser(); err == nil && me != nil {
		g.user = *me
	}
	if roles, err := token.ExtractRoles(); err == nil {
		for _, r := range roles {
			g.roles = append(g.roles, clip(r.Name))
		}
		slices.Sort(g.roles)
	}
	if catalogue, err := token.ExtractServiceCatalog(); err == nil {
		g.catalogue = *catalogue
	}
	return g
}

// filled returns an address with what it leaves to the token, such as %(project_id)s.
//
// Source: keystoneauth1/session.py, _StringFormatter.
func (g grant) filled(address string) string {
	if id := g.project.ID; id != "" {
		return strings.NewReplacer("%(project_id)s", id, "$(project_id)s", id, "%(tenant_id)s", id, "$(tenant_id)s", id).Replace(address)
	}
	return address
}

// readsAlone returns why the user may only read if the token has only the reader role,
// else "".
func (g grant) readsAlone() string {
	if roles := slices.Compact(slices.Clone(g.roles)); len(roles) != 1 || roles[0] != "reader" {
		return ""
	}
	return "the role reader is read-only"
}

// String says in words which roles a token has, and where: "role reader in project demo".
func (g grant) String() string {
	if len(g.roles) == 0 {
		return ""
	}
	text := "role " + g.roles[0]
	if len(g.roles) > 1 {
		text = "roles " + strings.Join(g.roles, ", ")
	}
	if g.project.Name != "" {
		text += " in project " + clip(g.project.Name)
	}
	return text
}

func inRegion(region string) string {
	if region == "" {
		return ""
	}
	return " in region " + region
}

// dialEndpoint connects to a Placement by its address, with the token in a file; "" for
// no token.
func dialEndpoint(ctx context.Context, address, tokenFile string, inFlight int, tell func(whom string)) (*caller, error) {
	token, err := readToken(tokenFile)
	if err != nil {
		return nil, err
	}
	client := &gophercloud.ProviderClient{}
	client.UseTokenLock()
	client.SetToken(token)
	if tokenFile != "" {
		client.ReauthFunc = func(context.Context) error {
			fresh, err := readToken(tokenFile)
			switch {
			case err != nil:
				return err
			case fresh == client.Token():
				return &ConfigError{Where: tokenFile, What: "it still holds the token that was refused", Hint: "write a new token to it"}
			}
			client.SetToken(fresh)
			return nil
		}
	}
	c := newCaller(client, newHTTP(nil, inFlight), inFlight, tell)
	c.services[api.Placement] = &service{name: api.Placement, address: strings.TrimRight(address, "/"), unmet: true}
	err = c.meet(ctx, api.Placement)
	if f := (*FaultError)(nil); errors.As(err, &f) {
		switch f.Hint {
		case hintName:
			f.Hint = "check the address"
		case hintTLS:
			f.Hint = "set SSL_CERT_FILE to the file of its CA, or add the CA to this system"
		}
	}
	return c, err
}

// mostToken is how long a file with a token may be, in bytes.
const mostToken = 1 << 20

// readToken returns the token in a file.
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	own := diskfile.Secret(mostToken, "get a new token if somebody may have read it")
	own.Pipe = true
	text, err := own.Read(path)
	if bad, ok := errors.AsType[*diskfile.LineError](err); ok {
		return "", bad
	}
	if err != nil {
		return "", &ConfigError{Where: path, What: "the token cannot be read: " + clip(rootOf(err).Error())}
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, "\r\n\x00") {
		return "", &ConfigError{Where: path, What: "no token", Hint: "write the token as a single line"}
	}
	return token, nil
}

func newCaller(client *gophercloud.ProviderClient, h http.Client, inFlight int, tell func(whom string)) *caller {
	client.HTTPClient = h
	client.UserAgent.Prepend("placetop")
	return &caller{
		client: client, services: map[api.Service]*service{}, elsewhere: map[api.Service]string{}, inFlight: inFlight, asking: pendingServices{tell: tell}, pause: storage.Pause,
		patience: openPatience,
	}
}

// meet asks a service for its microversions, unless they are known. Nova and Cyborg are
// asked when they are read: if they are down, Placement can still be used.
func (c *caller) meet(ctx context.Context, name api.Service) error {
	s := c.services[name]
	if s.met() {
		return nil
	}
	major, newest, oldest := 1, placementNewest, placementOldest
	switch name {
	case api.Placement:
	case api.Compute:
		major, newest, oldest = 2, computeNewest, computeOldest
	case api.Accelerator:
		if newest, err := c.speaks(ctx); err == nil {
			if s.most > 0 {
				newest = min(newest, s.most)
			}
			s.meet(newest)
		} // otherwise it is asked again at the next reading, and spoken to at the lowest until then
		return nil
	}
	if err := s.tooLow(major, oldest); err != nil {
		return err
	}
	if s.most > 0 {
		newest = min(newest, s.most)
	}
	var doc struct {
		Versions []struct {
			Max string `json:"max_version"`
		} `json:"versions"`
		Version struct {
			Max string `json:"version"`
		} `json:"version"`
	}
	if err := c.get(ctx, name, "/", -1, &doc); err != nil {
		return err
	}
	most := doc.Version.Max
	if len(doc.Versions) > 0 {
		most = doc.Versions[0].Max
	}
	var minor int
	if _, err := fmt.Sscanf(most, "%d.%d", &major, &minor); err != nil {
		return &FaultError{Service: string(name), Call: "GET /", Why: "no microversion in the answer: it may be another service", Hint: hintName}
	}
	if name == api.Compute && major != 2 {
		return &FaultError{Service: string(name), Call: "GET /", Why: fmt.Sprintf("its newest microversion is %s, so it does not look like Nova", clip(most)), Hint: hintName}
	}
	if minor < oldest {
		return &FaultError{
			Service: string(name), Why: fmt.Sprintf("its newest microversion is %s, and %d.%d is needed", clip(most), major, oldest),
			Hint: "the cloud is older than Rocky: upgrade it",
		}
	}
	s.meet(min(minor, newest))
	return nil
}

// version returns the headers for a microversion, nil for none. What is in between must not
// answer from memory: neither a release nor what is read after a write may rest on that.
func (s *service) version(minor int) map[string]string {
	if minor < 0 {
		return nil
	}
	return map[string]string{"Cache-Control": "no-cache", "OpenStack-API-Version": string(s.name) + " " + s.name.Microversion(minor)}
}

// get decodes the resource at a path into a value, at a microversion; below 0 for none.
// It retries what may succeed a moment later.
func (c *caller) get(ctx context.Context, name api.Service, path string, minor int, into any) error {
	tries := 4
	s := c.services[name]
	switch {
	case s == nil:
	case s.fails.Load(), s.failed(path):
		tries = 1 // so that what is down is found down as soon as possible
	case s.answers.Load():
		tries = 8 // it exists, even if it fails at times
	}
	err := c.again(ctx, s, tries, mayRetry, func() error { return c.once(ctx, name, http.MethodGet, path, "", minor, into) })
	switch {
	case s == nil:
	case mayRetry(err):
		s.fails.Store(true)
		s.notePath(path, true)
	default:
		s.notePath(path, false)
	}
	return err
}

// read is get at the newest microversion.
func (c *caller) read(ctx context.Context, of api.Service, path string, into any) error {
	return c.get(ctx, of, path, c.services[of].newest(), into)
}

// openPatience is the patience with a service while its cloud is opened.
const openPatience = 5 * time.Second

// again runs do, which asks a service, nil for Keystone, and changes nothing, until it
// succeeds, its error is not worth another try, or tries or patience are used up.
func (c *caller) again(ctx context.Context, s *service, tries int, worth func(error) bool, do func() error) error {
	const mostWait = 4 * time.Second
	wait, waited, answered := 250*time.Millisecond, time.Duration(0), int64(0)
	for try := 1; ; try++ {
		err := do()
		if err == nil || !worth(err) || ctx.Err() != nil {
			return err
		}
		if s != nil && s.answered.Load() != answered {
			waited, answered = 0, s.answered.Load()
		}
		// Clients that were refused together retry at different times.
		d := wait/2 + rand.N(wait)
		if c.patience > 0 {
			d = min(d, c.patience/2)
		}
		d = max(d, after(err))
		if try == tries || c.patience > 0 && waited+d > c.patience {
			if f, ok := errors.AsType[*FaultError](err); ok {
				f.tries = try
			}
			return err
		}
		if e := c.pause(ctx, d); e != nil {
			return err
		}
		wait, waited = min(3*wait, mostWait), waited+d
	}
}

// once sends one request, in its turn, and decodes the answer into a value, nil to
// discard it.
func (c *caller) once(ctx context.Context, name api.Service, method, path, body string, minor int, into any) error {
	s, ok := c.services[name]
	if !ok {
		return &FaultError{Service: string(name), Why: "it is not in the service catalog"}
	}
	s.open(c.inFlight)
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c.asking.begin(s.String())
	defer c.asking.end(s.String())
	c.sent.Add(1)
	s.sent.Add(1)
	short, _, _ := strings.Cut(path, "?")
	call := method + " " + short
	o := &gophercloud.RequestOpts{KeepResponseBody: true, MoreHeaders: s.version(minor), OkCodes: []int{200, 201, 202, 204}}
	if body != "" {
		o.RawBody = strings.NewReader(body)
		o.MoreHeaders["Content-Type"] = "application/json"
	}
	answer, err := c.client.Request(context.WithValue(ctx, mostKey{}, mostOf(short)), method, s.address+path, o)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := faultOf(string(name), call, err)
		if f.Status == http.StatusUnauthorized && c.client.Token() == "" {
			f.Why, f.Hint = "it requires a token, and none was given", "set token-file to a file that holds one"
		}
		if has := c.granted.String(); f.Status == http.StatusForbidden && name == api.Placement && has != "" {
			f.Hint += "; the token has the " + has
		}
		if f.Code == api.ConcurrentUpdate {
			f.Hint = "others write it at the same time: look at it again, and repeat what is still needed"
		}
		return f
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	s.answers.Store(true)
	s.answered.Add(1)
	s.fails.Store(false)
	if c.clock != nil {
		now := c.clock()
		s.heard.Store(&now)
		s.noteClock(answer.Header.Get("Date"), now)
	}
	if into == nil {
		return discard(string(name), call, answer)
	}
	const header = "OpenStack-API-Version"
	if is, want := answer.Header.Get(header), o.MoreHeaders[header]; want != "" && is != want && strings.HasPrefix(is, string(name)+" ") {
		return &FaultError{
			Service: string(name), Call: call, Why: fmt.Sprintf("it was asked at %s, and answers at %s", want, clip(is)),
			Hint: "something in between drops the header " + header + ": let it pass", final: true,
		}
	}
	if err := s.take(ctx, answer.Body, into); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return garbled(string(name), call, answer.Header.Get("Content-Type"), err)
	}
	return nil
}

// discard reads an answer to its end, so that the connection can be used again. One that is
// neither empty nor JSON is not from the service, whatever its status.
func discard(service, call string, answer *http.Response) error {
	in := bufio.NewReader(answer.Body)
	first, _ := in.Peek(1)
	_, _ = io.Copy(io.Discard, in)
	if len(first) > 0 && first[0] != '{' && first[0] != '[' {
		return garbled(service, call, answer.Header.Get("Content-Type"), errors.New("it is not JSON"))
	}
	return nil
}

// take decodes an answer into a value. Only one long answer of a service is read at a
// time, so that several in flight take no more memory than one.
func (s *service) take(ctx context.Context, from io.Reader, into any) error {
	waits := &waitingBody{Reader: from}
	waits.wait = func() error {
		select {
		case s.long <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() {
		if waits.wait == nil {
			<-s.long
		}
	}()
	in := json.NewDecoder(waits)
	if piecewise, ok := into.(streamDecoder); ok {
		return piecewise.take(in)
	}
	return in.Decode(into)
}

// garbled returns the error for an answer that cannot be decoded.
func garbled(service, call, contentType string, err error) error {
	f := &FaultError{Service: service, Call: call, Err: err}
	var long *FaultError
	switch {
	case errors.As(err, &long):
		f.Why, f.Hint, f.final = long.Why, long.Hint, long.final
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		f.Why = "the answer is incomplete"
	case !strings.Contains(contentType, "json"):
		f.Why, f.Hint = "the answer is not JSON: it may come from a proxy", hintName
		f.Status = http.StatusOK
	default:
		f.Why = "the answer cannot be read: " + clip(rootOf(err).Error())
		f.final = errors.As(err, new(shapeError)) || errors.As(err, new(*json.UnmarshalTypeError))
	}
	return f
}
