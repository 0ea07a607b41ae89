package sshd

import (
	"crypto/rand"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/model/modeltest/must"
)

// certify makes an authority sign a certificate for a key.
func certify(t testing.TB, ca, key ssh.Signer, change func(*ssh.Certificate)) *ssh.Certificate {
	t.Helper()
	c := &ssh.Certificate{
		Key: key.PublicKey(), CertType: ssh.UserCert, KeyId: "ann", ValidPrincipals: []string{"placetop-operator"},
		ValidAfter: uint64(noon().Add(-time.Hour).Unix()), ValidBefore: uint64(noon().Add(time.Hour).Unix()),
		Permissions: ssh.Permissions{Extensions: map[string]string{"permit-pty": ""}},
	}
	if change != nil {
		change(c)
	}
	must.Succeed(t, c.SignCert(rand.Reader, ca))
	return c
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	ca, _ := newKey(t)
	other, _ := newKey(t)
	key, _ := newKey(t)
	from := netip.MustParseAddr("192.0.2.7")
	for name, test := range map[string]struct {
		by     ssh.Signer // nil means ca
		change func(*ssh.Certificate)
		want   Person // name, role, command, and whether there is no terminal
		why    string
	}{
		"as it should be": {want: Person{Name: "ann", Role: Operator}},
		"the greatest role of several": {
			change: func(c *ssh.Certificate) { c.ValidPrincipals = []string{"placetop-reader", "root", "placetop-admin"} },
			want:   Person{Name: "ann", Role: Admin},
		},
		"no terminal, one command": {
			change: func(c *ssh.Certificate) {
				c.Extensions, c.CriticalOptions = nil, map[string]string{"force-command": "get events"}
			},
			want: Person{Name: "ann", Role: Operator, NoTerminal: true, Command: "get events"},
		},
		"from here": {
			change: func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"source-address": "192.0.2.0/24"} },
			want:   Person{Name: "ann", Role: Operator},
		},
		"another authority's": {by: other, why: "not trusted"},
		"expired":             {change: func(c *ssh.Certificate) { c.ValidBefore = uint64(noon().Unix()) - 1 }, why: "expired"},
		"not yet valid":       {change: func(c *ssh.Certificate) { c.ValidAfter = uint64(noon().Unix()) + 9 }, why: "not yet valid"},
		"no principal":        {change: func(c *ssh.Certificate) { c.ValidPrincipals = nil }, why: "no principal that has a role"},
		"another principal":   {change: func(c *ssh.Certificate) { c.ValidPrincipals = []string{"root"} }, why: "no principal that has a role"},
		"of a host":           {change: func(c *ssh.Certificate) { c.CertType = ssh.HostCert }, why: "not for a user"},
		"from elsewhere": {
			change: func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"source-address": "198.51.100.0/24"} }, why: "not valid from 192.0.2.7",
		},
		"an unknown condition": {change: func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"verify-required": ""} }, why: "verify-required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := ca
			if test.by != nil {
				by = test.by
			}
			got, err := certified(certify(t, by, key, test.change), []ssh.PublicKey{ca.PublicKey()}, DefaultPrincipals(), from, noon())
			if test.why != "" {
				if err == nil || !strings.Contains(err.Error(), test.why) {
					t.Errorf("%+v, %v; want %s", got, err, test.why)
				}
				return
			}
			test.want.Key = ssh.FingerprintSHA256(key.PublicKey())
			if err != nil || got != test.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	forged := certify(t, ca, key, nil)
	forged.ValidPrincipals = []string{"placetop-admin"}
	if got, err := certified(forged, []ssh.PublicKey{ca.PublicKey()}, DefaultPrincipals(), from, noon()); err == nil {
		t.Errorf("a certificate that was changed lets in %+v", got)
	}
}

func FuzzCertificate(f *testing.F) {
	ca, _ := newKey(f)
	key, _ := newKey(f)
	good := certify(f, ca, key, nil).Marshal()
	f.Add(good)
	f.Fuzz(func(t *testing.T, blob []byte) {
		pub, err := ssh.ParsePublicKey(blob)
		if err != nil {
			return
		}
		cert, ok := pub.(*ssh.Certificate)
		if !ok {
			return
		}
		who, err := certified(cert, []ssh.PublicKey{ca.PublicKey()}, DefaultPrincipals(), netip.Addr{}, noon())
		if err == nil && string(cert.Marshal()) != string(good) {
			t.Errorf("%+v is let in by what nobody signed", who)
		}
	})
}
