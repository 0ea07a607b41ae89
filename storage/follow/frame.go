package follow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/placetop/placetop/storage/internal/wire"
)

// kind is the first byte of a frame.
type kind byte

// The kinds of frames, and which side sends them. Numbers are not used again.
const (
	kindHello      kind = 1  // both, first
	kindBye        kind = 2  // both: why this is the end
	kindRecords    kind = 3  // owner: some of a checkpoint
	kindCheckpoint kind = 4  // owner: the end of a checkpoint
	kindChanges    kind = 5  // both: some of an event or of a write
	kindEvent      kind = 6  // owner: the end of an event
	kindTold       kind = 7  // owner: the end of an event of the journal that was asked for
	kindAnswer     kind = 8  // owner
	kindApply      kind = 9  // follower: the end of a write
	kindSync       kind = 10 // follower: asks for the revision
	kindEvents     kind = 11 // follower
	kindVerify     kind = 12 // follower
	kindBackup     kind = 13 // follower
)

// Limits on what is read. Only a frame with a single record may be larger than frameAim.
const (
	maxFrame    = 64 << 20
	maxGreeting = 64 << 10
	frameAim    = 128 << 10
	maxParts    = 2 << 30 // bytes of all frames of one write, event or checkpoint
)

// headSize is the size of the length of a frame, which includes the kind, and of the
// kind.
const headSize = 4 + 1

type frame struct {
	kind kind
	body []byte
}

// errFrame is matched by errors about bytes that are not a frame.
var errFrame = wire.ErrMalformed

// readFrame reads a frame of at most most bytes. A false length costs no memory: room is
// made for bytes that have come, not for those that were announced. begun is called once
// the head is there.
func readFrame(r io.Reader, most int, begun func()) (frame, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	begun()
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n < 1 || n > int64(most) {
		return frame{}, fmt.Errorf("%w: %d bytes", errFrame, n)
	}
	var body bytes.Buffer
	if got, err := io.CopyN(&body, r, n-1); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, fmt.Errorf("%w: %d of %d bytes: %w", errFrame, got+1, n, err)
	}
	return frame{kind: kind(head[headSize-1]), body: body.Bytes()}, nil
}

// appendFrame appends a frame to buf.
func appendFrame(buf []byte, k kind, body []byte) ([]byte, error) {
	if len(body) >= maxFrame {
		return buf, fmt.Errorf("a message of %d bytes is too long to be sent", len(body))
	}
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(body)+1)) // below maxFrame
	return append(append(buf, byte(k)), body...), nil
}

// line is a connection that carries frames. One goroutine reads; any may write.
type line struct {
	conn net.Conn

	mu  sync.Mutex // held while a message, of any number of frames, is written
	buf []byte
}

// read reads the next frame. It waits as long as first for it to begin, or without limit
// if that is 0.
func (l *line) read(most int, first time.Duration) (frame, error) {
	if err := l.conn.SetReadDeadline(after(first)); err != nil {
		return frame{}, err
	}
	return readFrame(l.conn, most, func() {
		_ = l.conn.SetReadDeadline(after(stallTime)) // a connection that has ended says so when it is read
	})
}

// after returns the deadline of a wait that begins now; the zero time, for no deadline,
// if d is 0.
func after(d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Now().Add(d) //nolint:forbidigo // deadlines of connections are those of the system
}

// put writes one frame; the caller holds mu.
func (l *line) put(k kind, message any) error { return l.putWithin(stallTime, k, message) }

// putWithin is put that waits at most d for space.
func (l *line) putWithin(d time.Duration, k kind, message any) error {
	body, err := wire.Marshal(message)
	if err != nil {
		return err
	}
	if l.buf, err = appendFrame(l.buf[:0], k, body); err != nil {
		return err
	}
	if err := l.conn.SetWriteDeadline(after(d)); err != nil {
		return err
	}
	_, err = l.conn.Write(l.buf)
	if cap(l.buf) > 4*frameAim {
		l.buf = nil
	}
	return err
}

// send writes one frame.
func (l *line) send(k kind, message any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.put(k, message)
}

// decode reads the message of a frame.
func decode[T any](f frame) (T, error) {
	var message T
	err := f.decode(&message)
	return message, err
}

func (f frame) decode(message any) error {
	if err := wire.Unmarshal(f.body, message); err != nil {
		return fmt.Errorf("%w of kind %d: %w", errFrame, f.kind, err)
	}
	return nil
}
