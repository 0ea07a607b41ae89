package diskfile

import "time"

// holder is a process that holds a file. Unknown fields are zero.
type holder struct {
	pid     int
	command string
	since   time.Time
}
