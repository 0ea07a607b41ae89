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

	copier
}

// NewMap returns an empty Map.
func NewMap[K cmp.Ordered, V any]() Map[K, V] { return treeMap[K, V]{btree.NewMap[K, V](degree)} }

// treeMap has only the methods of a Map: if the tree were embedded, all of its methods
// would be compiled twice.
type treeMap[K cmp.Ordered, V any] struct{ t *btree.Map[K, V] }

func (m treeMap[K, V]) Len() int                             { return m.t.Len() }
func (m treeMap[K, V]) Get(key K) (V, bool)                  { return m.t.Get(key) }
func (m treeMap[K, V]) Max() (K, V, bool)                    { return m.t.Max() }
func (m treeMap[K, V]) Scan(yield func(K, V) bool)           { m.t.Scan(yield) }
func (m treeMap[K, V]) Ascend(from K, yield func(K, V) bool) { m.t.Ascend(from, yield) }
func (m treeMap[K, V]) Set(key K, value V) (V, bool)         { return m.t.Set(key, value) }
func (m treeMap[K, V]) Load(key K, value V) (V, bool)        { return m.t.Load(key, value) }
func (m treeMap[K, V]) Delete(key K) (V, bool)               { return m.t.Delete(key) }
func (m treeMap[K, V]) Clear()                               { m.t.Clear() }
func (m treeMap[K, V]) copied() any                          { return treeMap[K, V]{m.t.Copy()} }

// copier is the method that Copy needs of a Map or a Set.
type copier interface{ copied() any }

// Copy returns a Map or Set that may be changed without the given one seeing it.
//
//go:noinline
func Copy[M copier](of M) M { return of.copied().(M) }

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

	copier
}

// NewSet returns an empty Set in the order of less.
func NewSet[T any](less func(a, b T) bool) Set[T] {
	return treeSet[T]{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true, Degree: degree})}
}

type treeSet[T any] struct{ t *btree.BTreeG[T] }

func (s treeSet[T]) Len() int                          { return s.t.Len() }
func (s treeSet[T]) Get(like T) (T, bool)              { return s.t.Get(like) }
func (s treeSet[T]) GetAt(index int) (T, bool)         { return s.t.GetAt(index) }
func (s treeSet[T]) Scan(yield func(T) bool)           { s.t.Scan(yield) }
func (s treeSet[T]) Ascend(from T, yield func(T) bool) { s.t.Ascend(from, yield) }
func (s treeSet[T]) Set(item T) (T, bool)              { return s.t.Set(item) }
func (s treeSet[T]) Load(item T) (T, bool)             { return s.t.Load(item) }
func (s treeSet[T]) Delete(like T) (T, bool)           { return s.t.Delete(like) }
func (s treeSet[T]) Clear()                            { s.t.Clear() }
func (s treeSet[T]) copied() any                       { return treeSet[T]{s.t.Copy()} }
