// Package model holds no code: it is the map of the packages that know what a cloud is and
// what may be done with it. What each of them is for, in a line:
//
//	go list -f '{{.ImportPath}}: {{.Doc}}' ./model/...
//
// .github/ARCHITECTURE.md has the picture, and which way imports point. Nothing here does I/O,
// reads a clock or starts a goroutine, so that the same Changes always give the same Snapshot.
//
// Where to look first:
//
//	a claim may not exceed the capacity    placement/capacity.go
//	the pre-filter of owners               nova/prefilter_owner.go
//	the upgrade gate                       nova/gate.go; its readiness, insight/gate.go
//	a resize, or what else one can do      ops/resize.go, a file for each
//	who reverts an overdue move            keeper/keeper.go
//	a rule, such as o06                    audit/o06_wrong_owner.go, a file for each
//	a record, such as a flavor             nova/flavor.go, a file for each
//	a column, a filter, the JSON of it     kinds/nova.go, a file for each service
//	what the API takes, and the client     api/compute.go, a file for each service
//	a microversion of candidates           api/microversion, candidates/parse.go
//	a route of the API, or its query       storage/rest/routes.go, storage/rest/bodies.go
//	what differs, and the words for it     delta/delta.go, delta/words.go
//	a metric of a cloud                    insight/metrics_own.go
//	how long the journal is kept           operator/journal.go
//	cards of a vendor, on this machine     hw/sysfs/pci.go, then hw/providertree
//	the verbs that change a ledger         placement/change.go, nova/verb.go, cyborg/verb.go
//
// How to add:
//
//	a column, a filter, a kind of thing    go doc ./model/kinds
//	a rule, with its fixes                 go doc ./model/audit
//	a verb of a ledger, a field of a record  go doc ./model/ledger
//	a use-case                             go doc ./model/ops
//	a store                                go doc ./storage/engine
//	a microversion, a route                go doc ./storage/rest
//	a screen, a key                        go doc ./tui
//	a command, a flag                      go doc ./cmd/placetop
//
// A test follows most of these pages, or finds what was left out.
package model
