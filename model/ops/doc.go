// Package ops holds the use-cases: what an operator does with a cloud. What is
// wrong with it is said by package audit, and how it stands by insight.
//
// What changes a cloud is a Task: it says, from a Snapshot alone, its next Step, a
// Change with its reason. A Plan is a Task of one step, with the outcome: before and
// after, made by Snapshot.Apply and by nothing else. Planners (PlanClaim, PlanRelease,
// PlanSetTraits and so on) make one of a Snapshot and a wish. A Runner carries Tasks
// out, and nobody else writes: where somebody else wrote in between it plans again, as
// long as the outcome stays the one that was shown.
//
//	wish ──► Task ──► Step{Change} ──► Preview ──► shown, accepted ──► Runner ──► Event
//	           ▲                                                         │
//	           └──────── newest Snapshot: the next step, a conflict ─────┘
//
// How far a Task of several steps is stands in the cloud, so that another process can
// go on with it: Unfinished finds what was left half-way, and Rehearse says where a Task
// would lead.
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
