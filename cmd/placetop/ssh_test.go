package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/session/sshd"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestReach checks that every command states from where it can be used.
func TestReach(t *testing.T) {
	t.Parallel()
	p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, env: map[string]string{}}
	far := map[string]bool{}
	for _, c := range p.root().Commands() {
		if c.Name() == "help" {
			continue
		}
		r, said := c.Annotations[reachNote]
		if !said || r == "" {
			t.Errorf("%s does not say in root.go from where it can be used", c.Name())
		}
		far[c.Name()] = r == string(anywhere)
	}
	for name, want := range map[string]bool{"get": true, "import": true, "serve": false, "ssh": false, "agent": false, "restore": false, "config": false} {
		if far[name] != want {
			t.Errorf("%s from afar: %v", name, far[name])
		}
	}
}

// inn is "placetop ssh" in tests.
type inn struct {
	t  testing.TB
	at string // a socket, or the address in network
	db string

	network string
	private map[string]ed25519.PrivateKey
	keys    map[string]ssh.Signer
	said    *bytes.Buffer
	log     string // path of the log file
}

// openInn lets ann, who writes, rob, who reads, and ada, who is an admin, into a made-up
// cloud, until the end of the test.
func openInn(t testing.TB, set func(*sshOptions)) *inn {
	t.Helper()
	dir := t.TempDir()
	i := &inn{t: t, network: "unix", at: filepath.Join(dir, "s"), db: filepath.Join(dir, "cloud.db"), private: map[string]ed25519.PrivateKey{}, keys: map[string]ssh.Signer{}, said: &bytes.Buffer{}}
	o := defaultSSHOptions()
	o.listen, o.HostKey, o.Grace = "unix:"+i.at, filepath.Join(dir, "host"), 0
	for name, file := range map[string]*[]string{"ann": &o.AuthorizedKeys, "rob": &o.Readers, "ada": &o.Admins} {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		must.Succeed(t, err)
		i.private[name] = private
		i.keys[name] = must.Get(ssh.NewSignerFromKey(private))(t)
		line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(i.keys[name].PublicKey()))) + " " + name + "\n"
		*file = []string{filepath.Join(dir, name)}
		must.Succeed(t, os.WriteFile((*file)[0], []byte(line), 0o600))
	}
	if set != nil {
		set(&o)
	}
	must.Succeed(t, o.settle())
	if t.Name() == "BenchmarkSSHSession" {
		must.Succeed(t, runWith(t.Context(), i.said, "demo", "--no-tui", "--hosts", "10000", "--db", i.db))
	} else {
		must.Succeed(t, os.Rename(demoFile(t), i.db))
	}
	i.log = filepath.Join(dir, "log")
	log := must.Get(os.Create(i.log))(t)
	said, in := io.Pipe()
	p := &program{
		stdin: strings.NewReader(""), stdout: io.Discard, stderr: in, env: map[string]string{},
		now: time.Now, newID: uuid.New, log: slog.New(slog.NewTextHandler(log, nil)), logTo: log,
	}
	p.settings.DB = i.db
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := p.ssh(ctx, o, logText)
		done <- errors.Join(err, p.close(), in.Close())
	}()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-done, log.Close()); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "serving SSH") {
	}
	if lines.Text() == "" {
		t.Fatal("nobody is let in")
	}
	go io.Copy(io.Discard, said) // until the server ends
	return i
}

// dial logs in as a user.
func (i *inn) dial(who string) *ssh.Client {
	i.t.Helper()
	raw := must.Get(net.Dial(i.network, i.at))(i.t)
	conn, channels, requests, err := ssh.NewClientConn(raw, "placetop", &ssh.ClientConfig{
		User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(i.keys[who])}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	must.Succeed(i.t, err)
	c := ssh.NewClient(conn, channels, requests)
	i.t.Cleanup(func() { _ = c.Close() })
	return c
}

// run runs a command as a user, and returns its output and exit code.
func (i *inn) run(who, command, in string) (out, wrong string, code int) {
	i.t.Helper()
	s := must.Get(i.dial(who).NewSession())(i.t)
	var o, e bytes.Buffer
	s.Stdin, s.Stdout, s.Stderr = strings.NewReader(in), &o, &e
	var exit *ssh.ExitError
	switch err := s.Run(command); {
	case errors.As(err, &exit):
		code = exit.ExitStatus()
	case err != nil:
		i.t.Fatalf("%s: %v", command, err)
	}
	return o.String(), e.String(), code
}

// TestSSHCommands runs commands without a terminal.
func TestSSHCommands(t *testing.T) {
	t.Parallel()
	i := openInn(t, nil)
	exported, _, code := i.run("rob", "export -", "")
	if code != 0 || strings.Count(exported, "\n") < 100 {
		t.Errorf("export: %d, %.100q", code, exported)
	}
	if _, wrong, code := i.run("ann", "import - --dry-run", exported); code != 0 {
		t.Errorf("import: %d %s", code, wrong)
	}
	for _, test := range []struct {
		who, command, in string
		code             int
		out, wrong       string // parts of the output
	}{
		{"rob", "get providers --limit 1 -o json", "", 0, `"uuid":`, ""},
		{"rob", `get providers "cmp-001" -o csv`, "", 0, "cmp-001,", ""},
		{"rob", "check", "", exitProblems, "o01", ""},
		{"rob", "nonsense", "", exitUsage, "", "no command"},
		{"rob", "sh", "", exitUsage, "", `no command "sh"; see "placetop --help"`}, // not ssh, which is refused
		{"rob", "backpu x", "", exitUsage, "", `no command "backpu"; see "placetop --help"`},
		{"rob", "gt", "", exitUsage, "", "did you mean get"},
		{"rob", "get 'providers", "", exitUsage, "", "ends inside quotes"},
		{"rob", "create provider new", "", exitFailed, "", "rob is a reader"},
		{"rob", "import -", exported + "\n", exitDone, "", "nothing to do"},
		{"rob", "allocate VCPU=1 --on cmp-001", "", exitFailed, "", "rob is a reader"},
		{"rob", "set config --owner-filter root", "", exitFailed, "", "rob is a reader"},
		{"rob", "undo 1", "", exitFailed, "", "rob is a reader"}, // to which no one could reply
		{"ann", "create provider new", "", exitDone, "done, at revision", ""},
		{"ann", "create provider two --read-only", "", exitFailed, "", "this run is read-only"},
		{"ann", "mute c01", "", exitFailed, "", "muting a rule is for admins, and ann is let in as an operator"},
		{"ann", "set config --owner-filter root", "", exitFailed, "", "a setting of the whole cloud is for admins"},
		{"ada", "mute c01", "", exitDone, "", ""},
		{"ada", "set config --owner-filter root", "", exitDone, "", ""},
		{"ann", "serve", "", exitUsage, "", "placetop serve cannot be used over ssh: it serves others"},
		{"ann", "ssh --auth none", "", exitUsage, "", "placetop ssh cannot be used over ssh"},
		{"ann", "agent --once", "", exitUsage, "", "cannot be used over ssh: it looks at the machine"},
		{"ada", "config path", "", exitUsage, "", "placetop config path cannot be used over ssh"},
		{"ada", "backup /tmp/b", "", exitUsage, "", "placetop backup cannot be used over ssh"},
		{"ada", "get providers --db /etc/passwd", "", exitUsage, "", "--db cannot be used over ssh"},
		{"ada", "get providers --log-file /tmp/l", "", exitUsage, "", "--log-file cannot be used over ssh"},
		{"ada", "export /tmp/e", "", exitUsage, "", "/tmp/e would be a file on the server"},
		{"ada", "import /etc/passwd", "", exitUsage, "", "/etc/passwd would be a file on the server"},
		{"ada", "create profile x --file /etc/passwd", "", exitUsage, "", "/etc/passwd would be a file on the server"},
		{"ada", "demo --script transition", "", exitUsage, "", "placetop demo cannot be used over ssh: its made-up cloud would take the memory of the machine it runs on"},
		{"rob", "__complete get pro", "", 0, "profiles", ""},
		{"rob", "", "", 0, "providers", ""},
	} {
		out, wrong, code := i.run(test.who, test.command, test.in)
		if code != test.code || !strings.Contains(out+wrong, test.out) || !strings.Contains(wrong, test.wrong) {
			t.Errorf("%s: %s: %d\n%.300s\n%s", test.who, test.command, code, out, wrong)
		}
	}
	events, _, _ := i.run("rob", "get events -o csv --limit 5", "")
	if who := "ann (" + ssh.FingerprintSHA256(i.keys["ann"].PublicKey()) + ")"; !strings.Contains(events, who) {
		t.Errorf("the journal does not name %s:\n%s", who, events)
	}
	log := must.Get(os.ReadFile(i.log))(t)
	if want := `role=reader session=1 why="nothing can be written: rob is a reader"`; strings.Count(string(log), want) != 4 {
		t.Errorf("the log does not have the writes of a reader:\n%s", log)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "msg=opened") && strings.Contains(line, "role=reader") && !strings.Contains(line, "read_only=true") {
			t.Errorf("a reader's cloud is logged as %s", line)
		}
	}
}

// TestSSHCommandsAsHere checks that a command prints the same as on the machine itself,
// with the same exit code.
func TestSSHCommandsAsHere(t *testing.T) {
	t.Parallel()
	i := openInn(t, nil)
	// The server comes first: a local command would open the file before it.
	for _, test := range []struct{ command, in string }{
		{"get providers -o json", ""},
		{"get instances -o wide --limit 3", ""},
		{"check", ""},
		{"candidates --flavor gpu.a100.1 --explain", ""},
		{"candidates resources=VCPU:9999", ""},
		{"get providers nobody", ""},
		{"get nonsense", ""},
		{"create provider new --dry-run -o nonsense", ""},
		{"import -", "no export"},
		{"export -", ""},
		{"help get", ""},
	} {
		var want, says bytes.Buffer
		out, wrong, code := i.run("ann", test.command, test.in)
		status := run(append(strings.Fields(test.command), "--db", i.db), strings.NewReader(test.in), &want, &says, nil)
		if code != status || out != want.String() || wrong != says.String() {
			t.Errorf("%s: %d, here %d\n%.300s\n%.300s\n%s\n%s", test.command, code, status, out, &want, wrong, &says)
		}
	}
}

// far is a remote terminal with a dashboard.
type far struct {
	*tuitest.Emulator
	*ssh.Session
	t  testing.TB
	in io.Writer
}

// show opens a user's dashboard on a terminal.
func (i *inn) show(who, term string, w, h int, env ...string) *far {
	i.t.Helper()
	s := must.Get(i.dial(who).NewSession())(i.t)
	f := &far{Emulator: tuitest.NewEmulator(w, h), Session: s, t: i.t}
	i.t.Cleanup(func() { _ = f.Emulator.Close() })
	s.Stdout = f.Emulator
	f.in = must.Get(s.StdinPipe())(i.t)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		must.Succeed(i.t, s.Setenv(name, value))
	}
	must.Succeed(i.t, s.RequestPty(term, h, w, nil))
	must.Succeed(i.t, s.Shell())
	return f
}

func (f *far) wait(text string) {
	f.t.Helper()
	f.Await(f.t, text, func(lines []string) bool { return strings.Contains(strings.Join(lines, "\n"), text) })
}

func (f *far) types(keys string) {
	f.t.Helper()
	must.Succeed(f.t, must.Err(io.WriteString(f.in, keys)))
}

// TestSSHDashboards shows two dashboards at once, on different terminals: each looks
// right, and what one writes the other shows.
func TestSSHDashboards(t *testing.T) {
	t.Parallel()
	i := openInn(t, nil)
	ann := i.show("ann", "xterm-256color", 100, 30, "COLORTERM=truecolor", "LANG=C.UTF-8")
	rob := i.show("rob", "vt100", 80, 24, "NO_COLOR=1", "LANG=C")
	ann.wait("RW")
	rob.wait("RO")
	ann.wait("█")
	if raw := ann.Raw(); !strings.Contains(raw, "38;2;") {
		t.Error("a terminal of all colours gets fewer")
	}
	raw := rob.Raw()
	if strings.Contains(raw, "38;2;") || strings.Contains(raw, "38;5;") || strings.ContainsFunc(raw, func(r rune) bool { return r > '~' }) {
		t.Errorf("a terminal without colours, of ASCII, gets %.2000q", raw)
	}
	rob.types("2")
	rob.wait("cmp-001")
	ann.types(":")
	ann.wait(":")
	if _, wrong, code := i.run("ann", "create provider shown-to-all", ""); code != 0 {
		t.Fatal(wrong)
	}
	rob.types("/shown-to\r")
	rob.wait("shown-to-all")
	ann.types("\x1b")
	ann.wait("? help")
	ann.types("\x1a") // ^z: it must not suspend anything
	ann.Resize(120, 40)
	must.Succeed(t, ann.WindowChange(40, 120))
	ann.Await(t, "the whole width", func(lines []string) bool { return len(strings.TrimRight(lines[1], " ")) > 110 })
	ann.types("q")
	if err := ann.Wait(); err != nil {
		t.Error(err)
	}
	if ann.Mode(ansi.ModeAltScreenSaveCursor) {
		t.Error("the terminal is not left as it was")
	}
}

// TestSSHWho tells every user, readers as well, who is connected, and so whoever works on the
// same file beside the server.
func TestSSHWho(t *testing.T) {
	t.Parallel()
	i := openInn(t, nil)
	ann := i.show("ann", "xterm-256color", 120, 30)
	rob := i.show("rob", "vt100", 120, 30, "NO_COLOR=1", "LANG=C")
	ann.wait("RW")
	rob.wait("RO")
	rob.types(":who\r")
	rob.wait("who is here")
	rob.wait("operator  this machine  since")
	rob.wait("reader    this machine  since")
	needsPeers(t)
	beside, ends := startDashboard(t, i.db, nil)
	beside.WaitForText("and 3 more") // the server and its guests
	beside.Type(":who\r")
	beside.WaitForText("operator  this machine  since")
	beside.Type("\x03")
	must.Succeed(t, ends())
}

// TestSSHConflict has two users edit the same host: the later one sees what the other
// wrote, and keeps theirs, their own, or both.
func TestSSHConflict(t *testing.T) {
	t.Parallel()
	i := openInn(t, nil)
	edit := func(who, disk string) *far {
		f := i.show(who, "xterm-256color", 80, 24)
		f.wait("RW")
		f.types("2/cmp-004\r")
		f.wait("of 41")
		f.wait("/cmp-004")
		f.wait("─ cmp-004 ─")
		f.types("\re")
		f.wait("> edit cmp-004")
		f.types("\x15total=2000 " + disk + strings.Repeat("\r", 6))
		f.wait("nothing written yet")
		f.wait("tried on a copy")
		return f
	}
	write := func(f *far, want string) { // if something else was written meanwhile, it asks again
		f.types("\r")
		f.Await(t, want, func(lines []string) bool {
			text := strings.Join(lines, "\n")
			return strings.Contains(text, want) || strings.Contains(text, "enter again writes")
		})
		if !strings.Contains(strings.Join(f.Lines(), "\n"), want) {
			f.types("\r")
			f.wait(want)
		}
	}
	ann, ada := edit("ann", "reserved=100"), edit("ada", "ratio=2")
	write(ann, "100   1.0")
	ada.wait("cmp-004, rev ") // who wrote, and what
	ada.wait("someone else has changed it since you started: DISK_GB reserved 50 > 100")
	ada.wait("t theirs  u yours  b both")
	ada.types("t")
	ada.wait("nothing to do")
	ada.types("u")
	ada.wait("reserved 100 > 50")
	ada.types("b")
	ada.Await(t, "both", func(lines []string) bool {
		text := strings.Join(lines, "\n")
		return strings.Contains(text, "ratio 1 > 2") && !strings.Contains(text, "reserved 100 > 50")
	})
	write(ada, "100   2.0")
	ann.wait("100   2.0")
}

// TestSSHTogether has sessions write all at once, each as its own user.
func TestSSHTogether(t *testing.T) {
	t.Parallel()
	i := openInn(t, nil)
	const writers = 4
	done := make(chan string, writers)
	for n := range writers {
		who := []string{"ann", "ada"}[n%2]
		go func() {
			_, wrong, code := i.run(who, fmt.Sprintf("create provider of-%d", n), "")
			done <- fmt.Sprint(code, wrong)
		}()
	}
	for range writers {
		if got := <-done; !strings.HasPrefix(got, "0") {
			t.Error(got)
		}
	}
	out, _, _ := i.run("rob", "get providers -o csv", "")
	if strings.Count(out, "\nof-") != writers {
		t.Error(out)
	}
}

// TestNothingCompletesFlagsOfGuests checks that cobra is told of nothing that completes a flag of
// a guest: it keeps that, and the flag, for as long as the server runs.
func TestNothingCompletesFlagsOfGuests(t *testing.T) {
	t.Parallel()
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, is := cmd.GetFlagCompletionFunc(f.Name); is {
				t.Errorf("%s --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look((&program{guest: &guest{session: &sshd.Session{}}}).root())
}

// TestGuestsCommandsAreForgotten checks that the command tree of a guest is freed after
// the guest's command.
func TestGuestsCommandsAreForgotten(t *testing.T) {
	t.Parallel()
	commands := weak.Make((&program{guest: &guest{session: &sshd.Session{}}}).root())
	runtime.GC()
	if commands.Value() != nil {
		t.Error("they are still in memory")
	}
}

// BenchmarkSSHShown writes in one session, and waits until another shows it.
func BenchmarkSSHShown(b *testing.B) {
	i := openInn(b, nil)
	rob := i.show("rob", "xterm-256color", 100, 30)
	rob.wait("RO")
	c := i.dial("ann")
	var took time.Duration
	for n := range b.N {
		s := must.Get(c.NewSession())(b)
		said, err := s.CombinedOutput(fmt.Sprintf("create provider p-%d", n))
		began := time.Now()
		_, rest, found := strings.Cut(string(said), "revision ")
		rev, _, _ := strings.Cut(rest, "\n")
		if err != nil || !found {
			b.Fatalf("%v: %s", err, said)
		}
		rob.wait("rev " + rev + " ")
		took += time.Since(began)
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/shown")
}

// BenchmarkSSHSession prints how much memory of the server a session takes at 10,000
// hosts: each shows the list of all providers, from another process.
func BenchmarkSSHSession(b *testing.B) {
	const more = 50
	i := openInn(b, func(o *sshOptions) { o.limits.PerPerson, o.limits.PerAddress = 2*more, 2*more })
	key := must.Get(ssh.MarshalPrivateKey(i.private["rob"], ""))(b)
	file := filepath.Join(b.TempDir(), "key")
	must.Succeed(b, os.WriteFile(file, pem.EncodeToMemory(key), 0o600))
	i.dial("rob")
	cmd := exec.Command("placetop-look", i.at, file)
	cmd.Stderr = os.Stderr
	in := must.Get(cmd.StdinPipe())(b)
	out := must.Get(cmd.StdoutPipe())(b)
	must.Succeed(b, cmd.Start())
	said := bufio.NewReader(out)
	look := func(n int) float64 {
		must.Get(fmt.Fprintln(in, n))(b)
		must.Get(said.ReadString('\n'))(b)
		return heapMiB()
	}
	b.ReportMetric(look(0), "MiB/none")
	one := look(1)
	all := look(more - 1)
	b.ReportMetric(one, "MiB/1")
	b.ReportMetric(all, "MiB/50")
	b.ReportMetric((all-one)/(more-1), "MiB/session")
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		b.Error(err)
	}
}

// heapMiB returns how much of the heap is in use.
func heapMiB() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}
