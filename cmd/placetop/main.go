// Command placetop shows and changes what OpenStack Placement knows: which provider
// has how much of what, who uses it, and which service owns it.
//
// The package only wires things together: it reads flags and files, opens the store
// that holds the cloud, and hands its Snapshot to whatever prints or changes it. The
// rules are in model, the dashboard in tui, the files in storage, this machine in hw.
//
// Data goes to stdout, messages to stderr, and the exit code tells the outcome: see
// exit.go.
//
// Each command and its flags are in a file of its name, except for those that share one:
//
//	acknowledge.go    mute, unacknowledge, unmute
//	allocate.go       release
//	boot.go           terminate
//	configuration.go  config
//	file.go           backup, compact, export, import, restore, verify
//	move.go           confirm, evacuate, migrate, resize, revert
//
// To add one, write a file with a function like sizeCommand or, for one that writes,
// likeCommand in recipe_test.go, add it to its group in root.go, test it with a script in testdata/script, and describe
// it in a topic below help. Its flags are the fields of a struct, whose tags say what they
// take and need: see bindFlags. How many arguments it takes is read from its usage line, and
// completion.go says which names complete the words of that line. One that writes gives
// p.changes a planner of package ops: --dry-run, -o and the exit codes then work as everywhere.
// A list of things is not a command but a kind: see package kinds.
//
// A flag of all commands is a setting: internal/config makes it a flag, a variable of the
// environment and a key of the configuration. wire.go opens stores, keeper.go starts what
// runs beside them, and tui.go makes the dashboard of the screens in screens.go. An engine
// such as storage/etcd is one line in internal/open (see package storage/engine). The
// Placement API is storage/rest; its command is in serve.go.
//
// Commands are tested by the scripts in testdata/script, a story each.
package main

import (
	"os"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
)

func main() {
	config.FindHome()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
