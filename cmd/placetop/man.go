package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
)

// manCommand returns "placetop man".
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND]...",
		Short: "Print the manual page of placetop, or of a command",
		Long: `Print the manual page of placetop, or of a command, in the language of man(1). That of
placetop explains settings and exit codes.`,
		Example: `  placetop man | man -l -
  placetop man get providers | man -l -`,
		ValidArgsFunction: completeCommands,
		PersistentPreRunE: noSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := commandNamed(cmd.Root(), args)
			if err != nil {
				return err
			}
			if !of.HasParent() {
				of.Long += manSections()
			}
			of.DisableAutoGenTag = true
			return doc.GenMan(of, &doc.GenManHeader{Source: "placetop " + version(), Manual: "User Commands"}, output{p})
		},
	}
}

// manSections returns what the manual page of placetop has besides its flags and commands,
// in the Markdown that cobra takes.
func manSections() string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, "\n\n# %s\n", title) }
	item := func(term any, meaning string) { fmt.Fprintf(&b, "**%v**\n\t%s\n\n", term, meaning) }
	section("EXIT STATUS")
	for code, meaning := range exitMeanings() {
		item(code, meaning)
	}
	section("ENVIRONMENT")
	for _, key := range config.Keys() {
		item(config.Variable(key), "as the flag --"+config.FlagOf(key))
	}
	item("PLACETOP_CONFIG", "as the flag --config")
	item("NO_COLOR", "no colours, whatever its value")
	section("FILES")
	item("$XDG_DATA_HOME/placetop/placetop.db", "the cloud, unless flag, environment or configuration name another file")
	item("$XDG_CONFIG_HOME/placetop/config.toml", "the configuration: "+strings.Join(config.Keys(), ", ")+", each as the flag of that name, [keys] and [filters] of the dashboard, and [nova.CLOUD], what nova.conf of a live cloud has; placetop config init writes one that explains them")
	item("$XDG_CONFIG_HOME/placetop/themes/NAME.toml", "a palette of your own, as the theme NAME")
	item("$XDG_STATE_HOME/placetop/", "reports of crashes")
	return b.String()
}
