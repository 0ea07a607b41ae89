package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/placetop/placetop/storage/bolt"
)

// hold is another program that has a cloud open: it holds the file that its
// argument names until its standard input ends.
func hold() {
	s, err := bolt.Open(context.Background(), os.Args[1], bolt.Options{Clock: time.Now})
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
