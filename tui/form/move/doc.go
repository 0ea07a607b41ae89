// Package move is the wizard that takes an instance to another flavor or another
// host, and the page that confirms or reverts it.
//
//	instance ──► flavor ──► place ──► preview ──► apply ──► confirm or revert
//	             (resize)      ▲         │           │            │
//	                           └─────────┴── failed ─┘         or left waiting
//
// What happens is the work of ops.Move, ops.Confirm and ops.Revert; a wizard
// gathers which of them, and shows them.
package move
