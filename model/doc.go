// Package model holds no code: it is the map of the packages below it.
//
//	versioned    the envelope of a record: kind, version, data; upgrade chains
//	intent       what changes of every ledger are made of: Op, PutRecords
//	placement    Placement's ledger: providers, inventories, allocations,
//	             consumers, traits, aggregates; its Change and Apply
//	pci          addresses of PCI functions, the providers named after them, and
//	             what nova.conf says of them: aliases and device specs
//	filter       the language of filters: "free>2 & owner=both"
//	candidates   allocation-candidate queries: parse, search, explain
//	ledger       how a service beside Placement keeps its records
//	nova         Nova's ledger: services, flavors, compute nodes, instances,
//	             migrations; its rules
//	nova/tracker the resource tracker: reports, claims, heals, migrates
//	nova/object  its versioned objects, as they travel between services
//	cyborg       Cyborg's ledger: devices, profiles, accelerator requests
//	operator     notes of operators: acknowledgements, mutes
//	cloud        the ledgers as one: Snapshot, Change, Apply, Revision, and
//	             the ports that stores implement
//	wire         changes as requests to the APIs, and as client commands
//	ops          the use-cases: Tasks that plan on a Snapshot, and the Runner that
//	             carries them out
//	audit        what is wrong with a cloud: a rule per file, findings, fixes,
//	             operators' notes about them
//	insight      a cloud as a whole: totals, owners, the state of the upgrade gate,
//	             what opening it would change
//	kinds        each kind of thing described once: its fields, how to find, sort
//	             and filter it, how it is printed
//	figures      metrics of a cloud: named figures with labels
//	keeper       what is due without anybody asking: overdue reverts, recovery at
//	             start, running the rules
//	format       rows as CSV, JSON, YAML and Markdown
//	suggest      the known name nearest to a mistyped one
//	demo         the demo cloud, deterministic by its seed; demo/demotest makes
//	             it once for all tests of a package
//	modeltest    trees, big clouds and random operations for tests
//
// Where to look first:
//
//	a claim may not exceed the capacity    placement/capacity.go
//	the pre-filter of owners               nova/prefilter_owner.go
//	the upgrade gate                       nova/gate.go; its readiness, insight/gate.go
//	a resize                               ops/resize.go
//	who reverts an overdue move            keeper/keeper.go
//	a rule, such as o06                    audit/o06_wrong_owner.go
//	what a change is, where changes are made  cloud, ops
//
// How to add
//
//	a column or a filter     go doc ./model/kinds
//	a kind of thing          go doc ./model/kinds
//	a rule, with its fixes   go doc ./model/audit
//	a verb of a ledger       go doc ./model/ledger
//	a use-case               go doc ./model/ops
//	a store                  go doc ./storage/engine
//	a screen                 go doc ./tui
//	a command, or a flag     go doc ./cmd/placetop
//
// A test follows each of these pages, or finds what was left out.
//
// Imports point one way: figures -> insight, keeper -> audit -> kinds -> ops -> cloud -> nova,
// cyborg, operator -> ledger -> placement -> intent -> versioned, and nova, cyborg ->
// candidates -> placement.
//
// Nothing here does I/O, reads a clock or starts a goroutine: time, ids and random
// numbers are arguments, so that the same Changes always give the same Snapshot.
package model
