// Package noquery keeps Bubble Tea from asking the terminal for its background
// colour when the program starts.
//
// Bubble Tea v1 asks in an init function: it writes OSC 11 and a request for
// the cursor position, and waits up to five seconds for the answer, with the
// first keys of the user lost in between. That happens in every command, also
// in those that draw nothing. Termenv, which does the asking, stays silent
// where the variable CI is set; so this package sets it, and package session
// takes it away again once Bubble Tea is initialized.
//
// Go initializes packages whose imports are ready in the order of their paths.
// This package needs nothing but os, which the path of Bubble Tea leads to by
// way of github.com/xo/terminfo, so it always comes first. It must import
// nothing else. A test of package session starts a program in a pseudo terminal
// and looks at what it writes.
package noquery

import "os"

const variable = "CI"

// before is the value of the variable when the program started.
var before, wasSet = os.LookupEnv(variable) //nolint:gochecknoglobals // kept between two points of initialization

func init() {
	if before == "" {
		_ = os.Setenv(variable, "noquery")
	}
}

// Restore sets the environment back to what the program was started with.
func Restore() {
	switch {
	case before != "":
	case wasSet:
		_ = os.Setenv(variable, before)
	default:
		_ = os.Unsetenv(variable)
	}
}
