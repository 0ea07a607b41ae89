// Package migrations is the screen of migrations: those under way, those that wait to be
// confirmed, and how the others ended; and the wizard that moves an instance to another
// flavor or host, with the page that confirms or reverts it.
//
//	instance ──► flavor ──► place ──► preview ──► apply ──► confirm or revert
//	             (resize)      ▲         │           │            │
//	                           └─────────┴── failed ─┘         or left waiting
//
// The work is done by ops.Move, ops.Confirm and ops.Revert; the wizard chooses one of them
// and shows its steps.
package migrations
