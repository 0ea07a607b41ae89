// Package ledger keeps the records of one service, such as Nova or Cyborg, as an
// immutable value.
//
// A Layout says which kinds of records there are, in what order, and their indexes. A
// Ledger of that Layout is what a service's Snapshot is made of; any goroutine may read
// it. Rules make the next one from an intent.Change: each operation is applied to an
// Edit. PutRecords guards every record by the one it replaces; a verb does what the
// service would do.
//
//	Layout ──► Empty, Load ──► Ledger ──Rules.Apply(Change)──► Ledger
//	                             │
//	                             └── Get, All, By
//
// To add a verb to a service, write a type that embeds the service's verb, which makes
// it an intent.Op, and give it String and apply:
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
//		is := *was // others hold the old record, which must not change
//		is.Name = op.Name
//		return e.Put(&is)
//	}
//
// It names its subject as an API would, and says only what is wanted: the Edit knows what
// was there before. Its comment names upstream's source, or says that no API has it. Add
// it to modeltest.Verbs, which the tests of every store carry out. Planners of package ops
// can then use it. A store that cannot carry it out says so in its Capabilities.
//
// Rules that span several records belong to the service, which checks them on the outcome
// of Apply before anybody else sees it.
package ledger
