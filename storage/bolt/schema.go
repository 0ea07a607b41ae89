package bolt

import (
	"encoding/binary"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// Schema is the format of the file that this program writes. A file of another minor
// version is read and written; one of an older major version is upgraded, see old.go; one
// of a newer major version is opened for reading only.
//
//	1.0  2026-11-20  buckets meta, journal and record/KIND, with a sum over all records
//	2.0  2026-11-22  records and entries of the journal may be packed
//	3.0  2026-11-23  dictionaries have their own bucket
//	4.0  2026-11-23  commits may be in a log, and nowhere else yet
//	5.0  2026-11-28  records as in 1.0 again, every entry of the journal compressed, no log
func Schema() versioned.Version { return versioned.Version{Major: 5, Minor: 0} }

// The buckets of the file, all at the top level, and their keys.
//
//	meta             "file" -> fileRecord
//	journal          revision (8 bytes) | seq (4 bytes) -> an entry of an event, from seq 0 on
//	record/KIND      key of the record -> the record, in its envelope
//
// Numbers are big-endian, so that keys sort as they count.
const (
	metaBucket    = "meta"
	journalBucket = "journal"
	recordPrefix  = "record/"

	fileKey = "file"
)

func recordBucket(kind versioned.Kind) string { return recordPrefix + string(kind) }

// kindOf returns the kind of the records in a bucket; false if it is not a bucket of
// records.
func kindOf(bucket string) (versioned.Kind, bool) {
	kind, ok := strings.CutPrefix(bucket, recordPrefix)
	return versioned.Kind(kind), ok
}

const journalKeySize = 12

func journalKey(rev cloud.Revision, seq uint32) []byte {
	k := binary.BigEndian.AppendUint64(make([]byte, 0, journalKeySize), uint64(rev))
	return binary.BigEndian.AppendUint32(k, seq)
}

// parseJournalKey is the inverse of journalKey; false if k is not such a key.
func parseJournalKey(k []byte) (rev cloud.Revision, seq uint32, ok bool) {
	if len(k) != journalKeySize {
		return 0, 0, false
	}
	return cloud.Revision(binary.BigEndian.Uint64(k)), binary.BigEndian.Uint32(k[8:]), true
}
