package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"sync"
)

// The layout of a bbolt file, version 2: pages of one size; the first two are metas, of
// which the newer valid one names the root of a tree of branch and leaf pages. A bucket
// is a value in a leaf: the root of its own tree, or, if small, a whole leaf page.
//
// Source: go.etcd.io/bbolt, internal/common/{meta,page,bucket}.go.
const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSize    = 64 // without the page header; its last 8 bytes are the checksum

	pageHeader    = 16
	elementSize   = 16 // of branch and leaf elements alike
	bucketHeader  = 16
	bucketElement = 1 // flag of a leaf element whose value is a bucket

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	noFreelist = ^uint64(0)
)

// Limits on what is accepted from a file.
const (
	minPageSize = 1 << 10
	maxPageSize = 1 << 16
	maxDepth    = 32 // of a tree; that of a full file is below 10
	maxNesting  = 4  // of buckets; this program uses 1
)

// errNotBolt means that neither of the two meta pages is valid.
var errNotBolt = errors.New("it is not a placetop file: it has no valid meta page")

// image is a bbolt file as its newest valid meta page describes it. Nothing in it is
// trusted: whatever the bytes are, reading it yields sound pages, or an error that says
// what is wrong.
type image struct {
	r        io.ReaderAt
	size     int64 // of the file, in bytes
	pageSize int
	root     uint64 // page of the root bucket
	freelist uint64 // page of the list of free pages, or noFreelist
	high     uint64 // pages from here on are unused
	txid     uint64
	metas    int // how many of the two meta pages are valid
}

// readImage reads the meta pages. Errors match errNotBolt, or say that the file
// is shorter than it should be.
func readImage(r io.ReaderAt, size int64) (*image, error) {
	first, err := readMeta(r, 0)
	if err != nil && !errors.Is(err, errNotBolt) {
		return nil, err
	}
	newest := first
	// If the first is torn, the page size is unknown: try all for the second.
	for pos := int64(minPageSize); pos <= maxPageSize; pos *= 2 {
		if first != nil && pos != int64(first.pageSize) {
			continue
		}
		second, err := readMeta(r, pos)
		if err != nil && !errors.Is(err, errNotBolt) {
			return nil, err
		}
		if second == nil || int64(second.pageSize) != pos {
			continue
		}
		if newest != nil {
			second.metas++
		}
		if newest == nil || second.txid > newest.txid {
			newest = second
		} else {
			newest.metas++
		}
		break
	}
	if newest == nil {
		return nil, errNotBolt
	}
	newest.r, newest.size = r, size
	if pages := uint64(size) / uint64(newest.pageSize); newest.high > pages {
		return nil, fmt.Errorf("it is truncated: it has %d bytes, but %d pages of %d bytes are in use", size, newest.high, newest.pageSize)
	}
	return newest, nil
}

// newest returns an error if a newer transaction has been written since: the log may then
// be overwritten under a reader without a lock.
func (im *image) newest() error {
	now, err := readImage(im.r, im.size)
	if err == nil && now.txid != im.txid {
		err = fmt.Errorf("transaction %d was written while transaction %d was being read", now.txid, im.txid)
	}
	return err
}

// readMeta reads the meta page at pos, and returns errNotBolt if there is no valid one.
func readMeta(r io.ReaderAt, pos int64) (*image, error) {
	var b [pageHeader + metaSize]byte
	if _, err := r.ReadAt(b[:], pos); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errNotBolt
		}
		return nil, fmt.Errorf("read the meta page at %d: %w", pos, err)
	}
	m := b[pageHeader:]
	ne := binary.NativeEndian
	if ne.Uint32(m) != metaMagic || ne.Uint32(m[4:]) != metaVersion {
		return nil, errNotBolt
	}
	sum := fnv.New64a()
	sum.Write(m[:metaSize-8])
	if ne.Uint64(m[metaSize-8:]) != sum.Sum64() {
		return nil, errNotBolt
	}
	im := &image{
		pageSize: int(ne.Uint32(m[8:])), root: ne.Uint64(m[16:]),
		freelist: ne.Uint64(m[32:]), high: ne.Uint64(m[40:]), txid: ne.Uint64(m[48:]), metas: 1,
	}
	if im.pageSize < minPageSize || im.pageSize > maxPageSize || im.pageSize&(im.pageSize-1) != 0 {
		return nil, fmt.Errorf("the meta page at %d has a page size of %d", pos, im.pageSize)
	}
	return im, nil
}

// page is a page with its overflow pages.
type page struct {
	id    uint64
	kind  uint16
	count int
	data  []byte  // without the page header
	n     uint64  // pages
	buf   *buffer // the memory of data; nil for a page within another one
}

// buffer is memory for a page with its overflow pages.
type buffer struct {
	data    []byte
	entries []entry // scratch, for those of a leaf
}

// buffers hands out memory for pages, and reuses it.
type buffers struct {
	one, more sync.Pool // for single pages, and for those with overflow pages
}

// get returns a buffer of n pages, with arbitrary content.
func (b *buffers) get(n uint64, pageSize int) *buffer {
	from, size := &b.one, int(n)*pageSize
	if n > 1 {
		from = &b.more
	}
	got, ok := from.Get().(*buffer)
	if !ok {
		got = new(buffer)
	}
	if cap(got.data) < size {
		got.data = make([]byte, size)
	}
	got.data = got.data[:size]
	return got
}

// put takes back the buffer of a page that is no longer in use.
func (b *buffers) put(p page) {
	switch {
	case p.buf == nil:
	case p.n > 1:
		b.more.Put(p.buf)
	default:
		b.one.Put(p.buf)
	}
}

// read reads a page of a tree or of the free list into a buffer from from.
func (im *image) read(id uint64, from *buffers) (page, error) {
	if id < 2 || id >= im.high {
		return page{}, fmt.Errorf("page %d is referred to, but only pages 2 to %d are in use", id, im.high-1)
	}
	buf := from.get(1, im.pageSize)
	b := buf.data
	if _, err := im.r.ReadAt(b, int64(id)*int64(im.pageSize)); err != nil {
		return page{}, fmt.Errorf("read page %d: %w", id, err)
	}
	ne := binary.NativeEndian
	p := page{id: id, kind: ne.Uint16(b[8:]), count: int(ne.Uint16(b[10:])), data: b, n: 1 + uint64(ne.Uint32(b[12:])), buf: buf}
	if own := ne.Uint64(b); own != id {
		return page{}, fmt.Errorf("page %d calls itself page %d", id, own)
	}
	if p.n > im.high-id {
		return page{}, fmt.Errorf("page %d overflows into %d pages, beyond the last one in use", id, p.n-1)
	}
	if p.n > 1 {
		whole := from.get(p.n, im.pageSize)
		copy(whole.data, b)
		from.one.Put(buf)
		if _, err := im.r.ReadAt(whole.data[im.pageSize:], (int64(id)+1)*int64(im.pageSize)); err != nil {
			return page{}, fmt.Errorf("read page %d: %w", id+1, err)
		}
		p.data, p.buf = whole.data, whole
	}
	return p, nil
}

// branch returns the key and the page number of the i-th child of a branch page.
func (p page) branch(i int) (key []byte, child uint64, err error) {
	at := pageHeader + i*elementSize
	ne := binary.NativeEndian
	key, _, err = p.cut(at, uint64(ne.Uint32(p.data[at:])), uint64(ne.Uint32(p.data[at+4:])), 0)
	return key, ne.Uint64(p.data[at+8:]), err
}

// leaf returns the i-th element of a leaf page.
func (p page) leaf(i int) (flags uint32, key, value []byte, err error) {
	at := pageHeader + i*elementSize
	ne := binary.NativeEndian
	key, value, err = p.cut(at, uint64(ne.Uint32(p.data[at+4:])), uint64(ne.Uint32(p.data[at+8:])), uint64(ne.Uint32(p.data[at+12:])))
	return ne.Uint32(p.data[at:]), key, value, err
}

// cut returns the key and the value that begin pos bytes after the element at
// offset at.
func (p page) cut(at int, pos, ksize, vsize uint64) (key, value []byte, err error) {
	from, size := uint64(at)+pos, uint64(len(p.data))
	if table := uint64(pageHeader + p.count*elementSize); from < table || from > size || ksize == 0 || ksize+vsize > size-from {
		return nil, nil, fmt.Errorf("page %d: an element extends beyond the page", p.id)
	}
	b := p.data[from : from+ksize+vsize]
	return b[:ksize:ksize], b[ksize:], nil
}

// check checks what must be true of every page of a tree.
func (p page) check() error {
	if p.kind != branchPage && p.kind != leafPage {
		return fmt.Errorf("page %d is of type %#x instead of a branch or a leaf", p.id, p.kind)
	}
	if pageHeader+p.count*elementSize > len(p.data) {
		return fmt.Errorf("page %d has %d elements, more than it has room for", p.id, p.count)
	}
	if p.kind == branchPage && p.count == 0 {
		return fmt.Errorf("page %d is a branch without children", p.id)
	}
	return nil
}

// between checks that key comes after last and is in [low, high); nil means no bound.
func (p page) between(key, last, low, high []byte) error {
	if last != nil && bytes.Compare(last, key) >= 0 || low != nil && bytes.Compare(key, low) < 0 || high != nil && bytes.Compare(key, high) >= 0 {
		return fmt.Errorf("page %d: its keys are out of order", p.id)
	}
	return nil
}
