// Package sheet draws the parts that pages about a change share: the steps of a form, the
// state before and after a change, its requests, what was checked, and the window over a
// page that is longer than the screen.
//
// Everything here only draws what package ops has decided.
package sheet
