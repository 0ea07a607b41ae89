// Package sshd lets people in by SSH, each with their own session.
//
//   - [Gate] says who a key belongs to, from files of authorized keys, and what that
//     [Person] may do.
//   - [Server] is the protocol: it listens, counts, refuses, keeps connections alive, and
//     tells everyone when it stops. What a session shows is up to its caller.
//   - [Session] is one of a client's channels: a command, or a terminal.
//
// It only needs golang.org/x/crypto/ssh. charmbracelet/wish draws with Bubble Tea's
// renderer, which package session replaces; the rest of it cannot say why a request is
// refused, and separates what is known about a key from whether the client has proved to
// hold it.
package sshd
