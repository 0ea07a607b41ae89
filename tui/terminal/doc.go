// Package terminal is the terminal layer of the dashboard: what comes from a
// keyboard, and how frames get to the screen. It knows nothing of Bubble Tea.
//
//   - [Input] reads keys, one per read, and holds an unfinished escape sequence
//     for a moment, so that a cursor key cut in two by a slow link arrives whole.
//   - [Screen] draws frames: it cuts them into cells, compares with what stands
//     there, writes what differs in one piece, and sleeps while nothing changes.
//   - [TTY] is the terminal of this process; an SSH channel is another [Terminal].
package terminal
