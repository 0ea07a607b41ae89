package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/view"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session/sshd"
)

// guest is a user who came in by SSH, as their run of the program sees them. For that run
// it is the engine of the only cloud.
type guest struct {
	of      hosting
	session *sshd.Session
	looks   bool // the request is for the dashboard
}

// hosting is what all guests share.
type hosting struct {
	settings config.Settings // of the host, as they were at the start
	served   servedStore
	peers    *follow.Peers // nil if nobody can attach to the file
	scheme   string        // of the engine
	common   *screen.Common
	sessions func() []sshd.Listing
}

// serveGuest runs what a guest requests, and returns the exit code.
func (p *program) serveGuest(ctx context.Context, of hosting, s *sshd.Session) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g := &program{
		stdin: s.Stdin(), stdout: s.Stdout(), stderr: s.Stderr(),
		env: s.Env, now: p.now, newID: uuid.New, log: s.Log, served: of.served,
		guest: &guest{of: of, session: s},
	}
	err := g.ended(ctx, g.runCommand(ctx, stop))
	err = errors.Join(err, g.close())
	if end, ok := errors.AsType[*sshd.EndError](context.Cause(ctx)); ok {
		err = end
	}
	if err != nil {
		s.Log.WarnContext(ctx, "not done", slog.String("why", oneLine(errorText(err))))
	}
	return report(g.stderr, err)
}

// runCommand runs the guest's command.
func (p *program) runCommand(ctx context.Context, stop func()) error {
	s := p.guest.session
	args, err := sshd.Words(s.Command)
	if err != nil {
		return usageErrorf("", "%w", err)
	}
	root := p.root() //nolint:contextcheck // cobra hands it on
	if cmd, _, err := root.Find(args); s.Terminal != nil && (err != nil || cmd != root) {
		p.stdin = s.Cooked(stop)
		root.SetIn(p.stdin)
	}
	root.SetArgs(append([]string{}, signedLast(root, args)...)) // nil would mean those of this process
	if err := p.orUnprinted(root.ExecuteContext(ctx)); err != nil || !p.guest.looks {
		return err
	}
	if peers := p.guest.of.peers; peers != nil {
		defer peers.Join(engine.Peer{As: s.Person.Name, Role: s.Person.Role.String(), From: s.Address, SinceMS: versioned.Millis(s.Since), Looks: s.Person.Role < sshd.Operator})()
	}
	return p.dashboard(ctx) // from here, so that the commands can be freed meanwhile
}

// restrictConfig removes from a dashboard what belongs to the server's machine, and connects it to
// the server.
func (g *guest) restrictConfig(cfg *tui.Config) {
	s := g.session
	cfg.Local = false
	cfg.Env.Editor, cfg.Env.Common = nil, g.of.common
	cfg.Screens = slices.DeleteFunc(cfg.Screens, func(d screen.Declaration) bool { return d.Of == place.Hardware{} })
	cfg.WriteFile, cfg.Remember = nil, nil
	cfg.SaveReport = func(report []byte) (string, error) {
		s.Log.Error("a screen crashed", slog.String("report", string(report)))
		return "the server's log has it", nil
	}
	cfg.Presence = tui.NewPresence()
	s.Show(cfg.Presence)
}

// me is the guest with their role.
func (g *guest) me() string { return g.session.Person.Name + " " + g.session.Person.Role.String() }

// who lists the users who are present, and who works on the file beside the server.
func (of hosting) who() []tui.ConnectedUser {
	var out []tui.ConnectedUser
	for _, l := range of.sessions() {
		out = append(out, tui.ConnectedUser{Name: l.Person.Name, Role: l.Person.Role.String(), Address: l.Address, At: oneLine(l.What), Since: l.Since, Heard: l.Heard})
	}
	if of.peers != nil {
		processes := slices.DeleteFunc(of.peers.List()[1:], func(p engine.Peer) bool { return p.From != "" }) // the first is the server
		for _, u := range attached(processes) {
			u.Name, u.Address = "somebody", onServer // accounts and processes there are not for guests
			out = append(out, u)
		}
	}
	return out
}

// onServer is the address of who works on the file beside the server.
const onServer = "on the server"

var _ engine.Opener = (*guest)(nil)

func (g *guest) Scheme() string { return g.of.scheme }

// Has implements engine.Opener: the cloud is open.
func (g *guest) Has(string) (bool, error) { return true, nil }

// Open implements engine.Opener. It gives what the guest may do with the one cloud.
func (g *guest) Open(_ context.Context, _ string, o engine.Options) (storage.Store, error) {
	return g.view(o.ReadOnly), nil
}

// view returns the cloud as the guest may use it.
func (g *guest) view(readOnly bool) storage.Store {
	who := g.session.Person
	switch {
	case who.Role < sshd.Operator:
		return view.ReadOnly(g.of.served.store, who.Name+" is a reader")
	case readOnly:
		return view.ReadOnly(g.of.served.store, "this run is read-only")
	}
	return view.Signed(g.of.served.store, who.String(), func(c cloud.Change) error {
		for _, op := range c.Ops {
			if what := forAdmins(op); what != "" && who.Role < sshd.Admin {
				return &cloud.UnsupportedError{Op: op, Why: what + " is for admins, and " + who.Name + " is let in as an " + who.Role.String()}
			}
		}
		return nil
	})
}

// forAdmins returns what an operation does that only admins may do, "" if it is open to
// all writers.
func forAdmins(op cloud.Op) string {
	switch op := op.(type) {
	case operator.MuteRule, operator.UnmuteRule:
		return ofAdmins(operator.KindMute)
	case nova.Configure, operator.LimitJournal:
		return ofAdmins(nova.KindConfig)
	case intent.PutRecords:
		for _, r := range op.Records {
			if what := ofAdmins(r.Kind()); what != "" {
				return what
			}
		}
	}
	return ""
}

// ofAdmins is forAdmins for operations that change records of a kind.
func ofAdmins(kind versioned.Kind) string {
	switch kind {
	case operator.KindMute:
		return "muting a rule"
	case nova.KindConfig, operator.KindJournalLimits:
		return "a setting of the whole cloud"
	}
	return ""
}

// reach says from where a command can be used: anywhere, or only on the machine itself,
// and then why SSH guests cannot use it. Each command states it in root.go.
type reach string

// The values of reach.
const (
	anywhere   reach = "anywhere"
	itsMemory  reach = "its made-up cloud would take the memory of the machine it runs on"
	serves     reach = "it serves others until it is stopped"
	itsMachine reach = "it looks at the machine it runs on, which is not yours"
	itsFiles   reach = "it works on files of the machine it runs on, which is not yours"
)

// reachNote is the annotation that holds a command's reach.
const reachNote = "reach"

// note stores the reach in a command.
func (r reach) note(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[reachNote] = string(r)
}

// refuse makes a command, and those below it, return why it cannot be used over SSH,
// unless it can. Nothing suggests it to a guest.
func (r reach) refuse(cmd *cobra.Command) {
	if r == anywhere {
		return
	}
	cmd.Args, cmd.DisableFlagParsing, cmd.Hidden = nil, true, true
	cmd.PersistentPreRunE, cmd.ValidArgsFunction = noSettings, nil
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return usageErrorf("run it on the machine itself", "%s cannot be used over ssh: %s", cmd.CommandPath(), string(r))
	}
	for _, below := range cmd.Commands() {
		r.refuse(below)
	}
}

// resolve fills in the settings from flags and whatever else applies to the user who runs
// the command.
func (p *program) resolve(flags *pflag.FlagSet) error {
	if p.guest != nil {
		return p.settings.AsGuest(p.guest.of.settings, flags, p.env)
	}
	return p.settings.Resolve(flags, p.env)
}

// ownFile refuses to let an SSH guest use a file of this machine.
func (p *program) ownFile(name string) error {
	if p.guest == nil {
		return nil
	}
	return usageErrorf("give - for your standard input or output", "%s would be a file on the server", name)
}
