package main

import (
	"context"
	"errors"
	"io"
	"os"
)

// contextReader is a reader that fails once a context ends: a read of a terminal or a pipe
// cannot be interrupted otherwise.
type contextReader struct {
	ctx   context.Context //nolint:containedctx // that of the command that reads
	from  io.Reader
	ready chan readResult // the read under way; nil for none
	rest  []byte          // what was read but not yet returned
	err   error           // the error after rest
}

// readResult is the result of one read.
type readResult struct {
	data []byte
	err  error
}

// Read implements io.Reader. Where the context ends first, the read under way is
// left behind; it ends with the program.
func (u *contextReader) Read(p []byte) (int, error) {
	if len(u.rest) == 0 && u.err == nil {
		if u.ready == nil {
			u.ready = make(chan readResult, 1)
			go func(out chan<- readResult) {
				buf := make([]byte, 64<<10)
				n, err := u.from.Read(buf)
				out <- readResult{buf[:n], err}
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

// input opens the file in an argument, or for "-" standard input. Reads of anything but a
// regular file fail once ctx ends. It also returns the name for messages.
func (p *program) input(ctx context.Context, arg string) (in io.ReadCloser, name string, err error) {
	if arg == "-" {
		return io.NopCloser(&contextReader{ctx: ctx, from: p.stdin}), "standard input", nil
	}
	if err := p.ownFile(arg); err != nil {
		return nil, arg, err
	}
	f, err := openInput(ctx, arg)
	if err != nil {
		return nil, arg, err
	}
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		return nil, arg, errors.Join(usageErrorf("name a file", "%s is a folder", arg), f.Close())
	case err == nil && info.Mode().IsRegular():
		return f, arg, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{&contextReader{ctx: ctx, from: f}, f}, arg, nil
}

// openInput opens the file at path for reading. Opening a pipe waits for a writer, until
// ctx ends; the opening is then abandoned, as a read is.
func openInput(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
