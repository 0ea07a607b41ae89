package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/metrics"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
	"github.com/placetop/placetop/storage/rest/server"
)

// serve serves the cloud until ctx ends. It checks what could prevent that before it
// opens the cloud, and writes nothing before it can be reached.
func (p *program) serve(ctx context.Context, o serveOptions) error {
	if o.tui && !p.canDraw() {
		return usageErrorf("leave out --tui", "the dashboard needs a terminal")
	}
	at, err := server.ParseAddress(o.listen)
	if err != nil {
		return usageErrorf("", "--listen: %w", err)
	}
	if o.anybody() {
		if err := mustBeLocal(ctx, at, "--auth", "use --token-file or --keystone-url"); err != nil {
			return err
		}
	}
	log, access := p.serveLogs(o)
	who, challenge, err := p.authenticator(ctx, o, log)
	if err != nil {
		return err
	}
	certificate, err := p.certificate(ctx, o, log)
	if err != nil {
		return err
	}
	l, at, err := p.listen(ctx, at, wanted{name: forHTTP, anybody: o.anybody()})
	if err != nil {
		return err
	}
	p.warnOfListeners(o, l.Addr())
	var people *reception
	if o.ssh.listen != "" {
		if people, err = p.openReception(ctx, o.ssh, log); err != nil {
			return errors.Join(err, l.Close())
		}
		defer people.l.Close() //nolint:errcheck // as below
	}
	defer l.Close() //nolint:errcheck // it is closed by then, unless something went wrong that is told
	count := new(counter)
	store, err := p.openToServe(ctx, o.metricsOnly, count, log)
	if err != nil {
		return err
	}
	read := unread(store)
	p.sayCopied(store)
	p.served = served{store, p.startKeeper(ctx, store, false)}
	m := metrics.New(metrics.Options{
		Cloud: store, Clock: p.now, Each: o.each, Version: version(), Inspect: p.inspectServed,
		Ready: func() bool { return read() == "" },
		Failed: func(err error, stack []byte) {
			log.LogAttrs(ctx, slog.LevelError, "figures are not updated", slog.String("error", err.Error()), slog.String("stack", string(stack)))
		},
	})
	p.opened = append(p.opened, m)
	if far, is := engine.Far(store); is {
		linkMetrics(m, far)
	}
	m.Begin()
	count.start(m)
	var mayName func(string) bool
	if o.anybody() {
		mayName = at.MayName
	}
	var api http.Handler = rest.New(store, rest.Options{
		Clock: p.now, NewID: p.newID, MostBody: o.limits.Body, Observe: func(seen rest.Observation) {
			m.Answered(metrics.Request{Route: seen.Route, Method: seen.Method, Status: seen.Status, Conflict: seen.Conflict, Took: seen.Duration})
		},
	})
	if o.metricsOnly {
		api = http.NotFoundHandler()
	}
	s := server.New(server.Options{
		MayName: mayName, API: api,
		Ready: func(ctx context.Context) error {
			if how := read(); how != "" {
				return errors.New(how)
			}
			return canSave(ctx, store)
		},
		Auth: who, Challenge: challenge, Metrics: m, OpenMetrics: o.openMetrics || o.auth == authNone, Certificate: certificate,
		Limits: o.limits, Clock: p.now, NewID: p.newID, Access: access, Log: log,
	})
	p.sayServed(o, at, l, store, who)
	services := []func(context.Context) error{func(ctx context.Context) error { return s.Serve(ctx, l) }}
	if people != nil {
		services = append(services, p.receiver(people))
	}
	return p.serveAll(ctx, o.tui, services...)
}

// serviceLog returns the log of a service, which goes to standard error unless a file was
// named, or the dashboard would be torn.
func (p *program) serviceLog(dashboard bool, format string) *slog.Logger {
	if p.logTo == nil && !dashboard {
		return slog.New(logHandler(p.stderr, format))
	}
	return p.log
}

// serveLogs returns the log, and the access log, nil for none.
func (p *program) serveLogs(o serveOptions) (log, access *slog.Logger) {
	log = p.serviceLog(o.tui, *o.logFormat)
	if o.access {
		access = log
	}
	return log, access
}

// authenticator returns the authenticator of clients, and what a client without a token
// is told.
func (p *program) authenticator(ctx context.Context, o serveOptions, log *slog.Logger) (who auth.Authenticator, challenge string, err error) {
	switch o.auth {
	case authTokens:
		who, err = auth.ReadTokens(o.tokenFile, auth.TokenOptions{Clock: p.now, Changed: logRead(ctx, log, "tokens", readBefore)})
		if err != nil {
			return nil, "", wrongFile(err)
		}
		return who, `Token realm="placetop"`, nil
	case authKeystone:
		who, err = auth.NewKeystone(auth.KeystoneOptions{URL: o.keystone, Clock: p.now})
		if err != nil {
			return nil, "", usageErrorf("", "--keystone-url: %w", err)
		}
		return who, fmt.Sprintf("Keystone uri=%q", o.keystone), nil
	default:
		return auth.None{}, "", nil
	}
}

// certificate returns the certificate for TLS, nil for no TLS.
func (p *program) certificate(ctx context.Context, o serveOptions, log *slog.Logger) (*server.Certificate, error) {
	if o.cert == "" {
		return nil, nil
	}
	c, err := server.ReadCertificate(server.CertificateOptions{Certificate: o.cert, Key: o.key, Clock: p.now, Changed: logRead(ctx, log, "certificate", readBefore)})
	if err != nil {
		return nil, wrongFile(err)
	}
	return c, nil
}

// readBefore says what becomes of tokens and certificates that cannot be read again.
const readBefore = "the changed file is ignored; what was read before stays in use"

// logRead returns a function that logs that files were read again, or what is wrong with
// them, and what follows from that.
func logRead(ctx context.Context, log *slog.Logger, what, follows string) func(error) {
	ctx = context.WithoutCancel(ctx)
	return func(err error) {
		if err != nil {
			log.LogAttrs(ctx, slog.LevelError, "read again, with faults", slog.String("what", what), slog.String("so", follows), slog.String("error", err.Error()))
			return
		}
		log.LogAttrs(ctx, slog.LevelInfo, "read again", slog.String("what", what))
	}
}

// testTime is how long the disk may take for a commit before a server is not ready.
const testTime = 2 * time.Second

// canSave returns why writes cannot be stored at the moment, for clients: what is wrong
// with the file, and where it is, is in the log.
func canSave(ctx context.Context, store storage.Store) error {
	able, ok := store.(engine.Tester)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	if able.Writable(ctx) != nil {
		return errors.New("writes cannot be saved at the moment")
	}
	return nil
}

// failing returns a function that logs that the cloud's file can no longer be written, and
// that it can again.
func (p *program) failing(ctx context.Context, log *slog.Logger) func(error) {
	ctx = context.WithoutCancel(ctx)
	return func(err error) {
		if err != nil {
			log.LogAttrs(ctx, slog.LevelError, "the file can no longer be written", slog.String("path", p.settings.DB), slog.String("error", told(err)))
			return
		}
		log.LogAttrs(ctx, slog.LevelInfo, "the file can be written again", slog.String("path", p.settings.DB))
	}
}

// openToServe opens the cloud, and has its commits counted, and failures of its disk
// logged. It does not attach to another process, which might end while clients depend on
// it, but lets others attach. Soon is as in openElsewhere.
func (p *program) openToServe(ctx context.Context, soon bool, count *counter, log *slog.Logger) (storage.Store, error) {
	if _, far := p.engine().(engine.Copier); far {
		return p.openElsewhere(ctx, soon)
	}
	defer p.slowly("opening %s", p.settings.DB)()
	if p.settings.ReadOnly {
		return p.openToRead(ctx)
	}
	o := p.openOptions(false)
	o.Committed, o.Failing = count.committed, p.failing(ctx, log)
	p.settings.NoAttach = true
	return p.openToShare(ctx, o)
}

// counter passes on the commits of a store once they are being counted.
type counter struct {
	to atomic.Pointer[metrics.Metrics]
}

func (c *counter) start(m *metrics.Metrics) { c.to.Store(m) }

func (c *counter) committed(k engine.Commit) {
	if m := c.to.Load(); m != nil {
		m.Committed(metrics.Commit{Changes: k.Changes, Took: k.Took, Disk: k.Disk})
	}
}

// inspectServed runs the rules on a Snapshot of the served cloud.
func (p *program) inspectServed(_ context.Context, s *cloud.Snapshot) *audit.Report {
	return &p.served.keeper.Inspect(s).Report
}

// sayServed says what is served where, and who may do what.
func (p *program) sayServed(o serveOptions, at server.Address, l net.Listener, store storage.Store, who auth.Authenticator) {
	may := who.Words()
	if err := store.Capabilities().Can(); err != nil {
		may += "; but " + err.Error()
	}
	if o.metricsOnly {
		p.say("serving /metrics at %s from %s", at.URL(l, o.cert != ""), p.settings.DB)
		return
	}
	p.say("serving Placement 1.0 to %s at %s from %s, revision %d; %s", candidates.Latest, at.URL(l, o.cert != ""), p.settings.DB, store.Snapshot().Revision(), may)
}
