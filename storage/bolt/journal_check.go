package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// journalFault is an inconsistency in the journal.
type journalFault struct {
	rev  cloud.Revision // 0 if it is about no single revision
	what string
}

// String names the revision, if there is one.
func (f journalFault) String() string {
	if f.rev == 0 {
		return f.what
	}
	return fmt.Sprintf("revision %d: %s", f.rev, f.what)
}

// journalCheck goes through the entries of a journal in the order of their keys: they
// must lead to the revision of the file without a gap, each with a valid checksum.
type journalCheck struct {
	table  *crc32.Table
	decode func(rawEvent) error // decodes an event, to find what is wrong with it; nil not to
	faults []journalFault

	leaps  []revisionGap  // revisions that do not follow the one before
	last   cloud.Revision // of the entries so far
	seq    uint32         // of the last entry
	headed bool           // the last event has its first entry
	raw    rawEvent       // the last event that has it, for decode
}

func (j *journalCheck) fault(rev cloud.Revision, format string, args ...any) {
	j.faults = append(j.faults, journalFault{rev, fmt.Sprintf(format, args...)})
}

// entry takes the next entry. The first ones may be the rest of an event that is being
// dropped, without its head.
func (j *journalCheck) entry(e entry) {
	rev, seq, ok := parseJournalKey(e.key)
	if !ok || rev == 0 {
		j.fault(0, "an entry without a revision, under the key %x", e.key)
		return
	}
	switch {
	case j.last == 0:
	case rev == j.last && seq == j.seq+1, rev == j.last+1 && seq == 0:
	case rev == j.last:
		j.fault(rev, "entry %d follows entry %d", seq, j.seq)
	case rev == j.last+1:
		j.fault(rev, "it begins with entry %d", seq)
	case rev > j.last && seq == 0:
		j.leaps = append(j.leaps, revisionGap{j.last, rev})
	default:
		j.fault(0, "revision %d follows revision %d", rev, j.last)
	}
	if seq == 0 {
		j.event()
		j.raw.rev = rev
	}
	if j.decode != nil && j.raw.rev == rev {
		j.raw.entries = append(j.raw.entries, e.value)
	}
	j.headed = rev == j.last && j.headed || seq == 0
	j.last, j.seq = rev, seq
	if !sealed(e.value, j.table) {
		j.fault(rev, "entry %d: checksum does not match", seq)
	}
}

// event decodes the last event, unless something is known to be wrong with it.
func (j *journalCheck) event() {
	raw, n := j.raw, len(j.faults)
	j.raw = rawEvent{}
	if len(raw.entries) == 0 || n > 0 && j.faults[n-1].rev == raw.rev {
		return
	}
	if err := j.decode(raw); err != nil {
		j.fault(raw.rev, "%v", err)
	}
}

// revisionGap is a revision that does not follow the one before.
type revisionGap struct{ from, to cloud.Revision }

// end notes that there are no more entries, in a file.
func (j *journalCheck) end(of *fileRecord) {
	for _, l := range j.leaps {
		if !of.leapt(l.to) {
			j.fault(0, "revision %d follows revision %d", l.to, l.from)
		}
	}
	file := cloud.Revision(of.Revision)
	switch {
	case j.last == file && (j.headed || file == 0):
	case j.last == file:
		j.fault(file, "it has no head")
	case j.last == 0:
		j.fault(0, "it is empty, but the cloud is at revision %d", file)
	default:
		j.fault(0, "it ends with revision %d, but the cloud is at revision %d", j.last, file)
	}
}

// all notes, once all entries were passed on, what is wrong with the journal as a whole, of a
// file whose own record can be read. Pages is why not all of it could be read; nil if it could.
func (j *journalCheck) all(pages error, there bool, file *fileRecord) {
	switch {
	case file == nil:
	case pages != nil:
		j.fault(0, "its pages are damaged: %v", pages)
	case !there:
		j.fault(0, "it has no bucket %s", journalBucket)
	default:
		j.end(file)
	}
}

// sealed reports whether the checksum of an entry is right.
func sealed(entry []byte, table *crc32.Table) bool {
	return len(entry) >= sumSize && binary.BigEndian.Uint32(entry) == crc32.Checksum(entry[sumSize:], table)
}

// sayFaults names the first of faults, and how many more there are.
func sayFaults(faults []journalFault) string {
	text := faults[0].String()
	if more := len(faults) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// journalDamage returns the error about a file that only has faults in its journal.
func journalDamage(path string, faults []journalFault) *storage.DamagedError {
	return &storage.DamagedError{
		Path: path, What: "its journal: " + sayFaults(faults), Err: errJournal,
		Hint: "All records are intact, so it is opened read-only", Remedy: storage.DropJournal,
	}
}

// unsound returns the defects that verifyFile found in the file at path, or in a copy of
// it, as an error. Hint and remedy say what to do if records are affected.
func unsound(path string, found []storage.Defect, hint string, remedy storage.Remedy) *storage.DamagedError {
	what := found[0].String()
	if n := len(found) - 1; n > 0 {
		what += fmt.Sprintf(" (and %d more)", n)
	}
	if helps := storage.RemedyFor(found); helps != storage.GoBack {
		hint, remedy = "All records are intact", helps
	}
	return &storage.DamagedError{Path: path, What: what, Hint: hint, Remedy: remedy}
}
