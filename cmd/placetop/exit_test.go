package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// TestInterruptedIsSaid checks that a command that ends with its context says what became of
// what it was to write, if it was to write anything.
func TestInterruptedIsSaid(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := errors.New("x")
	must.Be(t, (&program{}).ended(ctx, err), err)
	cancel()
	must.Succeed(t, (&program{}).ended(ctx, nil))
	for reads, want := range map[bool]string{false: "placetop: interrupted; nothing more was written\n", true: "placetop: interrupted\n"} {
		var out strings.Builder
		must.Be(t, report(&out, (&program{reads: reads}).ended(ctx, err)), exitFailed)
		must.Be(t, out.String(), want)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		code int
		want string
	}{
		{"nothing", nil, exitDone, ""},
		{"any error", errors.New("open x: no such file"), exitFailed, "placetop: open x: no such file\n"},
		{"wrong use", usageErrorf("see help", "what is %s", "x"), exitUsage, "placetop: what is x; see help\n"},
		{"a bad value", fmt.Errorf("set: %w", placement.Trait("a").Validate()), exitUsage, "placetop: set: trait \"a\": only A-Z, 0-9 and _ are allowed\n"},
		{"a bad value in a file", failed(placement.Trait("a").Validate(), "mend the file"), exitFailed, "placetop: trait \"a\": only A-Z, 0-9 and _ are allowed; mend the file\n"},
		{"not there", &placement.NotFoundError{What: "trait", Name: "X"}, exitFailed, "placetop: trait X does not exist\n"},
		{
			"a conflict halfway", fmt.Errorf("1 of 2 calls were done: %w", cloud.ErrOvertaken), exitConflict,
			"placetop: 1 of 2 calls were done: another writer was faster halfway\n",
		},
		{
			"a conflict", &placement.ConflictError{What: "consumer", ID: "c", Expect: placement.Generation(1), Has: 2}, exitConflict,
			"placetop: consumer c: consumer generation conflict - expected 2 but got 1; look at it again, then repeat\n",
		},
		{"no room", &placement.CapacityError{Name: "cmp-1", Class: "VCPU", Rule: placement.NoInventory}, exitNothingFits, "placetop: cmp-1 has no inventory of VCPU\n"},
		{"read-only", &cloud.UnsupportedError{Why: "asked for"}, exitFailed, "placetop: nothing can be written: asked for\n"},
		{
			"a file to write anew", &storage.DamagedError{Path: "x.db", What: "a page is wrong", Remedy: storage.Rewrite}, exitFailed,
			"placetop: x.db is damaged: a page is wrong. To write it anew: placetop compact --db x.db\n",
		},
		{"interrupted", errors.Join(context.Canceled, errors.New("x")), exitFailed, "placetop: interrupted; nothing more was written\n"},
		{
			"interrupted in the middle of a write", errors.Join(context.Canceled, cloud.ErrInDoubt), exitFailed,
			"placetop: interrupted; it is not known whether what was under way was done: check it\n",
		},
		{"interrupted while reading", errors.Join(context.Canceled, errReads), exitFailed, "placetop: interrupted\n"},
		{
			"interrupted, with nothing to go on", failed(errors.Join(context.Canceled, errors.New("x")), "nothing was written"), exitFailed,
			"placetop: interrupted; nothing more was written\n",
		},
		{
			"interrupted, to go on", &exitError{code: exitFailed, err: errors.Join(context.Canceled, errors.New("x")), hint: "the same command goes on", goesOn: true}, exitFailed,
			"placetop: interrupted; nothing more was written. the same command goes on\n",
		},
		{"several lines", errors.New("a\nb\r\nc\x1b[2J\u009b"), exitFailed, "placetop: a b c\ufffd[2J\ufffd\n"},
		{
			"one that repeats a huge argument", &placement.NotFoundError{What: "trait", Name: strings.Repeat("é", 9000)}, exitFailed,
			"placetop: trait " + strings.Repeat("é", 1994) + " (5021 characters left out) " + strings.Repeat("é", 1985) + " does not exist\n",
		},
		{"said problems", &exitError{code: exitProblems, err: errors.New("2 findings")}, exitProblems, "placetop: 2 findings\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			if code := report(&b, c.err); code != c.code || b.String() != c.want {
				t.Errorf("got %d and %q, want %d and %q", code, b.String(), c.code, c.want)
			}
		})
	}
}
