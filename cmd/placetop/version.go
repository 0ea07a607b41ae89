package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/print"
)

// build is what is known of how this program was built.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild reads the linker's notes.
func thisBuild() build {
	b := build{Version: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	return b
}

// line returns all of it for people.
func (b build) line() string {
	line := "placetop " + b.Version
	if b.Revision != "" {
		line += " " + b.Revision[:min(12, len(b.Revision))]
		if day, _, ok := strings.Cut(b.Time, "T"); ok {
			line += " of " + day
		}
		if b.Modified {
			line += " with local changes"
		}
	}
	return fmt.Sprintf("%s (%s, %s)", line, b.Go, b.Platform)
}

// version returns the version of this program in one word.
func version() string { return thisBuild().Version }

// versionCommand returns "placetop version".
func (p *program) versionCommand() *cobra.Command {
	cmd := command(`version
Print the version, with the commit and its date`)
	cmd.PersistentPreRunE = noSettings
	p.outputFlag(cmd, print.Documents())
	cmd.RunE = func(*cobra.Command, []string) error {
		b, out := thisBuild(), p.printer()
		if out.Structured() {
			out.Value(b)
			return nil
		}
		out.Lines(b.line())
		return nil
	}
	return cmd
}
