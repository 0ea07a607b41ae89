// Package must says in one line what a test cannot go on without. It imports nothing of
// ours, so that tests inside every package can use it.
package must

// TB is a test, a benchmark, a fuzz target or a property of package rapid.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Succeed ends the test where err is not nil.
func Succeed(tb TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
