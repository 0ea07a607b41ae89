package sshd

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"github.com/placetop/placetop/storage/diskfile"
)

// HostKey reads the key by which clients recognize the server, and makes one if there is
// none: ed25519, in OpenSSH's format, readable only by its owner.
func HostKey(name string) (key ssh.Signer, made bool, err error) {
	own := diskfile.Guarded{Others: 0o077, Why: "other users can read it", Hint: "chmod 600 it, and create a new key if somebody may have read it", Most: mostFile}
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
	if t := key.PublicKey().Type(); t != ssh.KeyAlgoED25519 {
		return nil, false, &diskfile.LineError{Path: name, Why: "is a key of the type " + t, Hint: "name one of the type " + ssh.KeyAlgoED25519}
	}
	return key, made, nil
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
