package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/versioned"
)

// errJournal is matched by errors about a journal that cannot be read.
var errJournal = errors.New("malformed journal")

// An event is one entry of the journal, or several if it is large: in the first one the
// head, an eventRecord, then changes, each as kind, record before and record after. Each of
// these is preceded by its length; length 0 means no record. In the file an entry is a
// checksum (4 bytes) and the entry compressed, as what is before and after a change is mostly
// the same: it would otherwise be most of the file.

// entrySize is the approximate maximum size of a journal entry, in bytes, before it is
// compressed.
const entrySize = 256 << 10

// mostEntry is the most bytes of an entry; what claims to be longer is damaged.
const mostEntry = 64 << 20

// sumSize is the size of the checksum of an entry.
const sumSize = 4

// storedEntry returns an entry in the form of the file.
func storedEntry(entry []byte, table *crc32.Table) []byte {
	stored := append(make([]byte, sumSize), s2.Encode(nil, entry)...)
	seal(stored, table)
	return stored
}

// plainEntry is the inverse of storedEntry. Errors match errJournal.
func plainEntry(stored []byte, table *crc32.Table) ([]byte, error) {
	if !sealed(stored, table) {
		return nil, fmt.Errorf("checksum does not match: %w", errJournal)
	}
	if n, err := s2.DecodedLen(stored[sumSize:]); err != nil || n > mostEntry {
		return nil, fmt.Errorf("it claims to have %d bytes: %w", n, errJournal)
	}
	entry, err := s2.Decode(nil, stored[sumSize:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errJournal, err)
	}
	return entry, nil
}

// appendPart appends the length of p and then p.
func appendPart[T string | []byte](b []byte, p T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(p))), p...)
}

// cutPart is the inverse of appendPart. The part shares the memory of b.
func cutPart(b []byte) (part, rest []byte, err error) {
	n, width := binary.Uvarint(b)
	if width <= 0 || n > uint64(len(b)-width) {
		return nil, nil, fmt.Errorf("an entry is cut off: %w", errJournal)
	}
	return b[width : width+int(n)], b[width+int(n):], nil
}

// seal puts the checksum in its place, at the start of an entry.
func seal(entry []byte, table *crc32.Table) {
	binary.BigEndian.PutUint32(entry, crc32.Checksum(entry[sumSize:], table))
}

// rawEvent is an event in the form of the journal, with all its entries.
type rawEvent struct {
	rev     cloud.Revision
	entries [][]byte
	headed  bool // it has only the first entry, of which only the head is needed
}

// decodeEvent decodes an event. It leaves out changes of kinds that only a newer release
// knows, and counts them in newer. Other errors match errJournal, or are those of the
// codec.
func (c codecs) decodeEvent(raw rawEvent, table *crc32.Table) (ev cloud.Event, newer int, err error) {
	var head *eventRecord
	for i, stored := range raw.entries {
		entry, err := plainEntry(stored, table)
		if err != nil {
			return ev, 0, fmt.Errorf("journal revision %d: entry %d: %w", raw.rev, i, err)
		}
		if i == 0 {
			if head, entry, err = c.cutHead(entry); err != nil {
				return ev, 0, fmt.Errorf("journal revision %d: %w", raw.rev, err)
			}
			ev = cloud.Event{Revision: raw.rev, At: time.Unix(head.AtSec, head.AtNano).UTC(), Actor: head.Actor, Note: head.Note, Task: head.Task, Step: head.Step}
		}
		if raw.headed {
			ev.Omitted = int(head.Changes)
			return ev, 0, nil
		}
		for len(entry) > 0 {
			var ch versioned.Change
			ch, entry, err = c.cutChange(entry)
			switch {
			case errors.Is(err, versioned.ErrNewer):
				newer++
			case err != nil:
				return ev, 0, fmt.Errorf("journal revision %d: %w", raw.rev, err)
			default:
				ev.Changes = append(ev.Changes, ch)
			}
		}
	}
	if head == nil || head.Revision != uint64(raw.rev) || uint64(head.Changes) != uint64(len(ev.Changes)+newer) {
		return ev, 0, fmt.Errorf("journal revision %d: its head does not fit its changes: %w", raw.rev, errJournal)
	}
	return ev, newer, nil
}

// head encodes the head of an event.
func (c codecs) head(ev cloud.Event) ([]byte, error) {
	return c.own.Encode(&eventRecord{
		Revision: uint64(ev.Revision), AtSec: ev.At.Unix(), AtNano: int64(ev.At.Nanosecond()),
		Actor: ev.Actor, Note: ev.Note, Task: ev.Task, Step: ev.Step, Changes: uint32(len(ev.Changes)),
	})
}

// entries calls put with each entry of an event, not yet compressed, and its key. Records
// returns those before and after a change in the form of the file.
func (c codecs) entries(ev cloud.Event, records func(int, versioned.Change) (was, is []byte, err error), put func(key, entry []byte) error) error {
	head, err := c.head(ev)
	if err != nil {
		return err
	}
	seq := uint32(0)
	entry := appendPart(make([]byte, 0, len(head)+min(512*(1+len(ev.Changes)), entrySize)), head)
	for i, ch := range ev.Changes {
		if len(entry) >= entrySize {
			if err := put(journalKey(ev.Revision, seq), entry); err != nil {
				return err
			}
			seq, entry = seq+1, entry[:0]
		}
		was, is, err := records(i, ch)
		if err != nil {
			return err
		}
		entry = appendPart(entry, string(ch.Kind()))
		entry = appendPart(entry, was)
		entry = appendPart(entry, is)
	}
	return put(journalKey(ev.Revision, seq), entry)
}

// cutHead decodes the head of an event, and returns what follows.
func (c codecs) cutHead(b []byte) (*eventRecord, []byte, error) {
	part, rest, err := cutPart(b)
	if err != nil {
		return nil, nil, err
	}
	r, err := c.own.Decode(kindEvent, part)
	if err != nil {
		return nil, nil, err
	}
	head, ok := r.(*eventRecord)
	if !ok {
		return nil, nil, fmt.Errorf("the head is a %T: %w", r, errJournal)
	}
	return head, rest, nil
}

// cutChange decodes a change, and returns what follows. Errors match versioned.ErrNewer
// if a newer release wrote it; even then it returns what follows.
func (c codecs) cutChange(b []byte) (ch versioned.Change, rest []byte, err error) {
	var parts [3][]byte
	for i := range parts {
		if parts[i], b, err = cutPart(b); err != nil {
			return ch, nil, err
		}
	}
	kind, before, after := versioned.Kind(parts[0]), parts[1], parts[2]
	if len(before)+len(after) == 0 {
		return ch, nil, fmt.Errorf("a change of kind %q without a record: %w", kind, errJournal)
	}
	if _, known := c.cloud.Schema(kind); !known {
		return ch, b, fmt.Errorf("records of kind %q: %w", kind, versioned.ErrNewer)
	}
	if len(before) > 0 {
		if ch.Before, err = c.cloud.Decode(kind, before); err != nil {
			return versioned.Change{}, b, err
		}
	}
	if len(after) > 0 {
		if ch.After, err = c.cloud.Decode(kind, after); err != nil {
			return versioned.Change{}, b, err
		}
	}
	if ch.Before != nil && ch.After != nil && string(ch.Before.RecordKey()) != string(ch.After.RecordKey()) {
		return ch, nil, fmt.Errorf("a change whose records before and after are not the same one: %w", errJournal)
	}
	return ch, b, nil
}

// readJournal copies at most limit of the events that q selects, newest first. It stops
// early at an event that the journal has dropped. On an error about one event it also
// returns the newer ones.
func (c codecs) readJournal(tx *bbolt.Tx, q cloud.EventQuery, limit int, table *crc32.Table) ([]rawEvent, error) {
	b := tx.Bucket([]byte(journalBucket))
	if b == nil {
		return nil, nil
	}
	cur := b.Cursor()
	newest, _, ok := parseJournalKey(first(cur.Last()))
	if !ok {
		return nil, nil
	}
	until := q.Until
	if until == 0 || until > newest {
		until = newest
	}
	var out []rawEvent
	for rev := until; rev > q.After && len(out) < limit; rev-- {
		k, v := cur.Seek(journalKey(rev, 0))
		if has, seq, ok := parseJournalKey(k); !ok || has != rev || seq != 0 {
			break
		}
		raw := rawEvent{rev: rev}
		if q.Small > 0 {
			n, err := c.changesOf(v, rev, table)
			if err != nil {
				return out, err
			}
			raw.headed = n > q.Small
		}
		for ; k != nil && !(raw.headed && len(raw.entries) > 0); k, v = cur.Next() {
			if has, _, ok := parseJournalKey(k); !ok || has != rev {
				break
			}
			raw.entries = append(raw.entries, append([]byte(nil), v...))
		}
		out = append(out, raw)
	}
	return out, nil
}

// changesOf returns how many changes an event has, given its first entry.
func (c codecs) changesOf(stored []byte, rev cloud.Revision, table *crc32.Table) (int, error) {
	entry, err := plainEntry(stored, table)
	if err != nil {
		return 0, fmt.Errorf("journal revision %d: entry 0: %w", rev, err)
	}
	head, _, err := c.cutHead(entry)
	if err != nil {
		return 0, fmt.Errorf("journal revision %d: %w: %w", rev, errJournal, err)
	}
	return int(head.Changes), nil
}

func first(k, _ []byte) []byte { return k }

// slack returns how far the journal may exceed its limits before it is trimmed: the oldest
// entries have their own pages, which a commit that drops one has to write.
func slack(l *operator.JournalLimits) operator.JournalLimits {
	return operator.JournalLimits{Revisions: l.Revisions + min(l.Revisions/16, 64), Days: l.Days + min(l.Days/16, 1)}
}

// trim drops what exceeds the limits of the journal: nothing within their slack, and at most keys
// entries, so that no single commit pays for much. An event loses its head first; the
// rest of it then no longer counts as an event. An entry that cannot be read is left to
// Verify.
func (c codecs) trim(b *bbolt.Bucket, newest cloud.Revision, now time.Time, limits *operator.JournalLimits, keys int) error {
	cur := b.Cursor()
	late := slack(limits)
	if rev, seq, ok := parseJournalKey(first(cur.First())); ok && seq == 0 && newest-rev < cloud.Revision(late.Revisions) {
		if _, v := cur.First(); !c.olderThan(v, now, late.Age()) {
			return nil
		}
	}
	for k, v := cur.First(); k != nil && keys > 0; {
		rev, seq, ok := parseJournalKey(k)
		if !ok || rev >= newest {
			return nil
		}
		if seq == 0 && newest-rev < cloud.Revision(limits.Revisions) && !c.olderThan(v, now, limits.Age()) {
			return nil
		}
		if err := cur.Delete(); err != nil {
			return err
		}
		keys--
		k, v = cur.Seek(journalKey(rev, seq)) // from the start it would pass the pages that are empty by now each time
	}
	return nil
}

// olderThan reports whether the event with the given first entry is from before now less
// age; it returns false for an unreadable one.
func (c codecs) olderThan(stored []byte, now time.Time, age time.Duration) bool {
	entry, err := plainEntry(stored, castagnoli())
	if err != nil {
		return false
	}
	head, _, err := c.cutHead(entry)
	return err == nil && now.Sub(time.Unix(head.AtSec, head.AtNano)) > age
}
