// Package terminal is the terminal layer of the dashboard: what comes from a
// keyboard, and how frames get to the screen. It knows nothing of Bubble Tea.
//
//   - [Input] reads keys, one per read, and holds an unfinished escape sequence
//     for a moment, so that a cursor key cut in two by a slow link arrives whole.
//   - [Screen] draws frames: it cuts them into cells, compares with what stands
//     there, writes what differs in one piece, and sleeps while nothing changes.
//   - [TTY] is the terminal of this process; an SSH channel is another [Terminal].
//
// What a frame takes is bytes more than CPU over a slow link. A difference is written in
// the order of the screen or look by look (naming a colour takes 19 bytes, and a place on
// the screen 8), with or without a scroll before, whichever of these is the shortest; so
// the list of 9,600 providers takes 700 bytes for a step of the cursor at 80x24 and 900 for
// a page, and 2 kB at 160x48. Where a frame takes long to arrive it is sent in parts, in the
// [Order] in which it is looked at.
//
// The renderer of github.com/charmbracelet/ultraviolet does the same job, and was
// measured beside it (BenchmarkFrames, 160x48, truecolour, 2 busy cores): a frame in
// which the cursor moves costs 0.04 ms here and 2.7 ms there, one that is as before
// 0.004 and 1.4 ms, as every line is parsed into cells anew, and a key may cost 1 ms
// in all. It writes 180 bytes for the cursor (370 here), and 280 for a scroll by one line
// (470 here).
package terminal
