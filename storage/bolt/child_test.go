package bolt_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// childVar names the job that the test binary does, as the child of a test, instead of
// testing: "hold PATH", "write PATH SEED" or "open PATH".
const childVar = "PLACETOP_BOLT_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childVar); job != "" {
		if err := child(strings.Fields(job)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	debug.SetGCPercent(400) // a quarter of the time would go into collecting garbage
	os.Exit(m.Run())
}

func child(job []string) error {
	if job[0] == "open" {
		return openAlone(job[1])
	}
	s, err := bolt.Open(context.Background(), job[1], engine.Options{Clock: storagetest.Clock()})
	if err != nil {
		return err
	}
	switch job[0] {
	case "hold":
		fmt.Println("held")
		// The parent's end closes standard input at the latest.
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return s.Close()
	case "write":
		return writeForEver(s, job[2])
	}
	return fmt.Errorf("no job %q", job[0])
}

// start runs the test binary as a child with a job, and returns its output. The child is
// killed at the end of the test.
func start(t *testing.T, job string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVar+"="+job)
	cmd.Stderr = os.Stderr
	stdin := must.Get(cmd.StdinPipe())(t)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Succeed(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return cmd, lines
}
