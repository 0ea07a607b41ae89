//go:build etcd

package etcd_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/storagetest"
)

// authority signs certificates.
type authority struct {
	*x509.Certificate
	key *ecdsa.PrivateKey
	dir string
}

// newAuthority makes an authority, with its certificate in NAME.crt.
func newAuthority(t *testing.T, dir, name string) *authority {
	t.Helper()
	a := &authority{dir: dir, key: must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)}
	a.Certificate = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.write(t, name, a.Certificate, a.key)
	return a
}

// sign makes NAME.crt and NAME.key.
func (a *authority) sign(t *testing.T, name string) (cert, key string) {
	t.Helper()
	own := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	return a.write(t, name, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, own)
}

func (a *authority) write(t *testing.T, name string, c *x509.Certificate, key *ecdsa.PrivateKey) (certFile, keyFile string) {
	t.Helper()
	file := func(end, what string, content []byte) string {
		path := filepath.Join(a.dir, name+end)
		must.Succeed(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: what, Bytes: content}), 0o600))
		return path
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, c, a.Certificate, &key.PublicKey, a.key))(t)
	return file(".crt", "CERTIFICATE", der), file(".key", "PRIVATE KEY", must.Get(x509.MarshalPKCS8PrivateKey(key))(t))
}

// logins opens a cloud with the environment of each case: it is refused with words that say
// what to do, and nothing is written.
func logins(t *testing.T, c *cluster, cases []login) {
	t.Helper()
	client := c.client()
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			for _, name := range []string{"CACERT", "CERT", "KEY", "USER", "PASSWORD", "PASSWORD_FILE", "INSECURE_TRANSPORT"} {
				t.Setenv("ETCDCTL_"+name, one.env[name])
			}
			place := c.place("login/" + strings.ReplaceAll(one.name, " ", "-"))
			if one.place != nil {
				place = one.place(place)
			}
			if one.want == "" {
				s := open(t, place, time.Now)
				must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err())
				return
			}
			was := len(keys(t, client, ""))
			if err := refuses(t, place, false); !strings.Contains(err.Error(), one.want) {
				t.Errorf("%v, want %s", err, one.want)
			}
			must.Be(t, len(keys(t, client, "")), was)
		})
	}
}

type login struct {
	name  string
	env   map[string]string // without ETCDCTL_
	place func(string) string
	want  string // in the error; "" if it may
}

// TestCertificates connects with certificates that are wrong in every way.
func TestCertificates(t *testing.T) {
	dir := t.TempDir()
	own, other := newAuthority(t, dir, "own"), newAuthority(t, dir, "other")
	file := func(name string) string { return filepath.Join(dir, name) }
	cert, key := own.sign(t, "server")
	own.sign(t, "client")
	other.sign(t, "stranger")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(must.Get(os.ReadFile(file("own.crt")))(t))
	c := beginFor(t, clientv3.Config{TLS: &tls.Config{
		RootCAs: pool, MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{must.Get(tls.LoadX509KeyPair(file("client.crt"), file("client.key")))(t)},
	}}, "--cert-file", cert, "--key-file", key, "--trusted-ca-file", file("own.crt"), "--client-cert-auth")
	must.Succeed(t, os.WriteFile(file("open.key"), must.Get(os.ReadFile(file("client.key")))(t), 0o644)) //nolint:gosec // that is the fault
	must.Succeed(t, os.Chmod(file("open.key"), 0o644))                                                   //nolint:gosec // likewise
	logins(t, c, []login{
		{name: "right", env: map[string]string{"CACERT": file("own.crt"), "CERT": file("client.crt"), "KEY": file("client.key")}},
		{name: "without TLS", env: nil, want: "ETCDCTL_CACERT"},
		{name: "the authorities of the system", env: map[string]string{"INSECURE_TRANSPORT": "false"}, want: "ETCDCTL_CACERT"},
		{name: "another authority", env: map[string]string{"CACERT": file("other.crt"), "CERT": file("client.crt"), "KEY": file("client.key")}, want: "ETCDCTL_CACERT"},
		{name: "no certificate", env: map[string]string{"CACERT": file("own.crt")}, want: "ETCDCTL_CERT"},
		{name: "of another authority", env: map[string]string{"CACERT": file("own.crt"), "CERT": file("stranger.crt"), "KEY": file("stranger.key")}, want: "ETCDCTL_CERT"},
		{name: "no key", env: map[string]string{"CACERT": file("own.crt"), "CERT": file("client.crt")}, want: "go together"},
		{name: "of something else", env: map[string]string{"CACERT": file("own.crt"), "CERT": file("client.crt"), "KEY": file("stranger.key")}, want: "cannot be used"},
		{name: "no such file", env: map[string]string{"CACERT": file("none.crt")}, want: "none.crt of ETCDCTL_CACERT"},
		{name: "a key for everybody", env: map[string]string{"CACERT": file("own.crt"), "CERT": file("client.crt"), "KEY": file("open.key")}, want: "open.key of ETCDCTL_KEY"},
		{
			name: "another name", env: map[string]string{"CACERT": file("own.crt"), "CERT": file("client.crt"), "KEY": file("client.key")}, want: "ETCDCTL_CACERT",
			place: func(s string) string { return strings.ReplaceAll(s, "127.0.0.1", "localhost") },
		},
	})
}

// TestUsers connects as users who may not do that.
func TestUsers(t *testing.T) {
	c := begin(t)
	client := c.client()
	for _, role := range []string{"root", "writes", "reads"} {
		must.Get(client.RoleAdd(t.Context(), role))(t)
		must.Get(client.UserAdd(t.Context(), role, "word"))(t)
		must.Get(client.UserGrantRole(t.Context(), role, role))(t)
	}
	for role, may := range map[string]clientv3.PermissionType{"writes": clientv3.PermissionType(clientv3.PermReadWrite), "reads": clientv3.PermissionType(clientv3.PermRead)} {
		must.Get(client.RoleGrantPermission(t.Context(), role, "/login/", clientv3.GetPrefixRangeEnd("/login/"), may))(t)
	}
	c.login = clientv3.Config{Username: "root", Password: "word"}
	must.Get(client.AuthEnable(t.Context()))(t)
	secret := filepath.Join(t.TempDir(), "word")
	must.Succeed(t, os.WriteFile(secret, []byte("word\n"), 0o600))
	as := func(user, word string) map[string]string { return map[string]string{"USER": user, "PASSWORD": word} }
	far := func(string) string { return "etcd://192.0.2.1/cloud" }
	logins(t, c, []login{
		{name: "right", env: map[string]string{"USER": "writes", "PASSWORD_FILE": secret}},
		{name: "nobody", want: "ETCDCTL_USER"},
		{name: "another word", env: as("writes", "other"), want: "ETCDCTL_PASSWORD"},
		{name: "no word", env: as("writes", ""), want: "ETCDCTL_PASSWORD_FILE"},
		{name: "may only read", env: as("reads", "word"), want: "grant-permission"},
		{name: "elsewhere", env: as("writes", "word"), want: "grant-permission", place: func(s string) string { return strings.ReplaceAll(s, "/login/", "/secret/") }},
		{name: "in clear", env: as("writes", "word"), want: "clear text", place: far},
		{name: "in clear on purpose", env: map[string]string{"USER": "writes", "PASSWORD": "word", "INSECURE_TRANSPORT": "true"}, want: "endpoint health", place: far},
	})
}
