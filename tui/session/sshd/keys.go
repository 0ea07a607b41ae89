package sshd

import (
	"errors"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/diskfile"
)

// KeyFile is a file of authorized keys, and the role of those in it.
type KeyFile struct {
	Path string
	Role Role
}

// entry is an accepted key, with its terms.
type entry struct {
	blob   string // the key in wire format
	person Person
	terms  terms
}

// terms are the options of a key.
type terms struct {
	from    []string // patterns of addresses; none for any
	until   time.Time
	command string
	noPTY   bool
	unread  bool // the line was there before its file had something that is refused
}

// mostFile is the most bytes of a file of keys.
const mostFile = 4 << 20

// leastRSA is the least number of bits of an RSA key.
const leastRSA = 2048

// keyFile returns how files of keys are guarded: nobody but the owner and root may be able
// to write them.
func keyFile() diskfile.Guarded { return diskfile.Guarded{Owned: true, Most: mostFile} }

// readKeys reads a file of authorized keys. A refused line gives no one access; the
// others count.
func readKeys(f KeyFile) ([]entry, error) {
	text, err := keyFile().Read(f.Path)
	if err != nil {
		return nil, err
	}
	return parseKeys(f, text)
}

// rereadKeys returns a function that reads a file of authorized keys again. While
// something in it is refused, keys that have disappeared since it was good are kept but
// give no access: a key that was listed there as a reader must not become an operator by
// another file.
func rereadKeys(f KeyFile) func() ([]entry, error) {
	var was []entry
	return func() ([]entry, error) {
		now, err := readKeys(f)
		if err == nil {
			was = now
			return now, nil
		}
		for _, e := range was {
			if !slices.ContainsFunc(now, func(o entry) bool { return o.blob == e.blob }) {
				e.terms = terms{unread: true}
				now = append(now, e)
			}
		}
		was = now
		return now, err
	}
}

// parseKeys parses the lines of a file of authorized keys. The error joins all that is
// refused.
func parseKeys(f KeyFile, text []byte) (out []entry, err error) {
	for n, line := range diskfile.Lines(text) {
		e, why := parseKey(line)
		if why != nil {
			why.Path, why.Line = f.Path, n
			err = errors.Join(err, why)
			continue
		}
		e.person.Role = f.Role
		out = append(out, e)
	}
	return out, err
}

// parseKey parses a line.
func parseKey(line string) (entry, *diskfile.LineError) {
	key, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return entry{}, &diskfile.LineError{Why: "is not a key", Hint: "each line is: [OPTIONS] TYPE KEY [NAME]"}
	}
	if err := strong(key); err != nil {
		return entry{}, &diskfile.LineError{Why: err.Error()}
	}
	e := entry{blob: string(key.Marshal()), person: Person{Name: plainName(comment), Key: ssh.FingerprintSHA256(key)}}
	if e.person.Name == "" {
		e.person.Name = e.person.Key
	}
	for _, option := range options {
		if err := e.terms.take(option); err != nil {
			return entry{}, err
		}
	}
	e.person.Command, e.person.NoTerminal = e.terms.command, e.terms.noPTY
	return e, nil
}

// strong refuses keys that are too weak.
func strong(key ssh.PublicKey) error {
	switch key.Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256:
		return nil
	case ssh.KeyAlgoRSA:
		if rsaBits(key) >= leastRSA {
			return nil
		}
		return fmt.Errorf("the RSA key has fewer than %d bits", leastRSA)
	}
	return fmt.Errorf("keys of the type %s are not accepted", key.Type())
}

// take parses an option of a key as in sshd(8), or refuses it by name. An option that
// limits access may occur once: of two, one would be ignored.
func (t *terms) take(option string) *diskfile.LineError {
	name, value, valued := strings.Cut(option, "=")
	value = unquote(value)
	refuse := func(why string) *diskfile.LineError {
		return &diskfile.LineError{Why: "the option " + name + " " + why}
	}
	twice := refuse("is given twice")
	switch strings.ToLower(name) {
	case "restrict", "no-pty":
		t.noPTY = true
	case "pty":
		t.noPTY = false
	case "no-port-forwarding", "no-agent-forwarding", "no-x11-forwarding", "no-user-rc":
		// this is so for everyone
	case "from":
		if !valued || value == "" {
			return refuse("names no address")
		}
		if len(t.from) > 0 {
			return twice
		}
		for pattern := range strings.SplitSeq(value, ",") {
			if !addressPattern(pattern) {
				return refuse(fmt.Sprintf("has %q, which is not an address, network or pattern of addresses: host names are not looked up", pattern))
			}
			t.from = append(t.from, pattern)
		}
	case "expiry-time":
		until, err := expiry(value)
		if err != nil {
			return refuse(err.Error())
		}
		if !t.until.IsZero() {
			return twice
		}
		t.until = until
	case "command":
		if value == "" {
			return refuse("names no command")
		}
		if t.command != "" {
			return twice
		}
		t.command = value
	case "port-forwarding", "agent-forwarding", "x11-forwarding", "user-rc", "environment", "permitopen", "permitlisten", "tunnel":
		return refuse("is not supported here")
	case "cert-authority", "principals":
		return refuse("is for certificates, which are not supported here")
	case "verify-required", "no-touch-required":
		return refuse("is about a hardware key, which is not checked here")
	default:
		return refuse("is not known")
	}
	return nil
}

// unquote removes the quotes around an option's value.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	return strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
}

// expiry parses YYYYMMDD[HHMM[SS]][Z], without Z in this machine's local time.
func expiry(text string) (time.Time, error) {
	zone := time.Local // as sshd(8) reads it
	digits, utc := strings.CutSuffix(text, "Z")
	if utc {
		zone = time.UTC
	}
	for _, form := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(form) {
			if at, err := time.ParseInLocation(form, digits, zone); err == nil {
				return at, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("has %q, which is not YYYYMMDD[HHMM[SS]][Z]", text)
}

// addressPattern reports whether a pattern in from= is one for addresses.
func addressPattern(pattern string) bool {
	pattern = strings.TrimPrefix(pattern, "!")
	if strings.Contains(pattern, "/") {
		_, err := netip.ParsePrefix(pattern)
		return err == nil
	}
	if _, err := netip.ParseAddr(pattern); err == nil {
		return true
	}
	return strings.ContainsAny(pattern, "*?") && strings.Trim(pattern, "0123456789abcdefABCDEF.:*?") == ""
}

// allow returns why terms refuse a client at an address and a time, nil if they do not.
func (t *terms) allow(from netip.Addr, now time.Time) error {
	if t.unread {
		return errors.New("the file that had the key cannot be read completely")
	}
	if !t.until.IsZero() && !now.Before(t.until) {
		return fmt.Errorf("the key expired at %s", t.until.UTC().Format(time.DateTime)+"Z")
	}
	if len(t.from) > 0 && !matches(t.from, from) {
		return fmt.Errorf("the key is not valid from %s", from)
	}
	return nil
}

// matches reports whether an address matches one of patterns, and none of those with a !.
func matches(patterns []string, a netip.Addr) bool {
	found := false
	for _, pattern := range patterns {
		but, not := strings.CutPrefix(pattern, "!")
		if matchesOne(but, a) {
			if not {
				return false
			}
			found = true
		}
	}
	return found
}

func matchesOne(pattern string, a netip.Addr) bool {
	if net, err := netip.ParsePrefix(pattern); err == nil {
		return net.Contains(a)
	}
	if one, err := netip.ParseAddr(pattern); err == nil {
		return one == a
	}
	is, err := path.Match(pattern, a.String())
	return err == nil && is
}
