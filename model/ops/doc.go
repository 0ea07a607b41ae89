// Package ops holds the use-cases: what an operator does with a cloud. What is wrong
// with a cloud, package audit says; its state as a whole, insight.
//
// A Task changes a cloud: from a Snapshot alone it gives its next Step, a Change with its
// reason. A Plan is a Task of one step, with its outcome, before and after, as
// Snapshot.Apply makes it. Planners (PlanClaim, PlanRelease, PlanSetTraits and so on)
// make a Plan from a Snapshot and a wish. Only a Runner carries Tasks out: if another
// writer wrote in between, it plans again, as long as the outcome is still the one shown.
//
//	wish ──► Task ──► Step{Change} ──► Preview ──► shown, accepted ──► Runner ──► Event
//	           ▲                                                         │
//	           └──────── newest Snapshot: the next step, a conflict ─────┘
//
// To add a use-case of one Change, write a planner: a function of a Snapshot and a wish
// that returns a Plan, as those in provider do, or an error that says what is in the way.
// A use-case of several steps is its own Task. A command gives either to its write, a
// form to the page that confirms; both show it, carry it out and report on it without
// knowing which it is.
//
// The progress of a Task is part of the cloud, so that another process can continue it:
// Unfinished finds Tasks that were interrupted, Due those that continue by themselves (by
// package keeper), and Rehearse says where a Task would lead.
//
// Files are named after their noun, or their step:
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
// Everything in it may be called from any goroutine; nothing keeps what it was given.
package ops
