// Package sshd lets people in by SSH, each with a session of their own.
//
//   - [Gate] says who a key belongs to, from files of authorized keys and from the
//     certificates of authorities, and what that [Person] may do.
//   - [Server] does what the protocol needs: it listens, counts, refuses, keeps alive, and
//     tells all when it ends. What a session shows is done by whoever serves.
//   - [Session] is one of a client's channels: a command, or a terminal.
//
// It stands on golang.org/x/crypto/ssh alone. charmbracelet/wish would bring middleware
// that draws with Bubble Tea's renderer, which package session replaces; what is left of
// it has no place to say of each request why it is refused, and keeps what was found out
// about a key apart from whether the client has proved to hold it.
package sshd
