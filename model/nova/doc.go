// Package nova is Nova's side of a cloud: its ledger, and its rules.
//
// The ledger holds cells, services, host aggregates, flavors, compute nodes, PCI
// devices, instances and migrations. Placement knows a consumer by its uuid only:
// what the uuid means, and whether it still means anything, is written here. An
// allocation whose consumer is neither a live instance nor a migration under way
// is an orphan or a leak.
//
// The package is pure, like model/placement: a Snapshot is immutable and Apply
// makes the next one.
package nova
