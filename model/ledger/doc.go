// Package ledger keeps the records of one service, such as Nova or Cyborg, as an
// immutable value.
//
// A Layout says which kinds of records there are, in what order, and by what else
// than their key they are looked up. A Ledger of that Layout is what a service's
// Snapshot is made of: it is read from any goroutine, and Apply makes the next
// one out of a Change whose every record is guarded by the record that it
// replaces.
//
//	Layout ──► Empty, Load ──► Ledger ──Apply(Change)──► Ledger
//	                             │
//	                             └── Get, All, By
//
// The rules that span several records are the service's: it asks them of the
// outcome of Apply before anybody else sees it.
package ledger
