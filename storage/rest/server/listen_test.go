package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/rest/server"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]server.Address{
		"127.0.0.1:8778":       {Network: "tcp", Where: "127.0.0.1:8778"},
		":0":                   {Network: "tcp", Where: ":0"},
		"[::1]:8778":           {Network: "tcp", Where: "[::1]:8778"},
		"unix:p.sock":          {Network: "unix", Where: "p.sock"},
		"/run/placetop/p.sock": {Network: "unix", Where: "/run/placetop/p.sock"},
		"./p.sock":             {Network: "unix", Where: "./p.sock"},
	} {
		if got, err := server.ParseAddress(text); err != nil || got != want {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "8778", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:-1", ":65536", "unix:", "::1:8778", "/" + strings.Repeat("x", 200)} {
		var refused *server.ListenError
		if got, err := server.ParseAddress(text); !errors.As(err, &refused) || refused.Hint == "" {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "unix:x": true,
		":1": false, "0.0.0.0:1": false, "[::]:1": false, "192.0.2.1:1": false,
	} {
		a := must.Get(server.ParseAddress(text))(t)
		if got, err := a.Local(t.Context()); got != want || err != nil {
			t.Errorf("%s: %t %v", text, got, err)
		}
	}
}

// TestSocket takes over the socket of a killed server, but not that of a running one, nor
// any other file.
func TestSocket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := server.Address{Network: "unix", Where: filepath.Join(dir, "s")}
	first := must.Get(a.Listen(t.Context()))(t)
	if info, err := os.Stat(a.Where); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if _, err := a.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "something is already listening there") {
		t.Errorf("where somebody listens: %v", err)
	}
	first.(*net.UnixListener).SetUnlinkOnClose(false)
	first.Close()
	must.Get(os.Lstat(a.Where))(t)
	second, err := a.Listen(t.Context())
	if err != nil {
		t.Fatalf("where nobody listens any more: %v", err)
	}
	second.Close()
	must.Succeed(t, os.WriteFile(a.Where, []byte("precious"), 0o600))
	if _, err := a.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("where there is a file: %v", err)
	}
	if b, err := os.ReadFile(a.Where); string(b) != "precious" {
		t.Errorf("the file is %q, %v", b, err)
	}
	for where, says := range map[string]string{filepath.Join(dir, "none", "s"): "no such folder", filepath.Join(a.Where, "s"): "not a directory"} {
		if _, err := (server.Address{Network: "unix", Where: where}).Listen(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestPortInUse reports that another process listens there.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	l := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	for where, says := range map[string]string{
		l.Addr().String(): "something is already listening there; stop that, or use another address",
		"192.0.2.1:0":     "this machine has no such address; use one of its own",
	} {
		if _, err := (server.Address{Network: "tcp", Where: where}).Listen(t.Context()); err == nil || err.Error() != "cannot listen at "+where+": "+says {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// writeCertificate writes a certificate for a name, valid from one time until another,
// and its key.
func writeCertificate(t *testing.T, cert, key, name string, from, until time.Time) {
	t.Helper()
	k := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k))(t)
	keyDER := must.Get(x509.MarshalECPrivateKey(k))(t)
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		must.Succeed(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
}

// TestCertificateIsReadAgain uses a new certificate once the files have changed, and the
// old one while the new one is bad.
func TestCertificateIsReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	start := time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)
	now := start
	writeCertificate(t, cert, key, "one", start, start.AddDate(0, 0, 1))
	var told []string
	c, err := server.ReadCertificate(server.CertificateOptions{
		Certificate: cert, Key: key, Clock: func() time.Time { return now }, Changed: func(err error) { told = append(told, fmt.Sprint(err)) },
	})
	must.Succeed(t, err)
	name := func() string {
		now = now.Add(2 * time.Second)
		return c.Current().Leaf.DNSNames[0]
	}
	writeCertificate(t, cert, key, "second", start, start.AddDate(0, 0, 1))
	must.Be(t, name(), "second")
	writeCertificate(t, cert, key, "the third is over", start, start)
	must.Be(t, name()+name(), "secondsecond")
	os.Remove(key)
	if got := name(); got != "second" {
		t.Errorf("without key it is %s", got)
	}
	if len(told) != 3 || told[0] != "<nil>" || !strings.Contains(told[1], "expired on 2026-11-20; renew it") || !strings.Contains(told[2], "no such file") {
		t.Errorf("told: %q", told)
	}
}

// TestBadCertificates reports what is wrong with the files.
func TestBadCertificates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	writeCertificate(t, at("good"), at("good.key"), "x", now, now.AddDate(1, 0, 0))
	writeCertificate(t, at("old"), at("old.key"), "x", now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1))
	writeCertificate(t, at("early"), at("early.key"), "x", now.AddDate(0, 0, 1), now.AddDate(1, 0, 0))
	for _, test := range []struct{ cert, key, says string }{
		{"old", "old.key", "/old: the certificate expired on 2026-11-19; renew it"},
		{"early", "early.key", "/early: the certificate is not valid before 2026-11-21 12:00:00; wait"},
		{"good", "old.key", "/good: does not match the key in "},
		{"good.key", "good", "/good.key: does not match the key in "},
		{"none", "good.key", "/none: cannot be read: no such file or directory; name another file"},
		{"", "good.key", ": is not a regular file; name another file"},
		{"good", "none", "/none: cannot be read: no such file or directory"},
	} {
		_, err := server.ReadCertificate(server.CertificateOptions{Certificate: at(test.cert), Key: at(test.key), Clock: func() time.Time { return now }})
		var bad *server.CertificateError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s, %s: %v, want %s", test.cert, test.key, err, test.says)
		}
	}
}

// TestTLS answers over TLS with HTTP/1.1, also on a socket.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, cert, key, "localhost", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	c := must.Get(server.ReadCertificate(server.CertificateOptions{Certificate: cert, Key: key, Clock: time.Now}))(t)
	o := options(hello)
	o.Certificate = c
	url, _ := serve(t, o)
	trusted := x509.NewCertPool()
	trusted.AddCert(c.Current().Leaf)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(url, "http:", "https:", 1)+"/healthz", nil))(t)
	resp, err := client.Do(r)
	must.Succeed(t, err)
	resp.Body.Close()
	if resp.StatusCode != 200 || resp.Proto != "HTTP/1.1" {
		t.Errorf("%s %s", resp.Proto, resp.Status)
	}
}

// TestMayName checks that only this machine may be named if requests can only come from
// it.
func TestMayName(t *testing.T) {
	t.Parallel()
	at := server.Address{Network: "tcp", Where: "Placement.internal:8778"}
	for host, may := range map[string]bool{
		"": true, "localhost": true, "LOCALHOST:8778": true, "localhost.": true, "a.localhost:1": true, "127.0.0.1": true, "127.8.0.1:8778": true,
		"[::1]": true, "[::1]:8778": true, "::1": true, "placement.internal": true, "placement.internal:80": true,
		"evil.example": false, "evil.example:8778": false, "localhost.evil.example": false, "notlocalhost": false, "192.0.2.1:8778": false,
		"0.0.0.0:8778": false, "[::ffff:192.0.2.1]:1": false, "127.0.0.1.evil.example": false, ":8778": false, "[": false, "[]:1": false,
	} {
		if got := at.MayName(host); got != may {
			t.Errorf("Host %q: %t, want %t", host, got, may)
		}
	}
	if socket := (server.Address{Network: "unix", Where: "/run/x"}); !socket.MayName("whatever") {
		t.Error("a socket has no name")
	}
}
