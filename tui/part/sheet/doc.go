// Package sheet draws the parts that pages about a change share: the steps of a
// form, what a change does before and after, the requests that it stands for, what
// was checked, and the window over a page that is longer than the screen.
//
// Everything here draws; what is drawn was decided by package ops.
package sheet
