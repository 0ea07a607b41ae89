package terminal

import (
	"image"
	"time"
)

// Encoder gives what a screen would write, without its goroutine.
type Encoder struct{ s *Screen }

// NewEncoder returns an encoder with nothing on its screen.
func NewEncoder(o ScreenOptions) *Encoder {
	return &Encoder{s: &Screen{opts: o, diff: differ{vt100: o.VT100}, repaint: true}}
}

// Encode returns what draws the frame.
func (e *Encoder) Encode(text string, width, height int) []byte {
	return e.EncodeWithout(text, width, height, image.Pt(width, 0))
}

// EncodeWithout returns what draws the frame without what is aside.
func (e *Encoder) EncodeWithout(text string, width, height int, aside image.Point) []byte {
	e.s.text, e.s.width, e.s.height = text, width, height
	out, _ := e.s.encode(nil, aside)
	e.s.repaint = false
	return out
}

// SetHold sets how long an unfinished escape sequence is held for its rest.
func (in *Input) SetHold(hold time.Duration) { in.hold = hold }

// Remembers returns how many bytes are kept of the text of what is shown.
func (e *Encoder) Remembers() (n int) {
	for _, row := range e.s.diff.shown {
		n += len(row.line)
	}
	return n
}
