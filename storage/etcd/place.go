package etcd

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// defaultPort is where an etcd listens for clients.
const defaultPort = "2379"

// place is "//HOST[:PORT],.../PREFIX", parsed.
type place struct {
	hosts  []string // each with its port
	prefix string   // "/PREFIX/"
	secure bool     // it is reached by TLS
}

// String returns the place as people write it.
func (p place) String() string {
	return scheme + "://" + strings.Join(p.hosts, ",") + strings.TrimSuffix(p.prefix, "/")
}

func parse(text string) (place, error) {
	wrong := func(why string) error {
		if !strings.HasPrefix(text, scheme+":") {
			text = scheme + ":" + text
		}
		return &placement.InvalidError{Field: "place", Value: text, Why: why + "; write etcd://HOST,HOST/PREFIX"}
	}
	rest, ok := strings.CutPrefix(text, scheme+"://")
	if !ok {
		return place{}, wrong("names no host")
	}
	hosts, prefix, _ := strings.Cut(rest, "/")
	prefix = strings.Trim(prefix, "/")
	if prefix == "" {
		return place{}, wrong("names no prefix, which keeps the cloud apart from what else is in etcd")
	}
	p := place{prefix: "/" + prefix + "/"}
	for host := range strings.SplitSeq(hosts, ",") {
		if strings.Contains(host, "@") {
			return place{}, wrong("has a user in it, which other users of this machine could see: set ETCDCTL_USER and ETCDCTL_PASSWORD_FILE")
		}
		u, err := url.Parse("//" + host)
		if err != nil || host == "" || u.Host != host || u.Hostname() == "" {
			return place{}, wrong(fmt.Sprintf("has %q in the place of a host", host))
		}
		if u.Port() == "" {
			host = net.JoinHostPort(u.Hostname(), defaultPort)
		}
		p.hosts = append(p.hosts, host)
	}
	return p, nil
}

// mostSecret is the most bytes that a file with a password or a key may have.
const mostSecret = 64 << 10

// config returns how to connect: what the place says, and what the environment does, by
// the names that etcdctl has for it.
func (p place) config(env func(string) string) (clientv3.Config, error) {
	c := clientv3.Config{
		DialTimeout: dialTime, DialKeepAliveTime: 2 * dialTime, DialKeepAliveTimeout: dialTime, Logger: zap.NewNop(),
		// A connection that fails says why.
		DialOptions: []grpc.DialOption{grpc.WithReturnConnectionError()}, //nolint:staticcheck // there is no other way to learn why
	}
	tlsOf := transport.TLSInfo{TrustedCAFile: env("ETCDCTL_CACERT"), CertFile: env("ETCDCTL_CERT"), KeyFile: env("ETCDCTL_KEY")}
	plain := "http"
	if tlsOf.TrustedCAFile != "" || tlsOf.CertFile != "" || tlsOf.KeyFile != "" || env("ETCDCTL_INSECURE_TRANSPORT") == "false" {
		plain = "https"
		if (tlsOf.CertFile == "") != (tlsOf.KeyFile == "") {
			return c, p.cannot("ETCDCTL_CERT and ETCDCTL_KEY go together, and only one of them is set", "Set both, or neither", nil)
		}
		for name, file := range map[string]string{"ETCDCTL_CACERT": tlsOf.TrustedCAFile, "ETCDCTL_CERT": tlsOf.CertFile, "ETCDCTL_KEY": tlsOf.KeyFile} {
			if _, err := os.Stat(file); file != "" && err != nil {
				return c, p.cannot(fmt.Sprintf("%s of %s cannot be read: %s", file, name, reason(err)), "Name a file that this user may read", err)
			}
		}
		if tlsOf.KeyFile != "" {
			if _, err := diskfile.Secret(mostSecret, "have another key certified").Read(tlsOf.KeyFile); err != nil {
				return c, p.cannot(fmt.Sprintf("%s of ETCDCTL_KEY cannot be used: %s", tlsOf.KeyFile, reason(err)), "Name a key that only this user may read", err)
			}
		}
		var err error
		if c.TLS, err = tlsOf.ClientConfig(); err != nil {
			return c, p.cannot("the certificates of ETCDCTL_CACERT, ETCDCTL_CERT and ETCDCTL_KEY cannot be used: "+err.Error(), "They are files in PEM", err)
		}
		c.TLS.MinVersion = tls.VersionTLS12
	}
	for _, host := range p.hosts {
		c.Endpoints = append(c.Endpoints, plain+"://"+host)
	}
	c.Username, c.Password, _ = strings.Cut(env("ETCDCTL_USER"), ":")
	if word := env("ETCDCTL_PASSWORD"); word != "" {
		c.Password = word
	}
	if file := env("ETCDCTL_PASSWORD_FILE"); file != "" {
		word, err := diskfile.Secret(mostSecret, "change the password").Read(file)
		if err != nil {
			return c, p.cannot(fmt.Sprintf("%s of ETCDCTL_PASSWORD_FILE cannot be read: %s", file, reason(err)), "Name a file that this user may read", err)
		}
		c.Password = strings.TrimRight(string(word), "\r\n")
	}
	if c.Username != "" && c.TLS == nil && env("ETCDCTL_INSECURE_TRANSPORT") != "true" && !p.here() {
		return c, p.cannot("the password of ETCDCTL_USER would be sent in clear text",
			"Set ETCDCTL_CACERT, or ETCDCTL_INSECURE_TRANSPORT=true on a network that you trust", nil)
	}
	switch {
	case c.Username != "" && c.Password == "":
		return c, p.cannot("ETCDCTL_USER names a user, and there is no password", "Set ETCDCTL_PASSWORD_FILE or ETCDCTL_PASSWORD", nil)
	case c.Username == "" && c.Password != "":
		return c, p.cannot("there is a password, and ETCDCTL_USER names no user", "Set ETCDCTL_USER", nil)
	}
	return c, nil
}

// here reports whether all members are on this machine.
func (p place) here() bool {
	return !slices.ContainsFunc(p.hosts, func(host string) bool {
		name, _, _ := net.SplitHostPort(host)
		return name != "localhost" && !net.ParseIP(name).IsLoopback()
	})
}

// reason returns the text of an error without the path.
func reason(err error) string {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err.Error()
	}
	return err.Error()
}

// cannot is the error that the place cannot be opened.
func (p place) cannot(what, hint string, err error) *storage.OpenError {
	return &storage.OpenError{Path: p.String(), What: what, Hint: hint, Err: err}
}
