package tuitest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openPTY opens a pseudo-terminal: the end of the observer, and the end of the program.
//
// The kernel writes to memory through a pointer that the calls below hold. A library that
// converted such a pointer to a number first opened the wrong terminal, or set a wrong
// size, when Go moved the stack in between.
func openPTY() (master, tty *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	n, fd := 0, int(master.Fd())
	err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) // unlocks it
	if err == nil {
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		_ = master.Close()
	}
	return master, tty, err
}
