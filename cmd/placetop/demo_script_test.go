package main

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
)

// tellTransition returns the output of "placetop demo --script transition" at a time of
// day.
func tellTransition(t *testing.T, at time.Time, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := &program{
		stdin: strings.NewReader(""), stdout: &out, stderr: io.Discard, env: map[string]string{},
		now: func() time.Time { return at }, newID: uuid.New, log: slog.New(slog.DiscardHandler),
	}
	root := p.root()
	root.SetArgs(append([]string{"demo", "--script", "transition"}, args...))
	must.Succeed(t, errors.Join(root.ExecuteContext(t.Context()), p.close()))
	return out.String()
}

// The complete story, as in a clone of the repository.
func TestTransitionText(t *testing.T) {
	t.Parallel()
	golden.RequireEqual(t, tellTransition(t, time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC)))
}

// The same seed gives the same story at any time, another seed another one.
func TestTransitionTextIsOfTheSeed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC)
	first := tellTransition(t, at, "--seed", "5")
	if tellTransition(t, at.Add(997*time.Hour+31*time.Second), "--seed", "5") != first {
		t.Error("another time told another story")
	}
	if tellTransition(t, at, "--seed", "6") == first {
		t.Error("another seed told the same story")
	}
}
