package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/metrics"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
	"github.com/placetop/placetop/storage/rest/server"
)

// defaultListen is the default address of Placement's own package.
const defaultListen = "127.0.0.1:8778"

// authWord says how clients authenticate.
type authWord string

const (
	authNone     authWord = "none"
	authTokens   authWord = "tokens"
	authKeystone authWord = "keystone"
)

// serveOptions are the flags of "placetop serve".
type serveOptions struct {
	Listen          string        `flag:"listen" help:"listen at <ADDRESS>: HOST:PORT, or unix:PATH for a socket"`
	Auth            authWord      `flag:"auth" words:"none,tokens,keystone" help:"how clients prove who they are: %s (default: as --token-file or --keystone-url imply, else none)"`
	TokenFile       string        `flag:"token-file" help:"the <FILE> with one token a line, for --auth tokens"`
	KeystoneURL     string        `flag:"keystone-url" help:"the <URL> of a Keystone, for --auth keystone (default $OS_AUTH_URL)"`
	Cert            string        `flag:"tls-cert" needs:"tls-key" help:"speak TLS with the certificate and its chain in <FILE>"`
	Key             string        `flag:"tls-key" needs:"tls-cert" help:"the key of --tls-cert, in <FILE>"`
	SSH             string        `flag:"ssh" help:"also serve SSH at <ADDRESS>: see \"placetop ssh --help\""` // "" for not
	AccessLog       bool          `flag:"access-log" help:"log each request"`
	OpenMetrics     bool          `flag:"open-metrics" help:"give /metrics to everybody"`
	MetricsOnly     bool          `flag:"metrics-only" help:"serve only /metrics, to everybody unless --auth says otherwise, such as an exporter of a live cloud"`
	ProviderMetrics bool          `flag:"provider-metrics" help:"add metrics for each provider: tens of thousands in a large cloud"`
	Grace           time.Duration `flag:"grace" help:"when told to end, wait at most <TIME> for requests under way"`
	logFlags

	ssh sshOptions // of the SSH server in the same process
}

// servedStore is the served store, with its keeper.
type servedStore struct {
	store  storage.Store
	keeper *keeper.Keeper
}

// serveCommand returns "placetop serve".
func (p *program) serveCommand() *cobra.Command {
	usual := server.DefaultLimits()
	o := serveOptions{Listen: defaultListen, AccessLog: true, Grace: usual.Grace, logFlags: logFlags{logText}, ssh: defaultSSHOptions()}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the cloud as the OpenStack Placement API",
		Long: fmt.Sprintf(`Serve the cloud over the Placement API, microversions 1.0 to 1.39, as the real
service answers it: the openstack client, gophercloud and Nova work against it
unchanged. Every write is on disk before it is answered, and the journal names its
user. What falls due by itself, such as the revert of a move that nobody confirmed in
time, is done as in the dashboard.

Who may do what: --auth none checks nobody, like the real service's noauth2, so it is
only allowed on a loopback address or a socket, and requests must name localhost or
such an address as their host. With --token-file F, F has a line for each token: TOKEN
USER ROLE[,ROLE...] [PROJECT], where a role is admin, service or reader. With --keystone-url a Keystone validates the tokens; its
answer is kept until the token expires, for 5 minutes at most. Admins and services may
do everything, but only services may reshape; readers of the whole cloud may read it.

Besides the API there are /healthz, /readyz (503 until a remote cloud has been read,
while it does not answer, and while writes cannot be saved) and /metrics for Prometheus. Metrics are given to whoever may read the whole cloud, by
X-Auth-Token or Authorization: Bearer; with --auth none, or --open-metrics, to everybody.

Each request is a line in the log with its id: in --log-file, or on standard error.
Certificates and the token file are read again when they change. The token file and the
key are refused if other users can read them, or put others in their place.

Limits, and what happens beyond them: the head of a request %d KiB (431); a body
%d MiB (413), of those over 1 MiB %d at a time (others wait); %d requests under
way, and %d scrapes of /metrics beside them (others wait for %s, then 503); %d MiB of
answers over 1 MiB that clients have not read yet (503); %d connections (the one
idle for longest is closed); %s for a head, %s for a whole request, %s for an answer
to be read, %s between two requests (closed).

Interrupt it, or send SIGTERM, to end it: requests under way are answered for as long
as --grace, new ones are refused. A second signal ends it at once; what was answered
is on disk all the same.`,
			usual.Header>>10, usual.Body>>20, usual.Large, usual.Requests, usual.Scrapes, usual.Wait, rest.DefaultMostAnswers>>20, usual.Connections, usual.Head, usual.Request, usual.Answer, usual.Idle),
		Example: `  placetop serve --db cloud.db --auth none
  placetop serve --listen unix:/run/placetop.sock --log-file /dev/stderr --log-format json
  placetop serve --listen 0.0.0.0:8778 --token-file tokens --tls-cert cert.pem --tls-key key.pem
  placetop serve --cloud prod --metrics-only --listen :9100 --refresh 1m
  placetop serve --keystone-url https://keystone.example:5000
  placetop serve --auth none --ssh 0.0.0.0:2222 --ssh-authorized-keys operators`,
	}
	bindFlags(cmd, &o)
	var ofSSH cobra.Command
	bindFlags(&ofSSH, &o.ssh)
	o.ssh.prefix = "--ssh-"
	ofSSH.Flags().VisitAll(func(f *pflag.Flag) {
		f.Name, f.Annotations[requiredFlags] = "ssh-"+f.Name, []string{"ssh"}
		cmd.Flags().AddFlag(f)
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.settle(p.env); err != nil {
			return err
		}
		if o.ssh.listen = o.SSH; o.SSH != "" {
			if err := o.ssh.settle(); err != nil {
				return err
			}
		}
		return p.serve(cmd.Context(), o)
	}
	return cmd
}

// settle fills in unset flags, and refuses flags that contradict each other.
func (o *serveOptions) settle(env map[string]string) error {
	if o.Auth == "" {
		switch {
		case o.TokenFile != "" && o.KeystoneURL != "":
			return usageErrorf("add --auth tokens or --auth keystone", "--token-file and --keystone-url exclude each other")
		case o.TokenFile != "":
			o.Auth = authTokens
		case o.KeystoneURL != "":
			o.Auth = authKeystone
		default:
			o.Auth = authNone
		}
	}
	if o.Auth == authKeystone && o.KeystoneURL == "" {
		o.KeystoneURL = env["OS_AUTH_URL"]
	}
	switch {
	case o.Auth == authTokens && o.TokenFile == "":
		return usageErrorf("add --token-file FILE", "--auth tokens needs tokens")
	case o.Auth != authTokens && o.TokenFile != "":
		return usageErrorf("leave it out, or add --auth tokens", "--token-file has no meaning with --auth %s", o.Auth)
	case o.Auth == authKeystone && o.KeystoneURL == "":
		return usageErrorf("add --keystone-url URL", "--auth keystone needs a Keystone")
	case o.Auth != authKeystone && o.KeystoneURL != "":
		return usageErrorf("leave it out, or add --auth keystone", "--keystone-url has no meaning with --auth %s", o.Auth)
	case o.Grace <= 0:
		return usageErrorf("give one such as 30s", "--grace must be above zero")
	}
	return nil
}

// logFlags are the flags of a service for its log.
type logFlags struct {
	LogFormat string `flag:"log-format" words:"text,json" help:"write the log as %s"`
}

// Formats of logs.
const (
	logText = "text"
	logJSON = "json"
)

// logFormatOf returns the format of cmd's log.
func logFormatOf(cmd *cobra.Command) string {
	if f := cmd.Flags().Lookup("log-format"); f != nil {
		return f.Value.String()
	}
	return logText
}

// anybody reports whether anyone who connects may write.
func (o *serveOptions) anybody() bool { return o.Auth == authNone && !o.MetricsOnly }

// mustBeLocal returns an error if other machines can reach an address at which anyone may
// write because flag is none. It says what else can be done.
func mustBeLocal(ctx context.Context, at server.Address, flag, instead string) error {
	local, err := at.Local(ctx)
	if err != nil {
		return failed(err, "")
	}
	if !local {
		return usageErrorf("listen at 127.0.0.1 or a socket, or "+instead, "with %s none whoever reaches %s could write", flag, at.Where)
	}
	return nil
}

// onlyHere reports whether only this machine can reach an address.
func onlyHere(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// warnOfListeners warns if others could read the tokens of clients, judging by the actual
// address, which may differ from --listen.
func (p *program) warnOfListeners(o serveOptions, at net.Addr) {
	if o.Auth != authNone && o.Cert == "" && !onlyHere(at) {
		p.say("warning: tokens go to %s in clear text: anyone on the way can use them; add --tls-cert and --tls-key, or listen at 127.0.0.1 behind a TLS proxy", at)
	}
}

// wrongFile returns an error about an unusable file in a flag.
func wrongFile(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return usageErrorf("name another file", "%w", err)
	}
	return failed(err, "")
}

// slowly says that something is being done if it takes longer than a moment, and returns
// a function to call at its end.
func (p *program) slowly(format string, args ...any) (done func()) {
	timer := time.AfterFunc(time.Second, func() { p.say(format, args...) })
	return func() { timer.Stop() }
}

// logHandler returns a log handler for a format.
func logHandler(to io.Writer, format string) slog.Handler {
	o := &slog.HandlerOptions{Level: slog.LevelDebug}
	if format == logJSON {
		return slog.NewJSONHandler(to, o)
	}
	return slog.NewTextHandler(to, o)
}

// serve serves the cloud until ctx ends. It checks what could prevent that before it
// opens the cloud, and writes nothing before it can be reached.
func (p *program) serve(ctx context.Context, o serveOptions) error {
	at, err := server.ParseAddress(o.Listen)
	if err != nil {
		return usageErrorf("", "--listen: %w", err)
	}
	if o.anybody() {
		if err := mustBeLocal(ctx, at, "--auth", "use --token-file or --keystone-url"); err != nil {
			return err
		}
	}
	log := p.serviceLog(o.LogFormat)
	access := log
	if !o.AccessLog {
		access = nil
	}
	who, challenge, err := p.authenticator(ctx, o, log)
	if err != nil {
		return err
	}
	certificate, err := p.certificate(ctx, o, log)
	if err != nil {
		return err
	}
	l, err := at.Listen(ctx)
	if err != nil {
		return failed(err, "")
	}
	p.warnOfListeners(o, l.Addr())
	var people *reception
	if o.SSH != "" {
		if people, err = p.openReception(ctx, o.ssh, log); err != nil {
			return errors.Join(err, l.Close())
		}
		defer people.l.Close() //nolint:errcheck // as below
	}
	defer l.Close() //nolint:errcheck // it is closed by then, unless something went wrong that is told
	count, limits := new(counter), server.DefaultLimits()
	limits.Grace = o.Grace
	store, err := p.openToServe(ctx, o.MetricsOnly, count, log)
	if err != nil {
		return err
	}
	read := readProgress(store)
	p.sayCopied(store)
	p.served = servedStore{store, p.startKeeper(ctx, store, false, log)}
	m := metrics.New(metrics.Options{
		Cloud: store, Clock: p.now, Each: o.ProviderMetrics, Version: version(), Inspect: p.inspectServed,
		Ready: func() bool { return read() == "" },
		Failed: func(err error, stack []byte) {
			log.LogAttrs(ctx, slog.LevelError, "figures are not updated", slog.String("error", err.Error()), slog.String("stack", string(stack)))
		},
	})
	far, is := engine.Far(store)
	if is {
		linkMetrics(m, far)
	}
	count.start(m)
	var mayName func(string) bool
	if o.anybody() {
		mayName = at.MayName
	}
	var api http.Handler = rest.New(store, rest.Options{
		Clock: p.now, NewID: p.newID, MostBody: limits.Body, Observe: func(seen rest.Observation) {
			m.Answered(metrics.Request{Route: seen.Route, Method: seen.Method, Status: seen.Status, Conflict: seen.Conflict, Took: seen.Duration})
		},
	})
	if o.MetricsOnly {
		api = http.NotFoundHandler()
	}
	s := server.New(server.Options{
		MayName: mayName, API: api,
		Ready: func(ctx context.Context) error {
			if how := read(); how != "" {
				return errors.New(how)
			}
			if is {
				return canAnswer(far.Link(), p.now())
			}
			return canSave(ctx, store)
		},
		Auth: who, Challenge: challenge, Metrics: m, OpenMetrics: o.OpenMetrics || o.Auth == authNone, Certificate: certificate,
		Limits: limits, Clock: p.now, NewID: p.newID, Access: access, Log: log,
	})
	p.sayServed(o, at, l, store, who)
	services := []func(context.Context) error{func(ctx context.Context) error { return s.Serve(ctx, l) }}
	if people != nil {
		services = append(services, p.receiver(people))
	}
	return serveAll(ctx, services...)
}

// serviceLog returns the log of a service, which goes to standard error unless a file was
// named.
func (p *program) serviceLog(format string) *slog.Logger {
	if p.logTo == nil {
		return slog.New(logHandler(p.stderr, format))
	}
	return p.log
}

// authenticator returns the authenticator of clients, and what a client without a token
// is told.
func (p *program) authenticator(ctx context.Context, o serveOptions, log *slog.Logger) (who auth.Authenticator, challenge string, err error) {
	switch o.Auth {
	case authTokens:
		who, err = auth.ReadTokens(o.TokenFile, auth.TokenOptions{Clock: p.now, Changed: logRead(ctx, log, "tokens", readBefore)})
		if err != nil {
			return nil, "", wrongFile(err)
		}
		return who, `Token realm="placetop"`, nil
	case authKeystone:
		who, err = auth.NewKeystone(auth.KeystoneOptions{URL: o.KeystoneURL, Clock: p.now})
		if err != nil {
			return nil, "", usageErrorf("", "--keystone-url: %w", err)
		}
		return who, fmt.Sprintf("Keystone uri=%q", o.KeystoneURL), nil
	default:
		return auth.None{}, "", nil
	}
}

// certificate returns the certificate for TLS, nil for no TLS.
func (p *program) certificate(ctx context.Context, o serveOptions, log *slog.Logger) (*server.Certificate, error) {
	if o.Cert == "" {
		return nil, nil
	}
	c, err := server.ReadCertificate(server.CertificateOptions{Certificate: o.Cert, Key: o.Key, Clock: p.now, Changed: logRead(ctx, log, "certificate", readBefore)})
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

// canAnswer returns why a live cloud cannot be relied on at the moment, for clients: the
// reason may name addresses, and is in the log.
func canAnswer(l engine.Link, now time.Time) error {
	if l.State(now) == cloud.Stale {
		return fmt.Errorf("the cloud does not answer: what is served is of %s", l.At.UTC().Format(time.RFC3339))
	}
	return nil
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

// failing returns a function that logs that the cloud can no longer be written, and
// that it can again.
func (p *program) failing(ctx context.Context, log *slog.Logger) func(error) {
	ctx = context.WithoutCancel(ctx)
	return func(err error) {
		if err != nil {
			log.LogAttrs(ctx, slog.LevelError, "the cloud can no longer be written", slog.String("path", p.settings.DB), slog.String("error", errorText(err)))
			return
		}
		log.LogAttrs(ctx, slog.LevelInfo, "the cloud can be written again", slog.String("path", p.settings.DB))
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
	o.As = p.actor() + " (server)"
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
		m.Committed(k)
	}
}

// inspectServed runs the rules on a Snapshot of the served cloud.
func (p *program) inspectServed(s *cloud.Snapshot) *audit.Report {
	return &p.served.keeper.Inspect(s).Report
}

// sayServed says what is served where, and who may do what.
func (p *program) sayServed(o serveOptions, at server.Address, l net.Listener, store storage.Store, who auth.Authenticator) {
	may := who.Words()
	if err := store.Capabilities().Can(); err != nil {
		may += "; but " + err.Error()
	}
	if o.MetricsOnly {
		p.say("serving /metrics at %s from %s", at.URL(l, o.Cert != ""), p.settings.DB)
		return
	}
	p.say("serving Placement 1.0 to %s at %s from %s, revision %d; %s", microversion.PlacementNewest, at.URL(l, o.Cert != ""), p.settings.DB, store.Snapshot().Revision(), may)
}

// openElsewhere opens a live cloud for serving: it is polled at its own interval, however
// many requests come. With soon it does not wait until everything has been read once.
func (p *program) openElsewhere(ctx context.Context, soon bool) (storage.Store, error) {
	o := p.openOptions(p.settings.ReadOnly)
	o.Soon, o.Progress = true, p.sayTenths(time.Second, engine.Reading)
	store, err := p.openWith(ctx, o)
	if err != nil {
		return nil, err
	}
	far, _ := engine.Far(store)
	linked := far.Linked(ctx)
	wait := func() bool {
		for read := readProgress(store); read() != ""; {
			if _, open := <-linked; !open {
				return false
			}
		}
		l := far.Link()
		p.say("%s was read: %s, %s in %s", p.settings.DB, counted(store.Snapshot().Placement().ProviderCount(), "provider"), counted(int(l.Requests), "request"), l.Took.Round(time.Millisecond))
		return true
	}
	if soon {
		go wait()
	} else if !wait() {
		return nil, ctx.Err()
	}
	return store, nil
}

// linkMetrics adds the state of the link to a live cloud to m.
func linkMetrics(m *metrics.Metrics, far engine.Distant) {
	of := func(name, help string, value func(l engine.Link) float64) metrics.Number {
		return metrics.Number{Name: name, Help: help, Value: func() float64 { return value(far.Link()) }}
	}
	sent := of("placetop_cloud_requests_total", "Requests that were sent to the cloud, as of the last reading.",
		func(l engine.Link) float64 { return float64(l.Sent) })
	sent.Counter = true
	m.Register(
		of("placetop_cloud_up", "Whether the last reading of the cloud succeeded.", func(l engine.Link) float64 {
			if l.Lost != "" || l.At.IsZero() {
				return 0
			}
			return 1
		}),
		of("placetop_cloud_read_timestamp_seconds", "When the whole cloud was last read; 0 for never.", func(l engine.Link) float64 {
			if l.At.IsZero() {
				return 0
			}
			return float64(l.At.UnixMilli()) / 1e3
		}),
		of("placetop_cloud_read_duration_seconds", "How long the last reading took.", func(l engine.Link) float64 { return l.Took.Seconds() }),
		of("placetop_cloud_read_requests", "How many requests the last reading took.", func(l engine.Link) float64 { return float64(l.Requests) }),
		sent,
	)
}
