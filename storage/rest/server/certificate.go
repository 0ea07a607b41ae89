package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/placetop/placetop/storage/diskfile"
)

// Certificate is the TLS certificate of a server, from two PEM files. They are read
// again once they have changed; if they then do not match, as while they are being
// replaced, the previous certificate stays in use.
type Certificate struct {
	files *diskfile.Watched[*tls.Certificate]
}

// CertificateOptions name the files of a Certificate.
type CertificateOptions struct {
	Certificate, Key string // paths of PEM files
	Clock            func() time.Time
	// Changed is called when the files were read again, or with the reason why they
	// are not used; may be nil.
	Changed func(err error)
}

// CertificateError reports a certificate that is not used.
type CertificateError struct {
	Path string
	Why  string
	Hint string // what to do; may be empty
	Err  error  // may be nil
}

func (e *CertificateError) Error() string {
	if e.Hint == "" {
		return e.Path + ": " + e.Why
	}
	return e.Path + ": " + e.Why + "; " + e.Hint
}

// Unwrap returns the error behind it.
func (e *CertificateError) Unwrap() error { return e.Err }

// mostPEM is the most bytes of each file.
const mostPEM = 1 << 20

// ReadCertificate reads the files.
//
// Errors: *CertificateError, also for one that has expired or is not valid yet.
func ReadCertificate(o CertificateOptions) (*Certificate, error) {
	files, err := diskfile.Watch(diskfile.WatchOptions{Paths: []string{o.Certificate, o.Key}, Clock: o.Clock, Changed: o.Changed}, o.read)
	if err != nil {
		return nil, err
	}
	return &Certificate{files}, nil
}

// read reads the files.
func (o CertificateOptions) read() (*tls.Certificate, error) {
	var pem [2][]byte
	for i, file := range []struct {
		path string
		rule diskfile.Guarded
	}{{o.Certificate, diskfile.Guarded{Most: mostPEM}}, {o.Key, diskfile.Secret(mostPEM, "replace key and certificate if somebody may have read it")}} {
		var err error
		if pem[i], err = file.rule.Read(file.path); err != nil {
			var of *fs.PathError
			var line *diskfile.LineError
			why, hint := err.Error(), "name another file"
			switch {
			case errors.As(err, &of):
				why = "cannot be read: " + of.Err.Error()
			case errors.As(err, &line):
				why, hint = line.Why, cmp.Or(line.Hint, hint)
			}
			return nil, &CertificateError{Path: file.path, Why: why, Hint: hint, Err: err}
		}
	}
	pair, err := tls.X509KeyPair(pem[0], pem[1])
	if err != nil {
		return nil, &CertificateError{Path: o.Certificate, Why: "does not match the key in " + o.Key + ": " + err.Error(), Hint: "name a certificate and its key, both in PEM", Err: err}
	}
	now := o.Clock()
	switch leaf := pair.Leaf; {
	case now.After(leaf.NotAfter):
		return nil, &CertificateError{Path: o.Certificate, Why: fmt.Sprintf("the certificate expired on %s", leaf.NotAfter.UTC().Format(time.DateOnly)), Hint: "renew it"}
	case now.Before(leaf.NotBefore):
		return nil, &CertificateError{Path: o.Certificate, Why: fmt.Sprintf("the certificate is not valid before %s", leaf.NotBefore.UTC().Format(time.DateTime)), Hint: "wait, or check the clock of this machine"}
	}
	return &pair, nil
}

// Current returns the certificate in use.
func (c *Certificate) Current() *tls.Certificate { return c.files.Current() }

// config returns the TLS configuration.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.Current(), nil },
	}
}
