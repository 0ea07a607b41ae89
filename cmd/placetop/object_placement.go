package main

import (
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova/exchange"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// placementObjects yields the objects of a class of Placement's, or those of the named
// provider or consumer; false if the class is not Placement's.
func (f finder) placementObjects(class, name string) (iter.Seq2[object.Object, error], bool) {
	p := f.Placement()
	switch strings.ToLower(class) {
	case "resourceprovider":
		return each(p.Providers(), name, f.Provider, false, func(rp *placement.ResourceProvider) (object.Object, []object.Object, error) {
			list, err := exchange.ResourceProviders(rp)
			return list, objectsIn(list.All()), err
		}), true
	case "resourceproviderlist":
		return func(yield func(object.Object, error) bool) {
			all := slices.Collect(p.Providers())
			if name != "" {
				rp, err := f.Provider(name)
				if err != nil {
					yield(nil, err)
					return
				}
				all = []*placement.ResourceProvider{rp}
			}
			yield(exchange.ResourceProviders(all...))
		}, true
	case "inventory", "inventorylist":
		return each(p.Providers(), name, f.Provider, strings.EqualFold(class, "InventoryList"), func(rp *placement.ResourceProvider) (object.Object, []object.Object, error) {
			list, err := exchange.Inventories(p, rp)
			return list, objectsIn(list.All()), err
		}), true
	case "allocation", "allocationlist":
		return each(p.Consumers(), name, f.Consumer, strings.EqualFold(class, "AllocationList"), func(c *placement.Consumer) (object.Object, []object.Object, error) {
			list, err := exchange.Allocations(p, c)
			return list, objectsIn(list.All()), err
		}), true
	default:
		return nil, false
	}
}

// each yields the objects that of returns for all holders, or for the one with a name:
// one list for each holder that has any, or the objects themselves.
func each[T any](all iter.Seq[T], name string, find func(string) (T, error), lists bool, of func(T) (object.Object, []object.Object, error)) iter.Seq2[object.Object, error] {
	return func(yield func(object.Object, error) bool) {
		if name != "" {
			one, err := find(name)
			if err != nil {
				yield(nil, err)
				return
			}
			all = slices.Values([]T{one})
		}
		for holder := range all {
			list, in, err := of(holder)
			if err != nil {
				yield(nil, err)
				return
			}
			if lists && (len(in) > 0 || name != "") {
				in = []object.Object{list}
			}
			for _, o := range in {
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

// objectsIn returns objects of one class as objects of any.
func objectsIn[T object.Object](list []T) []object.Object {
	out := make([]object.Object, len(list))
	for i, o := range list {
		out[i] = o
	}
	return out
}
