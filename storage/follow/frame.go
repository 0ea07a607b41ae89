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

// The kinds of frames, and which side sends them.
const (
	kindHello  kind = 1 // both, first
	kindBye    kind = 2 // both: why this is the end
	kindAnswer kind = 3 // owner

	// Questions, which the follower sends.
	kindAppend     kind = 10
	kindEvents     kind = 11 // and where the journal ends
	kindCheckpoint kind = 12
	kindVerify     kind = 13
	kindBackup     kind = 14
	kindPeers      kind = 15
)

// Limits on what is read.
const (
	maxFrame    = 1 << 30
	maxGreeting = 64 << 10
	maxParts    = 2 << 30 // bytes of a checkpoint
	mostBuffer  = 1 << 20 // bytes that are kept for the next frame
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

	mu  sync.Mutex // held while a frame is written
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

// send writes a message.
func (l *line) send(k kind, message any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.put(stallTime, k, message)
}

// put is send that waits at most d for space. The caller holds mu.
func (l *line) put(d time.Duration, k kind, message any) error {
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
	if cap(l.buf) > mostBuffer {
		l.buf = nil
	}
	return err
}

// decode reads the message of a frame.
func decode[T any](f frame) (T, error) {
	var message T
	if err := wire.Unmarshal(f.body, &message); err != nil {
		return message, fmt.Errorf("%w of kind %d: %w", errFrame, f.kind, err)
	}
	return message, nil
}
