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
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
