package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// reach says from where a command can be used: anywhere, or only on the machine that it
// runs on, and then why not by who is let in there by SSH. Each command says it in root.go.
type reach string

// From where commands can be used.
const (
	anywhere   reach = "anywhere"
	serves     reach = "it serves others until it is stopped"
	itsMachine reach = "it looks at the machine it runs on, which is not yours"
	itsFiles   reach = "it works on files of the machine it runs on, which is not yours"
	itsEditor  reach = "it opens an editor on the machine it runs on, which is not yours"
)

// reachNote is the annotation of a command that keeps its reach.
const reachNote = "reach"

// note keeps with a command from where it can be used.
func (r reach) note(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[reachNote] = string(r)
}

// refuse has a command, and those below it, say why it cannot be used from afar, unless it
// can.
func (r reach) refuse(cmd *cobra.Command) {
	if r == anywhere {
		return
	}
	cmd.Args, cmd.DisableFlagParsing = nil, true
	cmd.PersistentPreRunE, cmd.ValidArgsFunction = noSettings, nil
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return usageErrorf("run it on the machine itself", "%s cannot be used over ssh: %s", cmd.CommandPath(), string(r))
	}
	for _, below := range cmd.Commands() {
		r.refuse(below)
	}
}

// guestFlags are the flags of every command that one may give over ssh: they say how the
// own terminal is drawn, or do less. The others name what is of the machine's.
func guestFlags() []string {
	return []string{"ascii", "mouse", "no-color", "read-only", "sync", "theme", "help", "version"}
}

// machines reports whether a flag of every command is for who is on the machine itself.
func (s *settings) machines(name string) bool {
	var all pflag.FlagSet
	new(settings).addFlags(&all)
	return all.Lookup(name) != nil && !slices.Contains(guestFlags(), name)
}

// resolve fills in the settings from flags and what else counts for who runs the command.
func (p *program) resolve(flags *pflag.FlagSet) error {
	if p.guest != nil {
		return p.settings.asGuest(p.guest.of.settings, flags, p.env)
	}
	return p.settings.resolve(flags, p.env)
}

// ownFile refuses a file of this machine to who is let in by SSH.
func (p *program) ownFile(name string) error {
	if p.guest == nil {
		return nil
	}
	return usageErrorf("give - for your standard input or output", "%s would be a file on the server", name)
}
