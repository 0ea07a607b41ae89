// Package session is what lies between Bubble Tea and one terminal.
//
// Bubble Tea's own renderer wakes sixty times a second for as long as the
// program runs and writes frames that a terminal may show half drawn. So the
// program runs without a renderer, and thus also without Bubble Tea's raw mode,
// resizes, the alternate screen, bracketed paste and focus reports: a session
// does all of these itself, with package terminal.
//
//   - [Detect] decides on colours and glyphs only from the environment.
//   - [Run] joins a [terminal.Terminal] and a [terminal.Screen] around a
//     [tea.Program] and leaves the terminal as it was, also after a panic or a signal.
package session
