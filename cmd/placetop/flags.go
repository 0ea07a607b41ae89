package main

import (
	"github.com/spf13/cobra"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/cmd/placetop/internal/print"
)

// outputFlag adds the flag -o to cmd, which can print the given formats. The default is a
// table.
func (p *program) outputFlag(cmd *cobra.Command, formats []print.Format) {
	v := config.Choose(&p.format, formats...)
	cmd.Flags().VarP(v, "output", "o", "print as "+v.List())
}
