package main

import (
	"bufio"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// helpWidth is the width of help if the terminal does not tell its own, in cells.
const helpWidth = 80

// help prints the help of a command to standard output.
func (p *program) help(cmd *cobra.Command, _ []string) {
	styles := style.NewPlain(themes.Palette{}, style.ASCII())
	// A bad theme or configuration file must not prevent help.
	if pr, err := p.printer(formatTable); err == nil {
		styles = pr.styles
	}
	h := helpWriter{out: bufio.NewWriter(cmd.OutOrStdout()), styles: styles, width: helpWidth}
	w := 0
	switch out := p.stdout.(type) {
	case *os.File:
		w, _, _ = term.GetSize(out.Fd()) // 0 if it is not a terminal
	case interface{ Width() int }:
		w = out.Width()
	}
	if w >= 40 {
		h.width = min(w, 110)
	}
	h.command(cmd)
	_ = h.out.Flush() // output keeps the error
}

// helpCommand returns "placetop help".
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]...",
		Short:             "Explain a command",
		PersistentPreRunE: noSettings,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usageErrorf(`see "placetop --help"`, "%w", err)
			}
			if len(rest) > 0 {
				return unknownWord(of, "command", rest[0])
			}
			of.InitDefaultHelpFlag()
			p.help(of, nil)
			return nil
		},
	}
}

// noSettings is for commands that need no settings, so that they work even if a setting
// is wrong.
func noSettings(*cobra.Command, []string) error { return nil }

// helpWriter lays out the help of one command.
type helpWriter struct {
	out    *bufio.Writer // keeps the first error
	styles *style.Styles
	width  int // cells
}

func (h helpWriter) line(parts ...string) {
	for _, s := range parts {
		_, _ = h.out.WriteString(s)
	}
	_ = h.out.WriteByte('\n')
}

func (h helpWriter) head(text string) {
	h.line()
	h.line(h.styles.Render(themes.Title, text))
}

// text prints paragraphs, each filled to the width. Indented lines are kept as they are.
func (h helpWriter) text(text string) {
	var words []string
	fill := func() {
		for _, l := range folded(words, h.width) {
			h.line(l)
		}
		words = nil
	}
	for l := range strings.SplitSeq(text, "\n") {
		if l == "" || strings.HasPrefix(l, " ") {
			fill()
			h.line(l)
			continue
		}
		words = append(words, strings.Fields(l)...)
	}
	fill()
}

// folded returns words in lines up to a width. It breaks no word: flags have hyphens.
func folded(words []string, width int) []string {
	var lines []string
	for _, w := range words {
		if last := len(lines) - 1; last >= 0 && ansi.StringWidth(lines[last])+1+ansi.StringWidth(w) <= width {
			lines[last] += " " + w
			continue
		}
		lines = append(lines, w)
	}
	return lines
}

func (h helpWriter) command(cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	h.text(about)
	h.head("Usage")
	if cmd.Runnable() {
		h.line("  ", h.styles.Render(themes.Strong, cmd.UseLine()))
	}
	if cmd.HasAvailableSubCommands() {
		h.line("  ", h.styles.Render(themes.Strong, cmd.CommandPath()+" COMMAND"))
	}
	if len(cmd.Aliases) > 0 {
		h.head("Also called")
		h.line("  ", strings.Join(cmd.Aliases, ", "))
	}
	if cmd.Example != "" {
		h.head("Examples")
		h.line(cmd.Example)
	}
	h.commands(cmd)
	h.flags("Flags", cmd.LocalNonPersistentFlags())
	h.flags("Flags of every command", persistent(cmd))
	if cmd.HasAvailableSubCommands() {
		h.line()
		h.line(`See "`, cmd.CommandPath(), ` COMMAND --help" for more about a command.`)
	}
}

// persistent returns the flags that cmd shares with all commands.
func persistent(cmd *cobra.Command) *pflag.FlagSet {
	if cmd.HasParent() {
		return cmd.InheritedFlags()
	}
	return cmd.PersistentFlags()
}

// commands lists the commands below cmd by group.
func (h helpWriter) commands(cmd *cobra.Command) {
	wide := 0
	byGroup := map[string][]*cobra.Command{}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			byGroup[c.GroupID] = append(byGroup[c.GroupID], c)
			wide = max(wide, len(c.Name()))
		}
	}
	list := func(title string, cs []*cobra.Command) {
		if len(cs) == 0 {
			return
		}
		h.head(title)
		for _, c := range cs {
			h.entry(h.styles.Render(themes.Key, c.Name()), len(c.Name()), wide, c.Short)
		}
	}
	for _, g := range cmd.Groups() {
		list(g.Title, byGroup[g.ID])
	}
	list("Commands", byGroup[""])
}

func (h helpWriter) flags(title string, set *pflag.FlagSet) {
	type flag struct{ name, usage string }
	var flags []flag
	wide := 0
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, usage := pflag.UnquoteUsage(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		if word != "" {
			name += " " + word
		}
		flags = append(flags, flag{name, usage})
		wide = max(wide, len(name))
	})
	if len(flags) == 0 {
		return
	}
	h.head(title)
	for _, f := range flags {
		h.entry(h.styles.Render(themes.Key, f.name), len(f.name), wide, f.usage)
	}
}

// entry prints a name, size cells wide, and its meaning, folded beside it.
func (h helpWriter) entry(name string, size, wide int, text string) {
	const gap = 3
	indent := strings.Repeat(" ", 2+wide+gap)
	for i, l := range folded(strings.Fields(text), max(h.width-len(indent), 20)) {
		if i == 0 {
			h.line("  ", name, strings.Repeat(" ", wide-size+gap), l)
		} else {
			h.line(indent, l)
		}
	}
}
