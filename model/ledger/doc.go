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
// To add a verb to a service, write a type that embeds the service's verb, which makes
// it an intent.Op, with what it says of itself and what it does:
//
//	// Rename gives a card another name.
//	//
//	// Errors: placement.ErrNotFound; placement.ErrInvalid without a name.
//	type Rename struct {
//		verb
//		Card, Name string
//	}
//
//	func (op Rename) String() string { return "call card " + op.Card + " " + op.Name }
//
//	func (op Rename) apply(e edit) error {
//		was, ok := e.Now.Card(op.Card)
//		if !ok {
//			return &placement.NotFoundError{What: "card", Name: op.Card}
//		}
//		is := *was // what others hold must not be changed
//		is.Name = op.Name
//		return e.Put(&is)
//	}
//
// It names what it is about as an API would, and says only what is wanted: what was
// there before the Edit knows. Its comment names upstream's source, or says that no API
// has it. Tell it in modeltest.Verbs, the story that every store is asked to keep. Planners
// of package ops make Changes of it from then on. A store that cannot carry it out says so
// in its Capabilities.
//
// The rules that span several records are the service's: it asks them of the
// outcome of Apply before anybody else sees it.
package ledger
