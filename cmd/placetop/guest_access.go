package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// reach says from where a command can be used: anywhere, or only on the machine itself,
// and then why SSH guests cannot use it. Each command states it in root.go.
type reach string

// The values of reach.
const (
	anywhere   reach = "anywhere"
	serves     reach = "it serves others until it is stopped"
	itsMachine reach = "it looks at the machine it runs on, which is not yours"
	itsFiles   reach = "it works on files of the machine it runs on, which is not yours"
	itsEditor  reach = "it opens an editor on the machine it runs on, which is not yours"
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
