// Package ordered has the ordered maps and sets that the ledgers keep their rows and
// indexes in: copy-on-write trees of github.com/tidwall/btree behind interfaces.
//
// The interfaces are there for the compiler. It compiles the methods of a generic type
// anew in each package that reads a struct with a field of that type, and nearly every
// package here reads a Snapshot: with the trees themselves as fields, a build from
// nothing takes twice as long.
package ordered

import (
	"cmp"

	"github.com/tidwall/btree"
)

// Map is a map in the order of its keys. It may be read by many goroutines at once, but
// is copied or changed only by one.
type Map[K cmp.Ordered, V any] interface {
	Len() int
	Get(key K) (value V, ok bool)
	// Max returns the last key with its value.
	Max() (key K, value V, ok bool)
	// Scan calls f with each key and value until it returns false.
	Scan(f func(key K, value V) bool)
	// Ascend is Scan from the first key that is not less than from.
	Ascend(from K, f func(key K, value V) bool)
	Set(key K, value V) (was V, replaced bool)
	// Load is Set, faster where keys come in ascending order.
	Load(key K, value V) (was V, replaced bool)
	Delete(key K) (was V, deleted bool)
	// Copy returns a map that may be changed without changing this one. It shares what
	// neither changes.
	Copy() Map[K, V]
}

type tree[K cmp.Ordered, V any] struct{ *btree.Map[K, V] }

func (t tree[K, V]) Copy() Map[K, V] { return tree[K, V]{t.Map.Copy()} }

// NewMap returns an empty Map whose nodes hold up to twice degree keys; 0 for the
// library's choice.
func NewMap[K cmp.Ordered, V any](degree int) Map[K, V] {
	return tree[K, V]{btree.NewMap[K, V](degree)}
}

// Set is a set of items in an order of their own, with the rules of Map.
type Set[T any] interface {
	Len() int
	// Get returns the item of the set that is neither less nor greater than like.
	Get(like T) (item T, ok bool)
	// GetAt returns the item at an index.
	GetAt(index int) (item T, ok bool)
	Scan(f func(item T) bool)
	Ascend(from T, f func(item T) bool)
	Set(item T) (was T, replaced bool)
	Delete(like T) (was T, deleted bool)
	Copy() Set[T]
}

type set[T any] struct{ *btree.BTreeG[T] }

func (s set[T]) Copy() Set[T] { return set[T]{s.BTreeG.Copy()} }

// NewSet returns an empty Set in the order of less.
func NewSet[T any](degree int, less func(a, b T) bool) Set[T] {
	return set[T]{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: degree})}
}
