package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/rest/server"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session/sshd"
)

// defaultSSH is the default address for SSH.
const defaultSSH = "127.0.0.1:2222"

// How users authenticate over SSH.
const (
	authKeys authWord = "keys"
)

// sshOptions are the flags that say who may log in by SSH, and where.
type sshOptions struct {
	HostKey        string        `flag:"host-key" help:"the <FILE> with the host key, which is created if missing (default %s)"`
	AuthorizedKeys []string      `flag:"authorized-keys" each:"yes" help:"let the keys in <FILE> write (repeatable)"`
	Readers        []string      `flag:"readers" each:"yes" help:"let the keys in <FILE> read (repeatable)"`
	Admins         []string      `flag:"admins" each:"yes" help:"let the keys in <FILE> do everything (repeatable)"`
	Auth           authWord      `flag:"auth" words:"keys,none" help:"how people prove who they are: %s; none lets everybody write, and is only allowed on a loopback address"`
	MaxSessions    int           `flag:"max-sessions" help:"allow at most <N> sessions"`
	Idle           time.Duration `flag:"idle" help:"end a session that is idle for <TIME>"`
	Grace          time.Duration `flag:"grace" help:"when told to end, let sessions go on for <TIME>"`

	listen string
	limits sshd.Limits // with those of the flags once settled
	prefix string      // of the flags
}

// sshCommand returns "placetop ssh".
func (p *program) sshCommand() *cobra.Command {
	o := struct {
		Listen string `flag:"listen" help:"listen at <ADDRESS>: HOST:PORT, or unix:PATH for a socket"`
		sshOptions
		logFlags
	}{defaultSSH, defaultSSHOptions(), logFlags{logText}}
	cmd := command(`ssh
Let others use the dashboard and the commands by SSH

Let others use, over SSH, the one cloud that this process has open: everybody gets a
dashboard, and what one writes all see at once. Without a terminal a command behaves
as it does here, output and exit code included, and "-" is standard input or output:

  ssh -p 2222 bastion
  ssh -p 2222 bastion get providers -o json

Who gets in: keys in --authorized-keys may write, those in --readers may only read,
those in --admins may also mute rules, change settings of the whole cloud, and see who
is connected. A key in several files gets the least of its roles, and none if that line
has expired or is refused. Of the options of sshd(8), from=, expiry-time=, command=,
restrict, pty and the no- options are honoured; a line with any other is refused.
There are no certificates and no passwords. The files are read again when they change; a
line that is then bad lets nobody in. Sessions are checked again each second: whoever has
a key that was removed, expired or reduced to fewer rights is told so, and disconnected.
The files and their folders must belong to you or root, and nobody
else may be able to write to them, as with StrictModes of sshd(8).

The host key is made as ed25519. Name an ECDSA key, or an RSA key of 3072 bits or more,
to let clients in FIPS mode in, too: it brings the key exchanges that they have.

There is no shell, editor, forwarding, sftp or agent; commands that serve, or work on
files of this machine, are refused by name. The journal names a writer by the comment of
the key and by its fingerprint. Each key tried, and each request refused, is a line in
the log.

Interrupt it, or send SIGTERM, to end it: every screen says so, and sessions end after
--grace.

Examples:
  placetop ssh --db cloud.db --authorized-keys ~/.ssh/authorized_keys
  placetop ssh --readers noc.keys --authorized-keys sre.keys`)
	bindFlags(cmd, &o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.listen = o.Listen
		if err := o.settle(); err != nil {
			return err
		}
		return p.ssh(cmd.Context(), o.sshOptions, o.LogFormat)
	}
	return cmd
}

// defaultSSHOptions returns the options without flags.
func defaultSSHOptions() sshOptions {
	usual := sshd.DefaultLimits()
	return sshOptions{HostKey: defaultHostKey(), Auth: authKeys, MaxSessions: usual.Sessions, Idle: usual.Idle, Grace: usual.Grace, limits: usual, prefix: "--"}
}

// defaultHostKey is the path of the key by which clients recognise this machine.
func defaultHostKey() string {
	return filepath.Join(xdg.DataHome, "placetop", "ssh_host_ed25519_key")
}

// settle fills in unset flags, and refuses flags that contradict each other.
func (o *sshOptions) settle() error {
	o.limits.Sessions, o.limits.Idle, o.limits.Grace = o.MaxSessions, o.Idle, o.Grace
	named := len(o.AuthorizedKeys) + len(o.Readers) + len(o.Admins)
	switch {
	case o.Auth == authNone && named > 0:
		return usageErrorf("leave one out", "with %sauth none no keys are checked", o.prefix)
	case o.Auth != authNone && named == 0:
		return usageErrorf(fmt.Sprintf("name a file of keys with %[1]sauthorized-keys or %[1]sreaders", o.prefix), "nobody could get in")
	case o.MaxSessions < 1:
		return usageErrorf("give at least 1", "a limit of sessions below 1 lets nobody in")
	case o.Idle <= 0:
		return usageErrorf("give one such as 30m", "%sidle must be above zero", o.prefix)
	case o.Grace < 0:
		return usageErrorf("give one such as 3s, or 0", "%sgrace must be a time", o.prefix)
	}
	return nil
}

// keyFiles returns the files of keys, with their roles.
func (o *sshOptions) keyFiles() []sshd.KeyFile {
	var out []sshd.KeyFile
	for _, of := range []struct {
		names []string
		role  sshd.Role
	}{{o.Readers, sshd.Reader}, {o.AuthorizedKeys, sshd.Operator}, {o.Admins, sshd.Admin}} {
		for _, name := range of.names {
			out = append(out, sshd.KeyFile{Path: name, Role: of.role})
		}
	}
	return out
}

// reception is an SSH server that is ready to start.
type reception struct {
	o    sshOptions
	l    net.Listener
	key  ssh.Signer
	gate *sshd.Gate // nil to let everyone in
	log  *slog.Logger
}

// openReception checks everything that could prevent logins, and listens. It is called
// before the cloud is opened.
func (p *program) openReception(ctx context.Context, o sshOptions, log *slog.Logger) (*reception, error) {
	flag := "--listen"
	if o.prefix != "--" {
		flag = "--ssh"
	}
	at, err := server.ParseAddress(o.listen)
	if err != nil {
		return nil, usageErrorf("", "%s: %w", flag, err)
	}
	r := &reception{o: o, log: log}
	if o.Auth == authNone {
		if err := mustBeLocal(ctx, at, o.prefix+"auth", "name keys"); err != nil {
			return nil, err
		}
	} else if r.gate, err = sshd.OpenGate(sshd.GateOptions{
		Keys: o.keyFiles(), Clock: p.now, Changed: logRead(ctx, log, "keys", "refused lines let nobody in"),
	}); err != nil {
		return nil, wrongFile(err)
	}
	var made bool
	if r.key, made, err = sshd.HostKey(o.HostKey); err != nil {
		return nil, wrongFile(err)
	}
	if made {
		p.say("made the host key %s", o.HostKey)
	}
	if r.l, err = at.Listen(ctx); err != nil {
		return nil, failed(err, "")
	}
	return r, nil
}

// receiver returns a function that runs the SSH server on what is served, until its
// context ends.
func (p *program) receiver(r *reception) func(context.Context) error {
	p.collectOften()
	of := hosting{settings: p.settings, served: p.served, peers: p.peers, scheme: p.engine().Scheme(), common: &screen.Common{}}
	var s *sshd.Server
	of.sessions = func() []sshd.Listing { return s.Sessions() }
	s = sshd.New(sshd.Options{
		HostKey: r.key, Gate: r.gate, Unproved: sshd.Operator, Limits: r.o.limits, Clock: p.now, Log: r.log,
		Handle: func(ctx context.Context, s *sshd.Session) int { return p.serveGuest(ctx, of, s) },
	})
	p.say("serving SSH at %s for %s, revision %d; host key %s; %s", r.l.Addr(), p.settings.DB, p.served.store.Snapshot().Revision(),
		ssh.FingerprintSHA256(r.key.PublicKey()), r.words())
	return func(ctx context.Context) error { return s.Serve(ctx, r.l) }
}

// words returns who may log in.
func (r *reception) words() string {
	if r.gate == nil {
		return "everybody on this machine may write"
	}
	n := r.gate.Count()
	var words []string
	for _, role := range []sshd.Role{sshd.Reader, sshd.Operator, sshd.Admin} {
		if n[role] > 0 {
			words = append(words, fmt.Sprintf("%d as %s", n[role], role))
		}
	}
	if len(words) == 0 {
		words = []string{"none"}
	}
	return "keys: " + strings.Join(words, ", ")
}

// ssh runs the SSH server until ctx ends.
func (p *program) ssh(ctx context.Context, o sshOptions, logFormat string) error {
	log := p.serviceLog(logFormat)
	r, err := p.openReception(ctx, o, log)
	if err != nil {
		return err
	}
	defer r.l.Close() //nolint:errcheck // it is closed by then, unless something went wrong that is told
	store, err := p.openToServe(ctx, true, new(counter), log)
	if err != nil {
		return err
	}
	p.sayCopied(store)
	p.served = servedStore{store, p.startKeeper(ctx, store, false, log)}
	return p.receiver(r)(ctx)
}

// serveAll runs services until ctx ends or one of them fails.
func serveAll(ctx context.Context, services ...func(context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, len(services))
	defer stop()
	for _, service := range services {
		go func() {
			defer stop()
			ended <- service(ctx)
		}()
	}
	var errs []error
	for range services {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}
