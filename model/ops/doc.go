// Package ops holds the use-cases: what an operator does with a cloud. What they
// want to know of it as a whole is asked by package audit below.
//
// Actions have two halves. A planner (PlanClaim, PlanRelease, PlanSetTraits and
// so on) is pure too: a Snapshot and a wish in, a Plan out, with the Change to
// write, guarded by the generations that the planner saw, and a Preview of
// before and after that is made by Snapshot.Apply and by nothing else. Run then
// hands the Change to a cloud.Writer, and plans again when somebody else wrote in
// between, as long as the outcome stays the one that was shown.
//
//	wish ──► planner ──► Plan{Change, Preview} ──► shown, accepted ──► Run ──► Commit
//	             ▲                                                      │
//	             └────────── newest Snapshot, on a conflict ────────────┘
//
// What takes several Changes is a Course: Advance takes it to its end step by step,
// and Rehearse says where it would lead. How far it is stands in the cloud, so
// that another process can go on with it: Unfinished finds what was left half-way.
//
// Fits says where a wish finds room, and how often.
//
// The package reads no clock and starts no goroutine. Everything in it may be
// called from any goroutine; nothing keeps what it was given.
package ops
