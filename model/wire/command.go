package wire

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// commandsOf returns op as typed with the osc-placement client, nil if the client has no
// such command.
//
// Source: osc-placement, osc_placement/resources/.
func commandsOf(s *placement.Snapshot, op placement.Op) []string {
	line := func(version string, words ...string) []string { return command(Placement, version, words...) }
	switch op := op.(type) {
	case placement.CreateProvider:
		if op.Parent.IsZero() {
			return line("1.0", "resource", "provider", "create", "--uuid", op.ID.String(), op.Name)
		}
		return line("1.14", "resource", "provider", "create", "--uuid", op.ID.String(), "--parent-provider", op.Parent.String(), op.Name)
	case placement.UpdateProvider:
		words := []string{"resource", "provider", "set", op.ID.String(), "--name", op.Name}
		switch {
		case !op.Reparent:
			return line("1.0", words...)
		case op.Parent.IsZero():
			return nil
		}
		return line("1.37", append(words, "--parent-provider", op.Parent.String())...)
	case placement.DeleteProvider:
		return line("1.0", "resource", "provider", "delete", op.ID.String())
	case placement.SetInventories:
		if len(op.Inventories) == 0 {
			return line("1.5", "resource", "provider", "inventory", "delete", op.Provider.String())
		}
		words := []string{"resource", "provider", "inventory", "set", op.Provider.String()}
		for _, c := range slices.Sorted(maps.Keys(op.Inventories)) {
			words = append(words, inventoryWords(c, op.Inventories[c])...)
		}
		return line(inventoryVersion(op.Inventories), words...)
	case placement.SetInventory:
		return line(drainVersion(op.Inventory), classWords(op.Provider, op.Class, op.Inventory)...)
	case placement.AddInventory:
		words := append([]string{"resource", "provider", "inventory", "set", op.Provider.String(), "--amend"}, inventoryWords(op.Class, op.Inventory)...)
		return line(drainVersion(op.Inventory), words...)
	case placement.DeleteInventory:
		return line("1.0", "resource", "provider", "inventory", "delete", op.Provider.String(), "--resource-class", string(op.Class))
	case placement.SetTraits:
		if len(op.Traits) == 0 {
			return line("1.6", "resource", "provider", "trait", "delete", op.Provider.String())
		}
		words := []string{"resource", "provider", "trait", "set"}
		for _, t := range inOrder(op.Traits) {
			words = append(words, "--trait", string(t))
		}
		return line("1.6", append(words, op.Provider.String())...)
	case placement.SetAggregates:
		return aggregateCommand(s, op, line)
	case placement.ReplaceAllocations:
		return allocationCommand(s, op, line)
	case placement.DeleteAllocations:
		return line("1.0", "resource", "provider", "allocation", "delete", op.Consumer.String())
	case placement.CreateClass:
		if op.IfAbsent {
			return line("1.7", "resource", "class", "set", string(op.Name))
		}
		return line("1.2", "resource", "class", "create", string(op.Name))
	case placement.DeleteClass:
		return line("1.2", "resource", "class", "delete", string(op.Name))
	case placement.CreateTrait:
		return line("1.6", "trait", "create", string(op.Name))
	case placement.DeleteTrait:
		return line("1.6", "trait", "delete", string(op.Name))
	}
	return nil
}

// command returns a command of the openstack client with the microversion of a service
// that it needs, "" for the default of the client.
func command(of Service, version string, words ...string) []string {
	line := "openstack"
	if version != "" {
		line += " --os-" + string(of) + "-api-version " + version
	}
	for _, w := range words {
		line += " " + Quote(w)
	}
	return []string{line}
}

// commandLine makes a command from words.
type commandLine func(version string, words ...string) []string

func aggregateCommand(s *placement.Snapshot, op placement.SetAggregates, line commandLine) []string {
	words := []string{"resource", "provider", "aggregate", "set", op.Provider.String()}
	for _, a := range slices.SortedStableFunc(slices.Values(op.Aggregates), placement.AggregateID.Compare) {
		words = append(words, "--aggregate", a.String())
	}
	if op.KeepGeneration {
		return line("1.1", words...)
	}
	return line("1.19", append(words, "--generation", strconv.FormatInt(providerGeneration(s, op.Provider), 10))...)
}

// allocationCommand sets or deletes what one consumer holds. The client cannot
// change several at once.
func allocationCommand(s *placement.Snapshot, op placement.ReplaceAllocations, line commandLine) []string {
	if len(op.Consumers) != 1 {
		return nil
	}
	c := op.Consumers[0]
	if len(c.Allocations) == 0 {
		return line("1.28", "resource", "provider", "allocation", "unset", c.Consumer.String())
	}
	words := []string{"resource", "provider", "allocation", "set", c.Consumer.String()}
	for _, id := range slices.SortedStableFunc(maps.Keys(c.Allocations), placement.ProviderID.Compare) {
		words = append(words, "--allocation", "rp="+id.String()+","+Resources(c.Allocations[id]))
	}
	body, version := claimOf(s, c), "1.28"
	words = append(words, "--project-id", body.Project, "--user-id", body.User)
	if body.Type != "" {
		version = "1.38"
		words = append(words, "--consumer-type", string(body.Type))
	}
	return line(version, words...)
}

// inventoryWords returns an inventory as options of "inventory set": the total,
// and the fields that are not the default.
func inventoryWords(c placement.ResourceClass, inv placement.Inventory) []string {
	words := []string{"--resource", fmt.Sprintf("%s=%d", c, inv.Total)}
	for _, f := range inv.Unusual() {
		words = append(words, "--resource", fmt.Sprintf("%s:%s=%s", c, f.Name, f.Is))
	}
	return words
}

// classWords returns an inventory as the words of "inventory class set".
func classWords(id placement.ProviderID, c placement.ResourceClass, inv placement.Inventory) []string {
	words := []string{"resource", "provider", "inventory", "class", "set", id.String(), string(c), "--total", strconv.FormatInt(inv.Total, 10)}
	for _, f := range inv.Unusual() {
		words = append(words, "--"+f.Name, f.Is)
	}
	return words
}

// Quote returns a word quoted for a shell.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.,:=/@+%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
