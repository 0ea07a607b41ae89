package main

import (
	"bufio"
	"bytes"
	"errors"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/model/modeltest/must"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(200) // a quarter of the time would go into collecting
	if filepath.Base(os.Args[0]) == "placetop" {
		main()
	}
	testscript.Main(programOnPath{m}, map[string]func(){
		"placetop-hold":  hold,
		"placetop-look":  look,
		"placetop-story": tell,
	})
}

// programOnPath are tests that find placetop on the PATH. Were it a command of testscript.Main,
// scripts could not have a command of that name.
type programOnPath struct{ *testing.M }

// Run implements testscript.TestingM.
func (p programOnPath) Run() int {
	folder, err := os.MkdirTemp("", "placetop-test")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(folder, "placetop"))
	}
	if err == nil {
		err = os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		log.Fatal(err)
	}
	return p.M.Run()
}

// TestScripts runs the stories in testdata/script, one for each command, success and
// failure. Besides the commands of testscript they may use:
//
//	placetop ARG...          run placetop in the process that the story has for this; "exec
//	                         placetop" runs it in one of its own, as needs who reads what
//	                         "stdin" says, is in the background or writes to /dev/stderr
//	demo FILE [FLAG...]      make FILE with "placetop demo --no-tui FLAG...", or as a copy if
//	                         another story did so, some minutes ago perhaps
//	exits N PROGRAM ARG...   run the program, placetop in the process of the story; its exit
//	                         code must be N
//	holds FILE [shared]      keep the cloud in FILE open in another process, which lets
//	                         others in
//	signals SIG LINE PROGRAM ARG...
//	                         run the program until it prints a line, then send it
//	                         INT or TERM; its exit code must be 0
//	interrupts TEXT PROGRAM ARG...
//	                         run the program until a line on standard error begins
//	                         with a text, then interrupt it; its exit code must be 1
//	damage FILE TEXT         invert the bits of the first byte of a text
//	serves ARG...            run "placetop serve" until the story ends; $URL and
//	                         $ADDRESS say where
//	asks STATUS METHOD PATH [TOKEN [BODY]]
//	                         send it a request and print the answer
//	stops FILE               end it; its messages are in the file
//	openstack DATA.json LOG [FAULT...]
//	                         answer as Keystone and Nova before it, from the file, as the
//	                         cloud prod; write each request to LOG
//	certificate CERT KEY TIME
//	                         write a certificate that expires after that time
//
// The captured machines of hw/testdata are unpacked below $MACHINES. Two names are
// invalid everywhere: $BELL, which cannot be printed, and $LONG.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, storyParams(t))
}

// storyParams returns what the stories need.
func storyParams(t *testing.T) testscript.Params {
	t.Helper()
	machines := unpackMachines(t)
	served := &servers{all: map[*testscript.TestScript]*serving{}}
	clouds := &demoFiles{folder: t.TempDir()}
	return testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for k, v := range map[string]string{
				"HOME":            filepath.Join(env.WorkDir, "home"),
				"XDG_DATA_HOME":   filepath.Join(env.WorkDir, "home", "data"),
				"XDG_CONFIG_HOME": filepath.Join(env.WorkDir, "home", "config"),
				"LANG":            "C.UTF-8",
				"TERM":            "xterm-256color",
				"MACHINES":        machines,
				"BELL":            "be\aep",
				"LONG":            strings.Repeat("x", 300),
				"GORACE":          os.Getenv("GORACE"),
			} {
				env.Setenv(k, v)
			}
			env.Values[storyKey{}] = newStory(env)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"placetop":    succeeds,
			"demo":        clouds.demo,
			"exits":       exits,
			"holds":       holds,
			"damage":      damage,
			"signals":     signals,
			"interrupts":  interrupts,
			"serves":      served.serves,
			"asks":        served.asks,
			"stops":       served.stops,
			"openstack":   served.openstack,
			"certificate": certificate,
		},
	}
}

// unpackMachines unpacks the captured machines into one folder, each below its name, and
// returns that folder.
func unpackMachines(t *testing.T) string {
	t.Helper()
	all := t.TempDir()
	for name, file := range hwtest.Machines(t, filepath.Join("..", "..", "hw", "testdata")) {
		must.Succeed(t, os.Symlink(hwtest.Unpack(t, file), filepath.Join(all, name)))
	}
	return all
}

// exits runs a program and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if args[1] == "placetop" {
		got = runProgram(ts, args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// holds opens the cloud in a file in another process, which keeps it until the
// story ends.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: holds FILE [shared]")
	}
	cmd := exec.Command("placetop-hold", append([]string{ts.MkAbs(args[0])}, args[1:]...)...)
	keep, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = keep.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		ts.Fatalf("placetop-hold said %q: %v", line, err)
	}
	ts.Setenv("HOLDER", strconv.Itoa(cmd.Process.Pid))
}

// interrupts runs a program that waits for something, and interrupts it once it says so.
// It must say nothing else.
func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupts TEXT PROGRAM ARG...")
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_DATA_HOME="+ts.Getenv("XDG_DATA_HOME"), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"))
	out, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	said := bufio.NewScanner(out)
	if !said.Scan() || !strings.HasPrefix(said.Text(), args[0]) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ts.Fatalf("%s said %q", args[1], said.Text())
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	last := ""
	for said.Scan() {
		last = said.Text()
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(last, "placetop: interrupted") {
		ts.Fatalf("%s: %v, it said %q", args[1], err, last)
	}
}

// damage inverts the bits of the first byte of a text, wherever that is in a file.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage FILE TEXT")
	}
	path, find := ts.MkAbs(args[0]), []byte(args[1])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if !bytes.Contains(data, find) {
		ts.Fatalf("%s does not hold %q", args[0], find)
	}
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(data, find, append([]byte{find[0] ^ 0xff}, find[1:]...)), 0o600))
}
