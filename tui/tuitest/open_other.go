//go:build !linux

package tuitest

import (
	"errors"
	"os"
)

// openPTY returns an error: tests with a real terminal only run on Linux.
func openPTY() (master, tty *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
