package main

import (
	"context"
	"io"
	"os"
)

// untilDone is a reader that ends with a context: a read of a terminal or a pipe
// cannot be interrupted otherwise.
type untilDone struct {
	ctx   context.Context //nolint:containedctx // that of the command that reads
	from  io.Reader
	ready chan read // the read under way; nil for none
	rest  []byte    // what was read and not yet taken
	err   error     // what comes after rest
}

// read is the outcome of one read.
type read struct {
	data []byte
	err  error
}

// Read implements io.Reader. Where the context ends first, the read under way is
// left behind; it ends with the program.
func (u *untilDone) Read(p []byte) (int, error) {
	if len(u.rest) == 0 && u.err == nil {
		if u.ready == nil {
			u.ready = make(chan read, 1)
			go func(out chan<- read) {
				buf := make([]byte, 64<<10)
				n, err := u.from.Read(buf)
				out <- read{buf[:n], err}
			}(u.ready)
		}
		select {
		case r := <-u.ready:
			u.rest, u.err, u.ready = r.data, r.err, nil
		case <-u.ctx.Done():
			return 0, u.ctx.Err()
		}
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	if n == 0 {
		return 0, u.err
	}
	return n, nil
}

// input opens the file that an argument names, or for "-" standard input, which ends
// with ctx. It returns what to call it in messages too.
func (p *program) input(ctx context.Context, arg string) (in io.ReadCloser, name string, err error) {
	if arg == "-" {
		return io.NopCloser(&untilDone{ctx: ctx, from: p.stdin}), "standard input", nil
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, arg, err
	}
	return f, arg, nil
}
