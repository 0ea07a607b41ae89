package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand returns "placetop man".
func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "man",
		Short:             "Print the manual page",
		Long:              "Print the manual page of all commands, in the language of man(1).",
		Example:           "  placetop man | man -l -",
		Args:              takes(0, 0),
		PersistentPreRunE: noSettings,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := manWriter{bufio.NewWriter(p.stdout)}
			m.page(cmd.Root())
			return m.out.Flush()
		},
	}
}

// manWriter writes a manual page in roff, from the same texts as the help.
//
// Source: man-pages(7).
type manWriter struct {
	out *bufio.Writer // keeps the first error
}

// macro writes a line that begins with a macro.
func (m manWriter) macro(name string, args ...string) {
	line := "." + name
	for _, a := range args {
		line += ` "` + strings.ReplaceAll(escapeRoff(a), `"`, `\(dq`) + `"`
	}
	_, _ = m.out.WriteString(line + "\n")
}

// text writes a paragraph's lines.
func (m manWriter) text(s string) {
	for _, line := range strings.Split(s, "\n") {
		line = escapeRoff(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		_, _ = m.out.WriteString(line + "\n")
	}
}

// prose writes paragraphs, which are separated by empty lines.
func (m manWriter) prose(s string) {
	for _, paragraph := range strings.Split(s, "\n\n") {
		m.macro("PP")
		m.text(paragraph)
	}
}

// item writes a term and what it means.
func (m manWriter) item(term, meaning string) {
	m.macro("TP")
	_, _ = m.out.WriteString(term + "\n")
	m.text(meaning)
}

func escapeRoff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`).Replace(s)
}

func bold(s string) string   { return `\fB` + escapeRoff(s) + `\fR` }
func italic(s string) string { return `\fI` + escapeRoff(s) + `\fR` }

func (m manWriter) page(root *cobra.Command) {
	m.macro("TH", strings.ToUpper(root.Name()), "1", "", "placetop "+version(), "User Commands")
	m.macro("SH", "NAME")
	m.text(root.Name() + " - " + root.Short)
	m.macro("SH", "SYNOPSIS")
	_, _ = fmt.Fprintf(m.out, "%s [%s]\n.br\n%s %s [%s]\n", bold(root.Name()), italic("FLAGS"), bold(root.Name()), italic("COMMAND"), italic("FLAGS"))
	m.macro("SH", "DESCRIPTION")
	m.prose(root.Long)
	m.macro("SH", "COMMANDS")
	m.commands(root)
	m.macro("SH", "FLAGS OF EVERY COMMAND")
	m.flags(root.PersistentFlags())
	m.macro("SH", "EXIT STATUS")
	for code, meaning := range exitMeanings() {
		m.item(bold(fmt.Sprint(code)), meaning)
	}
	m.macro("SH", "ENVIRONMENT")
	var s settings
	for _, set := range s.table() {
		m.item(bold(set.variable()), "as the flag --"+set.flag())
	}
	m.item(bold("PLACETOP_CONFIG"), "as the flag --config")
	m.item(bold("NO_COLOR"), "no colours, whatever its value")
	m.macro("SH", "FILES")
	m.item(italic("$XDG_DATA_HOME/placetop/placetop.db"), "the cloud, unless flag, environment or configuration name another file")
	m.item(italic("$XDG_CONFIG_HOME/placetop/config.toml"), "the configuration: "+strings.Join(settingKeys(), ", ")+", each as the flag of that name, [keys] and [filters] of the dashboard, and [nova.CLOUD], what nova.conf of a live cloud has; placetop config init writes one that explains them")
	m.item(italic("$XDG_CONFIG_HOME/placetop/themes/NAME.toml"), "a palette of your own, as the theme NAME")
	m.item(italic("$XDG_STATE_HOME/placetop/"), "reports of crashes")
	m.macro("SH", "EXAMPLES")
	m.macro("EX")
	m.text(root.Example)
	m.macro("EE")
}

// commands writes a section for each runnable command below cmd.
func (m manWriter) commands(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() && c.Name() != "help" {
			continue
		}
		m.macro("SS", strings.TrimSuffix(c.UseLine(), " [flags]"))
		if c.Long != "" {
			m.prose(c.Long)
		} else {
			m.prose(c.Short + ".")
		}
		if len(c.Aliases) > 0 {
			m.prose("Also called " + strings.Join(c.Aliases, ", ") + ".")
		}
		m.flags(c.LocalNonPersistentFlags())
		m.commands(c)
	}
}

func (m manWriter) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		word, usage := pflag.UnquoteUsage(f)
		term := bold("--" + f.Name)
		if f.Shorthand != "" {
			term = bold("-"+f.Shorthand) + ", " + term
		}
		if word != "" {
			term += " " + italic(word)
		}
		m.item(term, usage)
	})
}
