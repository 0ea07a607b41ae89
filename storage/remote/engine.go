package remote

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// Settings say how clouds elsewhere are opened, whichever way they are named.
type Settings struct {
	TokenFile string        // file with the token for an Endpoint; "" for none
	Refresh   time.Duration // time between two readings; 0 to read only on request
	Write     bool          // writes are allowed
	Looks     string        // why a cloud is read-only without Write, and how to set that
	InFlight  int           // how many requests are sent at a time; 0 for DefaultInFlight
	// Nova has what the operator says of the nova.conf of clouds, by name or address, as no
	// API reports it.
	Nova map[string]*nova.Config
}

// config returns the settings of the Nova of a cloud.
func (s Settings) config(name string) *nova.Config {
	if c, ok := s.Nova[name]; ok {
		return c
	}
	return nova.Upstream(name)
}

// DefaultInFlight is how many requests are sent at a time by default.
const DefaultInFlight = 4

// DefaultRefresh is the default time between two readings.
const DefaultRefresh = 30 * time.Second

func (s Settings) inFlight() int {
	if s.InFlight <= 0 {
		return DefaultInFlight
	}
	return s.InFlight
}

// Cloud opens "cloud:NAME": a cloud of clouds.yaml, or EnvVars.
type Cloud struct{ Settings }

// Endpoint opens "http://HOST/PATH" and "https://HOST/PATH": a Placement by its
// address.
type Endpoint struct {
	Settings
	TLS bool
}

var (
	_ engine.Opener = Cloud{}
	_ engine.Opener = Endpoint{}
	_ engine.Copier = Cloud{}
	_ engine.Copier = Endpoint{}
)

// dialer connects to a cloud. From names it, as copies of it say where they come from.
type dialer interface {
	engine.Opener
	dial(ctx context.Context, place string, o engine.Options) (call *caller, from string, err error)
}

// Has implements engine.Opener: only opening a cloud shows whether it exists.
func (Settings) Has(string) (bool, error) { return true, nil }

// Scheme implements engine.Opener.
func (Cloud) Scheme() string { return "cloud" }

// Open implements engine.Opener.
func (e Cloud) Open(ctx context.Context, place string, o engine.Options) (storage.Store, error) {
	return e.open(ctx, e, place, o)
}

// Copy implements engine.Copier.
func (e Cloud) Copy(ctx context.Context, place string, into storage.Store, o engine.Options) (engine.CopyResult, error) {
	return copyFrom(ctx, e, place, into, o)
}

func (e Cloud) dial(ctx context.Context, place string, o engine.Options) (*caller, string, error) {
	if place == "" || place == "cloud:" {
		return nil, "", &ConfigError{Where: "cloud:", What: "no cloud named", Hint: "write cloud:NAME, a name in clouds.yaml"}
	}
	call, err := dial(ctx, place, e.inFlight(), o)
	if err == nil {
		call.config = e.config(place)
	}
	return call, "cloud " + place, err
}

// Scheme implements engine.Opener.
func (e Endpoint) Scheme() string {
	if e.TLS {
		return "https"
	}
	return "http"
}

// Open implements engine.Opener.
func (e Endpoint) Open(ctx context.Context, place string, o engine.Options) (storage.Store, error) {
	return e.open(ctx, e, place, o)
}

// Copy implements engine.Copier.
func (e Endpoint) Copy(ctx context.Context, place string, into storage.Store, o engine.Options) (engine.CopyResult, error) {
	return copyFrom(ctx, e, place, into, o)
}

func (e Endpoint) dial(ctx context.Context, place string, o engine.Options) (*caller, string, error) {
	address := e.Scheme() + ":" + strings.TrimPrefix(place, e.Scheme()+":")
	u, err := url.Parse(address)
	switch {
	case holdsUser(u, address):
		return nil, "", &placement.InvalidError{Field: "endpoint", Value: clip(place[strings.LastIndex(place, "@")+1:]), Why: "has a user or password in it; put a token in a file and set token-file"}
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, "", &placement.InvalidError{Field: "endpoint", Value: clip(place), Why: "is not a URL such as http://127.0.0.1:8778"}
	}
	call, err := dialEndpoint(ctx, address, e.TokenFile, e.inFlight(), o.Asking)
	if err == nil {
		call.config = e.config(strings.TrimRight(address, "/"))
	}
	return call, address, err
}

// open opens what d connects to.
func (s Settings) open(ctx context.Context, d dialer, place string, o engine.Options) (storage.Store, error) {
	call, _, err := d.dial(ctx, place, o)
	if err != nil {
		return nil, orCancelled(ctx, err)
	}
	can := cloud.Capabilities{Cannot: call.cannot, AsksOwners: true}
	switch {
	case o.Parts != nil:
		can.ReadOnly = "not all of the cloud was read"
	case o.ReadOnly:
		can.ReadOnly = "the cloud was opened read-only"
	case !s.Write:
		can.ReadOnly = cmp.Or(s.Looks, "live clouds are read-only unless writes are allowed")
	default:
		can.ReadOnly = call.granted.readsAlone()
	}
	store, err := newStore(ctx, call, options{scheme: d.Scheme(), clock: o.Clock, every: s.Refresh, can: can, tell: o.Progress, soon: o.Soon, parts: o.Parts})
	if err != nil {
		return nil, orCancelled(ctx, err)
	}
	return store, nil
}

// copyFrom copies what d connects to.
func copyFrom(ctx context.Context, d dialer, place string, into storage.Store, o engine.Options) (engine.CopyResult, error) {
	call, from, err := d.dial(ctx, place, o)
	if err != nil {
		return engine.CopyResult{}, orCancelled(ctx, err)
	}
	return copyCloud(ctx, call, from, into, o)
}

// orCancelled returns the error of ctx if it has ended, as that is why the rest failed.
func orCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
