package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Certificate is what a server proves itself with, from two files of PEM. They are read
// again once they have changed; where they then do not fit, as while they are being
// replaced, what was read before is used on.
type Certificate struct {
	o CertificateOptions

	mu     sync.Mutex
	now    *tls.Certificate
	seen   [2]fileStamp
	looked time.Time
}

// CertificateOptions name the files of a Certificate.
type CertificateOptions struct {
	Certificate, Key string // paths of files of PEM
	Clock            func() time.Time
	// Changed is told that the files were read again, or why they are not used; nil for
	// nobody.
	Changed func(err error)
}

// fileStamp tells two versions of a file apart.
type fileStamp struct {
	at   time.Time
	size int64
}

// CertificateError reports a certificate that is not used.
type CertificateError struct {
	Path string
	Why  string
	Hint string // what to do; may be empty
	Err  error  // may be nil
}

// Error implements error.
func (e *CertificateError) Error() string {
	if e.Hint == "" {
		return e.Path + ": " + e.Why
	}
	return e.Path + ": " + e.Why + "; " + e.Hint
}

// Unwrap returns what was found.
func (e *CertificateError) Unwrap() error { return e.Err }

// ReadCertificate reads the files.
//
// Errors: *CertificateError, also for one that has expired or is not valid yet.
func ReadCertificate(o CertificateOptions) (*Certificate, error) {
	c := &Certificate{o: o, looked: o.Clock()}
	var err error
	c.seen = c.stamps()
	if c.now, err = c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// read reads the files as they are.
func (c *Certificate) read() (*tls.Certificate, error) {
	var pem [2][]byte
	for i, path := range []string{c.o.Certificate, c.o.Key} {
		var err error
		if pem[i], err = os.ReadFile(path); err != nil {
			var of *fs.PathError
			why := err
			if errors.As(err, &of) {
				why = of.Err
			}
			return nil, &CertificateError{Path: path, Why: "cannot be read: " + why.Error(), Hint: "name another file", Err: err}
		}
	}
	pair, err := tls.X509KeyPair(pem[0], pem[1])
	if err != nil {
		return nil, &CertificateError{Path: c.o.Certificate, Why: "does not go with the key in " + c.o.Key + ": " + err.Error(), Hint: "name a certificate and its key, both as PEM", Err: err}
	}
	now := c.o.Clock()
	switch leaf := pair.Leaf; {
	case now.After(leaf.NotAfter):
		return nil, &CertificateError{Path: c.o.Certificate, Why: fmt.Sprintf("the certificate expired on %s", leaf.NotAfter.UTC().Format(time.DateOnly)), Hint: "renew it"}
	case now.Before(leaf.NotBefore):
		return nil, &CertificateError{Path: c.o.Certificate, Why: fmt.Sprintf("the certificate is not valid before %s", leaf.NotBefore.UTC().Format(time.DateTime)), Hint: "wait, or look at the clock of this machine"}
	}
	return &pair, nil
}

// stamps looks at the files. One that is not there has none.
func (c *Certificate) stamps() (out [2]fileStamp) {
	for i, path := range []string{c.o.Certificate, c.o.Key} {
		if info, err := os.Stat(path); err == nil {
			out[i] = fileStamp{info.ModTime(), info.Size()}
		}
	}
	return out
}

// lookEvery is how often the files are looked at, at most.
const lookEvery = time.Second

// Current returns what is used now.
func (c *Certificate) Current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.o.Clock()
	if now.Sub(c.looked) < lookEvery {
		return c.now
	}
	c.looked = now
	seen := c.stamps()
	if seen == c.seen {
		return c.now
	}
	c.seen = seen
	fresh, err := c.read()
	if err == nil {
		c.now = fresh
	}
	if c.o.Changed != nil {
		c.o.Changed(err)
	}
	return c.now
}

// config returns what TLS is spoken with.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.Current(), nil },
	}
}
