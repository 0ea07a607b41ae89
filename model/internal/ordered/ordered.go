// Package ordered holds ordered maps and sets that are copied in constant time, behind
// interfaces.
//
// The interfaces are there for the compiler. A package that so much as carries a value
// whose fields name an instance of a generic type compiles all methods of that instance
// once more, and nearly every package carries a Snapshot. Nobody compiles the methods of
// an interface: the trees are compiled where they are made.
package ordered

import (
	"cmp"

	"github.com/tidwall/btree"
)

// Map is an ordered map. It may be read by many at once, but while it is copied or
// changed by one alone.
type Map[K cmp.Ordered, V any] interface {
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

	// Copy returns a map that may be changed without this one seeing it.
	Copy() Map[K, V]
}

// NewMap returns an empty Map.
func NewMap[K cmp.Ordered, V any]() Map[K, V] { return treeMap[K, V]{btree.NewMap[K, V](0)} }

type treeMap[K cmp.Ordered, V any] struct{ *btree.Map[K, V] }

func (m treeMap[K, V]) Copy() Map[K, V] { return treeMap[K, V]{m.Map.Copy()} }

// Set is an ordered set. It may be read by many at once, but while it is copied or
// changed by one alone.
type Set[T any] interface {
	Len() int
	Get(like T) (T, bool)
	GetAt(index int) (T, bool)

	// Scan calls yield in order until it returns false, Ascend from the given item on.
	Scan(yield func(T) bool)
	Ascend(from T, yield func(T) bool)

	// Set and Delete return what was there before. Load is Set, fastest where items
	// come in ascending order.
	Set(item T) (T, bool)
	Load(item T) (T, bool)
	Delete(like T) (T, bool)
	Clear()

	// Copy returns a set that may be changed without this one seeing it.
	Copy() Set[T]
}

// NewSet returns an empty Set in the order of less.
func NewSet[T any](less func(a, b T) bool) Set[T] {
	return treeSet[T]{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

type treeSet[T any] struct{ *btree.BTreeG[T] }

func (s treeSet[T]) Copy() Set[T] { return treeSet[T]{s.BTreeG.Copy()} }
