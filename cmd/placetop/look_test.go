package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/crypto/ssh"
)

// look is a crowd of clients of "placetop ssh" in a process of its own: the socket and
// the key file are its arguments. For each number that it reads, that many more come in;
// once all of them show the list of all providers, and are at rest, it prints a line.
func look() {
	if err := crowd(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func crowd(socket, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	key, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return err
	}
	var all []*watcher
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			return err
		}
		for range n {
			one, err := lookAt(socket, key)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		for quiet := 0; quiet < 20; { // all at rest for two seconds: nothing is being computed any more
			time.Sleep(100 * time.Millisecond)
			quiet++
			for _, one := range all {
				select {
				case <-one.drawn:
					quiet = 0
				default:
				}
			}
		}
		fmt.Println("rest")
	}
	return nil
}

// watcher is a client that shows the list of all providers.
type watcher struct {
	text  []byte
	seen  chan struct{} // closed once the list is there
	drawn chan struct{} // holds a token once there was output
}

// lookAt connects with a terminal, and goes to the list of all providers.
func lookAt(socket string, key ssh.Signer) (*watcher, error) {
	c, err := ssh.Dial("unix", socket, &ssh.ClientConfig{User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	if err != nil {
		return nil, err
	}
	s, err := c.NewSession()
	if err != nil {
		return nil, err
	}
	one := &watcher{seen: make(chan struct{}), drawn: make(chan struct{}, 1)}
	s.Stdout = one
	keys, err := s.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := s.RequestPty("xterm-256color", 48, 160, nil); err != nil {
		return nil, err
	}
	if err := s.Shell(); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(keys, "2"); err != nil {
		return nil, err
	}
	<-one.seen
	return one, nil
}

// Write receives the output.
func (o *watcher) Write(p []byte) (int, error) {
	select {
	case <-o.seen:
	default:
		if o.text = append(o.text, p...); bytes.Contains(o.text, []byte("PROVIDERS")) {
			o.text = nil
			close(o.seen)
		}
	}
	select {
	case o.drawn <- struct{}{}:
	default:
	}
	return len(p), nil
}
