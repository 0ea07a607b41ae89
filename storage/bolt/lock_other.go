//go:build !unix || solaris || aix

package bolt

import "os"

// tryLock leaves the locking to bbolt.
func tryLock(*os.File, bool) error { return nil }

func unlock(*os.File) error { return nil }
