package attach

import (
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// longest is the most bytes in the path of a socket.
//
// Source: unix(7), sun_path.
const longest = 107

// peer returns the user id at the other end.
func peer(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var asked error
	if err := raw.Control(func(fd uintptr) {
		cred, asked = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if asked != nil {
		return 0, asked
	}
	return int(cred.Uid), nil
}

// short returns a shorter name for a folder whose path is too long for that of a socket
// in it, and a function to call when it is no longer needed.
func short(dir string) (name string, done func(), err error) {
	if len(dir)+1+longestName <= longest {
		return dir, func() {}, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join("/proc/self/fd", strconv.Itoa(int(f.Fd()))), func() { _ = f.Close() }, nil
}
