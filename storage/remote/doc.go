// Package remote shows a real OpenStack: what its Placement keeps, and what its Nova
// knows of who holds it, as a Snapshot that is read again and again.
//
//	clouds.yaml, OS_*, a token
//	        | dial: Keystone, the catalogue, microversions
//	        v
//	     caller ----- so many requests at a time, tries again what is safe
//	        |
//	     reader ----- which requests: lists of all first, then what changed
//	        v
//	     mirror ----- what was answered, and the generations that it is of
//	        | diff against the Snapshot before
//	        v
//	     memory.Store: Snapshot, Event, watchers
//
// How many requests it takes is told by Link. A whole cloud of P providers, of which I
// have inventories, with C consumers and T traits in use takes
//
//	5 + min(T, P) + 2 P + I + C
//
// requests to Placement: it has no list of inventories, aggregates or consumers. After
// that a reading takes three for all generations and names, one for each project, and
// four for each provider that changed, for whatever is written to a provider moves its
// generation. Only DELETE /allocations moves none: the usage of its project tells of it,
// and then each provider that the project has something of takes one more. Nova takes one
// request for each thousand of its servers, flavors, hypervisors and migrations.
//
// A Change is decided on what was read, and goes out as the calls of package wire, which
// the services decide on in the end. What came of them is read back.
//
// The tests run against package rest; with the tag openstack and OS_CLIENT_CONFIG_FILE
// one of them runs against a real cloud.
package remote
