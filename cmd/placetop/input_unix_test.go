//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// To open a pipe waits for its writer, but no longer than the command.
func TestInputWaitsNoLongerThanTheCommand(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := new(program).input(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0) // ends the opening that was left behind
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
}
