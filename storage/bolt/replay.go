package bolt

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/versioned"
)

// logBlocks returns the blocks of the log, whose whole value is value, in a file with the
// given page size.
func logBlocks(value []byte, pageSize int) []byte {
	const before = pageHeader + elementSize + len(logKey) // before the value, on its first page
	return value[min(max(pageSize-before, 0), len(value)):]
}

// readLog returns the records that follow the revision of a file in the log with a
// number, in order. It skips torn and older ones. Errors match errLog if a record that
// must have preceded one of them is missing: it was answered, so the missing one had
// been, too.
func readLog(blocks []byte, number uint64, at cloud.Revision, table *crc32.Table) ([]logRecord, error) {
	var found []logRecord
	for pos := 0; pos+logHead <= len(blocks); pos += logBlock {
		r, ok := parseLogged(blocks[pos:], number, table)
		if !ok {
			continue
		}
		pos += (logHead + len(r.body) - 1) / logBlock * logBlock
		if r.to > at {
			found = append(found, r)
		}
	}
	sorted.By(found, func(a, b logRecord) int { return cmp.Compare(a.from, b.from) })
	for _, r := range found {
		if r.from != at || r.to <= at {
			return nil, sayGap(at, r.from)
		}
		at = r.to
	}
	return found, nil
}

// parseLogged returns the record at the beginning of b, or false if there is none.
func parseLogged(b []byte, number uint64, table *crc32.Table) (r logRecord, ok bool) {
	if len(b) < logHead || binary.BigEndian.Uint64(b[8:]) != number {
		return r, false
	}
	n := binary.BigEndian.Uint32(b[4:])
	if uint64(n) > uint64(len(b)-logHead) || !sealed(b[:logHead+int(n)], table) {
		return r, false
	}
	return logRecord{
		from: cloud.Revision(binary.BigEndian.Uint64(b[16:])), to: cloud.Revision(binary.BigEndian.Uint64(b[24:])),
		body: b[logHead : logHead+int(n)],
	}, true
}

// open unpacks the body of a record.
func (r logRecord) open() ([]byte, error) {
	const most = 16 << 20
	if n, err := s2.DecodedLen(r.body); err != nil || n > most {
		return nil, fmt.Errorf("a record that claims to have %d bytes", n)
	}
	return s2.Decode(nil, r.body)
}

// loggedChange is a change in the form of the log.
type loggedChange struct {
	kind       versioned.Kind
	key, after []byte // after is nil if the record is deleted
}

// RecordKind implements versioned.Record.
func (c loggedChange) RecordKind() versioned.Kind { return c.kind }

// RecordKey implements versioned.Record.
func (c loggedChange) RecordKey() []byte { return c.key }

// cutLogged cuts a change off b.
func cutLogged(b []byte) (ch loggedChange, rest []byte, err error) {
	var parts [3][]byte
	for i := range parts {
		if parts[i], b, err = cutPart(b); err != nil {
			return ch, nil, err
		}
	}
	ch = loggedChange{versioned.Kind(parts[0]), parts[1], parts[2]}
	if len(ch.after) == 0 {
		ch.after = nil
	}
	return ch, b, nil
}

// replayer applies a log to a cloud.
type replayer struct {
	codecs
	at   *cloud.Snapshot
	done []*decision
}

// replay returns the cloud to which the log with a number leads from the cloud at, and
// the decisions in between. Errors match errLog, or versioned.ErrNewer.
func (c codecs) replay(at *cloud.Snapshot, number uint64, blocks []byte) (*cloud.Snapshot, []*decision, error) {
	if number == 0 {
		return at, nil, nil
	}
	if len(blocks) == 0 {
		return nil, nil, fmt.Errorf("its log is missing: %w", errLog)
	}
	records, err := readLog(blocks, number, at.Revision(), castagnoli())
	if err != nil {
		return nil, nil, err
	}
	p := &replayer{codecs: c, at: at}
	for _, r := range records {
		if err := p.record(r); err != nil {
			return nil, nil, fmt.Errorf("its log, from revision %d to %d: %w: %w", r.from, r.to, errLog, err)
		}
	}
	return p.at, p.done, nil
}

// record applies a record of the log.
func (p *replayer) record(r logRecord) error {
	body, err := r.open()
	for err == nil && len(body) > 0 {
		body, err = p.event(body)
	}
	if err == nil && p.at.Revision() != r.to {
		err = fmt.Errorf("it ends at revision %d", p.at.Revision())
	}
	return err
}

// event applies an event, and returns what follows it.
func (p *replayer) event(b []byte) ([]byte, error) {
	head, b, err := p.cutHead(b)
	if err != nil {
		return nil, err
	}
	d := new(decision)
	d.Event = cloud.Event{
		Revision: cloud.Revision(head.Revision), At: time.Unix(head.AtSec, head.AtNano).UTC(),
		Actor: head.Actor, Note: head.Note, Task: head.Task, Step: head.Step,
	}
	for range head.Changes {
		var raw loggedChange
		if raw, b, err = cutLogged(b); err != nil {
			return nil, err
		}
		ch, err := p.change(raw)
		if err != nil {
			return nil, err
		}
		d.Event.Changes, d.after = append(d.Event.Changes, ch), append(d.after, raw.after)
	}
	next, _, err := applied(p.at, d.Event.Replay())
	if err == nil && (next.Revision() != d.Event.Revision || next == p.at) {
		err = fmt.Errorf("revision %d changes nothing", head.Revision)
	}
	if err != nil {
		return nil, err
	}
	d.measure()
	p.at, p.done = next, append(p.done, d)
	return b, nil
}

// change decodes a change of the log.
func (p *replayer) change(raw loggedChange) (ch versioned.Change, err error) {
	if _, known := p.cloud.Schema(raw.kind); !known {
		return ch, fmt.Errorf("records of kind %q: %w", raw.kind, versioned.ErrNewer)
	}
	if raw.after != nil {
		if ch.After, err = decode(p.cloud, raw.kind, raw.key, raw.after); err != nil {
			return ch, err
		}
	}
	if ch.Before = p.at.Held(raw); ch.Before == nil && ch.After == nil {
		return ch, fmt.Errorf("%s %s is removed, but did not exist", raw.kind.Words(), versioned.KeyText(raw.key))
	}
	return ch, nil
}
