// Package nova is Nova's side of a cloud: its ledger, and its rules.
//
// The ledger holds cells, services, host aggregates, flavors, compute nodes, PCI devices,
// instances and migrations. Placement knows a consumer only by its uuid; what that is,
// and whether it still exists, is known here. An allocation whose consumer is neither a
// live instance nor a migration in progress is an orphan or a leak.
//
// The package is pure, like model/placement: a Snapshot is immutable and Apply
// makes the next one.
package nova
