//go:build !linux

package tuitest

import (
	"errors"
	"os"
)

// openPTY says that there is none: the tests with a real terminal run on Linux.
func openPTY() (master, tty *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
