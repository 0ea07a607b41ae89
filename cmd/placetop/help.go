package main

import (
	"bytes"
	"os"
	"strings"
	"text/template"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/themes"
)

// helpWidth is the width of help if the terminal does not tell its own, in cells.
const helpWidth = 80

// helpPage is the help of a command.
const helpPage = `{{define "command"}}  {{name .}}   {{short .}}
{{end}}{{paragraphs (or .Long (print .Short "."))}}
{{title "Usage"}}{{if .Runnable}}
  {{strong .UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{strong (print .CommandPath " COMMAND")}}{{end}}
{{with .Aliases}}{{title "Also called"}}
  {{range $i, $name := .}}{{if $i}}, {{end}}{{$name}}{{end}}
{{end}}{{with .Example}}{{title "Examples"}}
{{.}}
{{end}}{{range $group := .Groups}}{{title .Title}}
{{range $.Commands}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}{{template "command" .}}{{end}}{{end}}{{else}}{{if .HasAvailableSubCommands}}{{title "Commands"}}
{{range .Commands}}{{if .IsAvailableCommand}}{{template "command" .}}{{end}}{{end}}{{end}}{{end}}{{with flags .LocalNonPersistentFlags}}{{title "Flags"}}
{{.}}{{end}}{{with or (flags .InheritedFlags) (flags .PersistentFlags)}}{{title "Flags of every command"}}
{{.}}{{end}}{{if .HasAvailableSubCommands}}
See "{{.CommandPath}} COMMAND --help" for more about a command.
{{end}}`

// help prints the help of a command to standard output.
func (p *program) help(cmd *cobra.Command, _ []string) {
	styles := p.printer().Styles
	width, w := helpWidth, 0
	switch out := p.stdout.(type) {
	case *os.File:
		w, _, _ = term.GetSize(out.Fd()) // 0 if it is not a terminal
	case interface{ Width() int }:
		w = out.Width()
	}
	if w >= 40 {
		width = min(w, 110)
	}
	longest := 0
	for _, c := range cmd.Commands() {
		longest = max(longest, len(c.Name()))
	}
	page := template.Must(template.New("").Funcs(template.FuncMap{
		"paragraphs": func(text string) string { return paragraphs(text, width) },
		"title":      func(text string) string { return "\n" + styles.Render(themes.Title, text) },
		"strong":     func(text string) string { return styles.Render(themes.Strong, text) },
		"name": func(c *cobra.Command) string {
			return styles.Render(themes.Key, c.Name()) + strings.Repeat(" ", longest-len(c.Name()))
		},
		"short": func(c *cobra.Command) string {
			indent := longest + 5
			return strings.Join(folded(strings.Fields(c.Short), max(width-indent, 20)), "\n"+strings.Repeat(" ", indent))
		},
		"flags": func(set *pflag.FlagSet) string { return set.FlagUsagesWrapped(width) },
	}).Parse(helpPage))
	var text bytes.Buffer
	if err := page.Execute(&text, cmd); err != nil { // the template does not fit the command: a fault of this file
		panic(err)
	}
	_, _ = cmd.OutOrStdout().Write(text.Bytes()) // output keeps the error
}

// paragraphs returns paragraphs, each filled to the width. Indented lines are kept as they are.
func paragraphs(text string, width int) string {
	var out, words []string
	fill := func() {
		out = append(out, folded(words, width)...)
		words = nil
	}
	for l := range strings.SplitSeq(text, "\n") {
		if l == "" || strings.HasPrefix(l, " ") {
			fill()
			out = append(out, l)
			continue
		}
		words = append(words, strings.Fields(l)...)
	}
	fill()
	return strings.Join(out, "\n")
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

// helpCommand returns "placetop help".
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]...",
		Short:             "Explain a command",
		PersistentPreRunE: noSettings,
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := commandNamed(cmd.Root(), args)
			if err != nil {
				return err
			}
			of.InitDefaultHelpFlag()
			p.help(of, nil)
			return nil
		},
	}
}

// commandNamed returns the command with a name of several words.
func commandNamed(root *cobra.Command, words []string) (*cobra.Command, error) {
	of, rest, err := root.Find(words)
	if err != nil {
		return nil, usageErrorf(`see "placetop --help"`, "%w", err)
	}
	if len(rest) > 0 {
		return nil, unknownWord(of, "command", rest[0])
	}
	return of, nil
}

// completeCommands completes the name of a command.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
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
}

// noSettings is for commands that need no settings, so that they work even if a setting
// is wrong.
func noSettings(*cobra.Command, []string) error { return nil }
