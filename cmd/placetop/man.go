package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand returns "placetop man".
func (p *program) manCommand() *cobra.Command {
	cmd := command(`man [COMMAND|TOPIC]...
Print the manual page of placetop, of a command or of a topic

Print the manual page of placetop, of a command, or of a topic of "placetop help", in
the language of man(1).

Examples:
  placetop man | man -l -
  placetop man get providers | man -l -
  placetop man filters | man -l -`)
	cmd.ValidArgsFunction = completeHelp
	cmd.PersistentPreRunE = noSettings
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of, about, err := commandOrTopic(cmd.Root(), args)
		switch {
		case err != nil:
			return err
		case of == nil:
			text := fmt.Sprintf("%% %q \"7\" \"\" %q %q\n# NAME\nplacetop-%s - %s\n\n# DESCRIPTION\n%s",
				"PLACETOP-"+strings.ToUpper(about.Name), "placetop "+version(), "placetop", about.Name, about.Short, manSections(about))
			_, err := output{p}.Write(md2man.Render([]byte(text)))
			return err
		case !of.HasParent():
			about, _ = topicNamed("configuration")
		}
		if about.Name != "" {
			of.Long += "\n\n" + manSections(about)
		}
		of.DisableAutoGenTag = true
		return doc.GenMan(of, &doc.GenManHeader{Source: "placetop " + version(), Manual: "User Commands"}, output{p})
	}
	return cmd
}

// manSections returns the text of a topic with its headings as sections of a manual page.
func manSections(of topic) string {
	return regexp.MustCompile("(?m)^## .*").ReplaceAllStringFunc(of.text, func(title string) string { return strings.ToUpper(title[1:]) })
}
