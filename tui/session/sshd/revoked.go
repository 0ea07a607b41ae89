package sshd

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/diskfile"
)

// revoked is the content of a file of revoked keys. Its lines are public keys, as for
// sshd(8), or the source of a revocation list for ssh-keygen(1).
//
// Source: KEY REVOCATION LISTS in ssh-keygen(1).
type revoked struct {
	keys    map[string]bool // in wire format: of people, of authorities, or certificates
	prints  map[string]bool // SHA256:...
	names   map[string]bool // ids of certificates
	serials [][2]uint64     // of certificates of any authority: from, to
	unread  bool            // a line was refused
}

// magicKRL begins a binary revocation list of ssh-keygen.
const magicKRL = "SSHKRL\n\x00"

// errUnsure means that it is unknown which keys were revoked.
var errUnsure = errors.New("the list of revoked keys cannot be read completely, so nobody can log in")

// readRevoked reads a file of revoked keys. If lines are refused, the others count.
func readRevoked(name string) (revoked, error) {
	out := revoked{keys: map[string]bool{}, prints: map[string]bool{}, names: map[string]bool{}}
	text, err := keyFile().Read(name)
	if err == nil && bytes.HasPrefix(text, []byte(magicKRL)) {
		err = &diskfile.LineError{Path: name, Why: "is a list made by ssh-keygen -k", Hint: "use the file that it was made from"}
	}
	if err != nil {
		out.unread = true
		return out, err
	}
	for n, line := range diskfile.Lines(text) {
		if why := out.take(line); why != "" {
			out.unread = true
			err = errors.Join(err, &diskfile.LineError{Path: name, Line: n, Why: why, Hint: "each line is a public key, or serial: N, serial: N-M, id: NAME, key: KEY, sha256: FINGERPRINT"})
		}
	}
	return out, err
}

// take parses a line, or returns why it is refused.
func (r *revoked) take(line string) (why string) {
	what, value, of := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch what = strings.ToLower(what); {
	case of && what == "serial":
		first, last, several := strings.Cut(value, "-")
		if !several {
			last = first
		}
		from, err := strconv.ParseUint(strings.TrimSpace(first), 0, 64)
		to, wrong := strconv.ParseUint(strings.TrimSpace(last), 0, 64)
		if err != nil || wrong != nil || to < from {
			return fmt.Sprintf("has %q, which is not a serial number", value)
		}
		r.serials = append(r.serials, [2]uint64{from, to})
		return ""
	case of && what == "id":
		if value == "" {
			return "names no certificate"
		}
		r.names[value] = true
		return ""
	case of && what == "sha256":
		print, _ := strings.CutPrefix(value, "SHA256:")
		r.prints["SHA256:"+strings.TrimRight(print, "=")] = true
		return ""
	case of && what == "key":
		line = value
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return "is not a key"
	}
	r.keys[string(key.Marshal())] = true
	return ""
}

// has returns what of a key or certificate is revoked; "" for nothing.
func (r *revoked) has(key ssh.PublicKey) string {
	one := func(key ssh.PublicKey) bool {
		return r.keys[string(key.Marshal())] || r.prints[ssh.FingerprintSHA256(key)]
	}
	if one(key) {
		return "the key was revoked"
	}
	cert, ok := key.(*ssh.Certificate)
	switch {
	case !ok:
		return ""
	case one(cert.Key):
		return "the key was revoked"
	case one(cert.SignatureKey):
		return "the authority was revoked"
	case r.names[cert.KeyId], slices.ContainsFunc(r.serials, func(s [2]uint64) bool { return s[0] <= cert.Serial && cert.Serial <= s[1] }):
		return fmt.Sprintf("the certificate %q was revoked", plainName(cert.KeyId))
	}
	return ""
}

// revocation returns why a key is refused, nil if it is not revoked. The error is
// errUnsure if that is unknown.
func (g *Gate) revocation(key ssh.PublicKey) error {
	var unsure error
	for _, w := range g.revoked {
		is := w.Current()
		if why := is.has(key); why != "" {
			return errors.New(why)
		}
		if is.unread {
			unsure = errUnsure
		}
	}
	return unsure
}
