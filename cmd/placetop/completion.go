package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
)

// completionCommand returns "placetop completion".
func (p *program) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for bash, zsh or fish",
		Long: `Print a script that completes commands, flags and names in the cloud: providers,
traits, classes, consumers.`,
		Example: `  source <(placetop completion bash)
  placetop completion zsh > "${fpath[1]}/_placetop"
  placetop completion fish > ~/.config/fish/completions/placetop.fish`,
		Args:              takes(1, 1),
		ValidArgs:         shells,
		PersistentPreRunE: noSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.stdout, true)
			case "zsh":
				return root.GenZshCompletion(p.stdout)
			case "fish":
				return root.GenFishCompletion(p.stdout, true)
			default:
				return usageErrorf("use one of "+strings.Join(shells, ", "), "no completion for %q", args[0])
			}
		},
	}
}

// completeWith completes the value of a flag of cmd. Cobra keeps that function, with all
// that it refers to, as long as the process runs, so it is left out for guests, of whom
// there are many.
func (p *program) completeWith(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if p.guest == nil {
		_ = cmd.RegisterFlagCompletionFunc(flag, with) // it fails only for a flag that cmd does not have
	}
}

// completeChoices completes the values of flags of cmd, and the commands below it, that
// take one of a few words.
func (p *program) completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if of, ok := f.Value.(interface{ names() []string }); ok {
			p.completeWith(cmd, f.Name, cobra.FixedCompletions(of.names(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, c := range cmd.Commands() {
		p.completeChoices(c)
	}
}

// completeSettings completes the values of the global flags.
func (p *program) completeSettings(root *cobra.Command) {
	fixed := func(words []string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return words, cobra.ShellCompDirectiveNoFileComp
		}
	}
	p.completeWith(root, "theme", fixed(slices.Concat(themes.Names(p.ownThemes()), themes.Short(), []string{themes.Auto})))
	p.completeWith(root, "sync", fixed(syncWords()))
}

// complete returns a function that completes a word with those that words finds in the
// cloud, given the arguments before it. It leaves out names with control characters,
// which the shell would pass to the terminal. If there is no cloud, or another process
// has it, it completes nothing, as it cannot say why.
func (p *program) complete(words func(f finder, args []string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if err := p.resolve(cmd.Flags()); err != nil {
			return nil, none
		}
		if there, err := p.fileThere(); err != nil || !there {
			return nil, none
		}
		p.settings.Wait = min(p.settings.Wait, defaultWait) // the user is waiting at a prompt
		store, err := p.openToRead(cmd.Context())
		if err != nil {
			return nil, none
		}
		var out []string
		for _, w := range words(finderOf(store.Snapshot()), args) {
			if strings.HasPrefix(w, toComplete) && !strings.ContainsFunc(w, versioned.Unseen) {
				out = append(out, w)
			}
		}
		return out, none
	}
}

// completeFirst completes the first argument with what words finds.
func (p *program) completeFirst(words func(finder) []string) cobra.CompletionFunc {
	return p.complete(func(f finder, args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return words(f)
	})
}

// completeFlag completes the value of a flag with what words finds.
func (p *program) completeFlag(cmd *cobra.Command, flag string, words func(finder) []string) {
	p.completeWith(cmd, flag, p.complete(func(f finder, _ []string) []string { return words(f) }))
}
