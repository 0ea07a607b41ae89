package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/suggest"
	"github.com/placetop/placetop/themes"
)

// helpWidth is the width of help if the terminal does not tell its own, in cells.
const helpWidth = 80

// helpWidth returns the width of help on standard output.
func (p *program) helpWidth() int {
	w := 0
	switch out := p.stdout.(type) {
	case *os.File:
		w, _, _ = term.GetSize(out.Fd()) // 0 if it is not a terminal
	case interface{ Width() int }:
		w = out.Width()
	}
	if w < 40 {
		return helpWidth
	}
	return min(w, 110)
}

// helpPage is the help of a command.
const helpPage = `{{define "command"}}  {{name .Name}}   {{short .Short}}
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
{{range .Commands}}{{if .IsAvailableCommand}}{{template "command" .}}{{end}}{{end}}{{end}}{{end}}{{if not .HasParent}}{{title "Topics of the manual"}}
{{range topics}}{{template "command" .}}{{end}}{{end}}{{with flags .LocalNonPersistentFlags}}{{title "Flags"}}
{{.}}{{end}}{{with or (flags .InheritedFlags) (flags .PersistentFlags)}}{{title "Flags of every command"}}
{{.}}{{end}}{{if .HasAvailableSubCommands}}
See "{{.CommandPath}} COMMAND --help" for more about a command{{if not .HasParent}}, and
"{{.CommandPath}} help TOPIC" for a topic{{end}}.
{{end}}`

// help prints the help of a command to standard output.
func (p *program) help(cmd *cobra.Command, _ []string) {
	width, longest := p.helpWidth(), 0
	for _, c := range cmd.Commands() {
		longest = max(longest, len(c.Name()))
	}
	styles := p.printer().Styles
	page := template.Must(template.New("").Funcs(template.FuncMap{
		"paragraphs": func(text string) string { return paragraphs(text, width) },
		"topics":     topics,
		"title":      func(text string) string { return "\n" + styles.Render(themes.Title, text) },
		"strong":     func(text string) string { return styles.Render(themes.Strong, text) },
		"name": func(name string) string {
			return styles.Render(themes.Key, name) + strings.Repeat(" ", longest-len(name))
		},
		"short": func(text string) string {
			indent := longest + 5
			return strings.Join(folded(strings.Fields(text), max(width-indent, 20)), "\n"+strings.Repeat(" ", indent))
		},
		"flags": func(set *pflag.FlagSet) string { return set.FlagUsagesWrapped(width) },
	}).Parse(helpPage))
	var text bytes.Buffer
	if err := page.Execute(&text, cmd); err != nil { // the template does not fit the command: a fault of this file
		panic(err)
	}
	_, _ = cmd.OutOrStdout().Write(text.Bytes()) // output keeps the error
}

// command returns a command with what its help says: how it is called, what it does in a line,
// perhaps its other names after "Also called", paragraphs, and examples.
func command(help string) *cobra.Command {
	help, examples, _ := strings.Cut(help, "\n\nExamples:\n")
	head, long, _ := strings.Cut(help, "\n\n")
	lines := strings.Split(head, "\n")
	cmd := &cobra.Command{Use: lines[0], Short: lines[1], Long: long, Example: examples}
	for _, names := range lines[2:] {
		cmd.Aliases = strings.Split(strings.TrimPrefix(names, "Also called "), ", ")
	}
	return cmd
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

// helpCommand returns "placetop help". A topic that is about the command of its name comes
// before the help of that command.
func (p *program) helpCommand() *cobra.Command {
	cmd := command(`help [COMMAND|TOPIC]...
Explain a command, or a topic of the manual

Examples:
  placetop help get providers
  placetop help filters`)
	cmd.PersistentPreRunE = noSettings
	cmd.ValidArgsFunction = completeHelp
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, about, err := commandOrTopic(cmd.Root(), args)
		if err != nil {
			return err
		}
		if about.Name != "" {
			title := func(text string) string { return p.printer().Styles.Render(themes.Title, text) }
			_, _ = cmd.OutOrStdout().Write([]byte(title(about.Short) + "\n\n" + plainText(about.text, p.helpWidth(), title))) // output keeps the error
		}
		if of == nil {
			return nil
		}
		if about.Name != "" {
			_, _ = cmd.OutOrStdout().Write([]byte(p.printer().Styles.Render(themes.Title, "\n"+of.CommandPath()) + "\n\n"))
		}
		of.InitDefaultHelpFlag()
		p.help(of, nil)
		return nil
	}
	return cmd
}

// commandOrTopic returns the command with a name of several words, nil if there is none, and
// the topic of that name, if there is one.
func commandOrTopic(root *cobra.Command, words []string) (*cobra.Command, topic, error) {
	of, rest, err := root.Find(words)
	switch {
	case err != nil:
		return nil, topic{}, usageErrorf(`see "placetop --help"`, "%w", err)
	case len(words) == 1:
		about, ok := topicNamed(words[0])
		switch {
		case len(rest) == 0:
			return of, about, nil
		case ok:
			return nil, about, nil
		}
		hint := `see "placetop --help"`
		like := helpLike(root, words[0])
		if len(like) == 0 {
			like = meant(root, words[0])
		}
		if len(like) > 0 {
			hint = "did you mean " + strings.Join(like, " or ") + "?"
		}
		return nil, topic{}, usageErrorf(hint, "no command or topic %q", words[0])
	case len(rest) > 0:
		return nil, topic{}, unknownWord(of, "command", rest[0])
	}
	return of, topic{}, nil
}

// helpWords returns what can be explained, with what it is about: the commands, and the topics
// that are about no command.
func helpWords(root *cobra.Command) (names, about []string) {
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names, about = append(names, c.Name()), append(about, c.Short)
		}
	}
	for _, t := range topics() {
		if !slices.Contains(names, t.Name) {
			names, about = append(names, t.Name), append(about, t.Short)
		}
	}
	return names, about
}

// helpLike returns what was probably meant by a word: what begins with it or, if nothing does,
// looks most like it.
func helpLike(root *cobra.Command, word string) []string {
	names, _ := helpWords(root)
	like := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, word) })
	if len(like) == 0 {
		like = suggest.Nearest(word, names)
	}
	return like
}

// completeHelp completes the name of a command or of a topic.
func completeHelp(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	of, _, err := cmd.Root().Find(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	if of.HasParent() {
		for _, c := range of.Commands() {
			words = append(words, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	names, about := helpWords(of)
	for i, name := range names {
		words = append(words, cobra.CompletionWithDesc(name, about[i]))
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// noSettings is for commands that need no settings, so that they work even if a setting
// is wrong.
func noSettings(*cobra.Command, []string) error { return nil }
