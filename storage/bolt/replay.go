package bolt

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// logBlocks returns the blocks of the log, of which value is all of it in a file with
// pages of a size.
func logBlocks(value []byte, pageSize int) []byte {
	const before = pageHeader + elementSize + len(logKey) // in the page that value begins in
	return value[min(max(pageSize-before, 0), len(value)):]
}

// readLog returns the records that follow the revision of a file in the log of a number,
// in their order. What is torn, or from before, is none of them. Errors match errLog where
// there is one that others must have stood before: it was answered, and they were.
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
	slices.SortFunc(found, func(a, b logRecord) int { return cmp.Compare(a.from, b.from) })
	for _, r := range found {
		if r.from != at || r.to <= at {
			return nil, sayGap(at, r.from)
		}
		at = r.to
	}
	return found, nil
}

// parseLogged returns the record at the beginning of b, false where there is none.
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

// logged is what stands in the log of a file, and is not in the file else.
type logged struct {
	records []logRecord
	changes map[slotID]bool
	err     error // of readLog
}

// logged reads the blocks of the log.
func (c codecs) logged(file *fileRecord, blocks []byte) (l logged) {
	switch {
	case file == nil || file.Log == 0:
		return l
	case len(blocks) == 0:
		l.err = fmt.Errorf("its log is not there: %w", errLog)
		return l
	}
	if l.records, l.err = readLog(blocks, file.Log, cloud.Revision(file.Revision), castagnoli()); l.err != nil {
		return l
	}
	l.changes = map[slotID]bool{}
	for i, r := range l.records {
		if l.err = l.open(&l.records[i]); l.err != nil {
			return l
		}
		b := l.records[i].body
		for len(b) > 0 && l.err == nil {
			var head *eventRecord
			if head, b, l.err = c.cutHead(b); l.err != nil {
				break
			}
			for range head.Changes {
				var ch loggedChange
				if ch, b, l.err = cutLogged(b); l.err != nil {
					break
				}
				l.changes[slotID{ch.kind, string(ch.key)}] = true
			}
		}
		if l.err != nil {
			l.err = fmt.Errorf("its log, from revision %d to %d: %w: %w", r.from, r.to, errLog, l.err)
			return l
		}
	}
	return l
}

// open unpacks the body of a record.
func (logged) open(r *logRecord) error {
	const most = 16 << 20
	n, err := s2.DecodedLen(r.body)
	if err == nil && n > most {
		err = errLog
	}
	if err == nil {
		r.body, err = s2.Decode(nil, r.body)
	}
	if err != nil {
		return fmt.Errorf("its log, from revision %d to %d: a record that claims %d bytes: %w: %w", r.from, r.to, n, errLog, err)
	}
	return nil
}

// loggedChange is a change as it stands in the log.
type loggedChange struct {
	kind       versioned.Kind
	key, after []byte // after is nil where the record goes
}

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

// replayer brings a cloud to what a log says.
type replayer struct {
	codecs
	at   *cloud.Snapshot
	held map[slotID]versioned.Record // as the file has them, and the log has left them
	done []*decision
}

// replay returns what a log decides on the cloud at, in which held are the records that it
// changes. The last decision leads to the newest cloud. Errors match errLog, or
// versioned.ErrNewer.
func (c codecs) replay(at *cloud.Snapshot, log logged, held map[slotID]versioned.Record) ([]*decision, error) {
	if log.err != nil {
		return nil, log.err
	}
	p := &replayer{codecs: c, at: at, held: held}
	for _, r := range log.records {
		if err := p.record(r.body, r.to); err != nil {
			return nil, fmt.Errorf("its log, from revision %d to %d: %w: %w", r.from, r.to, errLog, err)
		}
	}
	return p.done, nil
}

// record does what a record of the log says, which leads to a revision.
func (p *replayer) record(body []byte, to cloud.Revision) (err error) {
	for len(body) > 0 {
		if body, err = p.event(body); err != nil {
			return err
		}
	}
	if p.at.Revision() != to {
		return fmt.Errorf("it ends at revision %d", p.at.Revision())
	}
	return nil
}

// event does what an event says, and returns what follows it.
func (p *replayer) event(b []byte) ([]byte, error) {
	head, b, err := p.cutHead(b)
	if err != nil {
		return nil, err
	}
	d := &decision{request: new(request), on: p.at}
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
	d.Snapshot, p.at = next, next
	p.done = append(p.done, d)
	return b, nil
}

// change is what a change of the log comes to.
func (p *replayer) change(raw loggedChange) (ch versioned.Change, err error) {
	if _, known := p.cloud.Schema(raw.kind); !known {
		return ch, fmt.Errorf("records of kind %q: %w", raw.kind, versioned.ErrNewer)
	}
	if raw.after != nil {
		if ch.After, err = decode(p.cloud, raw.kind, raw.key, raw.after); err != nil {
			return ch, err
		}
	}
	id := slotID{raw.kind, string(raw.key)}
	if ch.Before = p.held[id]; ch.Before == nil && ch.After == nil {
		return ch, fmt.Errorf("%s %s goes, and was not there", raw.kind.Words(), versioned.KeyText(raw.key))
	}
	p.held[id] = ch.After
	return ch, nil
}
