package terminal

import (
	"bytes"
	"time"
)

const (
	// Hold is how long a lone ESC is held, as it may start a sequence whose rest is still
	// on its way. The esc key is late by as much.
	Hold = 50 * time.Millisecond

	// HoldRemote is the Hold of a terminal at the other end of a network.
	HoldRemote = 100 * time.Millisecond

	// holdRest is how long a sequence is held of which more than ESC has come: only keys
	// such as alt+[ are late by that.
	holdRest = 500 * time.Millisecond

	// burst is the longest time between two bytes that were sent at once.
	burst = 5 * time.Millisecond

	// pastePause is how long a paste may pause before it counts as ended, and pasteQuiet
	// how long before ^C counts as typed, not pasted.
	pastePause = time.Second
	pasteQuiet = 50 * time.Millisecond

	// maxPaste limits a paste, in bytes. What follows up to its end is dropped.
	maxPaste = 256 << 10

	// maxKey limits the sequence of a key, in bytes.
	maxKey = 32

	// unknownKey is what unknown keys are passed on as: a sequence that Bubble Tea reads
	// whole, and that no terminal sends.
	unknownKey = "\x1b[?0~"

	interrupt = 0x03 // ^C
)

// decoder makes keys of the bytes of a terminal, for Bubble Tea, which takes a sequence
// that it does not know for esc and letters: commands. So out only has what it reads as
// one key, or as text:
//
//   - An unknown sequence, or one that was cut off, is one unknown key. What comes late of
//     one that was cut off is dropped.
//   - Reports in a mode that another program left switched on are dropped.
//   - A paste without an end is ended by ^C or a pause. What then comes all at once is
//     still text.
type decoder struct {
	hold  time.Duration
	reply func([]byte) // receives answers of the terminal; nil drops them
	out   []byte

	key []byte // an unfinished key

	// ahead is set if a byte may be kept for the next Read. Then only the rest of a
	// sequence joins an ESC that is older than Hold: a letter is the next key, not one
	// with alt.
	ahead bool
	late  bool   // the ESC of the key is older than Hold
	held  []byte // the byte that is kept

	torn []byte // the unfinished key that was given up last
	rest []byte // what may be the rest of torn

	pasting bool
	pasted  int  // bytes of the paste so far
	ending  int  // bytes of pasteEnd that have just come
	quiet   bool // nothing came for pasteQuiet
	breaks  int  // how many ^C have come since then
	doubt   bool // the paste was ended by a pause: there may be more of it
	after   []byte
}

// wait returns how long to wait for the next byte; 0 if all keys are finished.
func (d *decoder) wait() time.Duration {
	switch {
	case d.pasting && d.breaks > 0, len(d.after) > 0, len(d.rest) > 0:
		return burst
	case d.pasting && d.quiet:
		return pastePause - pasteQuiet
	case d.pasting:
		return pasteQuiet
	case len(d.key) == 0:
		return 0
	case onlyEsc(d.key) && d.late:
		return d.hold - Hold
	case onlyEsc(d.key) && d.ahead:
		return min(d.hold, Hold)
	case onlyEsc(d.key):
		return d.hold
	default:
		return holdRest
	}
}

// feed takes the next byte.
func (d *decoder) feed(c byte) {
	switch {
	case d.pasting:
		d.feedPaste(c)
	case len(d.after) > 0: // many bytes at once: more of the paste
		text := append(d.after, c)
		d.after = nil
		d.startPaste()
		for _, c := range text {
			d.feedPaste(c)
		}
	case len(d.torn) > 0:
		d.feedRest(c)
	default:
		d.feedKey(c)
	}
}

// lapse notes that nothing came for as long as wait returned.
func (d *decoder) lapse() {
	switch {
	case d.pasting && d.breaks > 0:
		d.endPaste()
	case d.pasting && !d.quiet:
		d.quiet = true
	case d.pasting:
		d.torn = append(d.torn, pasteEnd[:d.ending]...)
		d.endPaste()
		d.doubt = true
	case len(d.after) > 0:
		d.out = append(d.out, d.after...)
		d.after, d.doubt = nil, false
	case len(d.rest) > 0:
		torn, rest := d.torn, d.rest
		d.torn, d.rest = nil, nil
		if onlyEsc(torn) && len(rest) == 1 {
			d.feedKey(rest[0]) // typed after esc
			return
		}
		d.torn = append(torn, rest...) // cut off again
	case onlyEsc(d.key) && d.ahead && !d.late && d.hold > Hold:
		d.late = true
	case len(d.key) > 0:
		d.giveUp()
	}
}

// feedKey takes a byte of a key.
func (d *decoder) feedKey(c byte) {
	if d.late && !introduces(c) {
		d.giveUp()
		d.torn, d.held = nil, []byte{c}
		return
	}
	d.late = false
	d.key = sevenBits(append(d.key, c))
	switch scanToken(d.key) {
	case tokenPartial:
		if onlyEsc(d.key) && len(d.key) > 2 {
			d.emit(d.key[:2]) // esc twice; two may also begin alt with a cursor key
			d.key = d.key[2:]
		}
	case tokenWhole:
		key := d.key
		d.key = nil
		switch string(key) {
		case pasteStart:
			d.startPaste()
		case pasteEnd:
			d.doubt = false
		default:
			d.emit(oneKey(key))
		}
	case tokenReply:
		d.answer(d.key)
		d.key = nil
	case tokenReport:
		d.key = nil
	case tokenAborted:
		d.key = nil
		d.emit([]byte(unknownKey))
		d.feedKey(c)
	}
}

// emit passes on a key, unless it may be the start of more of a paste.
func (d *decoder) emit(key []byte) {
	if d.doubt {
		d.after = append(d.after, key...)
		return
	}
	d.out = append(d.out, key...)
}

func (d *decoder) answer(reply []byte) {
	if d.reply != nil {
		d.reply(bytes.Clone(reply))
	}
}

// giveUp takes what has come of a key for a key.
func (d *decoder) giveUp() {
	key := d.key
	d.key, d.late, d.torn = nil, false, key
	switch {
	case onlyEsc(key):
		d.emit(key)
		d.torn = key[len(key)-1:]
	case key[0] == esc && len(key) == 2:
		d.emit(key) // alt
	default:
		d.emit([]byte(unknownKey))
	}
}

// feedRest takes a byte that may belong to the sequence that was given up. Once that is
// complete it is dropped. After a lone ESC that is only so if all the rest comes at once,
// faster than anybody types.
func (d *decoder) feedRest(c byte) {
	torn := d.torn
	rest := append(d.rest, c)
	whole := append(bytes.Clone(torn), rest...)
	state := scanToken(whole)
	if onlyEsc(torn) && !introduces(rest[0]) || len(whole) > maxString {
		state = tokenAborted
	}
	d.torn, d.rest = nil, nil
	switch state {
	case tokenPartial:
		d.torn, d.rest = torn, rest
	case tokenReply:
		d.answer(whole)
	case tokenWhole, tokenReport:
		d.doubt = d.doubt && string(whole) != pasteEnd
	case tokenAborted:
		if !onlyEsc(torn) || len(rest) > 2 {
			rest = rest[len(rest)-1:] // what was before belongs to the sequence
		}
		for _, c := range rest {
			d.feedKey(c)
		}
	}
}

func (d *decoder) startPaste() {
	d.pasting, d.doubt = true, false
	d.pasted, d.ending, d.quiet, d.breaks = 0, 0, false, 0
	d.out = append(d.out, pasteStart...)
}

func (d *decoder) endPaste() {
	d.pasting = false
	d.out = append(d.out, pasteEnd...)
}

// feedPaste takes a byte of a paste.
func (d *decoder) feedPaste(c byte) {
	if d.quiet && c == interrupt {
		d.breaks++
		return
	}
	for ; d.breaks > 0; d.breaks-- {
		d.paste(interrupt)
	}
	d.quiet = false
	if c == pasteEnd[d.ending] {
		if d.ending++; d.ending == len(pasteEnd) {
			d.endPaste()
		}
		return
	}
	for i := range d.ending {
		d.paste(pasteEnd[i])
	}
	d.ending = 0
	if c == pasteEnd[0] {
		d.ending = 1
		return
	}
	d.paste(c)
}

// paste adds a byte to the text of a paste.
func (d *decoder) paste(c byte) {
	if d.pasted++; d.pasted <= maxPaste {
		d.out = append(d.out, c)
	}
}
