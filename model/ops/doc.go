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
// To add a use-case of one Change, write a planner: a function of a Snapshot and a wish
// that returns a Plan, as those in provider do, or an error that says what is in the way.
// One of several steps is a Task. A command gives either to its write, a form to the page
// that confirms; both show it, carry it out and tell of it without knowing which it is.
//
// How far a Task of several steps is stands in the cloud, so that another process can
// go on with it: Unfinished finds what was left unfinished, Due which of that goes on by
// itself (package keeper sees to it), and Rehearse says where a Task would lead.
//
// Fits says where a wish finds room, and how often.
//
// Files are named by the noun, or the step of it:
//
//	steps                                                    the table of steps of the next four
//	boot, resize (with move_*), evacuate, terminate, heal    instances
//	arq, spawn, place, steps_taken                           what several of these have in common
//	asked                                                    what a Nova of the cloud's own is asked to do instead
//	claim, plan, preview_*                                   one Change, and what it shows
//	provider, inventory, trait, aggregate, pool              what operators edit in Placement
//	flavor, service, compute_node, port, property            in Nova
//	profile, device                                          in Cyborg
//	handover, card, pass_through                             cards and their owners
//	fits, host_fit, no_host, excluded, schedule, request     where something fits, and why not
//	import, export, object                                   a cloud as lines, and as objects
//	recover, due                                             what was left unfinished, what is overdue
//
// The package reads no clock and starts no goroutine. Everything in it may be
// called from any goroutine; nothing keeps what it was given.
package ops
