// Package modeltest builds ledgers for tests and benchmarks: small trees by name,
// generated clouds of any size, and rapid generators of operations.
//
// Everything in it is deterministic: an id follows from a name, a cloud from its
// size. Only tests import it.
package modeltest
