//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
)

// TestReaderWhoGoesAway boots an instance while nothing reads the messages about the
// steps any more, as with 2>&1 | head -1: all steps are taken.
func TestReaderWhoGoesAway(t *testing.T) {
	t.Parallel()
	db := demoFile(t)
	gone, said, err := os.Pipe()
	must.Succeed(t, err)
	must.Succeed(t, gone.Close())
	boot := exec.Command("placetop", "boot", "web", "--flavor", "cpu.small", "--db", db)
	boot.Stdout, boot.Stderr = said, said
	_ = boot.Run() // it cannot report success
	must.Succeed(t, said.Close())
	out := string(must.Get(exec.Command("placetop", "get", "instances", "web", "--db", db).CombinedOutput())(t))
	if !strings.Contains(out, "active") || !strings.Contains(out, "VCPU=2") {
		t.Errorf("the instance is left as\n%s", out)
	}
}
