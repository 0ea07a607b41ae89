package sshd

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/diskfile"
)

// The critical options of certificates that are supported.
//
// Source: PROTOCOL.certkeys of OpenSSH.
const (
	optionSource  = "source-address"
	optionCommand = "force-command"
)

// readAuthorities reads a file of public keys of authorities, one on each line.
func readAuthorities(name string) ([]ssh.PublicKey, error) {
	text, err := keyFile().Read(name)
	if err != nil {
		return nil, err
	}
	var out []ssh.PublicKey
	for n, line := range diskfile.Lines(text) {
		key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
		refused := func(why string) error { return &diskfile.LineError{Path: name, Line: n, Why: why} }
		switch {
		case err != nil:
			return nil, refused("is not a key of a certificate authority")
		case len(options) > 0:
			return nil, refused("has options, which a certificate authority's key cannot have")
		}
		if err := strong(key); err != nil {
			return nil, refused(err.Error())
		}
		out = append(out, key)
	}
	if len(out) == 0 {
		return nil, &diskfile.LineError{Path: name, Why: "has no key of a certificate authority"}
	}
	return out, nil
}

// DefaultPrincipals are the names in a certificate that give a role unless others are
// set.
func DefaultPrincipals() map[string]Role {
	return map[string]Role{"placetop-reader": Reader, "placetop-operator": Operator, "placetop-admin": Admin}
}

// certified returns the owner of a certificate, or why it proves nothing.
func certified(cert *ssh.Certificate, trusted []ssh.PublicKey, principals map[string]Role, from netip.Addr, now time.Time) (Person, error) {
	refuse := func(format string, args ...any) (Person, error) {
		return Person{}, fmt.Errorf("the certificate %q "+format, append([]any{plainName(cert.KeyId)}, args...)...)
	}
	if !slices.ContainsFunc(trusted, func(ca ssh.PublicKey) bool { return bytes.Equal(ca.Marshal(), cert.SignatureKey.Marshal()) }) {
		return refuse("is from an authority that is not trusted, %s", ssh.FingerprintSHA256(cert.SignatureKey))
	}
	if cert.CertType != ssh.UserCert {
		return refuse("is not for a user")
	}
	if cert.Signature.Format == ssh.KeyAlgoRSA {
		return refuse("is signed with SHA-1")
	}
	if err := strong(cert.Key); err != nil {
		return refuse("has a weak key: %w", err)
	}
	p := Person{Name: plainName(cert.KeyId), Key: ssh.FingerprintSHA256(cert.Key)}
	var as string
	for _, name := range cert.ValidPrincipals {
		if role := principals[name]; role > p.Role {
			p.Role, as = role, name
		}
	}
	if p.Role == Nobody {
		return refuse("names no principal that has a role here: it has %q", cert.ValidPrincipals)
	}
	check := ssh.CertChecker{
		SupportedCriticalOptions: []string{optionSource, optionCommand},
		Clock:                    func() time.Time { return now },
	}
	if err := check.CheckCert(as, cert); err != nil {
		return refuse("is not valid: %w", errors.New(strings.TrimPrefix(err.Error(), "ssh: ")))
	}
	if nets, ok := cert.CriticalOptions[optionSource]; ok {
		t := terms{from: strings.Split(nets, ",")}
		if slices.ContainsFunc(t.from, func(s string) bool { return !addressPattern(s) }) {
			return refuse("names addresses that cannot be read: %q", nets)
		}
		if err := t.allow(from, now); err != nil {
			return refuse("is not valid from %s", from)
		}
	}
	if p.Name == "" {
		p.Name = p.Key
	}
	p.Command = cert.CriticalOptions[optionCommand]
	_, pty := cert.Extensions["permit-pty"]
	p.NoTerminal = !pty
	return p, nil
}
