// Package placement is Placement's ledger: how much of what every provider has,
// who holds how much of it, and the rules by which that may change.
//
// It does not know what a provider or a consumer is: that a consumer is an instance, package
// nova knows; that a provider is a card, package cyborg or nova. It does not choose
// providers: package candidates searches, this package only says whether a claim fits.
//
// A Snapshot is the whole ledger as an immutable value, for any number of goroutines. There
// is one way to write: Snapshot.Apply takes a Change, a list of operations that are the verbs
// of the Placement API, and returns the next Snapshot and the records that a store has to
// write, or else an error. Old and new share everything that the change does not touch. The
// caller decides what becomes of the outcome: a store writes and publishes it, a preview
// shows the difference and drops it.
//
//	Change -> Apply -> edit: a copy of the trees, what it touches marked its own
//	                     |     each operation checks, then changes
//	                     v
//	             Snapshot + records before and after
//
// Records rebuild a ledger: Snapshot.Records yields them, Load reads them, and the
// operation PutRecords sets them, which is also how a journal is replayed or undone.
//
// Errors match ErrNotFound, ErrExists, ErrConflict, ErrInUse, ErrInvalid or ErrCapacity
// with errors.Is; types such as CapacityError hold the facts, for errors.As.
//
// Classes and traits are numbered as upstream numbers them. Providers are numbered too,
// within a Snapshot, so that the sets behind a search (Set) are bitmaps; such a number is
// never stored or shown. Usage is kept per provider and class, not summed on read.
//
//	inventory.go          one inventory: its limits; capacity.go what fits
//	provider.go           a provider, its owner; a consumer
//	snapshot.go, set.go   the ledger and its queries
//	change.go             the operations, each with its rules and errors
//	apply.go              Apply and the edit; apply_*.go the operations by topic,
//	                      apply_changes.go what an edit alters
//	record.go, load.go    the ledger as records, and back
//	check.go              Check, which finds inconsistencies
//	errors.go             kinds of errors, and their facts
package placement
