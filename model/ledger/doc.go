// Package ledger keeps the records of one service, such as Nova or Cyborg, as an
// immutable value.
//
// A Layout says which kinds of records there are, in what order, and by what else
// than their key they are looked up. A Ledger of that Layout is what a service's
// Snapshot is made of: it is read from any goroutine. Rules make the next one out of an
// intent.Change: each operation is done to an Edit, PutRecords with every record guarded
// by the one that it replaces, verbs as the service does them.
//
//	Layout ──► Empty, Load ──► Ledger ──Rules.Apply(Change)──► Ledger
//	                             │
//	                             └── Get, All, By
//
// The rules that span several records are the service's: it asks them of the
// outcome of Apply before anybody else sees it.
package ledger
