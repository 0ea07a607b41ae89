// Package ops holds the use-cases: what an operator does with a cloud. What is
// wrong with it is said by package audit, and how it stands by insight.
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
// Files are named by the noun, or the step of it:
//
//	boot, resize (with move_*), evacuate, terminate, heal    instances
//	claim, edit, plan, preview_*                             one Change, and what it shows
//	course_*                                                 several Changes, one after the other
//	handover, card, pass_through                             cards and their owners
//	fits, host_fit, no_host, excluded, schedule, request     where something fits, and why not
//	import, export, object                                   a cloud as lines, and as objects
//	recover, move_deadline                                   what was left half-way, what is overdue
//	pool, service, catalog, property, port                   what operators edit
//
// The package reads no clock and starts no goroutine. Everything in it may be
// called from any goroutine; nothing keeps what it was given.
package ops
