package diskfile

import "time"

// holder is a process that holds a file. What is not known is zero.
type holder struct {
	pid     int
	command string
	tty     string
	since   time.Time
}
