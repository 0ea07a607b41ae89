package diskfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// accessList is the attribute with the list of other users who may read and write a
// file.
//
// Source: acl(5), linux/posix_acl_xattr.h.
const accessList = "system.posix_acl_access"

// keepAccess gives f the access list of the file at path, or none if that has none: its
// folder may have given f a default one.
func keepAccess(f *os.File, path string) error {
	list := make([]byte, 1<<16) // the largest that there may be
	n, err := unix.Lgetxattr(path, accessList, list)
	switch {
	case errors.Is(err, unix.ENOTSUP):
		return nil
	case errors.Is(err, unix.ENODATA):
		if err := unix.Fremovexattr(int(f.Fd()), accessList); !errors.Is(err, unix.ENODATA) {
			return err
		}
		return nil
	case err != nil:
		return err
	}
	return unix.Fsetxattr(int(f.Fd()), accessList, list[:n], 0)
}
