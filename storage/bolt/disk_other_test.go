//go:build !linux

package bolt_test

import (
	"errors"
	"testing"
)

func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }

func fillDisk(string) error { return nil }

// reportUse reports nothing: not every system says what a process has used.
func reportUse(*testing.B) {}
