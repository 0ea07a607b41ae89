package remote

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// readings says when each part of the cloud that was requested was last read. Several
// services may be read at the same time.
type readings struct {
	mu sync.Mutex
	of map[cloud.Part]reading
}

// reading is the last reading of a part.
type reading struct {
	at   time.Time // zero for never
	rows int
	err  error // why it could not be read since, or not completely
}

// cutError reports that a list has more than is read.
type cutError struct{ rows int }

func (e *cutError) Error() string { return fmt.Sprintf("only the first %d are read", e.rows) }

// note notes that a part was read, or why it was not, or not completely: if nothing was,
// what was read before stays.
func (r *readings) note(part cloud.Part, rows int, at time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	is := reading{at, rows, err}
	if err != nil && rows == 0 {
		is = r.of[part]
		is.err = err
	}
	if r.of == nil {
		r.of = map[cloud.Part]reading{}
	}
	r.of[part] = is
}

// has reports whether a part was requested.
func (r *readings) has(part cloud.Part) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, is := r.of[part]
	return is
}

// list returns them in the order in which people look for them.
func (r *readings) list() []cloud.Reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []cloud.Reading
	for _, part := range cloud.Parts() {
		is, ok := r.of[part]
		if !ok {
			continue
		}
		one := cloud.Reading{Part: part, At: is.at, Rows: is.rows}
		var cut *cutError
		switch {
		case part == cloud.Migrations && errors.As(is.err, &cut):
			one.Cut = fmt.Sprintf("only the newest %d are read", cut.rows) // the older ones have ended
		case is.err != nil:
			one.Why = is.err.Error()
		}
		out = append(out, one)
	}
	return out
}
