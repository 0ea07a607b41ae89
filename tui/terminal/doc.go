// Package terminal is the terminal layer of the dashboard: what comes from a
// keyboard, and how frames get to the screen. It knows nothing of Bubble Tea.
//
//   - [Input] reads keys, one per read, and holds an unfinished escape sequence
//     for a moment, so that a cursor key cut in two by a slow link arrives whole.
//   - [Screen] draws frames: it cuts them into cells, compares them with what is on the
//     screen, writes the difference in one piece, and sleeps while nothing changes.
//   - [TTY] is the terminal of this process; an SSH channel is another [Terminal].
//
// Over a slow link bytes count more than CPU. A difference is written in the order of the
// screen or look by look (setting a colour takes 19 bytes, moving the cursor 8), with or
// without a scroll first, whichever is shortest: in a list of 9,600 providers a step of the
// cursor takes 700 bytes at 80x24, a page 900, and 1.6 kB at 160x48. Half of
// that is text, most of it the details of another provider, a quarter moves of the cursor,
// and a sixth colours. Always taking the cheapest run next, instead of going look by look,
// would save 1 %.
//
// The renderer of github.com/charmbracelet/ultraviolet does the same job, and was
// measured beside it (BenchmarkFrames, 160x48, truecolour): a frame in which the cursor
// moves costs 0.01 ms here and 0.5 ms there, one that is as before 0.001 and 0.5 ms, as
// every line is parsed into cells again, and a key may cost 1 ms in all. It writes 310 bytes
// for the cursor (370 here), because it clears in the colour of the row, which not all
// terminals do, and 480 for a scroll by one line (470 here).
package terminal
