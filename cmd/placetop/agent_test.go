package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// signals runs a program until it prints a line, sends it a signal, and waits for
// its end; the exit code must be 0.
func signals(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: signals INT|TERM LINE PROGRAM ARG...")
	}
	sig, ok := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[0]]
	if !ok {
		ts.Fatalf("no signal %s", args[0])
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_DATA_HOME="+ts.Getenv("XDG_DATA_HOME"), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	said := bufio.NewScanner(out)
	found := false
	for !found && said.Scan() {
		found = said.Text() == args[1]
	}
	if !found {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ts.Fatalf("%s did not say %q; on stderr: %s", strings.Join(args[2:], " "), args[1], stderr.String())
	}
	ts.Check(cmd.Process.Signal(sig))
	for said.Scan() { // to its end, so that Wait closes nothing that is still read
		ts.Logf("%s", said.Text())
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		ts.Fatalf("%s: %v, and on stderr: %s", strings.Join(args[2:], " "), err, stderr.String())
	}
}
