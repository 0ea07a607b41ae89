package sshd

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/diskfile"
)

// HostKey reads the key by which clients recognize the server, and makes one if there is
// none: ed25519, in OpenSSH's format, readable only by its owner. A key of the user's own
// may also be ECDSA or RSA.
func HostKey(name string) (key ssh.Signer, made bool, err error) {
	own := diskfile.Secret(mostFile, "create a new key if somebody may have read it")
	own.Others = 0o077 // as sshd has it
	text, err := own.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		made = true
		if text, err = makeHostKey(name); errors.Is(err, fs.ErrExist) { // another process was faster
			made = false
			text, err = own.Read(name) // fails for a dangling link
		}
	}
	if err != nil {
		return nil, false, err
	}
	key, err = ssh.ParsePrivateKey(text)
	if err != nil {
		if _, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
			return nil, false, &diskfile.LineError{Path: name, Why: "the key is locked with a passphrase", Hint: "use one without"}
		}
		return nil, false, &diskfile.LineError{Path: name, Why: "is not a private key", Hint: "name another file, or a new one, which will be created"}
	}
	key, why := hostSigner(key)
	if why != "" {
		return nil, false, &diskfile.LineError{Path: name, Why: why, Hint: "name one of the type ed25519, ECDSA or RSA"}
	}
	return key, made, nil
}

// leastHostRSA is the least number of bits of an RSA host key, as ssh-audit wants it.
const leastHostRSA = 3072

// hostSigner returns a host key without weak algorithms, or why it is refused.
func hostSigner(key ssh.Signer) (_ ssh.Signer, why string) {
	switch t := key.PublicKey().Type(); t {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521:
		return key, ""
	case ssh.KeyAlgoRSA:
		if bits := rsaBits(key.PublicKey()); bits < leastHostRSA {
			return nil, fmt.Sprintf("is an RSA key of %d bits, fewer than %d", bits, leastHostRSA)
		}
		able, ok := key.(ssh.AlgorithmSigner)
		if !ok {
			return nil, "is an RSA key that only signs with SHA-1"
		}
		signer, err := ssh.NewSignerWithAlgorithms(able, []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256})
		if err != nil {
			return nil, err.Error()
		}
		return signer, ""
	default:
		return nil, "is a key of the type " + t
	}
}

// rsaBits returns the size of an RSA key, 0 if it is none.
func rsaBits(key ssh.PublicKey) int {
	if plain, ok := key.(ssh.CryptoPublicKey); ok {
		if of, ok := plain.CryptoPublicKey().(*rsa.PublicKey); ok {
			return of.N.BitLen()
		}
	}
	return 0
}

// keyExchanges returns the key exchanges for a host key. By default what ssh-audit objects
// to is left out, NIST curves among it. Clients in FIPS mode have nothing else, and cannot
// use a host key of the type ed25519 either: with a host key that they can use, they get in.
func keyExchanges(host ssh.PublicKey) []string {
	list := []string{ssh.KeyExchangeMLKEM768X25519, ssh.KeyExchangeCurve25519}
	if host.Type() != ssh.KeyAlgoED25519 {
		list = append(list, ssh.KeyExchangeECDHP256, ssh.KeyExchangeECDHP384, ssh.KeyExchangeECDHP521, ssh.KeyExchangeDH16SHA512, ssh.KeyExchangeDH14SHA256)
	}
	return list
}

// makeHostKey writes a new key into a file that does not exist yet. The file appears
// complete.
func makeHostKey(name string) ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "placetop")
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(block)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".placetop-key-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it has its name by then
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	return text, os.Link(f.Name(), name)
}
