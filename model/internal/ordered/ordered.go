// Package ordered holds ordered maps and sets that are copied in constant time, behind
// interfaces.
//
// The interfaces save compile time. A package that merely has a value whose fields name
// an instance of a generic type compiles all methods of that instance again, and nearly
// every package has a Snapshot. Methods of an unnamed interface are not compiled again,
// which is why Map and Set are aliases: the trees are compiled only where they are made.
package ordered

import (
	"cmp"

	"github.com/tidwall/btree"
)

// degree is that of the trees, half as large as the one that the library takes by itself.
// A write copies a node on each level, so that smaller nodes have a claim allocate a fifth
// less in all, and take less time, though there may be a level more.
const degree = 16

// Map is an ordered map. It may be read by many goroutines at once, but while it is
// copied or changed only by one.
type Map[K cmp.Ordered, V any] = interface {
	Len() int
	Get(key K) (V, bool)
	Max() (K, V, bool)

	// Scan calls yield in the order of the keys until it returns false, Ascend from
	// the given key on.
	Scan(yield func(K, V) bool)
	Ascend(from K, yield func(K, V) bool)

	// Set and Delete return what was there before. Load is Set, fastest where keys
	// come in ascending order.
	Set(key K, value V) (V, bool)
	Load(key K, value V) (V, bool)
	Delete(key K) (V, bool)
	Clear()
}

// NewMap returns an empty Map.
func NewMap[K cmp.Ordered, V any]() Map[K, V] { return btree.NewMap[K, V](degree) }

// Copy returns a Map that may be changed without the given one seeing it.
func Copy[K cmp.Ordered, V any](of Map[K, V]) Map[K, V] { return of.(*btree.Map[K, V]).Copy() }

// Set is an ordered set. It may be read by many goroutines at once, but while it is
// copied or changed only by one.
type Set[T any] = interface {
	Len() int
	Get(like T) (T, bool)
	GetAt(index int) (T, bool)

	// Scan calls yield in order until it returns false, Ascend from the given item on.
	Scan(yield func(T) bool)
	Ascend(from T, yield func(T) bool)

	// Set and Delete return what was there before. Load is Set, fastest if items come in
	// ascending order.
	Set(item T) (T, bool)
	Load(item T) (T, bool)
	Delete(like T) (T, bool)
	Clear()
}

// NewSet returns an empty Set in the order of less.
func NewSet[T any](less func(a, b T) bool) Set[T] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: degree})
}

// CopySet is Copy of a Set.
func CopySet[T any](of Set[T]) Set[T] { return of.(*btree.BTreeG[T]).Copy() }
