// Package terminal is the terminal layer of the dashboard: what comes from a
// keyboard, and how frames get to the screen. It knows nothing of Bubble Tea.
//
//   - [Input] reads keys, one per read, and holds an unfinished escape sequence
//     for a moment, so that a cursor key cut in two by a slow link arrives whole.
//   - [Screen] draws frames: it cuts them into cells, compares with what stands
//     there, writes what differs in one piece, and sleeps while nothing changes.
//   - [TTY] is the terminal of this process; an SSH channel is another [Terminal].
//
// The renderer of github.com/charmbracelet/ultraviolet does the same job, and was
// measured beside it (BenchmarkFrames, 160x48, truecolour, 2 busy cores): a frame in
// which the cursor moves costs 0.06 ms here and 8.6 ms there, one that is as before
// 0.003 and 6.4 ms, as every line is parsed into cells anew, and a key may cost 1 ms
// in all. It writes less: 180 bytes for the cursor (390 here), and 280 for a scroll by
// one line (3,700 here), which it does by moving what stands on the screen. That is
// worth learning from; the rest is not worth a hundred times the CPU.
package terminal
