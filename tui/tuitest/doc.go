// Package tuitest drives the dashboard in tests.
//
//   - [Driver] feeds keys to a [tea.Model] in process, runs its commands until
//     none can continue, and gives the frame. It lives in a bubble of
//     [testing/synctest], so time is fake and nothing sleeps.
//   - [Emulator] is a terminal that takes bytes and tells what it shows.
//   - [PTY] is a real pseudo terminal with an [Emulator] at its other end.
package tuitest
