package wire

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Own returns operations on a cloud as commands of placetop, nil if one of them has no
// command, or there are too many to read. Things are called by their names, or by their
// uuids if the operations rename them.
func Own(s *cloud.Snapshot, ops []cloud.Op) []string {
	if len(ops) > mostRequests {
		return nil
	}
	o := own{s: s.Placement(), renamed: map[placement.ProviderID]bool{}}
	for _, op := range ops {
		if u, ok := op.(placement.UpdateProvider); ok {
			o.renamed[u.ID] = true
		}
	}
	var out []string
	for _, op := range ops {
		words := o.words(op)
		if words == nil {
			return nil
		}
		line := "placetop"
		for _, w := range words {
			line += " " + Quote(w)
		}
		out = append(out, line)
	}
	return out
}

// own turns operations on a ledger into commands of placetop.
type own struct {
	s       *placement.Snapshot
	renamed map[placement.ProviderID]bool
}

// name returns the name of a provider in a command.
func (o own) name(id placement.ProviderID) string {
	p, ok := o.s.Provider(id)
	if !ok || o.renamed[id] {
		return id.String()
	}
	return p.Name()
}

// words returns the words of the command for an operation, nil if there is none.
func (o own) words(op cloud.Op) []string {
	switch op := op.(type) {
	case placement.CreateProvider:
		words := []string{"create", "provider", op.Name, "--uuid", op.ID.String()}
		if !op.Parent.IsZero() {
			words = append(words, "--parent", o.name(op.Parent))
		}
		return words
	case placement.UpdateProvider:
		return o.update(op)
	case placement.DeleteProvider:
		return []string{"delete", "provider", o.name(op.ID)}
	case placement.SetInventories:
		words := []string{"set", "inventory", o.name(op.Provider), "--replace"}
		for _, class := range slices.Sorted(maps.Keys(op.Inventories)) {
			words = append(words, ownInventory(class, op.Inventories[class])...)
		}
		return words
	case placement.SetInventory:
		return append([]string{"set", "inventory", o.name(op.Provider)}, ownInventory(op.Class, op.Inventory)...)
	case placement.AddInventory:
		return append([]string{"set", "inventory", o.name(op.Provider)}, ownInventory(op.Class, op.Inventory)...)
	case placement.DeleteInventory:
		return []string{"delete", "inventory", o.name(op.Provider), string(op.Class)}
	case placement.SetTraits:
		words := []string{"set", "trait", o.name(op.Provider), "--replace"}
		for _, t := range inOrder(op.Traits) {
			words = append(words, string(t))
		}
		return words
	case placement.SetAggregates:
		words := []string{"set", "aggregate", o.name(op.Provider), "--replace"}
		for _, a := range op.Aggregates {
			words = append(words, a.String())
		}
		return words
	case placement.Reshape:
		return o.reshape(op)
	case placement.CreateClass:
		return []string{"create", "class", string(op.Name)}
	case placement.DeleteClass:
		return []string{"delete", "class", string(op.Name)}
	case placement.CreateTrait:
		return []string{"create", "trait", string(op.Name)}
	case placement.DeleteTrait:
		return []string{"delete", "trait", string(op.Name)}
	case placement.DeleteAllocations:
		return []string{"release", op.Consumer.String()}
	case placement.ReplaceAllocations:
		return o.allocations(op)
	}
	return nil
}

func (o own) update(op placement.UpdateProvider) []string {
	words := []string{"set", "provider", op.ID.String()}
	if p, ok := o.s.Provider(op.ID); !ok || p.Name() != op.Name {
		words = append(words, "--name", op.Name)
	}
	switch {
	case !op.Reparent:
	case op.Parent.IsZero():
		words = append(words, "--no-parent")
	default:
		words = append(words, "--parent", o.name(op.Parent))
	}
	return words
}

// reshape returns the words for moving whole inventories from one provider to another,
// nil for any other reshape.
func (o own) reshape(op placement.Reshape) []string {
	if len(op.Inventories) != 2 {
		return nil
	}
	was := [2]map[placement.ResourceClass]placement.Inventory{}
	for i, set := range op.Inventories {
		p, ok := o.s.Provider(set.Provider)
		if !ok {
			return nil
		}
		was[i] = o.s.ProviderRecord(p).Inventories
	}
	words := []string{"reshape", o.name(op.Inventories[0].Provider), o.name(op.Inventories[1].Provider)}
	left, got := op.Inventories[0].Inventories, op.Inventories[1].Inventories
	for _, class := range slices.Sorted(maps.Keys(was[0])) {
		switch _, stays := left[class]; {
		case stays && left[class] == was[0][class]:
		case !stays && got[class].Total == was[0][class].Total+was[1][class].Total:
			words = append(words, string(class))
		default:
			return nil
		}
	}
	if moved := len(words) - 3; moved == 0 || len(left) != len(was[0])-moved {
		return nil
	}
	return words
}

// allocations returns the words for one consumer that releases everything, or that claims
// from one provider and holds nothing yet.
func (o own) allocations(op placement.ReplaceAllocations) []string {
	if len(op.Consumers) != 1 {
		return nil
	}
	claim := op.Consumers[0]
	if len(claim.Allocations) == 0 {
		return []string{"release", claim.Consumer.String()}
	}
	if _, holds := o.s.Consumer(claim.Consumer); holds || len(claim.Allocations) > 1 {
		return nil
	}
	words := []string{"allocate", claim.Consumer.String()}
	for id, amounts := range claim.Allocations {
		for _, class := range slices.Sorted(maps.Keys(amounts)) {
			words = append(words, fmt.Sprintf("%s=%d", class, amounts[class]))
		}
		words = append(words, "--on", o.name(id))
	}
	return append(words, "--type", string(claim.Type), "--project", claim.Project, "--user", claim.User)
}

// ownInventory returns the words for an inventory: the total, and the fields that are not
// the default.
func ownInventory(class placement.ResourceClass, inv placement.Inventory) []string {
	words := []string{fmt.Sprintf("%s=%d", class, inv.Total)}
	for _, f := range inv.Unusual() {
		words = append(words, string(class)+":"+f.Name+"="+f.Is)
	}
	return words
}
