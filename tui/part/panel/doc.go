// Package panel draws the pieces of Placement that several screens show alike:
// an inventory with its bar, the traits of a provider, who holds what; the parts that pages
// about a change share, as package ops has decided them: the steps of a form, the state before
// and after, requests, what was checked; and the page with all that is known of one thing of a
// kind, in words or as YAML.
//
// It is the one place where Placement's words meet the components' numbers.
// Everything here is a function of a Snapshot; nothing is kept. What is drawn
// may have any content: names come from whoever may write to Placement.
package panel
