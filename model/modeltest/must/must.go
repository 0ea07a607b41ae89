// Package must says in one line what tests ask for. It imports nothing of ours, so that
// tests inside every package can use it.
package must

import (
	"errors"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// TB is a test, a benchmark, a fuzz target or a property of package rapid.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Succeed ends the test where err is not nil.
func Succeed(tb TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Match fails the test where got is not what is wanted, as cmp.Diff sees it, and goes on.
func Match(tb TB, want, got any, options ...cmp.Option) {
	tb.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		tb.Errorf("(-want +got):\n%s", d)
	}
}

// Be fails the test where got is not want, and goes on.
func Be[T comparable](tb TB, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("got %v, want %v", got, want)
	}
}

// Get returns what a call gave, and ends the test if its error is not nil:
//
//	s := must.Get(bolt.Open(ctx, path, o))(t)
func Get[T any](got T, err error) func(TB) T {
	return func(tb TB) T {
		tb.Helper()
		Succeed(tb, err)
		return got
	}
}

// Fail fails the test where err is not target, as errors.Is sees it, and goes on.
func Fail(tb TB, err, target error) {
	tb.Helper()
	if !errors.Is(err, target) {
		tb.Errorf("error %v, want %v", err, target)
	}
}

// Err returns the error of a call that gives a value as well.
func Err[T any](_ T, err error) error { return err }

// Say fails the test for each of words that is not in text, and goes on.
func Say(tb TB, text string, words ...string) {
	tb.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			tb.Errorf("no %q in\n%s", w, text)
		}
	}
}
