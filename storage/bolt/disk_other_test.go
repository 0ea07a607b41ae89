//go:build !linux

package bolt_test

import "errors"

func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) error { return nil }

func fillDisk(string) error { return nil }
