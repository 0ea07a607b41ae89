package sshd

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

// typist is a channel on which one key arrives at a time.
type typist struct {
	ssh.Channel
	keys string
}

func (t *typist) Read(p []byte) (int, error) {
	if t.keys == "" {
		return 0, io.EOF
	}
	n := copy(p[:1], t.keys)
	t.keys = t.keys[n:]
	return n, nil
}

func (*typist) Write(p []byte) (int, error) { return len(p), nil }

// typed is a session in which keys are typed.
func typed(keys string) *Session {
	idle := time.NewTimer(time.Hour)
	return &Session{channel: &typist{keys: keys}, Terminal: &Terminal{}, clock: time.Now, idle: idle, limit: time.Hour}
}

// TestCookedEnds reads lines up to ^D; ^C still interrupts the command after that.
func TestCookedEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		interrupted := 0
		text, err := io.ReadAll(typed("a\rb\x04lost\x03").Cooked(func() { interrupted++ }))
		synctest.Wait()
		if err != nil || string(text) != "a\nb" || interrupted != 1 {
			t.Errorf("%q, %v, interrupted %d times", text, err, interrupted)
		}
	})
}

// TestCookedIsNotRead checks that the session ends although typed-ahead input is not
// read.
func TestCookedIsNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		keys := make([]byte, typedAhead)
		for i := range keys {
			keys[i] = 'x'
		}
		typed(string(keys) + "\x04").Cooked(func() {})
	})
}
