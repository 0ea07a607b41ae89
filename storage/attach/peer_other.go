//go:build !linux

package attach

import (
	"errors"
	"net"
)

// peer knows nobody outside Linux, so that nobody is let in.
func peer(*net.UnixConn) (int, error) { return 0, errors.ErrUnsupported }

// short returns the folder itself.
func short(dir string) (string, func(), error) { return dir, func() {}, nil }
