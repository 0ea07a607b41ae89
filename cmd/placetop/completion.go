package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/versioned"
)

// completionCommand returns "placetop completion".
func (p *program) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	cmd := command(`completion SHELL
Print a completion script for bash, zsh or fish

Print a script that completes commands, flags and names in the cloud: providers,
traits, classes, consumers.

Examples:
  source <(placetop completion bash)
  placetop completion zsh > "${fpath[1]}/_placetop"
  placetop completion fish > ~/.config/fish/completions/placetop.fish`)
	cmd.ValidArgs = shells
	cmd.PersistentPreRunE = noSettings
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch root := cmd.Root(); args[0] {
		case "bash":
			return root.GenBashCompletionV2(output{p}, true)
		case "zsh":
			return root.GenZshCompletion(output{p})
		case "fish":
			return root.GenFishCompletion(output{p}, true)
		default:
			return usageErrorf("use one of "+strings.Join(shells, ", "), "no completion for %q", args[0])
		}
	}
	return cmd
}

// words finds what completes a word of a command line, given the arguments before it.
type words = func(f finder, args []string) []string

// namesOf completes the name of a thing of a kind.
func namesOf(n kinds.Name) words {
	return func(f finder, _ []string) []string { return kinds.Of(n).Names(f.Finder) }
}

// listOf completes with what a Finder lists.
func listOf(list func(kinds.Finder) []string) words {
	return func(f finder, _ []string) []string { return list(f.Finder) }
}

// oneOf completes with fixed words.
func oneOf(list ...string) words { return func(finder, []string) []string { return list } }

// nouns are the words of usage lines, and the names and values of flags, that can be
// completed; those of one command have its name in front.
func (p *program) nouns() map[string]words {
	prefilters := oneOf(nova.PrefilterNames()...)
	return map[string]words{
		"AGGREGATE": hostAggregateNames, "CARD|HOST": namesOf(kinds.Providers), "CLASS": namesOf(kinds.Classes), "CONSUMER": namesOf(kinds.Consumers),
		"DEVICE": namesOf(kinds.Devices), "FLAVOR": namesOf(kinds.Flavors), "HOST": listOf(kinds.Finder.Hosts), "INSTANCE": namesOf(kinds.Instances),
		"PROVIDER": namesOf(kinds.Providers), "RULE": oneOf(ruleWords()...), "TRAIT": namesOf(kinds.Traits), "ZONE": listOf(kinds.Finder.Zones),

		"class NAME": namesOf(kinds.Classes), "flavor NAME": namesOf(kinds.Flavors), "trait NAME": namesOf(kinds.Traits), "profile NAME": namesOf(kinds.Profiles),
		"aggregate NAME": hostAggregateNames, "aggregate UUID": namesOf(kinds.Aggregates), "inventory CLASS": classesOfProvider, "pool PROVIDER": poolNames,
		"get CLASS":    oneOf(object.Classes()...),
		"reshape FROM": namesOf(kinds.Providers), "reshape TO": namesOf(kinds.Providers),
		"acknowledge SUBJECT": p.openSubjects, "unacknowledge SUBJECT": acknowledgedSubjects, "unmute RULE": mutedRules,

		"--aggregate": namesOf(kinds.Aggregates), "--owner": oneOf("nova", "cyborg", "both", "none"), "--project": listOf(kinds.Finder.Projects), "--subject": p.openSubjects,
		"--prefilter": prefilters, "--prefilter-off": prefilters, "--prefilter-on": prefilters, "--no-prefilter": prefilters,
		"--trait": listOf(kinds.Finder.UsedTraits), "--type": listOf(kinds.Finder.Types),
	}
}

// readUsage gives cmd, and the commands below it, what its usage line says: how many
// arguments it takes, and how these and the values of its flags are completed.
func (p *program) readUsage(cmd *cobra.Command, nouns map[string]words) {
	usage, _, _ := strings.Cut(cmd.Use, " --")
	args := strings.Fields(usage)[1:]
	if cmd.Args == nil {
		least, most := 0, len(args)
		for _, arg := range args {
			if arg[0] != '[' {
				least++
			}
			if strings.HasSuffix(arg, "...") {
				most = -1
			}
		}
		cmd.Args = takes(least, most)
	}
	find := func(word string) words {
		if of := nouns[cmd.Name()+" "+word]; of != nil {
			return of
		}
		return nouns[word]
	}
	if making := cmd.HasParent() && cmd.Parent().Name() == "create"; cmd.ValidArgsFunction == nil && !making {
		cmd.ValidArgsFunction = p.completeArgs(args, find)
	}
	p.completeChoices(cmd, cmd.Flags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(f)
		complete := find("--" + f.Name)
		if complete == nil {
			complete = find(value)
		}
		if complete != nil {
			p.completeWith(cmd, f.Name, p.complete(func(f finder, _ []string) []string { return complete(f, nil) }))
		}
	})
	for _, below := range cmd.Commands() {
		p.readUsage(below, nouns)
	}
}

// completeArgs completes the arguments of a usage line, nil if none of them can be. What
// is before and behind a noun, as in +TRAIT and CLASS=AMOUNT, is before and behind its words.
func (p *program) completeArgs(args []string, find func(noun string) words) cobra.CompletionFunc {
	noun := regexp.MustCompile(`[A-Z|]+`)
	known := slices.ContainsFunc(args, func(arg string) bool { return find(noun.FindString(arg)) != nil })
	if !known {
		return nil
	}
	return p.complete(func(f finder, typed []string) []string {
		last := len(args) - 1
		if len(typed) > last && !strings.HasSuffix(args[last], "...") {
			return nil
		}
		arg := args[min(len(typed), last)]
		complete := find(noun.FindString(arg))
		if complete == nil {
			return nil
		}
		list := slices.Clone(complete(f, typed))
		for i, word := range list {
			if strings.HasPrefix(arg, "+") {
				list[i] = "+" + word
			} else if strings.Contains(arg, "=") {
				list[i] = word + "="
			}
		}
		return list
	})
}

// completeChoices completes the values of those flags of cmd that take one of a few words.
func (p *program) completeChoices(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if of, ok := f.Value.(*config.Choice); ok {
			p.completeWith(cmd, f.Name, cobra.FixedCompletions(of.Among, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// completeWith completes the value of a flag of cmd, but not for a guest: there may be many,
// and cobra keeps what completes a flag for as long as the process runs.
func (p *program) completeWith(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if p.guest == nil {
		_ = cmd.RegisterFlagCompletionFunc(flag, with) // it fails for a flag that cmd does not have, or that is completed already
	}
}

// complete returns a function that completes a word with those that list finds in the
// cloud, given the arguments before it. It leaves out names with control characters,
// which the shell would pass to the terminal. A cloud that is not there, or that another
// process has, is taken for an empty one, as there is nobody to tell.
func (p *program) complete(list words) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		snap := cloud.Empty()
		if p.resolve(cmd.Flags()) == nil {
			p.settings.Wait = min(p.settings.Wait, config.DefaultWait) // the user is waiting at a prompt
			if store, err := p.openToRead(cmd.Context()); err == nil {
				snap = store.Snapshot()
			}
		}
		var out []string
		for _, w := range list(finderOf(snap), args) {
			name, _, _ := strings.Cut(w, "\t") // what follows describes it
			if strings.HasPrefix(w, toComplete) && !strings.ContainsFunc(name, versioned.Unseen) {
				out = append(out, w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
