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

// Opening a pipe waits for its writer, but only as long as the command runs.
func TestInputWaitsNoLongerThanTheCommand(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	must.Succeed(t, syscall.Mkfifo(path, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := new(program).input(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0) // ends the abandoned opening
	must.Succeed(t, err)
	must.Succeed(t, writer.Close())
}
