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
// have inventories, with C consumers takes
//
//	3 + K + I + A + C + P
//
// requests to Placement, which has no list of inventories, allocations, consumers or
// aggregates. K queries for candidates of one unit, eight at most, tell the traits and the
// use of all trees with room. By that nobody asks for the A allocations of what is unused,
// and of what is below a root only where its consumers, who are asked whose they are, do
// not account for all that is used. Those that Nova knows are not asked: C is one for each
// user of a project then, whose sum has to agree, and A is one for each provider in use.
// Aggregates are read last, as most providers are in none.
//
// After that a reading takes three for all generations and names, one for each project,
// and four for each provider that changed, for whatever is written to a provider moves
// its generation. Only DELETE /allocations moves none: the usage of its project tells about it,
// and then each provider that the project has something of takes one more. Nova takes one
// request for each thousand of its servers, flavors, hypervisors and migrations, Cyborg one
// for each of its four lists.
//
// What is taken of answers is bounded, whoever answers: each by what it is of (mostOf), in
// rows, and in all pages of a list; of those that are long, one of a cloud is read at a time,
// and lists are taken in row by row.
//
// A Change is decided on what was read, and goes out as the calls of package wire, which
// the services decide on in the end. What came of them is read back. What happens to
// instances is no Change: Nova is asked, and followed until it is done (ops.Asked).
//
// The tests run against package rest; with the tag openstack and OS_CLIENT_CONFIG_FILE
// some of them run against a real cloud. With OPENSTACK_CONTROL, "SCRIPT DIRECTORY", which
// is called as SCRIPT VERB SERVICE... --dir DIRECTORY, they stop and slow its services down.
package remote
