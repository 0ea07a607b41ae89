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
// To add a verb to a service, change at most four files:
//
//	its type          in the service's package, as rename in recipe_test.go has it: it embeds
//	                  the service's verb, which makes it an intent.Op, and has String and
//	                  apply. It names its subject as an API would, and says only what is
//	                  wanted: the Edit knows what was there before. Its comment names
//	                  upstream's source, or says that no API has it
//	the story         modeltest.Verbs, which the tests of every store carry out
//	its calls         one case of package api, unless no API has it: method, path,
//	                  microversion, body and answer, the command of the openstack client, and
//	                  ours. Previews show these, and a live cloud is sent them
//	who plans it      a planner of package ops
//
// A store that cannot carry it out says so in its Capabilities.
//
// To add a field to a record, add it to the struct with the next free number of cbor, and
// omitempty: records without it are read as if it were zero, and an older release ignores
// it. If its number or time has limits, add these to the record's bounds. Then add what the
// field is for: a column in package kinds; in package api what the service's API calls it,
// in storage/remote what its answers do; the field of a form and the flag of a command. Both
// have the numbers of a flavor from Flavor.Amounts, so that at most six files name one.
//
// Rules that span several records belong to the service, which checks them on the outcome
// of Apply before anybody else sees it.
package ledger
