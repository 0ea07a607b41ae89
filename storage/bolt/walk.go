package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// entry is a key and its value in a bucket.
type entry struct{ key, value []byte }

// leaf is the entries of one leaf page of a bucket, in key order. They share the buffer
// of the page, which is reused once release is called.
type leaf struct {
	entries []entry
	page    page
	from    *buffers
}

// release gives the buffer of the page back.
func (l leaf) release() { l.from.put(l.page) }

// sink takes the leaves of the buckets at the top level, bucket by bucket, each in key
// order. It must release each leaf.
type sink func(bucket string, l leaf) error

// walker visits each page that an image uses once.
type walker struct {
	*image
	buffers buffers
	seen    []uint64 // a bit for each page: it is part of a tree or of the free list
	buckets []string // at the top level, in order of name
	journal error    // why the journal could not be read completely; nil if it was
}

// walk passes all leaves to into, those of the journal last. A fault in the pages of the
// journal is not returned as an error, so that the rest can be read without it.
func walk(im *image, into sink) (*walker, error) {
	w := &walker{image: im, seen: make([]uint64, im.high/64+1)}
	free, err := w.freePages()
	if err != nil {
		return w, err
	}
	var roots []entry
	err = w.tree(im.root, nil, nil, 0, func(p page) error {
		for i := range p.count {
			flags, key, value, err := p.leaf(i)
			if err != nil {
				return err
			}
			if flags != bucketElement {
				return fmt.Errorf("page %d: %q is not a bucket", p.id, key)
			}
			roots = append(roots, entry{bytes.Clone(key), bytes.Clone(value)})
		}
		return nil
	})
	if err != nil {
		return w, err
	}
	var journal *entry
	for i, r := range roots {
		w.buckets = append(w.buckets, string(r.key))
		if string(r.key) == journalBucket {
			journal = &roots[i]
			continue
		}
		if err := w.bucket(r.value, 1, func(l leaf) error { return into(string(r.key), l) }); err != nil {
			return w, fmt.Errorf("bucket %s: %w", r.key, err)
		}
	}
	if err := w.noneOf(free); err != nil {
		return w, err
	}
	if journal != nil {
		var refused error
		err := w.bucket(journal.value, 1, func(l leaf) error {
			refused = into(journalBucket, l)
			return refused
		})
		if refused != nil {
			return w, refused
		}
		if w.journal = err; err == nil {
			w.journal = w.noneOf(free)
		}
	}
	return w, nil
}

// noneOf returns an error if one of the free pages is in use.
func (w *walker) noneOf(free []uint64) error {
	for _, id := range free {
		if w.has(id) {
			return fmt.Errorf("page %d is in use, and listed as free", id)
		}
	}
	return nil
}

func (w *walker) has(id uint64) bool { return w.seen[id/64]&(1<<(id%64)) != 0 }

// visit marks the pages of p as seen; seeing one twice is an error.
func (w *walker) visit(p page) error {
	for id := p.id; id < p.id+p.n; id++ {
		if w.has(id) {
			return fmt.Errorf("page %d is used twice", id)
		}
		w.seen[id/64] |= 1 << (id % 64)
	}
	return nil
}

// freePages reads the list of free pages, which is sorted.
func (w *walker) freePages() ([]uint64, error) {
	if w.freelist == noFreelist {
		return nil, nil
	}
	p, err := w.read(w.freelist, &w.buffers)
	if err != nil {
		return nil, fmt.Errorf("the list of free pages: %w", err)
	}
	if p.kind != freelistPage {
		return nil, fmt.Errorf("page %d is of type %#x instead of the list of free pages", p.id, p.kind)
	}
	if err := w.visit(p); err != nil {
		return nil, err
	}
	n, ids := uint64(p.count), p.data[pageHeader:]
	if n == 0xFFFF { // a long list has its length in the first place
		n, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if n > uint64(len(ids)/8) {
		return nil, fmt.Errorf("page %d lists %d free pages, more than it has room for", p.id, n)
	}
	free := make([]uint64, n)
	for i := range free {
		free[i] = binary.NativeEndian.Uint64(ids[8*i:])
		if free[i] < 2 || free[i] >= w.high || i > 0 && free[i] <= free[i-1] {
			return nil, fmt.Errorf("page %d: the list of free pages is wrong at page %d", p.id, free[i])
		}
	}
	return free, nil
}

// tree calls visit for the leaf pages of a tree. All of its keys are in [low, high); nil
// means no bound. The buffer of a page is given back after visit, unless visit sets
// taken.
func (w *walker) tree(id uint64, low, high []byte, depth int, visit func(page) error) error {
	if depth > maxDepth {
		return fmt.Errorf("page %d is %d pages below its root", id, depth)
	}
	p, err := w.read(id, &w.buffers)
	if err != nil {
		return err
	}
	if err := w.visit(p); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	if p.kind == leafPage {
		if err := p.leafKeys(low, high); err != nil {
			return err
		}
		return visit(p)
	}
	defer w.buffers.put(p)
	var last []byte
	for i := range p.count {
		key, child, err := p.branch(i)
		if err != nil {
			return err
		}
		if err := p.between(key, last, low, high); err != nil {
			return err
		}
		last = key
		until := high
		if i+1 < p.count {
			if until, _, err = p.branch(i + 1); err != nil {
				return err
			}
		}
		if err := w.tree(child, key, until, depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}

// leafKeys checks the elements of a leaf page.
func (p page) leafKeys(low, high []byte) error {
	var last []byte
	for i := range p.count {
		flags, key, _, err := p.leaf(i)
		if err != nil {
			return err
		}
		if flags&^bucketElement != 0 {
			return fmt.Errorf("page %d: an element has unknown flags %#x", p.id, flags)
		}
		if err := p.between(key, last, low, high); err != nil {
			return err
		}
		last = key
	}
	return nil
}

// bucket passes the leaves of a bucket, as its value in the leaf above describes it, to
// into. Buckets within it are checked, and not passed on.
func (w *walker) bucket(value []byte, nesting int, into func(leaf) error) error {
	if nesting > maxNesting {
		return fmt.Errorf("buckets are nested %d deep", nesting)
	}
	if len(value) < bucketHeader {
		return fmt.Errorf("its header has %d bytes", len(value))
	}
	visit := func(p page) error { return w.leaf(p, nesting, into) }
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return w.tree(root, nil, nil, 0, visit)
	}
	inline := page{data: slices.Clone(value[bucketHeader:])}
	if len(inline.data) < pageHeader {
		return fmt.Errorf("its page has %d bytes", len(inline.data))
	}
	inline.kind = binary.NativeEndian.Uint16(inline.data[8:])
	inline.count = int(binary.NativeEndian.Uint16(inline.data[10:]))
	if err := inline.check(); err != nil {
		return err
	}
	if inline.kind != leafPage {
		return fmt.Errorf("its page is not a leaf")
	}
	if err := inline.leafKeys(nil, nil); err != nil {
		return err
	}
	return visit(inline)
}

func (w *walker) leaf(p page, nesting int, into func(leaf) error) error {
	if p.buf == nil {
		p.buf = new(buffer)
	}
	entries := slices.Grow(p.buf.entries[:0], p.count)
	for i := range p.count {
		flags, key, value, err := p.leaf(i)
		if err != nil {
			return err
		}
		if flags == bucketElement {
			if err := w.bucket(value, nesting+1, func(l leaf) error { l.release(); return nil }); err != nil {
				return fmt.Errorf("bucket %q: %w", key, err)
			}
			continue
		}
		entries = append(entries, entry{key, value})
	}
	p.buf.entries = entries
	return into(leaf{entries: entries, page: p, from: &w.buffers})
}
