// Package rest is the OpenStack Placement API, microversions 1.0 to 1.39, as an
// http.Handler over any store, so that clients of the real service work with it.
//
//	request -> who asks -> which version -> which route -> may they -> body, query
//	                                                                       |
//	     GET: an immutable Snapshot, appended as JSON                      |
//	     write: placement verbs decided on a Snapshot -> Store.Apply <-----+
//	                      ^                                  |
//	                      +---- a conflict: a newer one -----+
//
// The tables are the overview: the routes with the version that added each and who may
// use it (routes.go), what bodies and queries may contain by version (bodies.go).
// Status codes and error codes of refused writes are those of package api; the words of a
// refusal are ours, but for those that Placement's functional suite looks for.
//
// Differences from the real service are listed with their reasons beside the test that
// compares the two, in storage/storagetest/upstream.
//
// New returns a Handler that only answers requests. Whatever runs it, such as package
// server, listens, limits headers and connections, finds out who calls (WithCaller, else the
// answer is 401) and logs (Options.Observe). What a Caller may do is decided here, by the
// policy of each route. If the store is read-only, writes are answered with 403 and that
// reason; with 503 while a live cloud behind it does not answer. Every write is one
// cloud.Change with the name of the Caller as its Actor.
//
// To add
//
//	a route           a line in routes.go, what its body may hold in bodies.go, a function
//	                  beside those of its noun
//	a microversion    a name in model/api/microversion; what depends on it asks r.at. A
//	                  parameter of candidates is read by model/candidates/parse.go
//	a difference      a line in api_departures_test.go of storage/storagetest/upstream
//	a request of the story   in testdata/story.txt with "--- ?" for the answer, which
//	                  Placement fills in: go test -tags placement -run Story ./storage/storagetest/upstream -update
package rest
