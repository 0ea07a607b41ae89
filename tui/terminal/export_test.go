package terminal

// SeqEnter is what Enter writes first.
const SeqEnter = seqEnter

// Encoder returns what a screen would write, without its goroutine.
type Encoder struct{ s *Screen }

// NewEncoder returns an encoder with nothing on its screen.
func NewEncoder(o ScreenOptions) *Encoder {
	return &Encoder{s: &Screen{opts: o, diff: differ{vt100: o.VT100}, repaint: true}}
}

// Encode returns the bytes that draw the frame.
func (e *Encoder) Encode(text string, width, height int) []byte {
	e.s.text, e.s.width, e.s.height = text, width, height
	out, _ := e.s.encode(nil)
	e.s.repaint = false
	return out
}
