// Package bolt keeps a cloud in one file: a bbolt file with a bucket for each kind of
// record, one for the journal, and one for the file's own description.
//
//	Apply ---> queue ---> the writer, one goroutine
//	                        takes all that wait
//	                        decides each on the working Snapshot, own verdict each
//	                        one bbolt transaction, synced, for all that was accepted
//	                        swaps the Snapshot, tells the watchers, answers
//
// Readers load the Snapshot and never touch the file. Nothing is published or acknowledged
// before it is on disk; if it cannot be written, nothing is changed, and every caller that
// built on it is told so. If it is not known whether it was written, the next transaction
// takes it back.
//
// Open reads the whole file before bbolt writes to it. bbolt trusts its pages, so it is called
// in a way that survives a damaged one: its panics, and faults on memory that is not there,
// are returned as errors; what would not end, or would end the process, is checked before,
// in meta.go. A damaged file is refused with what is wrong, and never written. Each record
// has a checksum, and the file a sum over all records, which reveals one that is missing or
// outdated. The journal is not part of the cloud: if only it is damaged, the file is opened
// read-only, and can be copied without it.
//
// A file of an older schema is upgraded, see old.go.
//
// A file is open in one process at a time; the error for a second one says who holds it.
package bolt

import "time"

// patience is how long to wait silently for a file that another process holds.
const patience = 500 * time.Millisecond
