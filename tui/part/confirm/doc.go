// Package confirm is the page that shows what a task does, one write or a course of
// several, and does it when the user says yes.
//
//	rehearse ──► before, after, checks, steps ──► enter ──► a line for each step
//	    ▲                                                        │
//	    └── on each new Snapshot, and on a conflict         esc asks, and stops
//	                                                        between two steps
//
// What the steps are, and how those that fail are undone, is the work of package
// ops. Nothing is written that was not on the page before the user pressed enter
// there; if the cloud has changed so that the result would differ, the user is
// asked again.
package confirm
