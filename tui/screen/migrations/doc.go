// Package migrations is the screen of instances on the move: what is under way, what
// waits for a person, and what came of the others; and the wizard that takes an instance
// to another flavor or another host, with the page that confirms or reverts it.
//
//	instance ──► flavor ──► place ──► preview ──► apply ──► confirm or revert
//	             (resize)      ▲         │           │            │
//	                           └─────────┴── failed ─┘         or left waiting
//
// What happens is the work of ops.Move, ops.Confirm and ops.Revert; a wizard
// gathers which of them, and shows them.
package migrations
