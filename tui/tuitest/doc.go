// Package tuitest drives the dashboard and its screens in tests.
//
//   - [Driver] feeds keys to a [tea.Model] in process, runs its commands until
//     none can continue, and gives the frame. In a bubble of [testing/synctest]
//     time is fake and nothing sleeps.
//   - [Host] drives one screen on a [Cloud], without the dashboard around it: by
//     [Open] its commands run in turn, where the test says so; by [Live] they run
//     in a bubble.
//   - [List], [Anything] and [EverySize] check what all lists or screens share.
//   - [Emulator] is a terminal that takes bytes and tells what it shows.
//   - [PTY] is a real pseudo terminal with an [Emulator] at its other end.
package tuitest
