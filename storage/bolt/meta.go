package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// This file is the only one that reads bbolt's pages itself, for what bbolt does not do:
//
//   - It does not say that one of the two meta pages is invalid, and opens the file as the
//     other one has it: a transaction older, if the invalid one was newer.
//   - It maps the whole file into memory and follows what its pages say out of them: where a
//     file is shorter than they say, or a page number, an element or the list of free pages
//     leads beyond the end, the process ends, as bbolt checks pages in a goroutine of its own.
//   - It follows page numbers without an end where they lead in a circle.
//
// Everything else is read through bbolt.
//
// Source: go.etcd.io/bbolt, internal/common/{meta,page,bucket}.go.
const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSize    = 64 // without the page header; its last 8 bytes are the checksum

	pageHeader   = 16
	elementSize  = 16 // of branch and leaf elements alike
	bucketHeader = 16
	pageNumber   = 8

	branchPage    = 0x01
	leafPage      = 0x02
	bucketElement = 1 // flag of a leaf element whose value is a bucket

	noFreelist = ^uint64(0)

	minPageSize = 1 << 10
	maxPageSize = 1 << 16
)

// errNotBolt means that neither of the two meta pages is valid.
var errNotBolt = errors.New("it is not a placetop file: it has no valid meta page")

// meta is the newest valid meta page of a file.
type meta struct {
	pageSize int
	root     uint64 // page of the root bucket
	freelist uint64 // page of the list of free pages, or noFreelist
	high     uint64 // pages from here on are unused
	txid     uint64
	valid    int // how many of the two meta pages are valid
}

// readMeta reads the meta pages of a file of size bytes. Errors match errNotBolt, or say
// that the file is shorter than it should be.
func readMeta(r io.ReaderAt, size int64) (*meta, error) {
	first, err := readMetaAt(r, 0)
	if err != nil && !errors.Is(err, errNotBolt) {
		return nil, err
	}
	newest := first
	// If the first is torn, the page size is unknown: try all for the second.
	for pos := int64(minPageSize); pos <= maxPageSize; pos *= 2 {
		if first != nil && pos != int64(first.pageSize) {
			continue
		}
		second, err := readMetaAt(r, pos)
		if err != nil && !errors.Is(err, errNotBolt) {
			return nil, err
		}
		if second == nil || int64(second.pageSize) != pos {
			continue
		}
		if newest != nil {
			second.valid++
		}
		if newest == nil || second.txid > newest.txid {
			newest = second
		} else {
			newest.valid++
		}
		break
	}
	if newest == nil {
		return nil, errNotBolt
	}
	if pages := uint64(size) / uint64(newest.pageSize); newest.high > pages {
		return nil, fmt.Errorf("it is truncated: it has %d bytes, but %d pages of %d bytes are in use", size, newest.high, newest.pageSize)
	}
	if newest.freelist != noFreelist && (newest.freelist < 2 || newest.freelist >= newest.high) {
		return nil, fmt.Errorf("page %d is referred to, but only pages 2 to %d are in use", newest.freelist, newest.high-1)
	}
	return newest, nil
}

// readMetaAt reads the meta page at pos, and returns errNotBolt if there is no valid one.
func readMetaAt(r io.ReaderAt, pos int64) (*meta, error) {
	var b [pageHeader + metaSize]byte
	if _, err := r.ReadAt(b[:], pos); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errNotBolt
		}
		return nil, fmt.Errorf("read the meta page at %d: %w", pos, err)
	}
	p := b[pageHeader:]
	ne := binary.NativeEndian
	if ne.Uint32(p) != metaMagic || ne.Uint32(p[4:]) != metaVersion {
		return nil, errNotBolt
	}
	sum := fnv.New64a()
	sum.Write(p[:metaSize-8])
	if ne.Uint64(p[metaSize-8:]) != sum.Sum64() {
		return nil, errNotBolt
	}
	m := &meta{
		pageSize: int(ne.Uint32(p[8:])), root: ne.Uint64(p[16:]),
		freelist: ne.Uint64(p[32:]), high: ne.Uint64(p[40:]), txid: ne.Uint64(p[48:]), valid: 1,
	}
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pageSize&(m.pageSize-1) != 0 {
		return nil, fmt.Errorf("the meta page at %d has a page size of %d", pos, m.pageSize)
	}
	return m, nil
}

// check calls found with each fault of the pages of a file, those that bbolt finds in its own
// check included, which it makes only where nothing can lead it out of a page.
func (m *meta) check(r io.ReaderAt, tx *bbolt.Tx, found func(error)) {
	journal, err := m.checkPages(r)
	if err := cmp.Or(err, journal, m.checkFreelist(r)); err != nil {
		found(err)
		return
	}
	for err := range tx.Check() {
		found(err)
	}
}

// checkFreelist checks that the list of free pages, if there is one, ends within its pages.
func (m *meta) checkFreelist(r io.ReaderAt) error {
	if m.freelist == noFreelist {
		return nil
	}
	var head [pageHeader + pageNumber]byte
	if _, err := r.ReadAt(head[:], int64(m.freelist)*int64(m.pageSize)); err != nil {
		return fmt.Errorf("read page %d: %w", m.freelist, err)
	}
	ne := binary.NativeEndian
	first, count, pages := uint64(pageHeader), uint64(ne.Uint16(head[10:])), 1+uint64(ne.Uint32(head[12:]))
	if count == 0xFFFF { // the first number is how many there are
		first, count = first+pageNumber, ne.Uint64(head[pageHeader:])
	}
	if pages > m.high-m.freelist || count > (pages*uint64(m.pageSize)-first)/pageNumber {
		return fmt.Errorf("page %d lists %d free pages, more than it has room for", m.freelist, count)
	}
	return nil
}

// checkPages follows the page numbers from the root of the file: each must be in use, and
// lead to a page that none has led to before, and each element must lie within its page. A
// fault in the pages of the journal is returned separately, so that the rest can be read
// without it.
func (m *meta) checkPages(r io.ReaderAt) (journal, err error) {
	c := &pageCheck{meta: m, r: r, seen: map[uint64]bool{}, buf: make([]byte, m.pageSize)}
	var of uint64 // root page of the journal
	err = c.page(m.root, func(name, value []byte) error {
		root := binary.NativeEndian.Uint64(value)
		switch {
		case root == 0: // it is small: its one page is within its value
			return checkInline(name, value[bucketHeader:])
		case string(name) == journalBucket:
			of = root
			return nil
		}
		if err := c.page(root, nil); err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
		return nil
	})
	if err == nil && of != 0 {
		journal = c.page(of, nil)
	}
	return journal, err
}

// checkInline checks the page of a small bucket. bbolt may copy it, and follow its elements
// out of the copy into the memory of the process.
func checkInline(name, data []byte) error {
	where := fmt.Sprintf("bucket %q", name)
	if len(data) < pageHeader {
		return fmt.Errorf("%s: its page has %d bytes", where, len(data))
	}
	ne := binary.NativeEndian
	kind, count := ne.Uint16(data[8:]), int(ne.Uint16(data[10:]))
	if kind != leafPage || pageHeader+count*elementSize > len(data) {
		return fmt.Errorf("%s: its page of type %#x with %d elements is not a leaf of %d bytes", where, kind, count, len(data))
	}
	return checkLeaf(where, data, len(data), nil)
}

// checkLeaf checks that each element of a leaf lies within its size. data begins with the header
// and the elements, and is all of the leaf if bucket is not nil, which is called with each
// bucket in it. With nil there may be none.
func checkLeaf(where string, data []byte, size int, bucket func(name, value []byte) error) error {
	ne := binary.NativeEndian
	for i := range int(ne.Uint16(data[10:])) {
		at := pageHeader + i*elementSize
		element := data[at:]
		flags, name := ne.Uint32(element), at+int(ne.Uint32(element[4:]))
		value := name + int(ne.Uint32(element[8:]))
		end := value + int(ne.Uint32(element[12:]))
		switch {
		case end > size:
			return fmt.Errorf("%s: an element extends beyond the page", where)
		case bucket == nil && flags != 0:
			return fmt.Errorf("%s: an element is no record, but of type %#x", where, flags)
		case bucket == nil:
			continue
		case flags != bucketElement:
			return fmt.Errorf("%s: %q is not a bucket", where, data[name:value])
		case end-value < bucketHeader:
			return fmt.Errorf("bucket %q: its header has %d bytes", data[name:value], end-value)
		}
		if err := bucket(bytes.Clone(data[name:value]), data[value:end]); err != nil {
			return err
		}
	}
	return nil
}

// pageCheck is a run of checkPages.
type pageCheck struct {
	*meta
	r    io.ReaderAt
	seen map[uint64]bool
	buf  []byte // for a page
}

// page checks a page and all below it. It calls bucket with the buckets in its leaves, which
// with nil have none.
func (c *pageCheck) page(id uint64, bucket func(name, value []byte) error) error {
	if id < 2 || id >= c.high {
		return fmt.Errorf("page %d is referred to, but only pages 2 to %d are in use", id, c.high-1)
	}
	at := int64(id) * int64(c.pageSize)
	data := c.buf // its first page, if it flows over into others
	if _, err := c.r.ReadAt(data, at); err != nil {
		return fmt.Errorf("read page %d: %w", id, err)
	}
	ne := binary.NativeEndian
	kind, count, pages := ne.Uint16(data[8:]), int(ne.Uint16(data[10:])), 1+uint64(ne.Uint32(data[12:]))
	switch {
	case ne.Uint64(data) != id:
		return fmt.Errorf("page %d calls itself page %d", id, ne.Uint64(data))
	case kind != branchPage && kind != leafPage:
		return fmt.Errorf("page %d is of type %#x instead of a branch or a leaf", id, kind)
	case kind == branchPage && count == 0:
		return fmt.Errorf("page %d is a branch without children", id)
	case pages > c.high-id:
		return fmt.Errorf("page %d overflows into %d pages, beyond the last one in use", id, pages-1)
	case pageHeader+count*elementSize > int(pages)*c.pageSize:
		return fmt.Errorf("page %d has %d elements, more than it has room for", id, count)
	}
	for n := id; n < id+pages; n++ {
		if c.seen[n] {
			return fmt.Errorf("page %d is used twice", n)
		}
		c.seen[n] = true
	}
	size, elements := int(pages)*c.pageSize, pageHeader+count*elementSize
	if kind == branchPage || bucket != nil || elements > len(data) {
		data = make([]byte, size)
		if _, err := c.r.ReadAt(data, at); err != nil {
			return fmt.Errorf("read page %d: %w", id, err)
		}
	}
	if kind == leafPage {
		return checkLeaf(fmt.Sprintf("page %d", id), data, size, bucket)
	}
	for at := pageHeader; at < elements; at += elementSize {
		if at+int(ne.Uint32(data[at:]))+int(ne.Uint32(data[at+4:])) > size {
			return fmt.Errorf("page %d: an element extends beyond the page", id)
		}
		if err := c.page(ne.Uint64(data[at+8:]), bucket); err != nil {
			return err
		}
	}
	return nil
}

// bbolt has two meta pages, and writes them in turn: each transaction ends with its own. If
// the newer one is damaged, bbolt silently goes back to the older one, and to the cloud as
// it was a transaction before. Which of the two was damaged cannot be told: the pages of
// both transactions are still there, but nothing says what the damaged page said.

// aged says of a file with one invalid meta page what that may mean, "" for any other.
func (m *meta) aged() string {
	if m.valid == 2 {
		return ""
	}
	return "one of its two meta pages is invalid, so that it may be one transaction older than what was last confirmed"
}

// leap is more than the revisions that one transaction can hold. A release before schema
// 5 may have written a few thousand at once.
const leap = 100_000

// leapOver leaves out the revisions that a lost transaction may have given out, in a file
// with one invalid meta page, so that none means two things to whoever has seen it. The
// journal says so. The transaction that writes this makes the meta page valid again.
func (s *Store) leapOver(aged string) error {
	was := s.newest.Load()
	c := storage.Stamp(cloud.Change{Actor: "placetop", Note: fmt.Sprintf("%s: revisions %d to %d are left out", aged, was.Revision()+1, was.Revision()+leap-1)}, s.options.Clock)
	next := was.Renumbered(was.Revision()+leap, c.At)
	b, err := s.codecs.head(cloud.Event{Revision: next.Revision(), At: c.At, Actor: c.Actor, Note: c.Note})
	if err != nil {
		return err
	}
	entry := storedEntry(appendPart(nil, b), s.table)
	file := *s.file
	file.Revision, file.AtSec, file.AtNano = uint64(next.Revision()), c.At.Unix(), int64(c.At.Nanosecond())
	file.Leaps = strings.TrimSpace(file.Leaps + " " + strconv.FormatUint(file.Revision, 10))
	err = guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			if err := tx.Bucket([]byte(journalBucket)).Put(journalKey(next.Revision(), 0), entry); err != nil {
				return err
			}
			return s.codecs.putFile(tx, &file)
		})
	})
	if err == nil {
		s.file = &file
		s.newest.Store(next)
	}
	return err
}

// leapt reports whether a revision was reached by leaving out others.
func (f *fileRecord) leapt(rev cloud.Revision) bool {
	return slices.Contains(strings.Fields(f.Leaps), strconv.FormatUint(uint64(rev), 10))
}
