package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"github.com/placetop/placetop/model/modeltest/must"
)

// manualPages returns the README and the topics of the manual, by their paths.
func manualPages(t *testing.T) map[string]string {
	t.Helper()
	paths := append(must.Get(filepath.Glob(filepath.Join("help", "*.md")))(t), filepath.Join("..", "..", "README.md"))
	all := map[string]string{}
	for _, path := range paths {
		all[path] = string(must.Get(os.ReadFile(path))(t))
	}
	return all
}

// TestPages checks that no page is longer than people read, and that every command which one
// names in its sentences exists, with these flags.
func TestPages(t *testing.T) {
	t.Parallel()
	for path, text := range manualPages(t) {
		most := 1200
		if strings.HasSuffix(path, "README.md") {
			most = 2500
		}
		if n := len(strings.Fields(text)); n > most {
			t.Errorf("%s has %d words, more than %d", path, n, most)
		}
		if mark := listMark.FindString(withLists(text)); mark != "" {
			t.Errorf("%s: there is no list for %s", path, mark)
		}
		text = regexp.MustCompile("(?sm)^```.*?^```$").ReplaceAllString(text, "")
		for _, span := range regexp.MustCompile("`(placetop [^`]*)`").FindAllStringSubmatch(text, -1) {
			var words []string
			command, _, _ := strings.Cut(strings.Join(strings.Fields(span[1]), " "), ` \|`)
			for _, w := range shellWord.FindAllString(command, -1)[1:] {
				words = append(words, strings.Trim(w, "'"))
			}
			root := (&program{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}).root()
			root.InitDefaultHelpCmd()
			of, rest, err := root.Find(slices.DeleteFunc(words, func(w string) bool { return w == "|" || w == "cat" }))
			if err == nil && of.HasSubCommands() && len(rest) > 0 && rest[0] != "KIND" && rest[0][0] != '-' {
				err = of.ValidateArgs(rest)
			}
			if err == nil {
				err = of.ParseFlags(rest)
			}
			if err != nil && !errors.Is(err, pflag.ErrHelp) {
				t.Errorf("%s: %s: %v", path, span[1], err)
			}
		}
	}
}

// TestPagesFit checks that topics fit a terminal of 80 columns. Only commands that are meant
// to be copied, and screens, may be longer.
func TestPagesFit(t *testing.T) {
	t.Parallel()
	for _, of := range topics() {
		text := plainText(of.text, helpWidth, func(title string) string { return title })
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if w := ansi.StringWidth(line); w > helpWidth && !strings.HasPrefix(line, "    ") && !strings.Contains(of.text, "\n"+line+"\n") {
				t.Errorf("%s: %d columns: %s", of.Name, w, line)
			}
		}
	}
}

// byOthers are commands of pages that other tests run, or that need what a test does not
// have: an etcd, OpenStack's clients, all tests again, the network.
var byOthers = regexp.MustCompile(`openstack |etcd|\bOS_|promtool|/proc/sys|go test|go install|\.ci/run`)

// TestPagesRun runs the commands of the README and of the manual: the lines that are indented
// by four. Each must succeed, or find problems, as it is. A page starts in an empty folder; the
// cloud prod is a demo cloud behind a Keystone, and ssh knows the host bastion.
func TestPagesRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var stories []string
	for path, text := range manualPages(t) {
		var script strings.Builder
		script.WriteString(pagePrelude)
		text = regexp.MustCompile("(?sm)^```.*?^```$").ReplaceAllString(text, "")
		for _, line := range regexp.MustCompile(`(?m)^    .*$`).FindAllString(text, -1) {
			if !byOthers.MatchString(line) {
				line = strings.ReplaceAll(strings.TrimSpace(line), "go run ./cmd/placetop", "placetop")
				fmt.Fprintln(&script, regexp.MustCompile(`^placetop (.* &)$`).ReplaceAllString(line, "command placetop $1"))
			}
		}
		for _, port := range []string{"8778", "2222"} {
			free := freePort(t)
			replaced := strings.ReplaceAll(script.String(), port, free)
			script.Reset()
			script.WriteString(strings.ReplaceAll(replaced, "--auth none &", "--auth none --listen 127.0.0.1:"+free+" &"))
		}
		before := ""
		if strings.Contains(text, "--cloud prod") {
			before = "demo prod.db\nserves --db prod.db --listen 127.0.0.1:0 --auth none\nopenstack nova.json log\n"
		}
		name := filepath.Join(folder, strings.TrimSuffix(filepath.Base(path), ".md")+".txtar")
		must.Succeed(t, os.WriteFile(name, []byte(before+"exec bash page.sh\n-- page.sh --\n"+script.String()+"-- nova.json --\n{}\n"), 0o600))
		stories = append(stories, name)
	}
	params := storyParams(t)
	params.Dir, params.Files = "", stories
	testscript.Run(t, params)
}

// pagePrelude is what the commands of each page need: an end to what they start, an exit code
// of 3, which only says that there are problems, and an ssh that finds the bastion.
const pagePrelude = `set -e
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
placetop() { command placetop "$@" || [ $? = 3 ]; }
if type ssh-keygen >/dev/null 2>&1; then
	ssh-keygen -q -t ed25519 -N '' -C me -f key
	cp key.pub operators
fi
touch operators noc
chmod 600 operators noc
ssh() {
	type ssh-keygen >/dev/null 2>&1 || return 0
	command ssh -F none -i key -o ConnectionAttempts=20 -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none \
		-o StrictHostKeyChecking=no -o UserKnownHostsFile=known -o LogLevel=ERROR -o HostName=127.0.0.1 "$@" </dev/null
}
exec >out
set -x
`

// freePort returns a port that nobody uses.
func freePort(t *testing.T) string {
	t.Helper()
	l := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must.Succeed(t, err)
	return port
}

// TestTransitionPage checks that what the manual says of the transition is in the story: its
// lines in the same order, and the number of steps.
func TestTransitionPage(t *testing.T) {
	t.Parallel()
	story := tellTransition(t, time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC))
	page := string(must.Get(os.ReadFile(filepath.Join("help", "transition.md")))(t))
	found := regexp.MustCompile("(?s)```text\n(STEP.*?)```").FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no text that begins with STEP")
	}
	rest := story
	for line := range strings.Lines(found[1]) {
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Errorf("the story has no line, or none at that place: %q", line)
			continue
		}
		rest = after
	}
	last := regexp.MustCompile(`(?m)^(\d+)/(\d+)  `).FindStringSubmatch(story)
	if last == nil || !strings.Contains(page, "in "+last[2]+" steps") {
		t.Errorf("the page does not tell that the story has these steps: %q", last)
	}
}
