//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// To open a pipe waits for its writer, but no longer than the command.
func TestInputWaitsNoLongerThanTheCommand(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	must.Succeed(t, syscall.Mkfifo(path, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := new(program).input(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0) // ends the opening that was left behind
	must.Succeed(t, err)
	must.Succeed(t, writer.Close())
}
