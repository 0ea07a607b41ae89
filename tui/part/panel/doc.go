// Package panel draws the pieces of Placement that several screens show alike:
// an inventory with its bar, the traits of a provider, who holds what.
//
// It is the one place where Placement's words meet the components' numbers.
// Everything here is a function of a Snapshot; nothing is kept. What is drawn
// may have any content: names come from whoever may write to Placement.
package panel
