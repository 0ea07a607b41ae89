package sshd

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/model/modeltest/must"
)

// noon is the time of all tests here.
func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

// newKey returns a key, and its line in a file of keys, without options and name.
func newKey(t testing.TB) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	must.Succeed(t, err)
	key := must.Get(ssh.NewSignerFromKey(private))(t)
	return key, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
}

// write writes a file that only its owner may write.
func write(t testing.TB, name string, lines ...string) string {
	t.Helper()
	must.Succeed(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return name
}

func TestOptionsOfKeys(t *testing.T) {
	t.Parallel()
	_, line := newKey(t)
	here, there := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("2001:db8::1")
	for options, want := range map[string]struct {
		refused string // a part of the error for the line
		from    []netip.Addr
		not     []netip.Addr
		at      time.Time // if not noon
		old     bool
		pty     bool
		command string
	}{
		"":                               {from: []netip.Addr{here, there, {}}, pty: true},
		`from="192.0.2.0/24"`:            {from: []netip.Addr{here}, not: []netip.Addr{there, {}}, pty: true},
		`from="192.0.2.*,2001:db8::1"`:   {from: []netip.Addr{here, there}, pty: true},
		`from="192.0.2.0/24,!192.0.2.7"`: {not: []netip.Addr{here}, pty: true},
		`from="192.0.2.9",from="*"`:      {refused: "the option from is given twice"},
		`command="a",command="b"`:        {refused: "the option command is given twice"},
		`expiry-time="20200101",expiry-time="20300101"`: {refused: "the option expiry-time is given twice"},
		`from="bastion.example"`:                        {refused: "host names are not looked up"},
		`from=""`:                                       {refused: "names no address"},
		"from":                                          {refused: "names no address"},
		`expiry-time="20261123115959Z"`:                 {not: []netip.Addr{here}, pty: true},
		`expiry-time="20261124Z"`:                       {from: []netip.Addr{here}, pty: true},
		`expiry-time="202611231201Z"`:                   {from: []netip.Addr{here}, pty: true},
		`expiry-time="soon"`:                            {refused: "not YYYYMMDD"},
		"restrict":                                      {from: []netip.Addr{here}},
		"restrict,pty":                                  {from: []netip.Addr{here}, pty: true},
		"no-agent-forwarding,no-pty,no-X11-forwarding,no-port-forwarding,no-user-rc": {from: []netip.Addr{here}},
		`command="get events \"x\"",restrict`:                                        {from: []netip.Addr{here}, command: `get events "x"`},
		`command=""`:                                                                 {refused: "names no command"},
		`environment="A=b"`:                                                          {refused: "environment is not supported here"},
		`permitopen="a:1"`:                                                           {refused: "permitopen is not supported here"},
		"port-forwarding":                                                            {refused: "port-forwarding is not supported here"},
		"cert-authority":                                                             {refused: "certificates"},
		`principals="a"`:                                                             {refused: "certificates"},
		"verify-required":                                                            {refused: "not checked here"},
		"quietly":                                                                    {refused: "quietly is not known"},
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			text := strings.TrimSpace(options+" "+line) + " ann@laptop"
			got, err := parseKeys(KeyFile{Path: "f", Role: Operator}, []byte("# who\n\n"+text+"\n"))
			if want.refused != "" {
				if err == nil || !strings.HasPrefix(err.Error(), "f:3: ") || !strings.Contains(err.Error(), want.refused) || len(got) != 0 {
					t.Errorf("%v, %d keys; want %s", err, len(got), want.refused)
				}
				return
			}
			if err != nil || len(got) != 1 {
				t.Fatal(err, got)
			}
			e := got[0]
			if e.person.Name != "ann@laptop" || e.person.Role != Operator || e.person.NoTerminal == want.pty || e.person.Command != want.command {
				t.Errorf("%+v", e.person)
			}
			for _, a := range append(slices.Clone(want.from), want.not...) {
				if err := e.terms.allow(a, noon()); (err == nil) != slices.Contains(want.from, a) {
					t.Errorf("from %s: %v", a, err)
				}
			}
		})
	}
}

func TestWeakKeysAreRefused(t *testing.T) {
	t.Parallel()
	const rsa1024 = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC1VB0aXLbnCL9tVKa3NmFRh5sQ4sCO5aEaJgIpsqVj6kqv4v0qRHBhJ8WkMxBLYTdNHlbDTs9BIzS2uH3tXCsj2tGrgAcoj2Fz8bqXw0H8lSLpXKZDKCEXAMPLEyoW9p5k9uw1aYgcQFMYJ3NKZF0vLL0Zd0FqzJkCjgb5nXQ1Zw== old"
	if got, err := parseKeys(KeyFile{Path: "f"}, []byte(rsa1024)); err == nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestGate reads files again, and gives no access by lines that are bad then.
func TestGate(t *testing.T) {
	t.Parallel()
	now := noon()
	ann, annLine := newKey(t)
	bob, bobLine := newKey(t)
	eve, _ := newKey(t)
	dir := t.TempDir()
	ops := write(t, filepath.Join(dir, "ops"), annLine+" ann", bobLine+" bob")
	readers := write(t, filepath.Join(dir, "readers"), bobLine+" bob")
	var told []error
	g, err := OpenGate(GateOptions{
		Keys:  []KeyFile{{ops, Operator}, {readers, Reader}},
		Clock: func() time.Time { return now }, Changed: func(err error) { told = append(told, err) },
	})
	must.Succeed(t, err)
	role := func(key ssh.Signer) Role {
		who, err := g.Known(key.PublicKey(), netip.Addr{})
		if (err == nil) != (who.Role != Nobody) {
			t.Errorf("%+v, %v", who, err)
		}
		return who.Role
	}
	if role(ann) != Operator || role(bob) != Reader || role(eve) != Nobody {
		t.Error(role(ann), role(bob), role(eve))
	}
	write(t, readers, bobLine+" bob", "nonsense")
	write(t, ops, "from=\"example.org\" "+annLine+" ann", bobLine+" bob")
	now = now.Add(2 * time.Second)
	if role(ann) != Nobody || role(bob) != Reader || len(told) != 2 || told[0] == nil || told[1] == nil {
		t.Error(role(ann), role(bob), told)
	}
	must.Succeed(t, os.Remove(readers))
	now = now.Add(2 * time.Second)
	if role(bob) != Nobody || g.Count()[Reader] != 0 {
		t.Error("whose file of readers is gone becomes an operator")
	}
	write(t, readers, annLine+" ann")
	now = now.Add(2 * time.Second)
	if role(bob) != Operator {
		t.Error("who was taken out of a file that is good is kept out")
	}
	must.Succeed(t, os.Chmod(ops, 0o666))
	now = now.Add(2 * time.Second)
	if role(bob) != Nobody {
		t.Error("a file that anybody may write counts")
	}
	if _, err := OpenGate(g.o); err == nil {
		t.Error("a file that anybody may write is taken at the start")
	}
}

// TestLeastRoleCounts gives a key no more than the least role in any file, even if that
// line is refused, or can no longer be read.
func TestLeastRoleCounts(t *testing.T) {
	t.Parallel()
	key, line := newKey(t)
	_, other := newKey(t)
	here := netip.MustParseAddr("192.0.2.7")
	for name, test := range map[string]struct {
		readers, then []string // then is the later content of the file; nil for the same
		want          Role
	}{
		"a reader":           {readers: []string{line}, want: Reader},
		"nothing of it":      {readers: []string{other}, want: Operator},
		"expired":            {readers: []string{`expiry-time="20200101Z" ` + line}},
		"from elsewhere":     {readers: []string{`from="198.51.100.1" ` + line}},
		"one of two lines":   {readers: []string{`from="198.51.100.1" ` + line, line}, want: Reader},
		"the line is bad":    {readers: []string{other, line}, then: []string{other, "quietly " + line}},
		"all is bad":         {readers: []string{line}, then: []string{"x"}},
		"another is bad":     {readers: []string{other, line}, then: []string{"x", line}, want: Reader},
		"taken out":          {readers: []string{other, line}, then: []string{other}, want: Operator},
		"taken out, and bad": {readers: []string{other, line}, then: []string{other, "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := noon()
			dir := t.TempDir()
			readers := write(t, filepath.Join(dir, "readers"), test.readers...)
			g, err := OpenGate(GateOptions{
				Keys:  []KeyFile{{readers, Reader}, {write(t, filepath.Join(dir, "ops"), line), Operator}},
				Clock: func() time.Time { return now },
			})
			must.Succeed(t, err)
			if test.then != nil {
				write(t, readers, test.then...)
			}
			for range 2 {
				now = now.Add(2 * time.Second)
				if who, err := g.Known(key.PublicKey(), here); who.Role != test.want || (err == nil) != (test.want != Nobody) {
					t.Errorf("%+v, %v; want %s", who, err, test.want)
				}
			}
			slices.Reverse(g.keys) // in either order of files
			if who, _ := g.Known(key.PublicKey(), here); who.Role != test.want {
				t.Errorf("the other way round: %+v; want %s", who, test.want)
			}
		})
	}
}

func TestHostKey(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "new", "key")
	key, made, err := HostKey(name)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode() != 0o600 {
		t.Fatal(info, err)
	}
	again, made, err := HostKey(name)
	if err != nil || made || string(again.PublicKey().Marshal()) != string(key.PublicKey().Marshal()) {
		t.Error(made, err)
	}
	must.Succeed(t, os.Chmod(name, 0o640))
	if _, _, err := HostKey(name); err == nil {
		t.Error("a key that others may read is used")
	}
	write(t, name, "no key")
	must.Succeed(t, os.Chmod(name, 0o600))
	if _, _, err := HostKey(name); err == nil {
		t.Error("nonsense is used")
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                               nil,
		"get  providers\t-o json ":       {"get", "providers", "-o", "json"},
		`boot "my name" 'a "b"' x\ y ''`: {"boot", "my name", `a "b"`, "x y", ""},
		`"a\"b\n"`:                       {`a"b\n`},
		"'open":                          nil,
		`back\`:                          nil,
	} {
		got, err := Words(line)
		if !slices.Equal(got, want) || (err != nil) != (line == "'open" || line == `back\`) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`get "a b" 'c'`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Words(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := Words(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q is %q, and then %q, %v", line, words, again, err)
		}
	})
}

func FuzzKeys(f *testing.F) {
	_, line := newKey(f)
	f.Add("restrict,from=\"10.0.0.0/8,!10.0.0.*\",expiry-time=\"20300101Z\",command=\"a \\\" b\" " + line + " ann")
	f.Add(line)
	f.Fuzz(func(t *testing.T, text string) {
		keys, _ := parseKeys(KeyFile{Path: "f", Role: Reader}, []byte(text))
		for _, e := range keys {
			key, err := ssh.ParsePublicKey([]byte(e.blob))
			if err != nil || e.person.Role != Reader || e.person.Name == "" || e.person.Name != plainName(e.person.Name) || strong(key) != nil {
				t.Errorf("%+v", e.person)
			}
			_ = e.terms.allow(netip.MustParseAddr("10.1.2.3"), noon())
		}
	})
}

// TestHostKeyThatLeadsNowhere checks that a dangling link is refused as a host key.
func TestHostKeyThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "key")
	must.Succeed(t, os.Symlink(filepath.Join(dir, "gone"), name))
	if _, _, err := HostKey(name); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestAddressesHaveNoZone matches an address against the patterns of from= whatever its
// zone.
func TestAddressesHaveNoZone(t *testing.T) {
	t.Parallel()
	at := addressOf(&net.TCPAddr{IP: net.ParseIP("fe80::1"), Port: 7, Zone: "eth0"})
	if matches([]string{"!fe80::/10", "*"}, at) || !matches([]string{"fe80::1"}, at) {
		t.Errorf("%s", at)
	}
}
