package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/rest"
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
	listen      string
	auth        authWord // "" if it depends on the other flags
	tokenFile   string
	keystone    string // URL
	cert, key   string // paths
	tui         bool
	access      bool
	logFormat   *string
	openMetrics bool
	metricsOnly bool // without the API
	each        bool // with metrics of each provider
	bodyMiB     int
	limits      server.Limits
	ssh         sshOptions // the SSH server in the same process; listen is "" for none
}

// served is the served store, with its keeper.
type served struct {
	store  storage.Store
	keeper *keeper.Keeper
}

// serveCommand returns "placetop serve".
func (p *program) serveCommand() *cobra.Command {
	var o serveOptions
	usual := server.DefaultLimits()
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
do everything, and readers of the whole cloud may read it.

Besides the API there are /healthz, /readyz (503 until a remote cloud has been read,
and while writes cannot be saved) and /metrics for Prometheus. Metrics are given to whoever may read the whole cloud, by
X-Auth-Token or Authorization: Bearer; with --auth none, or --open-metrics, to everybody.

Each request is a line in the log with its id: in --log-file, or on standard error.
Certificates and the token file are read again when they change. The token file and the
key are refused if other users can read them, or put others in their place.

Limits, and what happens beyond them: the head of a request %d KiB (431); a body
--max-body (413), of those over 1 MiB %d at a time (others wait); --max-requests under
way, and %d scrapes of /metrics beside them (others wait for %s, then 503); %d MiB of
answers over 1 MiB that clients have not read yet (503); --max-connections (the one
idle for longest is closed); %s for a head, %s for a whole request, %s for an answer
to be read, %s between two requests (closed).

Interrupt it, or send SIGTERM, to end it: requests under way are answered for as long
as --grace, new ones are refused. A second signal ends it at once; what was answered
is on disk all the same.`,
			usual.Header>>10, usual.Large, usual.Scrapes, usual.Wait, rest.DefaultMostAnswers>>20, usual.Head, usual.Request, usual.Answer, usual.Idle),
		Example: `  placetop serve --db cloud.db --auth none
  placetop serve --listen unix:/run/placetop.sock --log-file /dev/stderr --log-format json
  placetop serve --listen 0.0.0.0:8778 --token-file tokens --tls-cert cert.pem --tls-key key.pem
  placetop serve --cloud prod --metrics-only --listen :9100 --refresh 1m
  placetop serve --keystone-url https://keystone.example:5000 --tui
  placetop serve --auth none --ssh 0.0.0.0:2222 --ssh-authorized-keys operators`,
	}
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", defaultListen, "listen at `ADDRESS`: HOST:PORT, or unix:PATH for a socket")
	how := config.Choose(&o.auth, authNone, authTokens, authKeystone)
	flags.Var(how, "auth", "how clients prove who they are: "+how.List()+" (default: as --token-file or --keystone-url imply, else none)")
	flags.StringVar(&o.tokenFile, "token-file", "", "the `FILE` with one token a line, for --auth tokens")
	flags.StringVar(&o.keystone, "keystone-url", "", "the `URL` of a Keystone, for --auth keystone (default $OS_AUTH_URL)")
	flags.StringVar(&o.cert, "tls-cert", "", "speak TLS with the certificate and its chain in `FILE`")
	flags.StringVar(&o.key, "tls-key", "", "the key of --tls-cert, in `FILE`")
	requireFlag(cmd, "tls-cert", "tls-key")
	requireFlag(cmd, "tls-key", "tls-cert")
	flags.StringVar(&o.ssh.listen, "ssh", "", "also serve SSH at `ADDRESS`: see \"placetop ssh --help\"")
	o.ssh.addFlags(cmd, "ssh-")
	requireFlag(cmd, "ssh", flagNames(cmd, func(f *pflag.Flag) bool { return strings.HasPrefix(f.Name, "ssh-") })...)
	flags.BoolVar(&o.tui, "tui", false, "also show the dashboard; quitting it ends the server")
	flags.BoolVar(&o.access, "access-log", true, "log each request")
	o.logFormat = logFormatFlag(cmd)
	flags.BoolVar(&o.openMetrics, "open-metrics", false, "give /metrics to everybody")
	flags.BoolVar(&o.metricsOnly, "metrics-only", false, "serve only /metrics, to everybody unless --auth says otherwise, such as an exporter of a live cloud")
	flags.BoolVar(&o.each, "provider-metrics", false, "add metrics for each provider: tens of thousands in a large cloud")
	flags.IntVar(&o.bodyMiB, "max-body", int(usual.Body>>20), "accept bodies of at most `MIB`")
	flags.IntVar(&o.limits.Requests, "max-requests", usual.Requests, "allow at most `N` requests at a time")
	flags.IntVar(&o.limits.Connections, "max-connections", usual.Connections, "allow at most `N` open connections")
	flags.DurationVar(&o.limits.Grace, "grace", usual.Grace, "when told to end, wait at most `TIME` for requests under way")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.settle(p.env); err != nil {
			return err
		}
		if o.ssh.listen != "" {
			if err := o.ssh.settle(); err != nil {
				return err
			}
		}
		return p.serve(cmd.Context(), o)
	}
	return cmd
}

// mostBodyMiB is the highest limit on bodies that can be set: a body is read as a whole.
const mostBodyMiB = 1 << 10

// settle fills in unset flags, and refuses flags that contradict each other.
func (o *serveOptions) settle(env map[string]string) error {
	if o.auth == "" {
		switch {
		case o.tokenFile != "" && o.keystone != "":
			return usageErrorf("add --auth tokens or --auth keystone", "--token-file and --keystone-url exclude each other")
		case o.tokenFile != "":
			o.auth = authTokens
		case o.keystone != "":
			o.auth = authKeystone
		default:
			o.auth = authNone
		}
	}
	if o.auth == authKeystone && o.keystone == "" {
		o.keystone = env["OS_AUTH_URL"]
	}
	switch {
	case o.auth == authTokens && o.tokenFile == "":
		return usageErrorf("add --token-file FILE", "--auth tokens needs tokens")
	case o.auth != authTokens && o.tokenFile != "":
		return usageErrorf("leave it out, or add --auth tokens", "--token-file has no meaning with --auth %s", o.auth)
	case o.auth == authKeystone && o.keystone == "":
		return usageErrorf("add --keystone-url URL", "--auth keystone needs a Keystone")
	case o.auth != authKeystone && o.keystone != "":
		return usageErrorf("leave it out, or add --auth keystone", "--keystone-url has no meaning with --auth %s", o.auth)
	case o.bodyMiB < 1 || o.bodyMiB > mostBodyMiB:
		return usageErrorf(fmt.Sprintf("give 1 to %d", mostBodyMiB), "--max-body %d is out of range", o.bodyMiB)
	case o.limits.Requests < 1:
		return usageErrorf("give at least 1", "--max-requests %d lets nobody in", o.limits.Requests)
	case o.limits.Connections < 1:
		return usageErrorf("give at least 1", "--max-connections %d lets nobody in", o.limits.Connections)
	case o.limits.Grace <= 0:
		return usageErrorf("give one such as 30s", "--grace must be above zero")
	}
	o.limits.Body = int64(o.bodyMiB) << 20
	return nil
}

// logFormatFlag adds the flag for the format of the log to cmd.
func logFormatFlag(cmd *cobra.Command) (word *string) {
	word = new(string)
	*word = logText
	v := config.Choose(word, logText, logJSON)
	cmd.Flags().Var(v, "log-format", "write the log as "+v.List())
	return word
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
func (o *serveOptions) anybody() bool { return o.auth == authNone && !o.metricsOnly }

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

// warnOfListeners warns if others could read the tokens of clients, judging by the actual
// address, which may differ from --listen.
func (p *program) warnOfListeners(o serveOptions, at net.Addr) {
	if o.auth != authNone && o.cert == "" && !onlyHere(at) {
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
