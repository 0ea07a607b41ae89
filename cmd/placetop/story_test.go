package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/adrg/xdg"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/placetop/placetop/cmd/placetop/internal/config"
	"github.com/placetop/placetop/model/modeltest/must"
)

// story is what runs the commands "placetop ARG..." of one script: a process of its own,
// which runs one after the other, as the start of a process takes longer than most of
// them.
type story struct {
	t         testscript.T
	variables []string // the names of the environment's
	in        *json.Encoder
	out       *json.Decoder
	said      bytes.Buffer // standard error of the process
}

// storyKey is the key of a script's story among its values.
type storyKey struct{}

// storyRun is one run of placetop, as a story asks its process for it.
type storyRun struct {
	Args    []string
	Folder  string
	Environ []string
}

// storyResult is what came of it.
type storyResult struct {
	Code           int
	Stdout, Stderr string
}

// setsVariable matches the lines of a script that set variables.
var setsVariable = regexp.MustCompile(`(?m)^(?:\[.*\] )?env (\w+)=`)

// newStory returns the story of a script with an environment.
func newStory(env *testscript.Env) *story {
	s := &story{t: env.T(), variables: []string{"OS_CLIENT_CONFIG_FILE"}} // which openstack sets
	for _, variable := range env.Vars {
		if name, _, ok := strings.Cut(variable, "="); ok && name != "" {
			s.variables = append(s.variables, name)
		}
	}
	return s
}

// start starts the process of a script.
func (s *story) start(ts *testscript.TestScript) {
	text, err := os.ReadFile(filepath.Join("testdata", "script", ts.Name()+".txtar"))
	if errors.Is(err, fs.ErrNotExist) { // frames have the same names as stories
		text, err = os.ReadFile(filepath.Join("testdata", "etcd", ts.Name()+".txtar"))
	}
	ts.Check(err)
	for _, line := range setsVariable.FindAllSubmatch(text, -1) {
		s.variables = append(s.variables, string(line[1]))
	}
	cmd := exec.Command("placetop-story")
	cmd.Stderr = &s.said
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil { // the race detector found something
			s.t.Fatal("the process of the story:", err, s.said.String())
		}
	})
	s.in, s.out = json.NewEncoder(in), json.NewDecoder(out)
}

// runProgram runs placetop with arguments in the process of a script, for which its
// output is that of the command, and returns the exit code.
func runProgram(ts *testscript.TestScript, args []string) int {
	s := ts.Value(storyKey{}).(*story)
	if s.in == nil {
		s.start(ts)
	}
	run := storyRun{Args: args, Folder: ts.MkAbs(".")}
	for _, name := range s.variables {
		run.Environ = append(run.Environ, name+"="+ts.Getenv(name))
	}
	var result storyResult
	ts.Check(s.in.Encode(run))
	if err := s.out.Decode(&result); err != nil {
		ts.Fatalf("placetop %s: %v\n%s", strings.Join(args, " "), err, s.said.String())
	}
	_, err := io.WriteString(ts.Stdout(), result.Stdout)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), result.Stderr)
	ts.Check(err)
	return result.Code
}

// succeeds runs placetop with arguments in the process of a script.
func succeeds(ts *testscript.TestScript, neg bool, args []string) {
	if code := runProgram(ts, args); (code != exitDone) != neg {
		ts.Fatalf("placetop %s exits with %d", strings.Join(args, " "), code)
	}
}

// tell is the process of a story: it answers each run on standard input with its result,
// until the script ends.
func tell() {
	debug.SetGCPercent(400) // what a command leaves behind is little, and soon collected
	runs, answers := make(chan storyRun), json.NewEncoder(os.Stdout)
	go func() {
		for in := json.NewDecoder(os.Stdin); ; {
			var run storyRun
			if err := in.Decode(&run); err != nil {
				os.Exit(0) // also amid a run, if the script's time is up
			}
			runs <- run
		}
	}()
	for run := range runs {
		result, err := run.do()
		if err == nil {
			err = answers.Encode(result)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// do runs placetop as if it had a process of its own.
func (r storyRun) do() (storyResult, error) {
	os.Clearenv()
	for _, variable := range r.Environ {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			return storyResult{}, err
		}
	}
	if err := os.Chdir(r.Folder); err != nil {
		return storyResult{}, err
	}
	xdg.Reload()
	config.FindHome()
	stdin, none, err := os.Pipe()
	if err != nil {
		return storyResult{}, err
	}
	defer stdin.Close()
	if err := none.Close(); err != nil {
		return storyResult{}, err
	}
	stdout, readStdout, err := capture()
	if err != nil {
		return storyResult{}, err
	}
	stderr, readStderr, err := capture()
	if err != nil {
		return storyResult{}, err
	}
	code := run(r.Args, stdin, stdout, stderr, os.Environ())
	return storyResult{Code: code, Stdout: readStdout(), Stderr: readStderr()}, nil
}

// capture returns a pipe, and what closes it and returns what was written to it.
func capture() (*os.File, func() string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		_ = r.Close()
		text <- string(b)
	}()
	return w, func() string {
		_ = w.Close()
		return <-text
	}, nil
}

// demoImage returns the made-up cloud as a file, which is made once for all tests.
var demoImage = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "placetop-demo")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "demo.db")
	if err := runWith(context.Background(), io.Discard, "demo", "--no-tui", "--db", path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// demoFile returns the path of a new file with the made-up cloud.
func demoFile(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "demo.db")
	must.Succeed(tb, os.WriteFile(path, must.Get(demoImage())(tb), 0o600))
	return path
}

// demoFiles are files with made-up clouds, of which each is made once for all stories.
type demoFiles struct {
	folder string
	made   sync.Map // of func() ([]byte, error), by the flags of "placetop demo"
}

// demo makes a file with a made-up cloud: demo FILE [FLAG...].
func (d *demoFiles) demo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: demo FILE [FLAG...]")
	}
	flags := args[1:]
	image, _ := d.made.LoadOrStore(strings.Join(flags, " "), sync.OnceValues(func() ([]byte, error) {
		path := filepath.Join(d.folder, strings.Join(flags, "")+".db")
		cmd := exec.Command("placetop", slices.Concat([]string{"demo", "--no-tui", "--db", path}, flags)...)
		cmd.Env = []string{"HOME=" + d.folder}
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		return os.ReadFile(path)
	}))
	data, err := image.(func() ([]byte, error))()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}
