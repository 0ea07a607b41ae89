// Command placetop shows and changes what OpenStack Placement knows: who has
// how much of what, who uses it, and which service owns it.
//
// The package only wires: it reads flags and files, opens the store that holds
// the cloud, and hands a Snapshot to what prints it or a Change to what writes
// it. The rules are in model, the dashboard in tui, the files in storage, this
// machine in hw.
//
// Data goes to stdout, messages to stderr, and the exit code says how it went:
// see exit.go.
//
// A command is the file of its name, with its flags. To add one, write such a file,
//
//	// sizeCommand returns "placetop size".
//	func (p *program) sizeCommand() *cobra.Command {
//		cmd := &cobra.Command{Use: "size", Short: "Print how many providers there are", Args: takes(0, 0)}
//		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
//			store, err := p.openToRead(cmd.Context())
//			if err != nil {
//				return err
//			}
//			_, err = fmt.Fprintln(p.stdout, store.Snapshot().Placement().ProviderCount())
//			return err
//		}
//		return cmd
//	}
//
// name it in root.go with its group, tell its story in testdata/script, and name it in
// the README. One that writes has the flags of writeFlags, and gives p.write a planner of
// package ops: that makes --dry-run, -o and the exit codes those of every other command.
// A list of things is no command but a kind: see package kinds.
//
// A flag of every command is a setting: settings.go has it as a flag, a variable and a
// line of the configuration. What opens stores, makes screens and starts what runs beside
// them is wire.go and tui.go: an engine such as storage/etcd is one line in wire.go
// (see package storage/engine), the Placement API is storage/rest, with its command in
// serve.go.
//
// The tests of commands are the scripts in testdata/script, one a story.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
