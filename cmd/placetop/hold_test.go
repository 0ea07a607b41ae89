package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/placetop/placetop/storage/attach"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
)

// hold is another process that has a cloud open: it holds the file in its first argument
// until its standard input is closed. With a second argument others can attach, as to a
// dashboard.
func hold() {
	s, err := bolt.Open(context.Background(), os.Args[1], engine.Options{Clock: time.Now})
	if err == nil && len(os.Args) > 2 {
		var socket string
		if socket, err = attach.Socket(os.Args[1]); err == nil {
			_, err = attach.Serve(context.Background(), socket, s, follow.Owner{Release: version(), Place: os.Args[1]}, func(err error) { fmt.Fprintln(os.Stderr, err) })
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, bufio.NewReader(os.Stdin))
	if err := errors.Join(err, s.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
